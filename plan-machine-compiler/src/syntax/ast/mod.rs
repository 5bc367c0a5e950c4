//! The syntax tree: a spec as written, with names not resolved yet.
//!
//! Every reader produces these types. Equality ignores spans and other differences in notation, so that specs written
//! in different ways can be compared.

mod equality;
mod expr;
mod scenario;

pub use crate::operators::{BinaryOp, Fate, Gate, Is, Quantifier};
pub use expr::{Expr, ExprKind, Invariant, Part, Property};
pub use scenario::{Action, Expect, ExpectedEffect, Scenario, ScenarioCall, ScenarioStep};
pub(super) use scenario::{NEGATIVE_REVISION, belongs_to_a_call};

use plan_machine_kernel::timers::Period;

use crate::source::{Span, Spanned};

/// A name with its span.
pub type Name = Spanned<String>;

/// A whole spec.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// The machine's name.
    pub machine: Option<Name>,
    /// The machine's documentation.
    pub doc: Option<Name>,
    /// The version of the spec; 1 by default.
    pub version: Option<Spanned<i64>>,
    /// Whether `deny: warnings` was written.
    pub deny_warnings: bool,
    /// Whether the value of `instances` is `many`; `None` if the spec has no `instances`.
    pub many: Option<Spanned<bool>>,
    /// The maximum number of live records.
    pub max_live: Option<Spanned<i64>>,
    /// The fields that a person approves, as paths.
    pub review: Vec<Path>,
    /// The fields shown in lists of plans.
    pub summary: Vec<Name>,
    /// The values that the host sends with every event.
    pub context: Vec<Field>,
    /// The declared enums and records.
    pub types: Vec<TypeDecl>,
    /// The record's fields.
    pub data: Vec<Field>,
    /// Events sent by the user.
    pub commands: Vec<Command>,
    /// Events sent by the host.
    pub signals: Vec<Signal>,
    /// Events sent by the model.
    pub tools: Vec<Tool>,
    /// The effects that steps can emit.
    pub effects: Vec<Effect>,
    /// Host tools that states may name.
    pub external_tools: Vec<ExternalTool>,
    /// The handler for other tools in a machine with many instances.
    pub other_tools: Option<Handler>,
    /// The tree of states.
    pub states: Vec<State>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
    /// Example runs that must have the expected results.
    pub scenarios: Vec<Scenario>,
}

/// A dotted path such as `steps.tool`.
pub type Path = Spanned<Vec<Name>>;

/// A field of the data, of an input, of the context, of a record or of an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the field.
    pub name: Name,
    /// The type of the field.
    pub ty: Spanned<TypeExpr>,
    /// The maximum number of characters, items or bytes.
    pub max: Option<Spanned<i64>>,
    /// If present, blank strings are rejected.
    pub nonblank: Option<Span>,
    /// The initial value, or the value used if the payload omits the field.
    pub default: Option<Literal>,
    /// The documentation of the field.
    pub doc: Option<Name>,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExpr {
    /// A type by its name: `string`, `Step`.
    Named(Name),
    /// A list type: `[T]`.
    List(Box<Spanned<TypeExpr>>),
    /// An optional type: `T?`.
    Optional(Box<Spanned<TypeExpr>>),
    /// A type that could not be read; a diagnostic says why.
    Unreadable,
}

/// A declared type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// The name of the type.
    pub name: Name,
    /// The documentation of the type.
    pub doc: Option<Name>,
    /// The definition of the type.
    pub kind: TypeKind,
}

/// An enum or a record.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// The values of an enum.
    Enum(Vec<Name>),
    /// The fields of a record.
    Record(Vec<Field>),
}

/// A user command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The name of the command.
    pub name: Name,
    /// The text that the user types.
    pub text: Name,
    /// The arguments that are declared with a type or bounds; all other arguments are strings.
    pub input: Vec<Field>,
    /// The documentation of the command.
    pub doc: Option<Name>,
    /// If present, the command is a decision about content that a person has reviewed.
    pub reviewed: Option<Span>,
    /// Whether the command is sent to every machine of a session that handles it.
    pub shared: bool,
    /// If present, the command is sent to every record that handles it.
    pub each: Option<Span>,
    /// The text that a sender gets if the current state does not handle the command.
    pub unavailable: Option<Expr>,
}

/// A signal from the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// The name of the signal.
    pub name: Name,
    /// The payload of the signal.
    pub input: Vec<Field>,
    /// The documentation of the signal.
    pub doc: Option<Name>,
    /// The position of `reviewed`, which only commands may have.
    pub reviewed: Option<Span>,
    /// The text that the host gets if the current state does not handle the signal.
    pub unavailable: Option<Expr>,
}

/// A host tool that states may name.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalTool {
    /// The name of the tool.
    pub name: Name,
    /// The text that the model gets if the current state denies the tool.
    pub unavailable: Option<Expr>,
}

/// A tool of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name of the tool.
    pub name: Name,
    /// The description for the model.
    pub doc: Option<Name>,
    /// The payload of the tool.
    pub input: Vec<Field>,
    /// Whether the tool only reads.
    pub read: bool,
    /// Whether the tool may change the outside world.
    pub external: bool,
    /// The position of `reviewed`, which only commands may have.
    pub reviewed: Option<Span>,
    /// The text for the model in states that do not handle the tool.
    pub unavailable: Option<Expr>,
}

/// An effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The name of the effect.
    pub name: Name,
    /// The documentation of the effect.
    pub doc: Option<Name>,
    /// The fields of the effect.
    pub fields: Vec<Field>,
    /// Whether the effect changes the outside world.
    pub external: bool,
}

/// A state: a leaf or a composite.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The name of the state.
    pub name: Name,
    /// The documentation of the state.
    pub doc: Option<Name>,
    /// The name of the state in messages for people and models.
    pub title: Option<Name>,
    /// The child state that is entered by default.
    pub initial: Option<Name>,
    /// If present, a record in this state never changes again.
    pub is_final: Option<Span>,
    /// Optional fields that are certain to be set in this state.
    pub has: Vec<Name>,
    /// The prompt for the model in this state.
    pub prompt: Option<Name>,
    /// The texts for events that this state, or a state inside it, denies.
    pub unavailable: Vec<(Name, Expr)>,
    /// Requirements for an event, in this state and in the states inside it.
    pub require: Vec<(Name, Require)>,
    /// The handlers for events in this state.
    pub on: Vec<(Name, Handler)>,
    /// The handler for other tools in this state.
    pub other_tools: Option<Handler>,
    /// The timers that start when this state is entered.
    pub after: Vec<Timer>,
    /// The effects of entering this state.
    pub enter: Vec<Emit>,
    /// The effects of leaving this state.
    pub exit: Vec<Emit>,
    /// The child states; `Some` but empty if `states:` was written without any states.
    pub states: Option<Vec<State>>,
}

impl State {
    /// Returns a state with a name and nothing else.
    pub(super) fn named(name: Name) -> Self {
        Self {
            name,
            doc: None,
            title: None,
            initial: None,
            is_final: None,
            has: Vec::new(),
            prompt: None,
            unavailable: Vec::new(),
            require: Vec::new(),
            on: Vec::new(),
            other_tools: None,
            after: Vec::new(),
            enter: Vec::new(),
            exit: Vec::new(),
            states: None,
        }
    }
}

/// A timer of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Timer {
    /// The time between entering the state and the instant at which the timer fires.
    pub period: Spanned<Period>,
    /// What happens when the timer fires.
    pub handler: Handler,
}

/// Returns the message for two timers of one state with the same period, which would fire at the same instant.
pub(super) fn same_period(period: Period) -> String {
    format!(
        "this state already has a timer of `{period}`: give one timer several alternatives instead"
    )
}

/// A state's handler for an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The position of the handler in the source.
    pub span: Span,
    /// The kind of the handler.
    pub kind: HandlerKind,
}

/// The kinds of handlers.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerKind {
    /// The host tool runs.
    Run,
    /// The event is denied.
    Deny,
    /// The first alternative whose `when` holds is taken.
    Transitions(Vec<Transition>),
}

/// One alternative of a handler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// The position of the transition in the source.
    pub span: Span,
    /// The target state.
    pub to: Option<Name>,
    /// The content of the slot after the step.
    pub next: Option<Spanned<Next>>,
    /// The condition for this alternative.
    pub when: Option<Condition>,
    /// The requirements, each with the message that the caller gets if the requirement is not met.
    pub require: Vec<Require>,
    /// Fields that are assigned a value.
    pub set: Vec<(Name, Expr)>,
    /// Fields that are reset to their initial value.
    pub clear: Vec<Name>,
    /// List items that are changed.
    pub update: Vec<Update>,
    /// List items that are removed.
    pub remove: Vec<(Name, Expr)>,
    /// Items that are inserted into lists.
    pub insert: Vec<Insert>,
    /// Items that are appended to lists.
    pub append: Vec<(Name, Expr)>,
    /// Emitted effects.
    pub emit: Vec<Emit>,
    /// The reply to the caller.
    pub reply: Option<Expr>,
    /// What happens to the event: `run: true`, the word `run` or `deny`, or none of these.
    pub fate: Fate,
}

/// The content of the slot after a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The slot is empty.
    None,
    /// A successor that starts as a copy of the record.
    Copy(Name),
    /// A successor that starts empty.
    Fresh(Name),
}

/// A condition, with its text for display.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The expression that is evaluated.
    pub expr: Expr,
    /// The original text of the condition.
    pub text: String,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    /// The condition.
    pub that: Condition,
    /// The message if the condition does not hold.
    pub otherwise: Option<Expr>,
}

/// A change to items of a list: `update: { list: { at | where | first, set, clear } }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The list.
    pub list: Name,
    /// The items that are changed.
    pub which: Which,
    /// The items' fields that are assigned a value.
    pub set: Vec<(Name, Expr)>,
    /// The items' fields that are unset.
    pub clear: Vec<Name>,
}

/// Which items an update changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// The item at a position.
    At(Expr),
    /// Every item for which a condition holds.
    Where(Expr),
    /// The first item for which a condition holds.
    First(Expr),
}

/// An insertion into a list: `insert: { list: { at, value } }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The list.
    pub list: Name,
    /// The position.
    pub at: Expr,
    /// The item.
    pub value: Expr,
}

/// One emitted effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Emit {
    /// The effect.
    pub effect: Name,
    /// The fields of the effect.
    pub fields: Vec<(Name, Expr)>,
}

/// A value that is read according to its expected type.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The position of the literal in the source.
    pub span: Span,
    /// The value.
    pub kind: LiteralKind,
}

/// The kinds of literal values.
#[derive(Clone, Debug)]
pub enum LiteralKind {
    /// A scalar. Where any JSON is allowed, a `quoted` scalar is always a string.
    Scalar {
        /// The text of the scalar.
        text: String,
        /// Whether the scalar was written in quotes or as a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<Literal>),
    /// A map.
    Map(Vec<(Name, Literal)>),
}
