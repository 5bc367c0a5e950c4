//! Reads session documents.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::session::{Files, Session};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{DocumentKind, SessionCompilation, compile_session, document_kind};

use crate::classify::differing;
use crate::output::Failure;
use crate::spec::{complain_about, read_text};

/// A compiled session document.
pub(crate) struct SessionDocument {
    /// The file name, as the user typed it.
    pub(crate) name: String,
    /// The result of the compilation.
    pub(crate) compilation: SessionCompilation,
    /// The time that the compilation took.
    pub(crate) took: Duration,
    /// The files that were read: the document, and the files that it names.
    files: Vec<PathBuf>,
    sources: SourceMap,
}

impl SessionDocument {
    /// Reads and compiles a file; returns `None` if it is not a session document.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let name = path.display().to_string();
        let mut sources = SourceMap::default();
        let file = sources.add(name.as_str(), read_text(path)?);
        if document_kind(&sources, file) != DocumentKind::Session {
            return Ok(None);
        }
        let start = Instant::now();
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut loader = Files::new(folder);
        let compilation = compile_session(&mut sources, file, &mut loader);
        let named = loader.loaded().iter().map(|path| folder.join(path));
        let files = std::iter::once(path.to_owned()).chain(named);
        Ok(Some(Self {
            name,
            compilation,
            took: start.elapsed(),
            files: files.collect(),
            sources,
        }))
    }

    /// Returns the source files that spans refer to.
    pub(crate) fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Returns the files that were read, each with its text: the document, and the files that it names. Documents of
    /// `plan-specs` are not files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().filter_map(move |path| {
            let name = path.display().to_string();
            let mut sources = self.sources.files().iter();
            let file = sources.find(|file| file.name() == name)?;
            Some((path.as_path(), file.text()))
        })
    }

    /// Runs the examples of the calls document, and checks the classes of the calls in the scenarios.
    pub(crate) fn run_examples(&mut self) {
        if let Some(session) = &self.compilation.session
            && let Some(calls) = &session.calls
        {
            let examples = calls.calls.examples.iter().chain(&session.examples);
            let differing = differing(&calls.calls, examples);
            self.compilation.diagnostics.extend(differing);
        }
    }

    /// Formats a diagnostic for people, in color; streams that are not terminals drop the colors.
    pub(crate) fn shown(&self, diagnostic: &Diagnostic) -> String {
        human(diagnostic, &self.sources, Colour::Always)
    }

    /// Returns the diagnostics with this severity.
    pub(crate) fn of(&self, severity: Severity) -> impl Iterator<Item = &Diagnostic> {
        let all = self.compilation.diagnostics.iter();
        all.filter(move |found| found.severity == severity)
    }

    /// Returns the session. If errors prevent its compilation, they are shown on standard error. A broken invariant or
    /// a failing scenario does not prevent the compilation, so that the user can run the session to find the cause.
    pub(crate) fn into_session(self) -> Result<Checked<Session>, Failure> {
        if self.compilation.session.is_none() {
            complain_about(&self.name, &self.compilation.diagnostics, &self.sources);
        }
        self.compilation.session.ok_or(Failure::Spec)
    }
}
