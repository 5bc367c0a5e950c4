//! The compilation of a scopes document as functions.

use super::model::Scopes;
use super::reader::Reader;
use super::tree::{self, NodeKind};
use super::{limits, read, resolve, rules};
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::model::Checked;
use crate::source::{FileId, SourceMap};

/// What a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// The life of a plan.
    Machine,
    /// Scopes of memory.
    Scopes,
}

/// The result of compiling a scopes document.
#[derive(Debug)]
pub struct ScopesCompilation {
    /// The scopes; `None` if there are errors.
    pub scopes: Option<Checked<Scopes>>,
    /// Everything that was found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Returns the name of the scopes, if at least that could be read: [`super::emit::skeleton`] needs it.
    pub name: Option<String>,
}

impl ScopesCompilation {
    /// Tells whether the spec has no errors.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.scopes.is_some()
    }
}

/// Returns what the file contains: scopes if its top level has the key `scopes`. Nothing is known about a file that is
/// not YAML at all, and either way of compiling it reports why.
#[must_use]
pub fn document_kind(sources: &SourceMap, file: FileId) -> DocumentKind {
    let root = tree::read(file, sources.file(file).text(), &mut Sink::default());
    let scopes = root.is_some_and(|root| match &root.kind {
        NodeKind::Mapping(entries) => entries.iter().any(|(key, _)| key.node == "scopes"),
        _ => false,
    });
    if scopes {
        DocumentKind::Scopes
    } else {
        DocumentKind::Machine
    }
}

/// Compiles the scopes document in `file`: reads it, resolves its names, checks the rules.
#[must_use]
pub fn compile_scopes(sources: &SourceMap, file: FileId) -> ScopesCompilation {
    let mut sink = Sink::default();
    let text = sources.file(file).text();
    let resolved = tree::read(file, text, &mut sink).and_then(|root| {
        let document = read::document(&mut Reader::new(file, text, &mut sink), &root, text);
        if limits::exceed(&document, &mut sink) {
            return None;
        }
        let scopes = resolve::resolve(&document, &mut sink);
        rules::check(&scopes, &mut sink);
        Some(scopes)
    });
    let name = resolved.as_ref().map(|scopes| scopes.name.clone());
    let diagnostics = sink.into_sorted();
    let mut found = diagnostics.iter();
    let errors = found.any(|found| found.severity == Severity::Error);
    ScopesCompilation {
        scopes: resolved.filter(|_| !errors).map(Checked::new),
        name: name.filter(|name| !name.is_empty()),
        diagnostics,
    }
}
