//! Determines whether a step may make a number smaller or a list shorter, which breaks `only grows`.

use super::explore::{Edge, Node};
use super::growth::surely_grows;
use super::judge::{Judge, writes_path};
use super::numbers::Range;
use crate::model::FieldId;
use crate::model::expr::{Expr, ExprKind, Helper};
use crate::model::machine::DataPath;
use crate::model::types::Type;

impl Judge<'_> {
    /// Returns whether a step may make a field of the record smaller. A list is smaller if it is shorter.
    pub(super) fn may_shrink(&self, edge: &Edge, field: FieldId) -> bool {
        let Some(after) = edge.record else {
            return false;
        };
        writes_path(self.machine, edge.taken, Some(&DataPath::from(field)))
            && !surely_grows(self.machine, edge.taken, field)
            && self.size(edge.from, field).most > self.size(after, field).least
    }

    /// Returns the number in a field, or the length of the list in it.
    fn size(&self, node: Node, field: FieldId) -> Range {
        let declared = self.machine.field(field);
        let value = Expr {
            kind: ExprKind::Data(field),
            ty: declared.ty.clone(),
            span: declared.span,
        };
        let size = match declared.ty {
            Type::List(_) => Expr {
                kind: ExprKind::Call(Helper::Len, vec![value]),
                ty: Type::Int,
                span: declared.span,
            },
            _ => value,
        };
        let range = self.with_scope(node, |scope| scope.range(&size));
        range.unwrap_or(Range::ANY)
    }
}
