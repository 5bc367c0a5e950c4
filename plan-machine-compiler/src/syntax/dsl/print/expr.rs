//! Prints expressions, values, strings with `{expr}` parts, and invariants.

use plan_machine_kernel::json::Json;

use super::literal::{reread, word};
use super::page::{Piece, path, quoted, text, text_piece, words};
use crate::syntax::ast::{
    BinaryOp, Condition, Expr, ExprKind, Gate, Invariant, Is, Name, Part, Property, Quantifier,
};

/// How tightly an expression binds, ordered from loosest to tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Not,
    Comparison,
    Coalesce,
    Sum,
    Unary,
    Postfix,
}

/// How strings inside expressions are quoted: as Rust literals or, inside a string, as JSON.
type Quote = fn(&str) -> String;

fn json(text: &str) -> String {
    Json::from(text).to_string()
}

/// Prints a value: a string, a record, a list, or otherwise an expression.
pub(super) fn value(expr: &Expr) -> Piece {
    match &expr.node {
        ExprKind::Text(_) | ExprKind::Template(_) => template(expr),
        ExprKind::Record(fields) => record(fields),
        ExprKind::List(items) => Piece::List('[', items.iter().map(value).collect(), ']'),
        _ => text(expression(expr)),
    }
}

/// Prints `{ field: value, … }`.
pub(super) fn record(fields: &[(Name, Expr)]) -> Piece {
    let fields = fields.iter().map(|(name, expr)| {
        Piece::Behind(format!("{}: ", word(&name.node)), Box::new(value(expr)))
    });
    Piece::List('{', fields.collect(), '}')
}

/// Prints a string in which braces contain expressions.
pub(super) fn template(expr: &Expr) -> Piece {
    let literal = |text: &str| text.replace('{', "{{");
    let whole = match &expr.node {
        ExprKind::Text(text) => literal(text),
        ExprKind::Template(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => literal(text),
                Part::Expr(expr) => format!("{{{}}}", written(expr, Level::Implies, json)),
            })
            .collect(),
        _ => return text(expression(expr)),
    };
    text_piece(&whole)
}

/// Prints a standalone expression.
pub(super) fn expression(expr: &Expr) -> String {
    written(expr, Level::Implies, quoted)
}

/// Prints a condition as it was written if that text parses to the same expression in the DSL; otherwise, prints the
/// expression.
pub(super) fn condition(condition: &Condition) -> String {
    let same = reread(&condition.text, |reader| {
        let run = reader.run(&[]);
        let read = reader.expression(run)?;
        (reader.is_done() && read == condition.expr).then_some(())
    });
    if same {
        condition.text.clone()
    } else {
        expression(&condition.expr)
    }
}

/// Prints an invariant as it was written if that text parses to the same invariant in the DSL; otherwise, prints the
/// parsed invariant.
pub(super) fn property(invariant: &Invariant) -> String {
    let same = reread(&invariant.text, |reader| {
        let run = reader.run(&[]);
        let read = reader.property(invariant.name.clone(), run)?;
        (reader.is_done() && read == *invariant).then_some(())
    });
    if same {
        invariant.text.clone()
    } else {
        form(&invariant.property.node)
    }
}

fn form(property: &Property) -> String {
    let events = |events: &[Name]| words(events).join(" or ");
    match property {
        Property::Always(expr) => format!("always {}", expression(expr)),
        Property::Never(expr) => format!("never {}", expression(expr)),
        Property::CanReach(expr, by) if by.is_empty() => {
            format!("can always reach {}", expression(expr))
        }
        Property::CanReach(expr, by) => {
            format!("can always reach {} by {}", expression(expr), events(by))
        }
        Property::OnlyBy(expr, by) => format!("{} only by {}", expression(expr), events(by)),
        Property::OnlyIn(event, expr) => format!("{} only in {}", event.node, expression(expr)),
        Property::ChangesOnlyIn(field, expr) => {
            format!("{} changes only in {}", path(field), expression(expr))
        }
        Property::ChangesOnlyBy(field, by) => {
            format!("{} changes only by {}", path(field), events(by))
        }
        Property::NeverChanges(field) => format!("{} never changes", path(field)),
        Property::OnlyGrows(field) => format!("{} only grows", path(field)),
        Property::After(event, expr) => format!("after {}: {}", event.node, expression(expr)),
        Property::EmittedOnlyBy(effect, by) => {
            format!("{} emitted only by {}", effect.node, events(by))
        }
        Property::EmittedOnlyIn(effect, expr) => {
            format!("{} emitted only in {}", effect.node, expression(expr))
        }
        Property::NeverEmits(event, effect) => {
            format!("{} never emits {}", event.node, effect.node)
        }
    }
}

/// Prints the expression, in parentheses if it binds less tightly than its context requires.
fn written(expr: &Expr, least: Level, quote: Quote) -> String {
    let (level, text) = bare(&expr.node, quote);
    if level < least {
        format!("({text})")
    } else {
        text
    }
}

fn bare(kind: &ExprKind, quote: Quote) -> (Level, String) {
    let at = |expr: &Expr, least| written(expr, least, quote);
    let all = |items: &[Expr], least| {
        let items: Vec<String> = items.iter().map(|item| at(item, least)).collect();
        items.join(", ")
    };
    match kind {
        ExprKind::Int(number) => (Level::Unary, number.to_string()),
        ExprKind::Bool(truth) => (Level::Postfix, truth.to_string()),
        ExprKind::Text(text) => (Level::Postfix, quote(text)),
        ExprKind::Name(name) => (Level::Postfix, name.clone()),
        ExprKind::Member(base, member) => {
            let base = at(base, Level::Postfix);
            (Level::Postfix, format!("{base}.{}", member.node))
        }
        ExprKind::Index(base, index) => {
            let (base, index) = (at(base, Level::Postfix), at(index, Level::Implies));
            (Level::Postfix, format!("{base}[{index}]"))
        }
        ExprKind::Call(function, arguments) => {
            let arguments = all(arguments, Level::Implies);
            (Level::Postfix, format!("{}({arguments})", function.node))
        }
        ExprKind::Not(inner) => (Level::Not, format!("not {}", at(inner, Level::Not))),
        ExprKind::Binary(op, left, right) => binary(*op, left, right, quote),
        ExprKind::Is(inner, asked, negated) => {
            let not = if *negated { "not " } else { "" };
            let inner = at(inner, Level::Coalesce);
            (Level::Comparison, format!("{inner} is {not}{}", is(*asked)))
        }
        ExprKind::In(inner, items) => {
            let (inner, items) = (at(inner, Level::Coalesce), all(items, Level::Coalesce));
            (Level::Comparison, format!("{inner} in [{items}]"))
        }
        // The condition extends as far as it can, so nothing may follow it.
        ExprKind::Quantified(quantifier, list, condition) => {
            let (list, condition) = (at(list, Level::Postfix), at(condition, Level::Implies));
            let quantifier = quantified(*quantifier);
            (
                Level::Implies,
                format!("{quantifier} {list} where {condition}"),
            )
        }
        ExprKind::Filtered(list, condition) => {
            let (list, condition) = (at(list, Level::Postfix), at(condition, Level::Implies));
            (Level::Implies, format!("{list} where {condition}"))
        }
        ExprKind::Gate(asked, tool) => (Level::Unary, format!("{} {}", gate(*asked), tool.node)),
        ExprKind::List(items) => (Level::Postfix, format!("[{}]", all(items, Level::Implies))),
        // Records and strings with `{expr}` parts are values, never parts of an expression.
        ExprKind::Template(_) | ExprKind::Record(_) => (Level::Postfix, String::new()),
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, quote: Quote) -> (Level, String) {
    let (sign, level, left_least, right_least) = match op {
        BinaryOp::Implies => ("implies", Level::Implies, Level::Or, Level::Implies),
        BinaryOp::Or => ("or", Level::Or, Level::Or, Level::And),
        BinaryOp::And => ("and", Level::And, Level::And, Level::Not),
        BinaryOp::Equal => comparison("=="),
        BinaryOp::NotEqual => comparison("!="),
        BinaryOp::Less => comparison("<"),
        BinaryOp::LessEqual => comparison("<="),
        BinaryOp::Greater => comparison(">"),
        BinaryOp::GreaterEqual => comparison(">="),
        BinaryOp::Coalesce => ("??", Level::Coalesce, Level::Sum, Level::Coalesce),
        BinaryOp::Add => ("+", Level::Sum, Level::Sum, Level::Unary),
        BinaryOp::Subtract => ("-", Level::Sum, Level::Sum, Level::Unary),
    };
    let left = written(left, left_least, quote);
    let right = written(right, right_least, quote);
    (level, format!("{left} {sign} {right}"))
}

fn comparison(sign: &'static str) -> (&'static str, Level, Level, Level) {
    (sign, Level::Comparison, Level::Coalesce, Level::Coalesce)
}

fn is(asked: Is) -> &'static str {
    match asked {
        Is::Set => "set",
        Is::Empty => "empty",
        Is::Blank => "blank",
    }
}

fn quantified(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Any => "any",
        Quantifier::Every => "every",
        Quantifier::No => "no",
        Quantifier::Count => "count",
    }
}

fn gate(gate: Gate) -> &'static str {
    match gate {
        Gate::Advertises => "advertises",
        Gate::Prompts => "prompts",
        Gate::Runs => "runs",
        Gate::Denies => "denies",
        Gate::Records => "records",
        Gate::Accepts => "accepts",
    }
}
