//! The interface to checked documents that are not machines.

use plan_machine_compiler::diagnostic::Diagnostic;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::Json;

use crate::output::{Failure, Out};

/// A document that is not a machine, after it has been checked.
pub(super) trait Document {
    /// Returns whether the document has no errors.
    fn is_ok(&self) -> bool;

    /// Returns the problems that were found, and the source files that their spans refer to.
    fn problems(&self) -> (&SourceMap, &[Diagnostic]);

    /// Formats the line at the end of the report.
    fn summary(&self) -> String;

    /// Returns the report as JSON.
    fn json(&self) -> Json;

    /// Prints the problems and the summary.
    fn human(&self, first: bool, out: &mut Out<'_>) -> Result<(), Failure> {
        let (sources, problems) = self.problems();
        if !first && !problems.is_empty() {
            out.line("")?;
        }
        for found in problems {
            let shown = human(found, sources, Colour::Always);
            out.line(format_args!("{shown}\n"))?;
        }
        out.line(self.summary())
    }
}
