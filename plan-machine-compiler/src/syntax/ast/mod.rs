//! The syntax tree: a spec as it was written, names not resolved yet.
//!
//! Every reader fills these types. Equality ignores spans and other differences of notation, so that one spec written
//! in two ways can be compared.

mod equality;
mod expr;
mod scenario;

pub use crate::operators::{BinaryOp, Gate, Is, Quantifier};
pub use expr::{Expr, ExprKind, Invariant, Part, Property};
pub use scenario::{Action, Expect, Scenario, ScenarioCall, ScenarioStep};

use crate::source::{Span, Spanned};

/// A name with its place.
pub type Name = Spanned<String>;

/// A whole spec.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// The machine's name.
    pub machine: Option<Name>,
    /// What the machine is for.
    pub doc: Option<Name>,
    /// The version of stored records; 1 by default.
    pub version: Option<Spanned<i64>>,
    /// `deny: warnings` was written.
    pub deny_warnings: bool,
    /// `instances: many` was written.
    pub many: Option<Spanned<bool>>,
    /// How many records may be alive.
    pub max_live: Option<Spanned<i64>>,
    /// The fields a person approves, as paths.
    pub review: Vec<Path>,
    /// The fields that lists of plans show.
    pub summary: Vec<Name>,
    /// What the host sends with every event.
    pub context: Vec<Field>,
    /// Enums and records.
    pub types: Vec<TypeDecl>,
    /// The record's fields.
    pub data: Vec<Field>,
    /// Events of the user.
    pub commands: Vec<Command>,
    /// Events from the host.
    pub signals: Vec<Signal>,
    /// Events of the model.
    pub tools: Vec<Tool>,
    /// Values that steps emit.
    pub effects: Vec<Effect>,
    /// Host tools that states may name.
    pub external_tools: Vec<Name>,
    /// What happens to other tools in a machine with many plans.
    pub other_tools: Option<Handler>,
    /// The tree of states.
    pub states: Vec<State>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
    /// Examples that must run as they say.
    pub scenarios: Vec<Scenario>,
}

/// A dotted path such as `steps.tool`.
pub type Path = Spanned<Vec<Name>>;

/// A field of the data, of an input, of a record or of an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Spanned<TypeExpr>,
    /// The maximum number of characters, items or bytes.
    pub max: Option<Spanned<i64>>,
    /// Blank texts are refused.
    pub nonblank: Option<Span>,
    /// The initial value, or the value if the payload omits it.
    pub default: Option<Literal>,
    /// What it is for.
    pub doc: Option<Name>,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExpr {
    /// `string`, `Step`.
    Named(Name),
    /// `[T]`.
    List(Box<Spanned<TypeExpr>>),
    /// `T?`.
    Optional(Box<Spanned<TypeExpr>>),
    /// Something that could not be read; a diagnostic says why.
    Unreadable,
}

/// A declared type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<Name>,
    /// What it is.
    pub kind: TypeKind,
}

/// An enum or a record.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// Its values.
    Enum(Vec<Name>),
    /// Its fields.
    Record(Vec<Field>),
}

/// A command of the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its name.
    pub name: Name,
    /// The text that the user types.
    pub text: Name,
    /// Types of arguments other than `string`.
    pub input: Vec<Field>,
    /// What it is for.
    pub doc: Option<Name>,
    /// It decides about bytes that a person has seen.
    pub reviewed: Option<Span>,
    /// It goes to every machine of a session that handles it.
    pub shared: bool,
    /// It goes to every record that handles it.
    pub each: Option<Span>,
}

/// A signal from the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its name.
    pub name: Name,
    /// Its payload.
    pub input: Vec<Field>,
    /// What it is for.
    pub doc: Option<Name>,
    /// `reviewed`, which only commands may carry.
    pub reviewed: Option<Span>,
}

/// A tool of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: Name,
    /// The description for the model.
    pub doc: Option<Name>,
    /// Its payload.
    pub input: Vec<Field>,
    /// It only reads.
    pub read: bool,
    /// It may change the world.
    pub external: bool,
    /// `reviewed`, which only commands may carry.
    pub reviewed: Option<Span>,
}

/// An effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<Name>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// It changes the world.
    pub external: bool,
}

/// A state, leaf or composite.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// What it means.
    pub doc: Option<Name>,
    /// The child that is entered.
    pub initial: Option<Name>,
    /// The record never changes again.
    pub is_final: Option<Span>,
    /// Optional fields that are certain to be set here.
    pub has: Vec<Name>,
    /// What the model reads here.
    pub prompt: Option<Name>,
    /// Requirements for an event, here and in the states inside.
    pub require: Vec<(Name, Require)>,
    /// What is handled here.
    pub on: Vec<(Name, Handler)>,
    /// What happens to other tools here.
    pub other_tools: Option<Handler>,
    /// Effects of entering.
    pub enter: Vec<Emit>,
    /// Effects of leaving.
    pub exit: Vec<Emit>,
    /// Children; `Some` and empty if `states:` was written with nothing in it.
    pub states: Option<Vec<State>>,
}

/// What a state does with an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// Where it was written.
    pub span: Span,
    /// What it does.
    pub kind: HandlerKind,
}

/// The kinds of handling.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerKind {
    /// A host tool runs.
    Run,
    /// The event is denied.
    Deny,
    /// The first alternative whose `when` holds is taken.
    Transitions(Vec<Transition>),
}

/// One alternative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// Where it was written.
    pub span: Span,
    /// The target.
    pub to: Option<Name>,
    /// What the slot holds afterwards.
    pub next: Option<Spanned<Next>>,
    /// The condition for this alternative.
    pub when: Option<Condition>,
    /// Requirements, with the messages if they fail.
    pub require: Vec<Require>,
    /// Fields that get a value.
    pub set: Vec<(Name, Expr)>,
    /// Fields that go back to their initial value.
    pub clear: Vec<Name>,
    /// Items that change.
    pub update: Vec<Update>,
    /// Items that are removed.
    pub remove: Vec<(Name, Expr)>,
    /// Items that are inserted.
    pub insert: Vec<Insert>,
    /// Items that are appended.
    pub append: Vec<(Name, Expr)>,
    /// Effects.
    pub emit: Vec<Emit>,
    /// The reply.
    pub reply: Option<Expr>,
}

/// What the slot holds after a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Nothing.
    None,
    /// A successor that starts as a copy.
    Copy(Name),
    /// A successor that starts empty.
    Fresh(Name),
}

/// A condition, with its text for people.
#[derive(Clone, Debug)]
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
    /// The message if it does not hold.
    pub otherwise: Option<Expr>,
}

/// `update: { list: { at | where, set, clear } }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The list.
    pub list: Name,
    /// Which items.
    pub which: Which,
    /// The items' fields that get a value.
    pub set: Vec<(Name, Expr)>,
    /// The items' fields that are unset.
    pub clear: Vec<Name>,
}

/// Which items an update changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// The one at a position.
    At(Expr),
    /// Every one for which a condition holds.
    Where(Expr),
}

/// `insert: { list: { at, value } }`.
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
    /// Which effect.
    pub effect: Name,
    /// Its fields.
    pub fields: Vec<(Name, Expr)>,
}

/// A value that is read by the type it represents.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// Where it was written.
    pub span: Span,
    /// The value.
    pub kind: LiteralKind,
}

/// The kinds of literal values.
#[derive(Clone, Debug)]
pub enum LiteralKind {
    /// A scalar; `quoted` ones are always texts where any JSON may appear.
    Scalar {
        /// The text.
        text: String,
        /// It was in quotes or in a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<Literal>),
    /// A map.
    Map(Vec<(Name, Literal)>),
}
