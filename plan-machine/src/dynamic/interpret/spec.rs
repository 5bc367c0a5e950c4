//! A machine whose spec is compiled at run time.

use std::error::Error;
use std::fmt;
use std::path::Path;

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::model::{Checked, Machine as Model};
use plan_machine_compiler::source::SourceMap;

use super::tables;
use crate::core::description::Description;

/// A machine that interprets its spec.
#[derive(Clone, Debug)]
pub struct InterpretedMachine {
    pub(super) model: Checked<Model>,
    pub(super) description: &'static Description,
}

/// The errors in a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecErrors {
    /// All errors, with the source lines that they refer to.
    pub errors: Vec<String>,
}

impl fmt::Display for SpecErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.errors.join("\n\n"))
    }
}

impl Error for SpecErrors {}

impl InterpretedMachine {
    /// Compiles a spec; `name` is the file name used in error messages.
    ///
    /// # Errors
    ///
    /// If the spec has errors; all of them are reported.
    pub fn read(name: &str, spec: &str) -> Result<Self, SpecErrors> {
        let mut sources = SourceMap::default();
        let file = sources.add(name, spec);
        let compilation = plan_machine_compiler::compile(&sources, file);
        let all = compilation.diagnostics.iter();
        let errors: Vec<String> = all
            .filter(|found| found.severity == Severity::Error)
            .map(|found| human(found, &sources, Colour::Never))
            .collect();
        match compilation.machine {
            Some(model) if errors.is_empty() => Ok(Self::of(model)),
            _ => Err(SpecErrors { errors }),
        }
    }

    /// Compiles the spec in a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the spec has errors; all of them are reported.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SpecErrors> {
        let name = path.as_ref().display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(spec) => Self::read(&name, &spec),
            Err(cause) => Err(SpecErrors {
                errors: vec![format!("`{name}` cannot be read: {cause}")],
            }),
        }
    }

    /// Wraps a machine that is already compiled.
    #[must_use]
    pub fn of(model: Checked<Model>) -> Self {
        let description = tables::kept(&model);
        Self { model, description }
    }
}
