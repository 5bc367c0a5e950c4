//! Reads a spec file and compiles it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Code, Diagnostic, Severity};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::source::{FileId, SourceMap};
use plan_machine_compiler::{Compilation, DocumentKind, compile, compile_rust, document_kind};

use crate::output::{Failure, WARN, complain, count, styled};

/// Shows the errors of a document on standard error, and their number.
pub(crate) fn complain_about(name: &str, diagnostics: &[Diagnostic], sources: &SourceMap) {
    let errors = diagnostics.iter();
    let errors = errors.filter(|found| found.severity == Severity::Error);
    for found in errors.clone() {
        let shown = human(found, sources, Colour::Always);
        complain(format_args!("{shown}\n"));
    }
    complain(format_args!("{name}: {}", count(errors.count(), "error")));
}

/// A compiled spec.
pub(crate) struct Spec {
    /// The file name, as the user typed it.
    pub(crate) name: String,
    /// The result of the compilation.
    pub(crate) compilation: Compilation,
    /// The time that the compilation took.
    pub(crate) took: Duration,
    /// The id of the file in the source map.
    pub(crate) file: FileId,
    /// The Rust file that contains the spec, if the spec is inline.
    pub(crate) inline_in: Option<String>,
    sources: SourceMap,
}

impl Spec {
    /// Reads and compiles a file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = read_text(path)?;
        let mut sources = SourceMap::default();
        let file = sources.add(name.as_str(), text);
        let start = Instant::now();
        let compilation = compile(&sources, file);
        Ok(Self {
            name,
            compilation,
            took: start.elapsed(),
            file,
            inline_in: None,
            sources,
        })
    }

    /// Reads and compiles a file, or every inline spec of a Rust file.
    pub(crate) fn read_all(path: &Path) -> Result<Vec<Self>, Failure> {
        if path.extension().is_none_or(|extension| extension != "rs") {
            return Ok(vec![Self::read(path)?]);
        }
        let name = path.display().to_string();
        let text = read_text(path)?;
        let mut sources = SourceMap::default();
        let file = sources.add(name.as_str(), text);
        let start = Instant::now();
        let compilations = match compile_rust(&sources, file) {
            Ok(compilations) => compilations,
            Err(found) => {
                complain(format_args!(
                    "{}\n",
                    human(&found, &sources, Colour::Always)
                ));
                return Err(Failure::Spec);
            }
        };
        let took = start.elapsed();
        let specs = compilations.into_iter().map(|compilation| {
            let machine = compilation.spec.as_ref();
            let machine = machine.and_then(|spec| spec.machine.as_ref());
            let shown = match machine {
                Some(machine) => format!("{name} ({})", machine.node),
                None => name.clone(),
            };
            Self {
                name: shown,
                compilation,
                took,
                file,
                inline_in: Some(name.clone()),
                sources: sources.clone(),
            }
        });
        Ok(specs.collect())
    }

    /// Reads and compiles the spec of a machine; a document of another kind is rejected.
    pub(crate) fn read_machine(path: &Path) -> Result<Self, Failure> {
        let spec = Self::read(path)?;
        match no_machine(&spec.name, spec.kind()) {
            Some(failure) => Err(failure),
            None => Ok(spec),
        }
    }

    pub(crate) fn kind(&self) -> DocumentKind {
        match self.inline_in {
            Some(_) => DocumentKind::Machine,
            None => document_kind(&self.sources, self.file),
        }
    }

    /// Returns whether the file is a scopes document.
    pub(crate) fn is_scopes(&self) -> bool {
        self.kind() == DocumentKind::Scopes
    }

    /// Returns whether the file is a calls document.
    pub(crate) fn is_calls(&self) -> bool {
        self.kind() == DocumentKind::Calls
    }

    /// Returns the source files that spans refer to.
    pub(crate) fn sources(&self) -> &SourceMap {
        &self.sources
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

    /// Returns the machine. If errors prevent its compilation, they are shown on standard error. A broken invariant or
    /// a failing scenario does not prevent the compilation, so that the user can run the machine to find the cause.
    pub(crate) fn into_machine(self) -> Result<Checked<Machine>, Failure> {
        if self.compilation.machine.is_none() {
            complain_about(&self.name, &self.compilation.diagnostics, &self.sources);
        } else if self.of(Severity::Error).count() > 0 {
            let warning = styled(WARN, "warning");
            let scenarios = self
                .of(Severity::Error)
                .all(|found| found.code == Code::PM0701);
            let (what, command) = if scenarios {
                ("some scenarios fail", "test")
            } else {
                ("this spec has errors", "check")
            };
            complain(format_args!(
                "{warning}: {what}; `plan-machine {command} {}` shows where",
                self.name
            ));
        }
        self.compilation.machine.ok_or(Failure::Spec)
    }
}

/// Returns the machine in a file; see [`Spec::into_machine`].
pub(crate) fn machine(path: &Path) -> Result<Checked<Machine>, Failure> {
    Spec::read_machine(path)?.into_machine()
}

/// Returns the error for a document of another kind where a machine is expected.
pub(crate) fn no_machine(name: &str, kind: DocumentKind) -> Option<Failure> {
    let (what, help) = match kind {
        DocumentKind::Machine => return None,
        DocumentKind::Scopes => (
            "scopes",
            "only `plan-machine check`, `plan-machine expand` and `plan-machine generate` read scopes documents",
        ),
        DocumentKind::Calls => (
            "calls",
            "only `plan-machine check`, `classify`, `diff`, `expand`, `generate` and `mutate` read calls documents",
        ),
        DocumentKind::Session => (
            "session",
            "the commands that read session documents are `plan-machine check`, `run`, `test`, `tools`, `table`, `diagram`, `prompt`, `mutate`, `diff`, `expand`, `generate`, `log verify` and `serve`",
        ),
    };
    let message = format!("`{name}` is a {what} document, not a machine");
    Some(Failure::usage(message).help(help))
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let bytes =
        fs::read(path).map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good]
            .split(|byte| *byte == b'\n')
            .count();
        Failure::usage(format!(
            "cannot read `{name}`: byte {good} (counted from 0), on line {line}, is not UTF-8"
        ))
        .help("save the file as UTF-8")
    })
}
