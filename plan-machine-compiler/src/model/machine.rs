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
    /// Where the name is.
    pub span: Span,
    /// What it is for.
    pub doc: Option<String>,
    /// The version of stored records.
    pub version: u64,
    /// Everything that affects the meaning, as a spec in Rust's tokens: no docs, prompts, invariants,
    /// scenarios.
    pub meaning: String,
    /// The digest of the canonical encoding, which journals hold.
    pub fingerprint: String,
    /// The digest of the meaning, which earlier journals hold in its place.
    pub earlier_fingerprint: String,
    /// Warnings are errors.
    pub deny_warnings: bool,
    /// One record or many.
    pub instances: Instances,
    /// What a person approves.
    pub review: Vec<DataPath>,
    /// What lists of plans show.
    pub summary: Vec<FieldId>,
    /// What the host sends with every event.
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
    /// What states do with events.
    pub handlers: Vec<Handler>,
    /// The alternatives of all handlers.
    pub transitions: Vec<Transition>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
    /// Examples that must run as they say.
    pub scenarios: Vec<Scenario>,
}

/// A field of the data, or a part of it: `steps`, `steps.tool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPath {
    /// The field of the data.
    pub field: FieldId,
    /// Fields of nested records; lists on the way are passed through.
    pub parts: Vec<FieldId>,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// What it is for.
    pub doc: Option<String>,
    /// Who sends it, and how.
    pub kind: EventKind,
    /// Its payload.
    pub input: Vec<Field>,
}

impl Event {
    /// Returns the event as its sender knows it: a command as it is typed, everything else by its
    /// name.
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
        /// It only reads.
        read: bool,
        /// It may change the world.
        external: bool,
    },
    /// The host.
    Signal,
    /// The model: a host tool that the spec names.
    External,
    /// The model: any host tool that no entry names.
    Other,
}

/// How a command is typed and what it is about.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its text.
    pub pattern: Pattern,
    /// It decides about bytes that a person has seen.
    pub reviewed: bool,
    /// It goes to every machine of a session that handles it.
    pub shared: bool,
    /// It goes to every record that handles it.
    pub each: bool,
}

/// An effect.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// What it is for.
    pub doc: Option<String>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// It changes the world.
    pub external: bool,
}

/// A state, leaf or composite.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// What it means.
    pub doc: Option<String>,
    /// The composite that contains it.
    pub parent: Option<StateId>,
    /// Its children, in the order of the spec.
    pub children: Vec<StateId>,
    /// The leaf that is entered when this state is named.
    pub initial_leaf: StateId,
    /// The record never changes again.
    pub is_final: bool,
    /// Optional fields that are certain to be set here, declared by this state itself.
    pub has: Vec<(FieldId, Span)>,
    /// What the model reads here, declared by this state itself, and where that is.
    pub prompt: Option<(String, Span)>,
    /// The handlers of this state itself, in the order of the ids.
    pub on: Vec<(EventId, HandlerId)>,
    /// Effects of entering.
    pub enter: Vec<Emit>,
    /// Effects of leaving.
    pub exit: Vec<Emit>,
}

impl State {
    /// Tells whether a plan can be in it.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

/// What one state does with one event.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The state that declares it.
    pub state: StateId,
    /// The event.
    pub event: EventId,
    /// Where the event's name is.
    pub span: Span,
    /// What it does.
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
    /// The handler it belongs to.
    pub handler: HandlerId,
    /// Where it was written.
    pub span: Span,
    /// The state that it names as its target.
    pub to: Option<StateId>,
    /// What the slot holds afterwards.
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

/// What the slot holds after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    None,
    /// A successor that starts as a copy.
    Copy(StateId),
    /// A successor that starts empty.
    Fresh(StateId),
}

/// A condition, with its text for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What is evaluated.
    pub expr: Expr,
    /// How it was written.
    pub text: String,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// The condition.
    pub that: Condition,
    /// The message if it does not hold: a text.
    pub otherwise: Expr,
}

/// One data change: a field is written at most once in a transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The field that is written.
    pub field: FieldId,
    /// Where the field's name is.
    pub span: Span,
    /// What happens to it.
    pub kind: ChangeKind,
}

/// The kinds of change.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// A new value.
    Set(Expr),
    /// Back to the initial value.
    Clear,
    /// Some items change.
    Update {
        /// Which items.
        which: Which,
        /// The items' fields that get a value.
        set: Vec<(FieldId, Expr)>,
        /// The items' fields that are unset.
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
    /// Tells whether it makes a list longer.
    #[must_use]
    pub fn grows(&self) -> bool {
        matches!(self, ChangeKind::Insert(..) | ChangeKind::Append(_))
    }
}

/// Which items an update changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// The one at a position.
    At(Expr),
    /// Every one for which a condition holds.
    Where(Expr),
}

/// One emitted effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Emit {
    /// Which effect.
    pub effect: EffectId,
    /// Where its name is.
    pub span: Span,
    /// Its fields in the order of the declaration; `None` stands for the field's initial value.
    pub fields: Vec<Option<Expr>>,
}

/// An invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: String,
    /// Where it was written.
    pub span: Span,
    /// How it was written.
    pub text: String,
    /// What it claims.
    pub property: Property,
}

/// The forms of invariants.
#[derive(Clone, Debug)]
pub enum Property {
    /// `always E`.
    Always(Expr),
    /// `never E`.
    Never(Expr),
    /// `can always reach E`, only by these events if some are named.
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
