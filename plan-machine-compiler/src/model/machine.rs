//! The tables of a machine.

use plan_machine_kernel::command::{Pattern, typed};
pub use plan_machine_kernel::tables::Instances;
use plan_machine_kernel::tables::TextPart;
use plan_machine_kernel::timers::Period;

pub use crate::operators::Fate;

use super::expr::Expr;
use super::ids::{EffectId, EventId, FieldId, HandlerId, StateId, TransitionId};
use super::scenario::Scenario;
use super::types::{Field, TypeDef};
use crate::source::Span;

/// A complete machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The name of the machine.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// The documentation of the machine.
    pub doc: Option<String>,
    /// The version of the spec.
    pub version: u64,
    /// The spec in the DSL, without the parts that do not affect its meaning, such as docs, prompts, invariants and
    /// scenarios.
    pub meaning: String,
    /// The digest of the canonical encoding, which journals store.
    pub fingerprint: String,
    /// The digest of the meaning, which older journals store instead.
    pub earlier_fingerprint: String,
    /// Whether warnings are errors.
    pub deny_warnings: bool,
    /// Whether there is one record or many records.
    pub instances: Instances,
    /// The parts of the data that a person approves.
    pub review: Vec<DataPath>,
    /// The fields shown in lists of plans.
    pub summary: Vec<FieldId>,
    /// The fields that the host sends with every event.
    pub context: Vec<Field>,
    /// The types that the spec declares.
    pub types: Vec<TypeDef>,
    /// The fields of the record.
    pub data: Vec<Field>,
    /// The commands, signals, tools, timers and external tools, in this order; the pseudo-event for other tools comes
    /// last.
    pub events: Vec<Event>,
    /// The effects that the machine declares.
    pub effects: Vec<Effect>,
    /// The states, parents before children; the first state is `none`.
    pub states: Vec<State>,
    /// The handlers: how states handle events.
    pub handlers: Vec<Handler>,
    /// The alternatives of all handlers.
    pub transitions: Vec<Transition>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
    /// The scenarios: examples that must run as described.
    pub scenarios: Vec<Scenario>,
}

/// A field of the data, or a part of such a field, for example `steps` or `steps.tool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPath {
    /// The field of the data.
    pub field: FieldId,
    /// The fields of nested records; the path passes through any lists in between.
    pub parts: Vec<FieldId>,
}

impl From<FieldId> for DataPath {
    /// Returns the path to a field as a whole.
    fn from(field: FieldId) -> Self {
        Self {
            field,
            parts: Vec::new(),
        }
    }
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// The name of the event.
    pub name: String,
    /// The location where the event is declared.
    pub span: Span,
    /// The documentation of the event.
    pub doc: Option<String>,
    /// The sender of the event, and how it is sent.
    pub kind: EventKind,
    /// The payload of the event.
    pub input: Vec<Field>,
    /// The text for senders in states that do not handle the event.
    pub unavailable: Option<Wording>,
}

impl Event {
    /// Returns the name of the event as its sender knows it: the text of a command as it is typed, or the name of any
    /// other event.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        match &self.kind {
            EventKind::Command(command) => typed(command.pattern.text()),
            _ => &self.name,
        }
    }
}

/// The sender of an event.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The user.
    Command(Command),
    /// The model.
    Tool {
        /// Whether the tool only reads.
        read: bool,
        /// Whether the tool may change the outside world.
        external: bool,
    },
    /// The host.
    Signal,
    /// No sender: the timer of a state fires.
    Timer(StateTimer),
    /// The model, which calls a host tool that the spec names.
    External,
    /// The model, which calls a host tool that no entry names.
    Other,
}

/// A timer of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateTimer {
    /// The state that starts the timer when a plan enters the state, and cancels the timer when the plan leaves the
    /// state.
    pub state: StateId,
    /// The time until the timer is due.
    pub period: Period,
}

/// How a command is typed, and what it applies to.
#[derive(Clone, Debug)]
pub struct Command {
    /// The text of the command.
    pub pattern: Pattern,
    /// Whether the command is a decision about content that a person has seen.
    pub reviewed: bool,
    /// Whether the command goes to every machine of the session that handles it.
    pub shared: bool,
    /// Whether the command goes to every record that handles it.
    pub each: bool,
}

/// An effect.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The name of the effect.
    pub name: String,
    /// The location where the effect is declared.
    pub span: Span,
    /// The documentation of the effect.
    pub doc: Option<String>,
    /// The fields of the effect.
    pub fields: Vec<Field>,
    /// Whether the effect changes the outside world.
    pub external: bool,
}

/// A state: a leaf or a composite.
#[derive(Clone, Debug)]
pub struct State {
    /// The name of the state.
    pub name: String,
    /// The location where the state is declared.
    pub span: Span,
    /// The documentation of the state.
    pub doc: Option<String>,
    /// The name of the state in messages for people and models.
    pub title: Option<String>,
    /// The composite that contains the state, if there is one.
    pub parent: Option<StateId>,
    /// The child states, in the order of the spec.
    pub children: Vec<StateId>,
    /// The leaf that is entered if a transition names this state as its target.
    pub initial_leaf: StateId,
    /// Whether the state is final: a record in a final state never changes again.
    pub is_final: bool,
    /// The optional fields that, according to this state's own declaration, are always set in the state.
    pub has: Vec<(FieldId, Span)>,
    /// The prompt that this state itself declares for the model, and the location of the prompt.
    pub prompt: Option<(String, Span)>,
    /// The texts for events that this state, or a state inside it, denies.
    pub unavailable: Vec<(EventId, Wording)>,
    /// Whether this state itself declares requirements. Each transition that must meet these requirements contains
    /// them.
    pub requires: bool,
    /// The handlers that this state itself declares, in the order of the event ids.
    pub on: Vec<(EventId, HandlerId)>,
    /// The effects of entering the state.
    pub enter: Vec<Emit>,
    /// The effects of leaving the state.
    pub exit: Vec<Emit>,
}

impl State {
    /// Returns whether a plan can be in this state itself, rather than in one of its child states.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

/// How one state handles one event.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The state that declares the handler.
    pub state: StateId,
    /// The event.
    pub event: EventId,
    /// The location of the event's name, of the timer's period, or of the handler for other tools.
    pub span: Span,
    /// The kind of handling.
    pub kind: HandlerKind,
}

/// The kinds of handling.
#[derive(Clone, Debug)]
pub enum HandlerKind {
    /// The host tool runs.
    Run,
    /// The event is denied.
    Deny,
    /// The first alternative whose `when` holds is taken.
    Transitions(Vec<TransitionId>),
}

/// One alternative.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The handler that the alternative belongs to.
    pub handler: HandlerId,
    /// The location where the alternative is written.
    pub span: Span,
    /// The state that the alternative names as its target.
    pub to: Option<StateId>,
    /// The content of the slot after the step.
    pub next: Option<Next>,
    /// The condition under which the alternative is taken.
    pub when: Option<Condition>,
    /// The requirements of the alternative.
    pub require: Vec<Require>,
    /// The data changes, in the order in which they apply.
    pub changes: Vec<Change>,
    /// The effects that the alternative emits.
    pub emit: Vec<Emit>,
    /// The reply of the alternative, if it declares one.
    pub reply: Option<Expr>,
    /// What happens to the event.
    pub fate: Fate,
}

/// The content of the slot after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The slot becomes empty.
    None,
    /// A successor that starts as a copy of the record.
    Copy(StateId),
    /// A successor that starts with its initial data.
    Fresh(StateId),
}

/// A condition, with its source text for messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The expression to evaluate.
    pub expr: Expr,
    /// The text of the condition in the spec.
    pub text: String,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// The condition.
    pub that: Condition,
    /// The message that is reported if the condition does not hold; a string expression.
    pub otherwise: Expr,
}

/// One data change; a field is written at most once per transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The field that is written.
    pub field: FieldId,
    /// The location of the field's name.
    pub span: Span,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The kinds of changes.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// The field gets a new value.
    Set(Expr),
    /// The field gets its initial value.
    Clear,
    /// Some items of a list change.
    Update {
        /// The items that change.
        which: Which,
        /// The fields of the items that get a value.
        set: Vec<(FieldId, Expr)>,
        /// The fields to unset in the items.
        clear: Vec<FieldId>,
    },
    /// The item at a position is removed.
    Remove(Expr),
    /// An item is inserted at a position.
    Insert(Expr, Expr),
    /// An item is appended.
    Append(Expr),
}

impl ChangeKind {
    /// Returns whether this change makes a list longer.
    #[must_use]
    pub fn grows(&self) -> bool {
        matches!(self, ChangeKind::Insert(..) | ChangeKind::Append(_))
    }

    /// Returns the expressions that determine where and what the change writes.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            ChangeKind::Set(value) | ChangeKind::Append(value) => vec![value],
            ChangeKind::Clear => Vec::new(),
            ChangeKind::Remove(at) => vec![at],
            ChangeKind::Insert(at, value) => vec![at, value],
            ChangeKind::Update { which, set, .. } => {
                let (Which::At(first) | Which::Where(first) | Which::First(first)) = which;
                let values = set.iter().map(|(_, value)| value);
                std::iter::once(first).chain(values).collect()
            }
        }
    }
}

/// The items that an update changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// The item at a position.
    At(Expr),
    /// Every item for which a condition holds.
    Where(Expr),
    /// The first item for which a condition holds.
    First(Expr),
}

/// One emitted effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Emit {
    /// The declared effect.
    pub effect: EffectId,
    /// The location of the name of the effect.
    pub span: Span,
    /// The fields of the effect, in the order of the declaration; `None` means the field's initial value.
    pub fields: Vec<Option<Expr>>,
}

/// An invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The name of the invariant.
    pub name: String,
    /// The location where the invariant is written.
    pub span: Span,
    /// The text of the invariant in the spec.
    pub text: String,
    /// The property that the invariant claims.
    pub property: Property,
}

/// The forms of invariants.
#[derive(Clone, Debug)]
pub enum Property {
    /// `always E`.
    Always(Expr),
    /// `never E`.
    Never(Expr),
    /// `can always reach E`; if events are named, only by these events.
    CanReach(Expr, Vec<EventId>),
    /// `E only by a or b`.
    OnlyBy(Expr, Vec<EventId>),
    /// `a only in E`.
    OnlyIn(EventId, Expr),
    /// `f changes only in E`; without a path, any change to the data.
    ChangesOnlyIn(Option<DataPath>, Expr),
    /// `f changes only by a`.
    ChangesOnlyBy(Option<DataPath>, Vec<EventId>),
    /// `f never changes`: the field keeps the value with which the record was created; without a path, all fields do.
    NeverChanges(Option<DataPath>),
    /// `f only grows`: a number never becomes smaller, and a list never becomes shorter.
    OnlyGrows(FieldId),
    /// `after a: E`.
    After(EventId, Expr),
    /// `x emitted only by a`.
    EmittedOnlyBy(EffectId, Vec<EventId>),
    /// `x emitted only in E`.
    EmittedOnlyIn(EffectId, Expr),
    /// `a never emits x`.
    NeverEmits(EventId, EffectId),
}

/// A text for senders of an event that is not available.
#[derive(Clone, Debug)]
pub struct Wording {
    /// The location of the text.
    pub span: Span,
    /// The parts of the text.
    pub parts: Vec<WordingPart>,
}

/// A part of the text for an event that is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordingPart {
    /// The name of the state that denies the event.
    State,
    /// Literal text, or a value of the context.
    Text(TextPart<String>),
}
