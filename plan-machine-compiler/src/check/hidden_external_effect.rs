//! PM0502: a tool that is not `external` never causes an `external` effect.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Emit, EventKind, Machine, Transition};
use crate::model::{EffectId, StateId, TransitionId};
use crate::source::Span;

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    if !machine.effects.iter().any(|effect| effect.external) {
        return;
    }
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        let event = machine.handler(transition.handler).event;
        if !may_act(&machine.event(event).kind) {
            let mut told: Vec<EffectId> = Vec::new();
            for cause in causes(machine, graph, transition) {
                if !told.contains(&cause.effect) {
                    told.push(cause.effect);
                    sink.push(report(machine, id, &cause));
                }
            }
        }
    }
}

/// Returns whether a transition for the event may cause external effects. The model may cause them only with a tool
/// that is declared `external`; a transition for a host tool must not cause them.
fn may_act(kind: &EventKind) -> bool {
    match kind {
        EventKind::Command(_) | EventKind::Signal | EventKind::Timer(_) => true,
        EventKind::Tool { external, .. } => *external,
        EventKind::External | EventKind::Other => false,
    }
}

/// An external effect and what causes it.
struct Cause {
    effect: EffectId,
    span: Span,
    through: Option<(&'static str, StateId)>,
}

/// Returns the external effects that a transition can have in any leaf that takes it.
fn causes(machine: &Machine, graph: &Graph, transition: &Transition) -> Vec<Cause> {
    let mut found = external(machine, &transition.emit, None);
    for leaf in graph.users(transition.handler) {
        let (exits, entries) = moves(machine, transition, *leaf);
        for state in exits {
            let through = Some(("exit action", state));
            found.extend(external(machine, &machine.state(state).exit, through));
        }
        for state in entries {
            let through = Some(("entry action", state));
            found.extend(external(machine, &machine.state(state).enter, through));
        }
    }
    found
}

/// Returns the states that are exited and entered, including those of a successor.
fn moves(
    machine: &Machine,
    transition: &Transition,
    leaf: StateId,
) -> (Vec<StateId>, Vec<StateId>) {
    let target = transition.to.map(|to| machine.state(to).initial_leaf);
    let (exits, mut entries) = match target {
        None => (Vec::new(), Vec::new()),
        Some(target) if leaf == StateId::NONE => (Vec::new(), machine.entries_from_root(target)),
        Some(target) => machine.path(leaf, target),
    };
    if let Some(successor) = machine.successor(transition) {
        entries.extend(machine.entries_from_root(successor));
    }
    (exits, entries)
}

fn external(
    machine: &Machine,
    emits: &[Emit],
    through: Option<(&'static str, StateId)>,
) -> Vec<Cause> {
    let external = emits
        .iter()
        .filter(|emit| machine.effect(emit.effect).external);
    external
        .map(|emit| Cause {
            effect: emit.effect,
            span: emit.span,
            through,
        })
        .collect()
}

fn report(machine: &Machine, id: TransitionId, cause: &Cause) -> Diagnostic {
    let event = machine.handler(machine.transition(id).handler).event;
    let kind = words::kind(machine, event);
    let tool = words::event(machine, event);
    let effect = &machine.effect(cause.effect).name;
    let own = matches!(machine.event(event).kind, EventKind::Tool { .. });
    let mark = if own {
        ", which is not `external`,"
    } else {
        ""
    };
    let message = format!("the {kind} {tool}{mark} causes the external effect `{effect}`");
    let found = match cause.through {
        None => Diagnostic::new(Code::PM0502, cause.span, message).label("emitted here"),
        Some((how, state)) => {
            let name = words::state(machine, state);
            Diagnostic::new(Code::PM0502, words::place(machine, id), message)
                .label(format!("runs the {how} of {name}"))
                .also(cause.span, "emitted here")
        }
    };
    let found = found.help("use a command or a signal for this step");
    if own {
        found.help(
            "or declare the tool `external: true`, which makes it explicit that the model may cause this effect",
        )
    } else {
        found
    }
}
