//! Messages about sums that may overflow.

use crate::model::EventId;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Quantifier};
use crate::model::machine::Machine;
use crate::model::value::Value;

/// The last words of the text that says that a sum does not overflow.
const RANGE: &str = "fits into 64 bits";

/// What to do if an invariant depends on such an assumption.
pub(super) const BOUND_IT: &str = "a step is denied if one of its sums does not fit into 64 bits: limit the numbers where they are stored, so \
    that the sum always fits, for example with `require: [{ that: event.n <= 1000000, else: too large }]`";

/// Returns the assumption that a sum does not overflow.
pub(super) fn stays_in_range(machine: &Machine, event: EventId, sum: &Expr) -> String {
    format!("`{}` {RANGE}", shown(machine, event, sum))
}

/// Returns whether an assumption is that a sum does not overflow.
pub(super) fn is_about_range(assumption: &str) -> bool {
    assumption.ends_with(RANGE)
}

/// Formats a numeric expression as it would appear in a spec; operators and operands of other kinds are shown as `…`.
fn shown(machine: &Machine, event: EventId, expr: &Expr) -> String {
    let inside = |expr: &Expr| shown(machine, event, expr);
    let helper = |name: &str, of: &Expr| format!("{name}({})", inside(of));
    match &expr.kind {
        ExprKind::Value(Value::Int(number)) => number.to_string(),
        ExprKind::Data(field) => machine.field(*field).name.clone(),
        ExprKind::Context(field) => format!("context.{}", machine.context[field.index()].name),
        ExprKind::Event(field) => {
            let declared = machine.event(event).input.get(field.index());
            declared.map_or("event".to_owned(), |field| format!("event.{}", field.name))
        }
        ExprKind::Proved(inner) => inside(inner),
        ExprKind::Binary(op, left, right) => {
            let sign = match op {
                BinaryOp::Add => "+",
                BinaryOp::Subtract => "-",
                BinaryOp::Coalesce => "??",
                _ => "…",
            };
            format!("{} {sign} {}", inside(left), inside(right))
        }
        ExprKind::Call(Helper::Len, of) => helper("len", &of[0]),
        ExprKind::Quantified(Quantifier::Count, list, _) => {
            format!("(count {} where …)", inside(list))
        }
        _ => "…".to_owned(),
    }
}
