//! The report of `check` for calls documents.

use std::time::{Duration, Instant};

use plan_machine_compiler::CallsCompilation;
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};

use super::document::Document;
use super::{parts, results};
use crate::classify::with_examples;
use crate::output::count;
use crate::spec::Spec;

/// A compiled calls document whose examples have been run.
pub(super) struct CallsDocument<'a> {
    spec: &'a Spec,
    compilation: CallsCompilation,
    took: Duration,
}

impl<'a> CallsDocument<'a> {
    /// Compiles the document and runs its examples.
    pub(super) fn new(spec: &'a Spec, deny_warnings: bool) -> Self {
        let start = Instant::now();
        let mut compilation = with_examples(spec);
        if deny_warnings {
            compilation.deny_warnings();
        }
        Self {
            spec,
            compilation,
            took: start.elapsed(),
        }
    }

    fn found(&self, severity: Severity) -> usize {
        let all = self.compilation.diagnostics.iter();
        results::counted(all.filter(|found| found.severity == severity))
    }
}

impl Document for CallsDocument<'_> {
    fn is_ok(&self) -> bool {
        self.compilation.is_ok()
    }

    fn problems(&self) -> (&SourceMap, &[Diagnostic]) {
        (self.spec.sources(), &self.compilation.diagnostics)
    }

    /// Formats the summary: `claude_code.yaml: ok, 3 classes, 5 rules, 9 examples passed, 0 ms`.
    fn summary(&self) -> String {
        let mut parts = parts::problems(self.is_ok(), |severity| self.found(severity));
        if let Some(calls) = &self.compilation.calls {
            parts.push(match calls.document.classes.len() {
                1 => "1 class".to_owned(),
                classes => format!("{classes} classes"),
            });
            parts.push(count(calls.document.rules.len(), "rule"));
            if !calls.examples.is_empty() && self.is_ok() {
                parts.push(format!("{} passed", count(calls.examples.len(), "example")));
            }
        }
        parts.push(format!("{} ms", self.took.as_millis()));
        format!("{}: {}", self.spec.name, parts.join(", "))
    }

    fn json(&self) -> Json {
        let calls = self.compilation.calls.as_ref();
        let (sources, problems) = self.problems();
        let mut object = Object::new();
        object.push("file", self.spec.name.as_str());
        object.push("ok", self.is_ok());
        for (name, size) in [
            (
                "classes",
                calls.map_or(0, |calls| calls.document.classes.len()),
            ),
            ("rules", calls.map_or(0, |calls| calls.document.rules.len())),
            ("examples", calls.map_or(0, |calls| calls.examples.len())),
        ] {
            object.push(name, results::number(size));
        }
        object.push("diagnostics", results::diagnostics(problems, sources));
        Json::Object(object)
    }
}
