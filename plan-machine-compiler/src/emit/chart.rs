//! The machine as a drawing: the arrows between states, and the content of each state. Both chart formats (Mermaid and
//! Graphviz) draw this structure.

use crate::model::machine::{EventKind, HandlerKind, Machine, Next};
use crate::model::{Decision, EventId, HandlerId, StateId, TransitionId};

use super::text::shortened;
use super::words::{self, Sender};

/// The maximum length of a condition next to an arrow, in characters.
const GUARD: usize = 44;
/// The maximum length of a requirement, in characters.
const REQUIRED: usize = 60;

/// An arrow; all events that lead from one state to another share one arrow.
#[derive(Debug)]
pub(super) struct Arrow {
    /// The state that declares the transitions; this can be a composite state.
    pub(super) from: StateId,
    /// The target: a leaf, or `none`.
    pub(super) to: StateId,
    /// What the arrow means.
    pub(super) way: Way,
    /// One label per transition.
    pub(super) labels: Vec<Label>,
}

impl Arrow {
    /// Returns whether the arrow leads from a composite state to a state inside it. Such an arrow means "from any state
    /// of this composite state".
    pub(super) fn is_from_inside(&self, machine: &Machine) -> bool {
        !machine.state(self.from).is_leaf() && machine.is_within(self.to, self.from)
    }
}

/// What an arrow means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The record moves to another state.
    Moves,
    /// The slot receives its next record, or becomes empty.
    Next,
}

/// The label of one transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The sender of the event.
    pub(super) sender: Sender,
    /// The event, as charts show it.
    pub(super) event: String,
    /// The condition under which this transition is taken.
    pub(super) guard: Option<String>,
    /// Notes on everything that the transition does besides the move.
    pub(super) notes: Vec<String>,
}

/// Returns the states that are not inside another state, in the order of the spec.
pub(super) fn roots(machine: &Machine) -> Vec<StateId> {
    let all = machine.state_ids();
    all.filter(|id| machine.state(*id).parent.is_none())
        .collect()
}

/// Returns all arrows, in the order of the spec.
pub(super) fn arrows(machine: &Machine) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    let all = machine.state_ids().flat_map(|state| drawn(machine, state));
    for (handler, transition) in all {
        let from = machine.handler(handler).state;
        let change = machine.transition(transition);
        if let Some(to) = change.to.filter(|_| !loops(machine, from, change.to)) {
            let to = machine.state(to).initial_leaf;
            let mut label = label(machine, transition);
            if change.next == Some(Next::None) && machine.can_hold(to) && !machine.is_many() {
                // A record in the target state could stay in the slot, so note that this record leaves the slot.
                label.notes.push(words::next_words(Next::None).to_owned());
            }
            add(&mut arrows, (from, to, Way::Moves), label);
        }
        if let Some(next) = change
            .next
            .filter(|next| change.to.is_none() || *next != Next::None)
        {
            let state = words::next_state(next);
            if loops(machine, from, Some(state)) {
                continue;
            }
            let to = machine.state(state).initial_leaf;
            let mut label = label(machine, transition);
            if change.to.is_some() {
                // The arrow of the record's own move shows the other notes.
                label.notes.clear();
            }
            label.notes.push(words::next_words(next).to_owned());
            add(&mut arrows, (from, to, Way::Next), label);
        }
    }
    arrows
}

/// Returns whether a transition leads from a leaf to itself. Its arrow would loop around the box of the leaf, so the
/// box lists the transition instead.
fn loops(machine: &Machine, from: StateId, to: Option<StateId>) -> bool {
    let to = to.map(|state| machine.state(state).initial_leaf);
    from != StateId::NONE && to == Some(from)
}

/// Returns the transitions that a state itself declares and that some leaf can take.
fn drawn(machine: &Machine, state: StateId) -> impl Iterator<Item = (HandlerId, TransitionId)> {
    let handlers = machine.state(state).on.iter();
    handlers.flat_map(|(_, handler)| {
        let alternatives: &[TransitionId] = match &machine.handler(*handler).kind {
            HandlerKind::Transitions(all) if !machine.users(*handler).is_empty() => all,
            _ => &[],
        };
        let handler = *handler;
        alternatives
            .iter()
            .map(move |transition| (handler, *transition))
    })
}

fn add(arrows: &mut Vec<Arrow>, (from, to, way): (StateId, StateId, Way), label: Label) {
    let same = |arrow: &&mut Arrow| (arrow.from, arrow.to, arrow.way) == (from, to, way);
    match arrows.iter_mut().find(same) {
        Some(arrow) if arrow.labels.contains(&label) => {}
        Some(arrow) => arrow.labels.push(label),
        None => arrows.push(Arrow {
            from,
            to,
            way,
            labels: vec![label],
        }),
    }
}

fn label(machine: &Machine, id: TransitionId) -> Label {
    let transition = machine.transition(id);
    let event = machine.handler(transition.handler).event;
    let effects = words::effects(machine, &transition.emit);
    let required = transition
        .require
        .iter()
        .map(|require| format!("requires {}", shortened(&require.that.text, REQUIRED)));
    Label {
        sender: words::sender(machine, event),
        event: words::event(machine, event),
        guard: words::guard(machine, id, GUARD),
        notes: required.chain(emitted("emits", &effects)).collect(),
    }
}

fn emitted(verb: &str, effects: &[&str]) -> Option<String> {
    (!effects.is_empty()).then(|| format!("{verb} {}", effects.join(", ")))
}

/// The content of a state.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// The machine's own tools that a leaf advertises, except those in `stays`; the flag marks tools that only read.
    pub(super) tools: Vec<(String, bool)>,
    /// The events that this state itself handles without moving the record. A tool is listed here only if there is a
    /// condition or a note to show with its name.
    pub(super) stays: Vec<Label>,
    /// What happens to calls to host tools in a leaf state.
    pub(super) gate: Vec<(Fate, String)>,
    /// The effects that are emitted when the state is entered or left.
    pub(super) effects: Vec<String>,
}

/// What happens to a call to a host tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The tool runs.
    Runs,
    /// The alternatives decide for each call whether it runs.
    Chosen,
    /// The machine takes a transition, and the tool does not run.
    Recorded,
    /// The call is denied.
    Denied,
}

impl Fate {
    /// Returns what happens to a call to a host tool in a leaf state. In a machine with many plans, only `none` has
    /// entries for host tools, so `none` decides for every state.
    pub(super) fn of(machine: &Machine, leaf: StateId, tool: EventId) -> Self {
        let named = machine.entry(leaf, tool).is_some();
        let decides = if machine.is_many() && !named {
            StateId::NONE
        } else {
            leaf
        };
        match machine.decision(decides, tool) {
            Decision::Run => Fate::Runs,
            Decision::Deny => Fate::Denied,
            Decision::Choose(_) => Fate::Chosen,
            Decision::Record(_) => Fate::Recorded,
        }
    }

    /// Returns what happens in a leaf state to calls to host tools that the spec does not name;
    /// `None` if the state does not gate host tools.
    pub(super) fn of_the_rest(machine: &Machine, leaf: StateId) -> Option<Self> {
        decides(machine, leaf).then(|| Self::of(machine, leaf, machine.other_tools()))
    }

    /// Returns the verb for a sentence whose subject is the state, as in "the state records the tool".
    pub(super) fn verb(self) -> &'static str {
        match self {
            Fate::Runs => "runs",
            Fate::Chosen => "may run",
            Fate::Recorded => "records",
            Fate::Denied => "denies",
        }
    }

    /// Returns the word for a sentence whose subject is the tool, as in "the tool is recorded".
    pub(super) fn word(self) -> &'static str {
        match self {
            Fate::Runs => "runs",
            Fate::Chosen => "may run",
            Fate::Recorded => "recorded",
            Fate::Denied => "denied",
        }
    }
}

/// Returns the content of a state.
pub(super) fn inside(machine: &Machine, id: StateId) -> Inside {
    let state = machine.state(id);
    let enter = emitted("enter emits", &words::effects(machine, &state.enter));
    let exit = emitted("exit emits", &words::effects(machine, &state.exit));
    let mut inside = Inside {
        stays: stays(machine, id),
        effects: enter.into_iter().chain(exit).collect(),
        ..Inside::default()
    };
    if state.is_leaf() {
        let tools = machine.advertised(id).into_iter();
        let tools = tools.map(|tool| (words::event(machine, tool), words::reads(machine, tool)));
        let told = |name: &str| inside.stays.iter().any(|label| label.event == name);
        inside.tools = tools.filter(|(name, _)| !told(name)).collect();
        inside.gate = gate(machine, id);
    }
    inside
}

/// Returns the events that leave the record in the state or lead back to the state. A tool without a condition or a
/// note is omitted, because the list of tools already contains it.
fn stays(machine: &Machine, id: StateId) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for (handler, transition) in drawn(machine, id) {
        let change = machine.transition(transition);
        let again = loops(machine, id, change.to);
        let next = change
            .next
            .filter(|next| loops(machine, id, Some(words::next_state(*next))));
        if !words::stays(change) && !again && next.is_none() {
            continue;
        }
        let mut label = label(machine, transition);
        if again {
            label.notes.push("re-enters the state".to_owned());
        }
        if let Some(next) = next {
            if change.to.is_some() {
                label.notes.clear();
            }
            label
                .notes
                .push(format!("{}, here", words::next_words(next)));
        }
        if never_moves(machine, handler) {
            // The choice of the alternative affects only the data, which a chart does not show.
            label.guard = None;
        }
        let plain = label.guard.is_none() && label.notes.is_empty();
        let told = matches!(label.sender, Sender::Tool | Sender::OtherTool) && plain;
        if !told && !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

fn never_moves(machine: &Machine, handler: HandlerId) -> bool {
    match &machine.handler(handler).kind {
        HandlerKind::Transitions(all) => all.iter().all(|id| words::stays(machine.transition(*id))),
        HandlerKind::Run | HandlerKind::Deny => true,
    }
}

/// Returns whether a state decides what happens to calls to host tools. Returns `false` for every
/// state if the machine does not gate any host tools.
fn decides(machine: &Machine, leaf: StateId) -> bool {
    let held = leaf == StateId::NONE || (machine.can_hold(leaf) && !machine.is_many());
    held && gates(machine)
}

/// Returns what happens to calls to host tools in a leaf state; empty if the state does not gate
/// host tools.
fn gate(machine: &Machine, leaf: StateId) -> Vec<(Fate, String)> {
    if !decides(machine, leaf) {
        return Vec::new();
    }
    let rest = Fate::of(machine, leaf, machine.other_tools());
    let said = |fate: Fate| {
        let mut tools: Vec<String> = host_tools(machine)
            .filter(|tool| Fate::of(machine, leaf, *tool) == fate && fate != rest)
            .map(|tool| words::event(machine, tool))
            .collect();
        if fate == rest {
            tools.push(words::event(machine, machine.other_tools()));
        }
        (!tools.is_empty()).then(|| (fate, tools.join(", ")))
    };
    [Fate::Runs, Fate::Chosen, Fate::Recorded, Fate::Denied]
        .into_iter()
        .filter_map(said)
        .collect()
}

/// Returns the host tools that the spec names.
pub(super) fn host_tools(machine: &Machine) -> impl Iterator<Item = EventId> {
    let external = |id: &EventId| matches!(machine.event(*id).kind, EventKind::External);
    machine.event_ids().filter(external)
}

/// Returns whether some entry for host tools does anything other than let them run.
fn gates(machine: &Machine) -> bool {
    let host = |entry: &&(EventId, HandlerId)| words::sender(machine, entry.0) == Sender::OtherTool;
    let entries = machine
        .states
        .iter()
        .flat_map(|state| &state.on)
        .filter(host);
    let mut kinds = entries.map(|(_, handler)| &machine.handler(*handler).kind);
    kinds.any(|kind| !matches!(kind, HandlerKind::Run))
}
