//! Encodes an expression as a list whose first item is the kind of the expression.

use plan_machine_kernel::json::Json;

use super::parts::{name, tagged};
use crate::operators::{BinaryOp, Gate, Is, Quantifier};
use crate::syntax::ast::{Expr, ExprKind, Part};

pub(super) fn expr(found: &Expr) -> Json {
    match &found.node {
        ExprKind::Int(number) => tagged("int", [Json::from(*number)]),
        ExprKind::Bool(truth) => tagged("bool", [Json::from(*truth)]),
        ExprKind::Text(text) => tagged("text", [Json::from(text.as_str())]),
        ExprKind::Template(parts) => tagged("template", parts.iter().map(part)),
        ExprKind::Name(called) => tagged("name", [Json::from(called.as_str())]),
        ExprKind::Member(of, member) => tagged("member", [expr(of), name(member)]),
        ExprKind::Index(of, at) => tagged("index", [expr(of), expr(at)]),
        ExprKind::Call(called, given) => tagged(
            "call",
            [name(called)].into_iter().chain(given.iter().map(expr)),
        ),
        ExprKind::Not(inner) => tagged("not", [expr(inner)]),
        ExprKind::Binary(op, left, right) => tagged(binary(*op), [expr(left), expr(right)]),
        ExprKind::Is(of, asked, negated) => {
            let word = if *negated { "is not" } else { "is" };
            tagged(word, [Json::from(is(*asked)), expr(of)])
        }
        ExprKind::In(of, items) => tagged("in", [expr(of), list(items)]),
        ExprKind::Quantified(over, of, holds) => tagged(quantifier(*over), [expr(of), expr(holds)]),
        ExprKind::Filtered(of, holds) => tagged("where", [expr(of), expr(holds)]),
        ExprKind::Gate(asked, tool) => tagged(gate(*asked), [name(tool)]),
        ExprKind::Record(fields) => {
            let pair = |(key, value): &(_, _)| Json::List(vec![name(key), expr(value)]);
            tagged("record", fields.iter().map(pair))
        }
        ExprKind::List(items) => tagged("list", items.iter().map(expr)),
    }
}

fn list(items: &[Expr]) -> Json {
    Json::List(items.iter().map(expr).collect())
}

fn part(part: &Part) -> Json {
    match part {
        Part::Literal(text) => Json::from(text.as_str()),
        Part::Expr(inner) => expr(inner),
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Implies => "implies",
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Equal => "equal",
        BinaryOp::NotEqual => "not equal",
        BinaryOp::Less => "less",
        BinaryOp::LessEqual => "less or equal",
        BinaryOp::Greater => "greater",
        BinaryOp::GreaterEqual => "greater or equal",
        BinaryOp::Coalesce => "coalesce",
        BinaryOp::Add => "add",
        BinaryOp::Subtract => "subtract",
    }
}

fn is(asked: Is) -> &'static str {
    match asked {
        Is::Set => "set",
        Is::Empty => "empty",
        Is::Blank => "blank",
    }
}

fn quantifier(over: Quantifier) -> &'static str {
    match over {
        Quantifier::Any => "any",
        Quantifier::Every => "every",
        Quantifier::No => "no",
        Quantifier::Count => "count",
    }
}

fn gate(asked: Gate) -> &'static str {
    match asked {
        Gate::Advertises => "advertises",
        Gate::Prompts => "prompts",
        Gate::Runs => "runs",
        Gate::Denies => "denies",
        Gate::Records => "records",
        Gate::Accepts => "accepts",
    }
}
