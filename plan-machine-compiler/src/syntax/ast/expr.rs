//! Expressions and invariants as written.

use super::{Name, Path};
use crate::operators::{BinaryOp, Gate, Is, Quantifier};
use crate::source::Spanned;

/// An expression with its span.
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
    /// A string with embedded `{expr}` parts.
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
    /// `x is set`, `x is not blank`; the flag is `true` if there is a `not`.
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

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Literal text.
    Literal(String),
    /// `{expr}`.
    Expr(Expr),
}

/// An invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: Name,
    /// The property that it claims.
    pub property: Spanned<Property>,
    /// Its original text.
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
    /// `after a: E`.
    After(Name, Expr),
    /// `x emitted only by a`.
    EmittedOnlyBy(Name, Vec<Name>),
    /// `x emitted only in E`.
    EmittedOnlyIn(Name, Expr),
    /// `a never emits x`.
    NeverEmits(Name, Name),
}
