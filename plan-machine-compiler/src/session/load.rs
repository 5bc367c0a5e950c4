//! Loads the machines and the calls document of a session: from files relative to the document, or from the documents
//! that are shipped with `plan-specs`.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use super::ast::Document;
use super::model::{Member, Origin, SessionCalls};
use super::shipped::{shipped, shipped_calls};
use crate::calls::compile_calls;
use crate::diagnostic::{Code, Diagnostic, Severity, Sink};
use crate::model::{Checked, Machine};
use crate::source::{FileId, SourceMap};
use crate::syntax::ast::{Name, Spec};

/// The maximum size of a spec or a calls document, in bytes. The YAML reader has the same limit; the check here avoids
/// reading a larger file completely.
const MAX_BYTES: u64 = 4 << 20;

/// The prefix of the name of a document that is shipped with `plan-specs`.
pub(super) const SHIPPED: &str = "plan-specs:";

/// Finds the files that a session document names.
pub trait Loader {
    /// Returns the text of a spec or of a calls document, given its path as written in the session document.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such file, or if it cannot be read; the message begins with
    /// a lower-case letter.
    fn load(&mut self, path: &str) -> Result<LoadedText, String>;
}

/// The text of a spec or of a calls document.
#[derive(Clone, Debug)]
pub struct LoadedText {
    /// The name of the file, for diagnostics.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Loads files relative to a folder.
#[derive(Clone, Debug)]
pub struct Files {
    folder: PathBuf,
    /// The paths that were loaded, relative to the folder.
    loaded: Vec<String>,
    /// The folder as it is shown in diagnostics.
    shown: PathBuf,
}

impl Files {
    /// Creates a loader for files relative to this folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            shown: folder.clone(),
            folder,
            loaded: Vec::new(),
        }
    }

    /// Sets how the folder is shown in diagnostics.
    #[must_use]
    pub fn shown_as(mut self, folder: impl Into<PathBuf>) -> Self {
        self.shown = folder.into();
        self
    }

    /// Returns the paths that were loaded, as written in the document.
    #[must_use]
    pub fn loaded(&self) -> &[String] {
        &self.loaded
    }
}

impl Loader for Files {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let written = Path::new(path);
        let inside = |part: Component<'_>| {
            matches!(
                part,
                Component::Normal(_) | Component::CurDir | Component::ParentDir
            )
        };
        if path.is_empty() || !written.components().all(inside) {
            return Err(format!(
                "`{path}` is not a path relative to the folder of this document"
            ));
        }
        let mut text = String::new();
        let place = self.folder.join(written);
        // Opening a pipe waits for a process that writes to it, possibly forever.
        if fs::metadata(&place).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(format!("`{path}` is not a regular file"));
        }
        let file = File::open(place);
        let read = file.and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
        match read {
            Ok(_) if text.len() as u64 > MAX_BYTES => {
                return Err(format!("`{path}` is larger than {MAX_BYTES} bytes"));
            }
            Ok(_) => {}
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                return Err(format!("there is no file `{path}`"));
            }
            Err(cause) => return Err(format!("`{path}` cannot be read: {cause}")),
        }
        self.loaded.push(path.to_owned());
        let shown = self.shown.join(written);
        Ok(LoadedText {
            name: shown.display().to_string(),
            text,
        })
    }
}

/// How thoroughly the machines of a document are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// The rules are checked, the invariants are proved, and the scenarios are run.
    Proved,
    /// Only the rules are checked, because the caller knows that the same bytes were proved before.
    Checked,
}

impl Depth {
    /// Compiles the spec in a file; returns the machine and the errors. A machine that breaks a rule is left out. If
    /// only an invariant or a scenario fails, the machine is kept, so that the session can be run to find out why.
    fn machine(
        self,
        sources: &SourceMap,
        file: FileId,
    ) -> (Option<(Spec, Checked<Machine>)>, Vec<Diagnostic>) {
        let compilation = match self {
            Self::Proved => crate::compile(sources, file),
            Self::Checked => crate::check_only(sources, file),
        };
        let all = compilation.diagnostics.into_iter();
        let errors = all.filter(|found| found.severity == Severity::Error);
        (compilation.spec.zip(compilation.machine), errors.collect())
    }
}

/// Loads and compiles the machines of a document, and reports their errors. A machine that breaks a rule is left out.
pub(super) fn members(
    document: &Document,
    depth: Depth,
    sources: &mut SourceMap,
    loader: &mut dyn Loader,
    sink: &mut Sink,
) -> Vec<Member> {
    let mut members = Vec::new();
    for written in &document.machines {
        let Some((file, origin)) = text(MACHINE, &written.source, sources, loader, sink) else {
            continue;
        };
        let (machine, errors) = depth.machine(sources, file);
        for error in errors {
            sink.push(error);
        }
        if let Some((spec, machine)) = machine {
            members.push(Member {
                name: written.name.node.clone(),
                span: written.name.span,
                origin,
                spec,
                machine,
            });
        }
    }
    members
}

/// Loads and compiles the calls document. A calls document with errors is left out, and its errors
/// are reported.
pub(super) fn calls(
    document: &Document,
    sources: &mut SourceMap,
    loader: &mut dyn Loader,
    sink: &mut Sink,
) -> Option<SessionCalls> {
    let written = document.calls.as_ref()?;
    let (file, origin) = text(CALLS, written, sources, loader, sink)?;
    let compilation = compile_calls(sources, file);
    let clean = compilation.is_ok();
    let all = compilation.diagnostics.into_iter();
    let errors = all.filter(|found| found.severity == Severity::Error);
    for error in errors {
        sink.push(error);
    }
    let calls = compilation.calls.filter(|_| clean)?;
    Some(SessionCalls {
        span: written.span,
        origin,
        calls,
    })
}

/// The kind of a document that a session document names: the spec of a machine, or a calls document.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    shipped: fn() -> &'static [(&'static str, &'static str)],
}

const MACHINE: Kind = Kind {
    name: "machine",
    shipped,
};
const CALLS: Kind = Kind {
    name: "calls document",
    shipped: shipped_calls,
};

/// Adds the text of a document to the sources.
fn text(
    kind: Kind,
    source: &Name,
    sources: &mut SourceMap,
    loader: &mut dyn Loader,
    sink: &mut Sink,
) -> Option<(FileId, Origin)> {
    if let Some(name) = source.node.strip_prefix(SHIPPED) {
        let found = (kind.shipped)().iter().find(|(known, _)| *known == name);
        if let Some((name, text)) = found {
            let shown = format!("{SHIPPED}{name}");
            return Some((sources.add(shown, *text), Origin::Shipped(name)));
        }
        let message = format!("`plan-specs` has no {} `{name}`", kind.name);
        let known = (kind.shipped)().iter().map(|(name, _)| *name);
        let found = Diagnostic::new(Code::PM1101, source.span, message);
        sink.push(found.did_you_mean(name, known));
        return None;
    }
    match loader.load(&source.node) {
        Ok(LoadedText { name, text }) => {
            let origin = Origin::File(source.node.clone());
            Some((sources.add(name, text), origin))
        }
        Err(message) => {
            let help = format!(
                "a {} is given as a path relative to the folder of this document, or as `plan-specs:NAME`",
                kind.name
            );
            sink.push(Diagnostic::new(Code::PM1101, source.span, message).help(help));
            None
        }
    }
}
