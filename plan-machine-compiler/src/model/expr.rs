//! Expressions with types and resolved names.

use super::ids::{EventId, FieldId, StateId};
use super::types::Type;
use super::value::Value;
pub use crate::operators::{BinaryOp, Gate, Is, Quantifier};
use crate::source::Span;

/// An expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The type of the expression's value.
    pub ty: Type,
    /// The location of the expression in the source.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal.
    Value(Value),
    /// A field of the record.
    Data(FieldId),
    /// All of the record's data.
    AllData,
    /// A field of the event's payload.
    Event(FieldId),
    /// A field of the context.
    Context(FieldId),
    /// A property that every plan has.
    Plan(PlanPart),
    /// The time of the step.
    Now,
    /// The item that a quantifier or an update is currently examining.
    Item,
    /// The position of the item that a quantifier or an update is currently examining.
    Index,
    /// A field of a record value.
    Member(Box<Expr>, FieldId),
    /// An optional that is known to be set at this location.
    Proved(Box<Expr>),
    /// `list[i]`.
    At(Box<Expr>, Box<Expr>),
    /// A call to a helper function.
    Call(Helper, Vec<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x is set`, or another predicate; the flag is `true` if the predicate is negated.
    Is(Box<Expr>, Is, bool),
    /// `x in [a, b]`.
    In(Box<Expr>, Vec<Expr>),
    /// `any list where condition`, or another quantifier.
    Quantified(Quantifier, Box<Expr>, Box<Expr>),
    /// The session's records, or only those for which the condition holds.
    Plans(Option<Box<Expr>>),
    /// A property of the plan that `plans where` is examining.
    Listed(ListedPart),
    /// Whether the record is in this state; for `none`, whether there is no record.
    InState(StateId),
    /// Whether the record is in a final state.
    IsFinal,
    /// Whether a claim about a tool or an event, such as `runs TOOL`, is true in the current state.
    Gate(Gate, EventId),
    /// A string with placeholders.
    Template(Vec<Part>),
    /// A record value, with the fields in the order of its type; `None` means the field's initial value.
    Record(Vec<Option<Expr>>),
    /// A list value.
    List(Vec<Expr>),
    /// A value that is converted to JSON, because it is used where any JSON value is allowed.
    ToJson(Box<Expr>),
    /// An expression that could not be resolved. A diagnostic gives the reason, and nothing that contains the
    /// expression is ever run.
    Error,
}

/// A piece of a string with placeholders.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Literal text.
    Literal(String),
    /// An expression whose value is inserted as text.
    Expr(Expr),
}

/// A property that every plan has besides its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanPart {
    /// `plan.id`.
    Id,
    /// `plan.revision`.
    Revision,
    /// `plan.edition`.
    Edition,
    /// `plan.token`.
    Token,
    /// `plan.state`.
    State,
    /// `plan.previous`.
    Previous,
}

/// A property that is available for a listed plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedPart {
    /// The id of the plan.
    Id,
    /// The name of the plan's state.
    State,
    /// The revision of the plan.
    Revision,
    /// A field of the summary.
    Field(FieldId),
}

/// The helper functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    /// `len(x)`: the number of characters of a string, or of items of a list.
    Len,
    /// `section(text, heading)`.
    Section,
    /// `with_section(text, heading, body)`.
    WithSection,
    /// `is_complete(text)`.
    IsComplete,
}

impl Helper {
    /// Every helper function with its name.
    pub const ALL: [(&'static str, Helper); 4] = [
        ("len", Helper::Len),
        ("section", Helper::Section),
        ("with_section", Helper::WithSection),
        ("is_complete", Helper::IsComplete),
    ];

    /// Returns whether this build of the compiler has the helper. The Markdown helpers come with the
    /// `markdown` feature, because compiling their parser would take a tenth of the build time of every crate that uses
    /// the macros.
    #[must_use]
    pub fn is_available(self) -> bool {
        self == Helper::Len || cfg!(feature = "markdown")
    }
}

impl Part {
    /// Returns whether the text of this part can be arbitrarily long.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        let Part::Expr(expr) = self else {
            return false;
        };
        let short = matches!(
            expr.ty.required(),
            Type::Int | Type::Bool | Type::Time | Type::Enum(_) | Type::Id
        );
        !short && !matches!(expr.kind, ExprKind::Plan(_) | ExprKind::Value(_))
    }
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, ty: Type, span: Span) -> Self {
        Self { kind, ty, span }
    }

    /// Returns an expression for which an error was reported.
    #[must_use]
    pub fn error(span: Span) -> Self {
        Self::new(ExprKind::Error, Type::Unknown, span)
    }

    /// Returns whether this expression reads a value that already exists.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Data(_)
                | ExprKind::AllData
                | ExprKind::Event(_)
                | ExprKind::Context(_)
                | ExprKind::Item
        )
    }

    /// Returns whether this expression builds a value from other values.
    #[must_use]
    pub fn is_put_together(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Record(_) | ExprKind::List(_) | ExprKind::AllData | ExprKind::Plans(_)
        )
    }

    /// Returns whether a string or JSON value in this expression can be larger than its parts. If such a value is
    /// stored, it could grow with every step.
    #[must_use]
    pub fn can_grow(&self) -> bool {
        let mut found = false;
        self.walk(&mut |inner| {
            found |= match &inner.kind {
                ExprKind::Template(parts) => parts.iter().any(Part::is_unbounded),
                ExprKind::Call(helper, _) => *helper == Helper::WithSection,
                ExprKind::ToJson(inner) => inner.is_put_together(),
                _ => false,
            };
        });
        found
    }

    /// Returns whether this expression lists the plans of the session.
    #[must_use]
    pub fn lists_plans(&self) -> bool {
        let mut found = false;
        self.walk(&mut |inner| found |= matches!(inner.kind, ExprKind::Plans(_)));
        found
    }

    /// Calls `visit` with this expression and then with all nested ones, outer ones first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Member(inner, _)
            | ExprKind::Proved(inner)
            | ExprKind::Not(inner)
            | ExprKind::Is(inner, ..)
            | ExprKind::ToJson(inner) => inner.walk(visit),
            ExprKind::At(left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::Quantified(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            ExprKind::Call(_, all) | ExprKind::List(all) => {
                for one in all {
                    one.walk(visit);
                }
            }
            ExprKind::In(one, all) => {
                one.walk(visit);
                for one in all {
                    one.walk(visit);
                }
            }
            ExprKind::Plans(Some(condition)) => condition.walk(visit),
            ExprKind::Template(parts) => parts.iter().for_each(|part| {
                if let Part::Expr(expr) = part {
                    expr.walk(visit);
                }
            }),
            ExprKind::Record(fields) => fields.iter().flatten().for_each(|one| one.walk(visit)),
            _ => {}
        }
    }
}
