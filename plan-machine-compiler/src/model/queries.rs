//! Queries that many passes use.

use plan_machine_kernel::session::{Disposition, Dispositions};

use super::expr::Expr;
use super::ids::{EffectId, EventId, FieldId, HandlerId, StateId, TransitionId, TypeId};
use super::machine::{
    Effect, Event, EventKind, Fate, Handler, HandlerKind, Instances, Machine, State, Transition,
};
use super::prompt::named;
use super::types::{Field, Type, TypeDef};
use crate::operators::Gate;

/// What happens to a call to a host tool in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The tool runs.
    Run,
    /// The call is denied.
    Deny,
    /// The machine takes a transition, and the tool does not run.
    Record(HandlerId),
    /// The alternatives decide for each call whether it runs, is recorded or is denied.
    Choose(HandlerId),
}

impl Decision {
    /// Returns whether the tool might run for some calls.
    #[must_use]
    pub fn may_run(self) -> bool {
        matches!(self, Decision::Run | Decision::Choose(_))
    }

    /// Returns how strict this decision is. The strictness matters for a call to which two entries
    /// of a machine apply: one for its tool and one for its class.
    #[must_use]
    pub fn strictness(self) -> u8 {
        match self {
            Decision::Run => 0,
            Decision::Choose(_) => 1,
            Decision::Record(_) => 2,
            Decision::Deny => 3,
        }
    }
}

impl Machine {
    /// Returns the state with this id.
    #[must_use]
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// Returns the event with this id.
    #[must_use]
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// Returns the effect with this id.
    #[must_use]
    pub fn effect(&self, id: EffectId) -> &Effect {
        &self.effects[id.index()]
    }

    /// Returns the handler with this id.
    #[must_use]
    pub fn handler(&self, id: HandlerId) -> &Handler {
        &self.handlers[id.index()]
    }

    /// Returns the transition with this id.
    #[must_use]
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.index()]
    }

    /// Returns the declared type with this id.
    #[must_use]
    pub fn type_def(&self, id: TypeId) -> &TypeDef {
        &self.types[id.index()]
    }

    /// Returns the field of the data with this id.
    #[must_use]
    pub fn field(&self, id: FieldId) -> &Field {
        &self.data[id.index()]
    }

    /// Returns the pseudo-event that represents any host tool that no entry names.
    #[must_use]
    pub fn other_tools(&self) -> EventId {
        EventId::at(self.events.len() - 1)
    }

    /// Returns the fields of the records in a list; empty if the items of the list are not records.
    #[must_use]
    pub fn item_fields(&self, list: &Field) -> &[Field] {
        match list.ty.required() {
            Type::List(item) => match &**item {
                Type::Record(id) => self.type_def(*id).fields(),
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Returns whether an event is a host tool: either one that the spec names, or any other tool.
    #[must_use]
    pub fn is_host_tool(&self, event: EventId) -> bool {
        matches!(
            self.event(event).kind,
            EventKind::External | EventKind::Other
        )
    }

    /// Returns the ids of all states.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len()).map(StateId::at)
    }

    /// Returns the ids of all events, including the pseudo-event for other tools.
    pub fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId::at)
    }

    /// Returns the ids of all transitions.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> + use<> {
        (0..self.transitions.len()).map(TransitionId::at)
    }

    /// Returns `none` and every leaf, in the order of the spec, `none` first.
    pub fn leaves(&self) -> impl Iterator<Item = StateId> {
        self.state_ids().filter(|id| self.state(*id).is_leaf())
    }

    /// Returns the names of the fields that a person reviews, each of them once, in the order of the spec.
    #[must_use]
    pub fn reviewed_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for path in &self.review {
            let name = self.field(path.field).name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the leaves in which a record can be: every leaf except `none`.
    pub(crate) fn leaves_of_records(&self) -> impl Iterator<Item = StateId> {
        self.leaves().filter(|leaf| *leaf != StateId::NONE)
    }

    /// Returns the index of a leaf among all leaves, as it appears in the tables of the machine.
    #[must_use]
    pub fn place(&self, leaf: StateId) -> u16 {
        let at = self.leaves().position(|other| other == leaf);
        at.and_then(|at| u16::try_from(at).ok()).unwrap_or(0)
    }

    /// Returns the leaf at an index among all leaves.
    #[must_use]
    pub fn leaf_at(&self, place: u16) -> StateId {
        let mut leaves = self.leaves();
        leaves.nth(usize::from(place)).unwrap_or(StateId::NONE)
    }

    /// Returns the leaves inside a state; for a leaf, the leaf itself.
    #[must_use]
    pub fn leaves_under(&self, state: StateId) -> Vec<StateId> {
        let mut found = Vec::new();
        let mut open = vec![state];
        while let Some(id) = open.pop() {
            let state = self.state(id);
            if state.is_leaf() {
                found.push(id);
            }
            open.extend(state.children.iter().rev());
        }
        found
    }

    /// Returns a state and its ancestors, starting with the state itself.
    pub fn ancestry(&self, state: StateId) -> impl Iterator<Item = StateId> {
        std::iter::successors(Some(state), |id| self.state(*id).parent)
    }

    /// Returns whether a state is `outer` or is nested in `outer`.
    #[must_use]
    pub fn is_within(&self, state: StateId, outer: StateId) -> bool {
        self.ancestry(state).any(|id| id == outer)
    }

    /// Returns the event with this name; `other_tools` does not count as an event.
    #[must_use]
    pub fn event_named(&self, name: &str) -> Option<EventId> {
        let declared = &self.events[..self.events.len() - 1];
        declared
            .iter()
            .position(|event| event.name == name)
            .map(EventId::at)
    }

    /// Returns the state with this name.
    #[must_use]
    pub fn state_named(&self, name: &str) -> Option<StateId> {
        let found = self.states.iter().position(|state| state.name == name);
        found.map(StateId::at)
    }

    /// Returns the entry for an event in a leaf: the entry of the innermost state that has one, which may also be a
    /// `deny` entry.
    #[must_use]
    pub fn entry(&self, leaf: StateId, event: EventId) -> Option<HandlerId> {
        self.ancestry(leaf).find_map(|id| {
            let on = &self.state(id).on;
            let found = on.binary_search_by_key(&event, |(event, _)| *event);
            found.ok().map(|at| on[at].1)
        })
    }

    /// Returns the alternatives that a leaf has for an event, if the leaf handles the event.
    #[must_use]
    pub fn alternatives(&self, leaf: StateId, event: EventId) -> Option<&[TransitionId]> {
        match &self.handler(self.entry(leaf, event)?).kind {
            HandlerKind::Transitions(alternatives) => Some(alternatives),
            HandlerKind::Run | HandlerKind::Deny => None,
        }
    }

    /// Returns the alternatives that apply to an event in a leaf, if there are any. A host tool without an entry is
    /// treated as one of the other tools.
    #[must_use]
    pub fn taken_for(&self, leaf: StateId, event: EventId) -> Option<&[TransitionId]> {
        let named = self.entry(leaf, event).is_some() || !self.is_host_tool(event);
        self.alternatives(leaf, if named { event } else { self.other_tools() })
    }

    /// Returns whether an event that took an alternative counts as the event `name`: either it is that event, or the
    /// entry that applied to it is an entry for that event.
    #[must_use]
    pub fn goes_by(&self, event: EventId, taken: TransitionId, name: EventId) -> bool {
        event == name || self.handler(self.transition(taken).handler).event == name
    }

    /// Returns what happens to a host tool in a leaf: an entry for the tool, even an inherited one, takes precedence
    /// over any `other_tools`.
    #[must_use]
    pub fn decision(&self, leaf: StateId, tool: EventId) -> Decision {
        let entry = self
            .entry(leaf, tool)
            .or_else(|| self.entry(leaf, self.other_tools()));
        match entry.map(|id| (id, &self.handler(id).kind)) {
            None | Some((_, HandlerKind::Run)) => Decision::Run,
            Some((_, HandlerKind::Deny)) => Decision::Deny,
            Some((id, HandlerKind::Transitions(all))) => {
                let mut fates = all.iter().map(|id| self.transition(*id).fate);
                if fates.all(|fate| fate == Fate::Accept) {
                    Decision::Record(id)
                } else {
                    Decision::Choose(id)
                }
            }
        }
    }

    /// Returns what may happen to the calls that two entries apply to: the stricter entry wins.
    #[must_use]
    pub fn joint_dispositions(
        &self,
        leaf: StateId,
        one: EventId,
        other: Option<EventId>,
    ) -> Dispositions {
        let entries = std::iter::once(one).chain(other);
        Dispositions::joint(entries.map(|event| self.dispositions(leaf, event)))
    }

    /// Returns which of two entries decides what happens to a call in a leaf: the stricter one, and the first one if
    /// both are equally strict.
    #[must_use]
    pub fn deciding_entry(&self, leaf: StateId, one: EventId, other: Option<EventId>) -> EventId {
        let strictness = |event: EventId| self.decision(leaf, event).strictness();
        let stricter = other.filter(|other| strictness(*other) > strictness(one));
        stricter.unwrap_or(one)
    }

    /// Returns what may happen to the calls to a host tool in a leaf, whatever the data and the calls are.
    #[must_use]
    pub fn dispositions(&self, leaf: StateId, tool: EventId) -> Dispositions {
        match self.decision(leaf, tool) {
            Decision::Run => Disposition::Run.into(),
            Decision::Record(_) => Disposition::Record.into(),
            Decision::Deny => Disposition::Deny.into(),
            Decision::Choose(id) => {
                let HandlerKind::Transitions(all) = &self.handler(id).kind else {
                    return Disposition::Deny.into();
                };
                let each = all.iter().map(|id| match self.transition(*id).fate {
                    Fate::Run => Disposition::Run,
                    Fate::Count => Disposition::Count,
                    Fate::Accept => Disposition::Record,
                    Fate::Deny => Disposition::Deny,
                });
                // A call that no alternative takes is denied.
                each.chain([Disposition::Deny]).collect()
            }
        }
    }

    /// Returns the machine's own tools that a leaf handles and therefore advertises, sorted by name.
    #[must_use]
    pub fn advertised(&self, leaf: StateId) -> Vec<EventId> {
        let mut tools: Vec<EventId> = self
            .event_ids()
            .filter(|id| matches!(self.event(*id).kind, EventKind::Tool { .. }))
            .filter(|id| self.alternatives(leaf, *id).is_some())
            .collect();
        tools.sort_by(|a, b| self.event(*a).name.cmp(&self.event(*b).name));
        tools
    }

    /// Returns whether an invariant's claim about a tool or an event is true in a leaf; `None` if the state alone does
    /// not decide that, because conditions choose what happens to a call, or may deny an event. The machine's own tools
    /// are advertised or denied; only host tools run or are recorded.
    #[must_use]
    pub fn gate(&self, leaf: StateId, gate: Gate, tool: EventId) -> Option<bool> {
        let own = matches!(self.event(tool).kind, EventKind::Tool { .. });
        // In a machine with many plans, the tools that `none` handles are also available.
        let handled = self.alternatives(leaf, tool).is_some()
            || (self.is_many() && self.alternatives(StateId::NONE, tool).is_some());
        let decides = if self.is_many() { StateId::NONE } else { leaf };
        let decision = self
            .is_host_tool(tool)
            .then(|| self.decision(decides, tool));
        if gate == Gate::Accepts {
            return match decision {
                Some(Decision::Run) => Some(true),
                Some(Decision::Deny) => Some(false),
                Some(Decision::Record(_) | Decision::Choose(_)) => None,
                None => self.alternatives(leaf, tool).is_none().then_some(false),
            };
        }
        let asks_for_calls = matches!(gate, Gate::Runs | Gate::Denies | Gate::Records);
        if asks_for_calls && matches!(decision, Some(Decision::Choose(_))) {
            return None;
        }
        Some(match gate {
            Gate::Advertises => own && handled,
            Gate::Prompts => named(&self.prompt(leaf)).any(|name| name == self.event(tool).name),
            Gate::Denies if own => !handled,
            Gate::Runs => decision == Some(Decision::Run),
            Gate::Denies => decision == Some(Decision::Deny),
            Gate::Records => matches!(decision, Some(Decision::Record(_))),
            Gate::Accepts => handled,
        })
    }

    /// Returns the prompt of a leaf: the prompts of its ancestors and its own prompt, outermost first.
    #[must_use]
    pub fn prompt(&self, leaf: StateId) -> String {
        let mut parts: Vec<&str> = self
            .ancestry(leaf)
            .filter_map(|id| self.state(id).prompt.as_ref())
            .map(|(text, _)| text.as_str())
            .collect();
        parts.reverse();
        parts.join("\n\n")
    }

    /// Returns the fields that are guaranteed to be set in a leaf.
    pub fn has(&self, leaf: StateId) -> impl Iterator<Item = FieldId> {
        self.ancestry(leaf)
            .flat_map(|id| self.state(id).has.iter().map(|(field, _)| *field))
    }

    /// Returns whether a session can hold more than one record.
    #[must_use]
    pub fn is_many(&self) -> bool {
        matches!(self.instances, Instances::Many { .. })
    }

    /// Returns the text of the first command that starts a plan.
    #[must_use]
    pub fn starting_command(&self) -> Option<&str> {
        let starts = |event: EventId| {
            let alternatives = self.alternatives(StateId::NONE, event).unwrap_or_default();
            let mut alternatives = alternatives.iter();
            alternatives.any(|id| self.transition(*id).to.is_some())
        };
        let mut commands = self
            .event_ids()
            .filter(|id| matches!(self.event(*id).kind, EventKind::Command(_)) && starts(*id));
        commands.next().map(|id| self.event(id).shown_name())
    }

    /// Returns whether a reply lists the plans of the session.
    #[must_use]
    pub fn lists_plans(&self) -> bool {
        let mut transitions = self.transitions.iter();
        transitions.any(|transition| transition.reply.as_ref().is_some_and(Expr::lists_plans))
    }

    /// Returns whether a leaf is final.
    #[must_use]
    pub fn is_final(&self, leaf: StateId) -> bool {
        self.state(leaf).is_final
    }

    /// Returns the leaves that use a handler: the leaves inside its state for which the handler is the innermost entry.
    #[must_use]
    pub fn users(&self, handler: HandlerId) -> Vec<StateId> {
        let Handler { state, event, .. } = self.handler(handler);
        let mut leaves = self.leaves_under(*state);
        leaves.retain(|leaf| self.entry(*leaf, *event) == Some(handler));
        leaves
    }

    /// Returns whether a plan in this leaf can be in the slot after a step: the leaf is not final, or some event in the
    /// leaf has `next`, which releases the plan. In a machine with many plans, every leaf qualifies.
    #[must_use]
    pub fn can_hold(&self, leaf: StateId) -> bool {
        if leaf == StateId::NONE || !self.is_final(leaf) || self.is_many() {
            return true;
        }
        self.event_ids().any(|event| self.releases(leaf, event))
    }

    /// Returns whether some alternative for an event in a leaf has `next`.
    #[must_use]
    pub fn releases(&self, leaf: StateId, event: EventId) -> bool {
        let alternatives = self.alternatives(leaf, event).unwrap_or_default();
        alternatives
            .iter()
            .any(|id| self.transition(*id).next.is_some())
    }
}
