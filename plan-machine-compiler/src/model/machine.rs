//! The machine's tables.

use plan_machine_kernel::command::{Pattern, typed};
pub use plan_machine_kernel::tables::Instances;

use super::expr::Expr;
use super::ids::{EffectId, EventId, FieldId, HandlerId, StateId, TransitionId};
use super::scenario::Scenario;
use super::types::{Field, TypeDef};
use crate::source::Span;

/// A whole machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// Its documentation.
    pub doc: Option<String>,
    /// The version of stored records.
    pub version: u64,
    /// Everything that affects the meaning, as a spec in Rust tokens, without docs, prompts, invariants and
    /// scenarios.
    pub meaning: String,
    /// The digest of the canonical encoding, which journals store.
    pub fingerprint: String,
    /// The digest of the meaning, which older journals store instead.
    pub earlier_fingerprint: String,
    /// Whether warnings are errors.
    pub deny_warnings: bool,
    /// Whether there is one record, or many.
    pub instances: Instances,
    /// The parts of the data that a person approves.
    pub review: Vec<DataPath>,
    /// The fields shown in lists of plans.
    pub summary: Vec<FieldId>,
    /// The fields that the host sends with every event.
    pub context: Vec<Field>,
    /// Declared types.
    pub types: Vec<TypeDef>,
    /// The record's fields.
    pub data: Vec<Field>,
    /// Commands, signals, tools and external tools in the order of the spec; the other tools last.
    pub events: Vec<Event>,
    /// Effects.
    pub effects: Vec<Effect>,
    /// States, parents before children; the first is `none`.
    pub states: Vec<State>,
    /// How states handle events.
    pub handlers: Vec<Handler>,
    /// The alternatives of all handlers.
    pub transitions: Vec<Transition>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
    /// Examples that must run as described.
    pub scenarios: Vec<Scenario>,
}

/// A field of the data, or a part of it: `steps`, `steps.tool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPath {
    /// The field of the data.
    pub field: FieldId,
    /// Fields of nested records; a path goes through any lists in between.
    pub parts: Vec<FieldId>,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// Its documentation.
    pub doc: Option<String>,
    /// Who sends it, and how.
    pub kind: EventKind,
    /// Its payload.
    pub input: Vec<Field>,
}

impl Event {
    /// Returns the event's name as its sender knows it: a command as it is typed, and any other
    /// event by its name.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        match &self.kind {
            EventKind::Command(command) => typed(command.pattern.text()),
            _ => &self.name,
        }
    }
}

/// Who sends an event.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The user.
    Command(Command),
    /// The model.
    Tool {
        /// Whether it only reads.
        read: bool,
        /// Whether it may change the world.
        external: bool,
    },
    /// The host.
    Signal,
    /// The model: a host tool that the spec names.
    External,
    /// The model: any host tool that no entry names.
    Other,
}

/// How a command is typed and what it applies to.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its text.
    pub pattern: Pattern,
    /// Whether it decides about content that a person has seen.
    pub reviewed: bool,
    /// Whether it goes to every machine of a session that handles it.
    pub shared: bool,
    /// Whether it goes to every record that handles it.
    pub each: bool,
}

/// An effect.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// Its documentation.
    pub doc: Option<String>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Whether it changes the world.
    pub external: bool,
}

/// A state: a leaf or a composite.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// Its documentation.
    pub doc: Option<String>,
    /// The composite that contains it.
    pub parent: Option<StateId>,
    /// Its children, in the order of the spec.
    pub children: Vec<StateId>,
    /// The leaf that is entered when this state is named.
    pub initial_leaf: StateId,
    /// Whether it is final: a record in it never changes again.
    pub is_final: bool,
    /// Optional fields that are certain to be set here, declared by this state itself.
    pub has: Vec<(FieldId, Span)>,
    /// The prompt for the model declared by this state itself, and its location.
    pub prompt: Option<(String, Span)>,
    /// The handlers of this state itself, in the order of the ids.
    pub on: Vec<(EventId, HandlerId)>,
    /// Effects of entering.
    pub enter: Vec<Emit>,
    /// Effects of leaving.
    pub exit: Vec<Emit>,
}

impl State {
    /// Returns whether a plan can be in this state itself.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

/// How one state handles one event.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The state that declares it.
    pub state: StateId,
    /// The event.
    pub event: EventId,
    /// The location of the event's name.
    pub span: Span,
    /// The kind of handling.
    pub kind: HandlerKind,
}

/// The kinds of handling.
#[derive(Clone, Debug)]
pub enum HandlerKind {
    /// A host tool runs.
    Run,
    /// The event is denied.
    Deny,
    /// The first alternative whose `when` holds is taken.
    Transitions(Vec<TransitionId>),
}

/// One alternative.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The handler that it belongs to.
    pub handler: HandlerId,
    /// Where it was written.
    pub span: Span,
    /// The state that it names as its target.
    pub to: Option<StateId>,
    /// The new content of the slot.
    pub next: Option<Next>,
    /// The condition for this alternative.
    pub when: Option<Condition>,
    /// The requirements.
    pub require: Vec<Require>,
    /// Data changes, in the order in which they apply.
    pub changes: Vec<Change>,
    /// Effects.
    pub emit: Vec<Emit>,
    /// The reply.
    pub reply: Option<Expr>,
}

/// The content of the slot after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    None,
    /// A successor that starts as a copy.
    Copy(StateId),
    /// A successor that starts empty.
    Fresh(StateId),
}

/// A condition, with its text for messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The expression to evaluate.
    pub expr: Expr,
    /// Its text in the spec.
    pub text: String,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// The condition.
    pub that: Condition,
    /// The message for when it does not hold: a text.
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

/// The kinds of change.
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
        /// The fields of the items that are unset.
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
    /// Returns whether this makes a list longer.
    #[must_use]
    pub fn grows(&self) -> bool {
        matches!(self, ChangeKind::Insert(..) | ChangeKind::Append(_))
    }
}

/// The items that an update changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// The item at a position.
    At(Expr),
    /// Every item for which a condition holds.
    Where(Expr),
}

/// One emitted effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Emit {
    /// The declared effect.
    pub effect: EffectId,
    /// The location of its name.
    pub span: Span,
    /// Its fields in the order of the declaration; `None` means the field's initial value.
    pub fields: Vec<Option<Expr>>,
}

/// An invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: String,
    /// Where it was written.
    pub span: Span,
    /// Its text in the spec.
    pub text: String,
    /// The property that it claims.
    pub property: Property,
}

/// The forms of invariants.
#[derive(Clone, Debug)]
pub enum Property {
    /// `always E`.
    Always(Expr),
    /// `never E`.
    Never(Expr),
    /// `can always reach E`, using only these events if any are named.
    CanReach(Expr, Vec<EventId>),
    /// `E only by a or b`.
    OnlyBy(Expr, Vec<EventId>),
    /// `a only in E`.
    OnlyIn(EventId, Expr),
    /// `f changes only in E`; no path means all of the data.
    ChangesOnlyIn(Option<DataPath>, Expr),
    /// `f changes only by a`.
    ChangesOnlyBy(Option<DataPath>, Vec<EventId>),
    /// `after a: E`.
    After(EventId, Expr),
    /// `x emitted only by a`.
    EmittedOnlyBy(EffectId, Vec<EventId>),
    /// `x emitted only in E`.
    EmittedOnlyIn(EffectId, Expr),
    /// `a never emits x`.
    NeverEmits(EventId, EffectId),
}
