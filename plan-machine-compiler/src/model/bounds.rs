//! Bounds that a value already satisfies because of the field that the value comes from.

use super::expr::{Expr, ExprKind};
use super::machine::Machine;
use super::types::{Field, Type};

impl Field {
    /// Returns whether the value of an expression comes from a field whose bounds are at least as tight as those of
    /// this field. Such a value is not checked again, so that a value stored before a bound was introduced does not
    /// prevent a plan from continuing.
    #[must_use]
    pub fn is_bounded_by(&self, machine: &Machine, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Data(source) => self.is_no_tighter(machine.field(*source)),
            ExprKind::Member(of, source) => match of.ty.required() {
                Type::Record(id) => {
                    let fields = machine.type_def(*id).fields();
                    self.is_no_tighter(&fields[source.index()])
                }
                _ => false,
            },
            ExprKind::Proved(inner) => self.is_bounded_by(machine, inner),
            _ => false,
        }
    }
}
