//! The syntax tree: a spec as it was written, names not looked up yet.
//!
//! Every reader fills these types. Equality ignores spans, so two ways of writing one spec can be
//! compared.

pub use crate::operators::{BinaryOp, Gate, Is, Quantifier};
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
    /// The version of stored records; 1 where it is not said.
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
    /// Events of the host.
    pub signals: Vec<Signal>,
    /// Events of the model.
    pub tools: Vec<Tool>,
    /// Values that steps put out.
    pub effects: Vec<Effect>,
    /// Tools of the host that states may name.
    pub external_tools: Vec<Name>,
    /// What becomes of other tools in a machine of many instances.
    pub other_tools: Option<Handler>,
    /// The tree of states.
    pub states: Vec<State>,
    /// What must hold.
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
    /// The most characters, items or bytes.
    pub max: Option<Spanned<i64>>,
    /// Blank texts are refused.
    pub nonblank: Option<Span>,
    /// The value at the start, or where the payload leaves it out.
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

/// A signal of the host.
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
    /// What the model is told of it.
    pub doc: Option<Name>,
    /// Its payload.
    pub input: Vec<Field>,
    /// It only reads.
    pub read: bool,
    /// It may make the world change.
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
    /// What it carries.
    pub fields: Vec<Field>,
    /// It makes the world change.
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
    /// Optional fields that are certainly set here.
    pub has: Vec<Name>,
    /// What the model is told here.
    pub prompt: Option<Name>,
    /// What is handled here.
    pub on: Vec<(Name, Handler)>,
    /// What becomes of other tools here.
    pub other_tools: Option<Handler>,
    /// Effects of entering.
    pub enter: Vec<Emit>,
    /// Effects of leaving.
    pub exit: Vec<Emit>,
    /// Children; `Some` and empty where `states:` was written with nothing in it.
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
    /// A tool of the host runs.
    Run,
    /// Nothing may happen.
    Deny,
    /// The first alternative whose `when` holds is taken.
    Transitions(Vec<Transition>),
}

/// One alternative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// Where it was written.
    pub span: Span,
    /// Where the record moves.
    pub to: Option<Name>,
    /// What the slot holds afterwards.
    pub next: Option<Spanned<Next>>,
    /// The condition for this alternative.
    pub when: Option<Condition>,
    /// What must hold, with what is said where it does not.
    pub require: Vec<Require>,
    /// Fields that get a value.
    pub set: Vec<(Name, Expr)>,
    /// Fields that go back to their start.
    pub clear: Vec<Name>,
    /// Items that change.
    pub update: Vec<Update>,
    /// Items that go.
    pub remove: Vec<(Name, Expr)>,
    /// Items that come in the middle.
    pub insert: Vec<Insert>,
    /// Items that come at the end.
    pub append: Vec<(Name, Expr)>,
    /// Effects.
    pub emit: Vec<Emit>,
    /// What the caller gets back.
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
    /// What must hold.
    pub that: Condition,
    /// What is said where it does not.
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

/// One effect that is put out.
#[derive(Clone, Debug, PartialEq)]
pub struct Emit {
    /// Which effect.
    pub effect: Name,
    /// What it carries.
    pub fields: Vec<(Name, Expr)>,
}

/// An expression with its place.
pub type Expr = Spanned<ExprKind>;

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `3`.
    Int(i64),
    /// `true`.
    Bool(bool),
    /// `"text"`.
    Text(String),
    /// A text with `{expr}` in it.
    Template(Vec<Part>),
    /// A bare name.
    Name(String),
    /// `event.title`.
    Member(Box<Expr>, Name),
    /// `steps[0]`.
    Index(Box<Expr>, Box<Expr>),
    /// `len(steps)`.
    Call(Name, Vec<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// `a and b`, `a + b`, `a == b`, …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x is set`, `x is not blank`; the flag says `not`.
    Is(Box<Expr>, Is, bool),
    /// `x in [a, b]`.
    In(Box<Expr>, Vec<Expr>),
    /// `any steps where …`.
    Quantified(Quantifier, Box<Expr>, Box<Expr>),
    /// `plans where …`.
    Filtered(Box<Expr>, Box<Expr>),
    /// `advertises t`, `runs t`, …
    Gate(Gate, Name),
    /// A map of values.
    Record(Vec<(Name, Expr)>),
    /// A list of values.
    List(Vec<Expr>),
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// As it stands.
    Literal(String),
    /// `{expr}`.
    Expr(Expr),
}

/// An invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// Its name.
    pub name: Name,
    /// What it claims.
    pub property: Spanned<Property>,
    /// How it was written.
    pub text: String,
}

/// The forms of invariants.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// `always E`.
    Always(Expr),
    /// `never E`.
    Never(Expr),
    /// `can always reach E`, by these events alone where some are named.
    CanReach(Expr, Vec<Name>),
    /// `E only by a or b`.
    OnlyBy(Expr, Vec<Name>),
    /// `a only in E`.
    OnlyIn(Name, Expr),
    /// `f changes only in E`.
    ChangesOnlyIn(Path, Expr),
    /// `f changes only by a`.
    ChangesOnlyBy(Path, Vec<Name>),
    /// `after a: E`.
    After(Name, Expr),
    /// `x emitted only by a`.
    EmittedOnlyBy(Name, Vec<Name>),
    /// `x emitted only in E`.
    EmittedOnlyIn(Name, Expr),
    /// `a never emits x`.
    NeverEmits(Name, Name),
}

/// A value that is read by the type it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// Where it was written.
    pub span: Span,
    /// The value.
    pub kind: LiteralKind,
}

/// The kinds of literal values.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralKind {
    /// A scalar; `quoted` ones are always texts where any JSON may stand.
    Scalar {
        /// The text.
        text: String,
        /// It stood in quotes or in a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<Literal>),
    /// A map.
    Map(Vec<(Name, Literal)>),
}

/// A scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it shows, in words.
    pub name: Name,
    /// Its steps.
    pub steps: Vec<ScenarioStep>,
}

/// One step of a scenario: what is sent, and what must come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioStep {
    /// Where it was written.
    pub span: Span,
    /// What is sent.
    pub action: Action,
    /// Sent this many times.
    pub repeat: Option<Spanned<i64>>,
    /// What the host knows.
    pub context: Option<Literal>,
    /// The time.
    pub at: Option<Name>,
    /// What must come of it.
    pub expect: Expect,
}

/// What a scenario's step sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `do`: an event's name or a command's text; `tool`: another tool.
    Call(ScenarioCall),
    /// `batch`: the calls of one model response.
    Batch(Span, Vec<ScenarioCall>),
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioCall {
    /// The event's name, the command's text or the tool's name.
    pub what: Name,
    /// `tool:` was written, not `do:`.
    pub tool: bool,
    /// The payload.
    pub with: Option<Literal>,
    /// Which record.
    pub plan_id: Option<Name>,
    /// Which revision the sender has seen.
    pub expect_revision: Option<Spanned<i64>>,
}

/// What must come of a step; what is not said is not judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// The state afterwards.
    pub then: Option<Name>,
    /// The state of the record that was replaced or released.
    pub ended: Option<Name>,
    /// Some fields of the data.
    pub data: Option<Literal>,
    /// The reply.
    pub reply: Option<Literal>,
    /// The effects, exactly and in order.
    pub emits: Option<Spanned<Vec<Name>>>,
    /// The advertised tools, exactly.
    pub advertises: Option<Spanned<Vec<Name>>>,
    /// Whether the tool runs, or which of a batch do.
    pub runs: Option<Literal>,
    /// The kind of denial.
    pub denied: Option<Name>,
    /// The denial's messages.
    pub messages: Option<Spanned<Vec<Name>>>,
}
