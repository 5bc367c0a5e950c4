//! The report of `check` for calls documents.

use std::time::{Duration, Instant};

use plan_machine_compiler::CallsCompilation;
use plan_machine_compiler::diagnostic::{Diagnostic, Severity, render};
use plan_machine_kernel::json::{Json, Object};

use super::document::Document;
use crate::classify::with_examples;
use crate::output::{BAD, GOOD, WARN, count, styled};
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
        all.filter(|found| found.severity == severity)
            .map(|found| 1 + found.left_out)
            .sum()
    }
}

impl Document for CallsDocument<'_> {
    fn is_ok(&self) -> bool {
        self.compilation.is_ok()
    }

    fn problems(&self) -> (&Spec, &[Diagnostic]) {
        (self.spec, &self.compilation.diagnostics)
    }

    /// Formats the summary: `claude_code.yaml: ok, 3 classes, 5 rules, 9 examples passed, 0 ms`.
    fn summary(&self) -> String {
        let mut parts = Vec::new();
        if self.is_ok() {
            parts.push(styled(GOOD, "ok"));
        }
        for (severity, style, noun) in [
            (Severity::Error, BAD, "error"),
            (Severity::Warning, WARN, "warning"),
        ] {
            let found = self.found(severity);
            if found > 0 {
                parts.push(styled(style, count(found, noun)));
            }
        }
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
        let number = |count: usize| Json::from(u64::try_from(count).unwrap_or(u64::MAX));
        let calls = self.compilation.calls.as_ref();
        let diagnostics = self.compilation.diagnostics.iter();
        let diagnostics = diagnostics.map(|found| render::json(found, self.spec.sources()));
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
            object.push(name, number(size));
        }
        object.push("diagnostics", diagnostics.collect::<Vec<Json>>());
        Json::Object(object)
    }
}
