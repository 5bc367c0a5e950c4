//! Documents that are not machines.

use plan_machine_compiler::diagnostic::Diagnostic;
use plan_machine_kernel::json::Json;

use crate::output::{Failure, Out};
use crate::spec::Spec;

/// A document that is not a machine, after it has been checked.
pub(super) trait Document {
    /// Returns whether the document has no errors.
    fn is_ok(&self) -> bool;

    /// Returns the file and the problems that were found in it.
    fn problems(&self) -> (&Spec, &[Diagnostic]);

    /// Formats the line at the end of the report.
    fn summary(&self) -> String;

    /// Returns the report as JSON.
    fn json(&self) -> Json;

    /// Prints the problems and the summary.
    fn human(&self, first: bool, out: &mut Out<'_>) -> Result<(), Failure> {
        let (spec, problems) = self.problems();
        if !first && !problems.is_empty() {
            out.line("")?;
        }
        for found in problems {
            out.line(format_args!("{}\n", spec.shown(found)))?;
        }
        out.line(self.summary())
    }
}
