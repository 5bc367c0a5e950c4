//! The documents that govern sessions.

use std::path::{Path, PathBuf};

use plan_machine::gate::{Gate, MachineSet};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_agents::keeper::Keeper;
use plan_machine_calls::{Classifier, FlagsTable, Project};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::session::{Files, Session, read_compiled_session};
use plan_machine_compiler::source::SourceMap;

use super::error::ServeError;

/// A session document with its machines.
pub struct SessionDocuments {
    session: Checked<Session>,
    machines: MachineSet,
    /// The file of the session document, which is read again to prove its invariants.
    file: PathBuf,
}

impl SessionDocuments {
    /// Returns the documents of a gated project.
    #[must_use]
    pub fn of_keeper(keeper: &Keeper) -> Self {
        Self {
            session: keeper.documents().session.clone(),
            machines: keeper.machines().clone(),
            file: keeper.site().document.clone(),
        }
    }

    /// Reads a session document and its machines. The sessions may call any host tool.
    ///
    /// # Errors
    ///
    /// If a document cannot be read or has errors, or if the machines cannot be combined.
    pub fn read(path: &Path) -> Result<Self, ServeError> {
        let failed = |cause: String| ServeError::Document {
            path: path.to_owned(),
            cause,
        };
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        let mut sources = SourceMap::default();
        let file = sources.add(path.display().to_string(), text);
        let folder = path.parent().unwrap_or(Path::new(""));
        let session = read_compiled_session(&mut sources, file, &mut Files::new(folder));
        let session = session.map_err(|found| failed(first(&found)))?;
        let mut parts = Gate::builder()
            .any_host_tool()
            .command_prefix(session.prefix);
        if let Some(calls) = &session.calls {
            let root = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
            let document = calls.calls.document.clone();
            let project = Project::new(&root);
            parts = parts.calls(Classifier::new(document, FlagsTable::built_in(), project));
        }
        for member in &session.members {
            parts = parts.with(InterpretedMachine::of(member.machine.clone()));
        }
        Ok(Self {
            machines: parts.join()?,
            session,
            file: path.to_owned(),
        })
    }

    /// Returns the session document.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the machines.
    #[must_use]
    pub fn machines(&self) -> &MachineSet {
        &self.machines
    }

    /// Returns the file of the session document.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the name that a machine has in the session, and the machine as its document describes it.
    #[must_use]
    pub fn member(&self, machine: &str) -> Option<(&str, &Machine)> {
        let mut members = self.session.members.iter();
        let member = members.find(|member| member.machine.name == machine)?;
        Some((&member.name, &member.machine))
    }
}

/// Returns the first error.
fn first(found: &[Diagnostic]) -> String {
    let mut found = found.iter();
    let error = found.find(|found| found.severity == Severity::Error);
    match error {
        Some(error) => format!(
            "{}: {}; run `plan-machine check` on the document",
            error.code, error.message
        ),
        None => "the document has errors".to_owned(),
    }
}
