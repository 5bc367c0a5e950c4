//! The entry point that compiles a calls document.

use super::model::Calls;
use super::reader::Reader;
use super::{limits, read, resolve, rules, tree};
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::model::Checked;
use crate::source::{FileId, SourceMap};

/// The result of compiling a calls document.
#[derive(Debug)]
pub struct CallsCompilation {
    /// The document; `None` if it has errors.
    pub calls: Option<Checked<Calls>>,
    /// All diagnostics, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl CallsCompilation {
    /// Returns whether the document has no errors.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        let mut found = self.diagnostics.iter();
        self.calls.is_some() && !found.any(|found| found.severity == Severity::Error)
    }

    /// Treats every warning as an error.
    pub fn deny_warnings(&mut self) {
        for found in &mut self.diagnostics {
            found.deny_warning();
        }
    }
}

/// Compiles the calls document in `file`: reads it, resolves its names and checks the rules. The examples are not run,
/// because the compiler has no classifier; see [`super::differing_example`].
#[must_use]
pub fn compile_calls(sources: &SourceMap, file: FileId) -> CallsCompilation {
    let mut sink = Sink::default();
    let text = sources.file(file).text();
    let calls = tree::read(file, text, &mut sink).and_then(|root| {
        let document = read::document(&mut Reader::new(file, text, &mut sink), &root);
        if limits::exceed(&document, &mut sink) {
            return None;
        }
        let calls = resolve::resolve(&document, &mut sink);
        rules::check(&document, &mut sink);
        calls.filter(|calls| !limits::examples_exceed(&calls.document, &calls.examples, &mut sink))
    });
    let errors = sink.breaks_a_rule();
    CallsCompilation {
        calls: calls.filter(|_| !errors).map(Checked::new),
        diagnostics: sink.into_sorted(),
    }
}
