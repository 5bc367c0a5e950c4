//! The report of `check` for session documents.

use plan_machine_compiler::diagnostic::Diagnostic;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};

use super::document::Document;
use super::{parts, results};
use crate::output::count;
use crate::session::SessionDocument;

impl Document for SessionDocument {
    fn is_ok(&self) -> bool {
        self.compilation.is_ok()
    }

    fn problems(&self) -> (&SourceMap, &[Diagnostic]) {
        (self.sources(), &self.compilation.diagnostics)
    }

    /// Formats the summary: `coding.yaml: ok, 2 machines, 3 invariants proved, 4 ms`.
    fn summary(&self) -> String {
        let report = &self.compilation.report;
        let mut parts = parts::problems(self.is_ok(), |severity| self.of(severity).count());
        parts.push(count(report.machines, "machine"));
        parts.extend(parts::invariants(&report.invariants));
        parts.extend(parts::scenarios(&report.scenarios));
        parts.push(format!("{} ms", self.took.as_millis()));
        format!("{}: {}", self.name, parts.join(", "))
    }

    fn json(&self) -> Json {
        let report = &self.compilation.report;
        let (sources, problems) = self.problems();
        let mut object = Object::new();
        object.push("file", self.name.as_str());
        object.push("ok", self.is_ok());
        object.push("machines", results::number(report.machines));
        object.push("diagnostics", results::diagnostics(problems, sources));
        object.push("invariants", results::invariants(&report.invariants));
        object.push("scenarios", results::scenarios(&report.scenarios));
        Json::Object(object)
    }
}
