//! Expressions and invariants as written.

use super::{Name, Path};
use crate::operators::{BinaryOp, Gate, Is, Quantifier};
use crate::source::Spanned;

/// An expression with its span.
pub type Expr = Spanned<ExprKind>;

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer: `3`.
    Int(i64),
    /// A boolean: `true`.
    Bool(bool),
    /// A string: `"text"`.
    Text(String),
    /// A string with embedded `{expr}` parts.
    Template(Vec<Part>),
    /// A bare name.
    Name(String),
    /// A field of a value: `event.title`.
    Member(Box<Expr>, Name),
    /// An item of a list: `steps[0]`.
    Index(Box<Expr>, Box<Expr>),
    /// A call to a helper: `len(steps)`.
    Call(Name, Vec<Expr>),
    /// A negation: `not x`.
    Not(Box<Expr>),
    /// An operator with two operands: `a and b`, `a + b`, `a == b`, …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A predicate: `x is set`, `x is not blank`; the flag is `true` if there is a `not`.
    Is(Box<Expr>, Is, bool),
    /// A membership test: `x in [a, b]`.
    In(Box<Expr>, Vec<Expr>),
    /// A quantifier over a list: `any steps where …`.
    Quantified(Quantifier, Box<Expr>, Box<Expr>),
    /// A filtered list: `plans where …`.
    Filtered(Box<Expr>, Box<Expr>),
    /// A condition about a tool or an event: `advertises t`, `runs t`, `accepts e`, …
    Gate(Gate, Name),
    /// A map of values.
    Record(Vec<(Name, Expr)>),
    /// A list of values.
    List(Vec<Expr>),
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Literal text.
    Literal(String),
    /// An embedded expression: `{expr}`.
    Expr(Expr),
}

/// An invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The name of the invariant.
    pub name: Name,
    /// The property that the invariant claims.
    pub property: Spanned<Property>,
    /// The original text of the invariant.
    pub text: String,
}

/// The forms of invariants.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// `always E`.
    Always(Expr),
    /// `never E`.
    Never(Expr),
    /// `can always reach E`; if events are listed, by these events alone.
    CanReach(Expr, Vec<Name>),
    /// `E only by a or b`.
    OnlyBy(Expr, Vec<Name>),
    /// `a only in E`.
    OnlyIn(Name, Expr),
    /// `f changes only in E`.
    ChangesOnlyIn(Path, Expr),
    /// `f changes only by a`.
    ChangesOnlyBy(Path, Vec<Name>),
    /// `f never changes`.
    NeverChanges(Path),
    /// `f only grows`.
    OnlyGrows(Path),
    /// `after a: E`.
    After(Name, Expr),
    /// `x emitted only by a`.
    EmittedOnlyBy(Name, Vec<Name>),
    /// `x emitted only in E`.
    EmittedOnlyIn(Name, Expr),
    /// `a never emits x`.
    NeverEmits(Name, Name),
}
