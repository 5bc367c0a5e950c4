//! PM0503: a prompt names, in backticks, only tools that its state advertises.

use std::collections::{BTreeSet, HashMap};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{EventKind, HandlerKind, Machine};
use crate::model::prompt::named;
use crate::model::{EventId, StateId};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    let named = tools_in_prompts(machine);
    let mut told: BTreeSet<(StateId, EventId)> = BTreeSet::new();
    for leaf in machine.leaves().filter(|leaf| graph.is_held(*leaf)) {
        let advertised = advertised(machine, graph, leaf);
        for speaker in machine.ancestry(leaf) {
            for tool in &named[speaker.index()] {
                if !advertised.contains(tool)
                    && told.insert((speaker, *tool))
                    && let Some(found) = report(machine, speaker, leaf, *tool)
                {
                    sink.push(found);
                }
            }
        }
    }
}

/// Returns, for each state, the machine's tools that are named in the state's own part of the prompt.
fn tools_in_prompts(machine: &Machine) -> Vec<Vec<EventId>> {
    let is_tool = |id: &EventId| matches!(machine.event(*id).kind, EventKind::Tool { .. });
    let tools: HashMap<&str, EventId> = machine
        .event_ids()
        .filter(is_tool)
        .map(|id| (machine.event(id).name.as_str(), id))
        .collect();
    let prompts = machine.states.iter().map(|state| state.prompt.as_ref());
    prompts
        .map(|prompt| {
            let text = prompt.map_or("", |(text, _)| text.as_str());
            named(text)
                .filter_map(|name| tools.get(name).copied())
                .collect()
        })
        .collect()
}

/// Returns the tools that a model sees in a leaf. In a machine with many instances, the tools handled in `none` are
/// available as well.
fn advertised(machine: &Machine, graph: &Graph, leaf: StateId) -> BTreeSet<EventId> {
    let none = machine.is_many().then_some(StateId::NONE);
    std::iter::once(leaf)
        .chain(none)
        .flat_map(|leaf| graph.entries(leaf))
        .map(|id| machine.handler(*id))
        .filter(|handler| matches!(handler.kind, HandlerKind::Transitions(_)))
        .map(|handler| handler.event)
        .collect()
}

fn report(machine: &Machine, speaker: StateId, leaf: StateId, tool: EventId) -> Option<Diagnostic> {
    let (_, span) = machine.state(speaker).prompt.as_ref()?;
    let (tool, name) = (words::event(machine, tool), words::state(machine, leaf));
    let message = format!("this prompt names {tool}, which {name} does not advertise");
    let found = Diagnostic::new(Code::PM0503, *span, message);
    let found = if speaker == leaf {
        found
    } else {
        found.also(machine.state(leaf).span, "inherits the prompt")
    };
    Some(found.help(format!(
        "move the sentence to the states that handle {tool}, or handle {tool} in {name} as well, or write the name \
            without backticks"
    )))
}
