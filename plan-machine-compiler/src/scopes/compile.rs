//! The entry points that compile a scopes document.

use super::model::Scopes;
use super::reader::Reader;
use super::tree::{self, NodeKind};
use super::{limits, read, resolve, rules};
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::model::Checked;
use crate::source::{FileId, SourceMap};

/// The kind of document in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// A machine, which describes the lifecycle of a plan.
    Machine,
    /// Memory scopes, which describe what runs may read and write.
    Scopes,
    /// Classes of calls, which describe what a tool call does.
    Calls,
    /// A session, which combines several machines.
    Session,
}

/// The result of compiling a scopes document.
#[derive(Debug)]
pub struct ScopesCompilation {
    /// The scopes; `None` if the document has errors.
    pub scopes: Option<Checked<Scopes>>,
    /// All diagnostics, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The name of the scopes, if it could be read; [`super::emit::skeleton`] needs it.
    pub name: Option<String>,
}

impl ScopesCompilation {
    /// Returns whether the document has no errors.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.scopes.is_some()
    }
}

/// Returns the kind of document: scopes, calls or a session if the top level has the key `scopes`, `calls` or
/// `session`, and a machine otherwise. A file that is not valid YAML also counts as a machine; compiling it as any kind
/// reports the syntax error.
#[must_use]
pub fn document_kind(sources: &SourceMap, file: FileId) -> DocumentKind {
    let root = tree::read(file, sources.file(file).text(), &mut Sink::default());
    let has = |name: &str| {
        root.as_ref().is_some_and(|root| match &root.kind {
            NodeKind::Mapping(entries) => entries.iter().any(|(key, _)| key.node == name),
            _ => false,
        })
    };
    if has("scopes") {
        DocumentKind::Scopes
    } else if has("session") {
        // A session can name a calls document, so this key decides.
        DocumentKind::Session
    } else if has("calls") {
        DocumentKind::Calls
    } else {
        DocumentKind::Machine
    }
}

/// Compiles the scopes document in `file`: reads it, resolves its names and checks the rules.
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
