//! The report of `check` for scopes documents.

use std::time::{Duration, Instant};

use plan_machine_compiler::diagnostic::Diagnostic;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{ScopesCompilation, Verdict, compile_scopes};
use plan_machine_kernel::json::{Json, Object};

use super::document::Document;
use super::results;
use crate::output::{BAD, GOOD, count, styled};
use crate::spec::Spec;

/// A compiled scopes document.
pub(super) struct ScopesDocument<'a> {
    spec: &'a Spec,
    compilation: ScopesCompilation,
    took: Duration,
}

impl<'a> ScopesDocument<'a> {
    /// Compiles the document.
    pub(super) fn new(spec: &'a Spec) -> Self {
        let start = Instant::now();
        Self {
            spec,
            compilation: compile_scopes(spec.sources(), spec.file),
            took: start.elapsed(),
        }
    }
}

impl Document for ScopesDocument<'_> {
    fn is_ok(&self) -> bool {
        self.compilation.is_ok()
    }

    fn problems(&self) -> (&SourceMap, &[Diagnostic]) {
        (self.spec.sources(), &self.compilation.diagnostics)
    }

    /// Formats the summary: `memory.yaml: ok, 4 levels, 2 runs, 1 invariant proved, 0 ms`.
    fn summary(&self) -> String {
        let mut parts = Vec::new();
        if let Some(scopes) = &self.compilation.scopes {
            parts.push(styled(GOOD, "ok"));
            parts.push(count(scopes.levels.len(), "level"));
            parts.push(count(scopes.runs.len(), "run"));
            if !scopes.invariants.is_empty() {
                let invariants = count(scopes.invariants.len(), "invariant");
                parts.push(format!("{invariants} proved"));
            }
        } else {
            let errors = count(self.compilation.diagnostics.len(), "error");
            parts.push(styled(BAD, errors));
        }
        parts.push(format!("{} ms", self.took.as_millis()));
        format!("{}: {}", self.spec.name, parts.join(", "))
    }

    fn json(&self) -> Json {
        let scopes = self.compilation.scopes.as_ref();
        let (sources, problems) = self.problems();
        let invariants = scopes.into_iter().flat_map(|scopes| &scopes.invariants);
        let invariants = invariants.map(|known| {
            let mut object = Object::new();
            object.push("name", known.name.as_str());
            object.push("verdict", Verdict::Proved.as_str());
            Json::Object(object)
        });
        let mut object = Object::new();
        object.push("file", self.spec.name.as_str());
        object.push("ok", self.is_ok());
        let levels = scopes.map_or(0, |known| known.levels.len());
        object.push("levels", results::number(levels));
        let runs = scopes.map_or(0, |known| known.runs.len());
        object.push("runs", results::number(runs));
        object.push("diagnostics", results::diagnostics(problems, sources));
        object.push("invariants", invariants.collect::<Vec<Json>>());
        Json::Object(object)
    }
}
