//! The session documents of the bot's modes, for the page: it draws their machines and shows their proofs.

use std::path::PathBuf;

use plan_machine_server::project::SessionDocuments;
use tempfile::TempDir;

use crate::bot::MODES;
use crate::error::BotError;

/// The documents, as files. The files exist as long as this value, because the page reads them again when it proves the
/// documents.
pub(super) struct ModeDocuments(TempDir);

impl ModeDocuments {
    /// Writes a document for each mode: the machine of its plans, and the machines that all modes have.
    pub(super) fn write() -> Result<Self, BotError> {
        let folder = Self(TempDir::new()?);
        for mode in MODES {
            std::fs::write(folder.file(mode), text(mode))?;
        }
        Ok(folder)
    }

    fn file(&self, mode: &str) -> PathBuf {
        self.0.path().join(format!("{mode}.yaml"))
    }

    /// Reads the documents, in the order of the modes.
    pub(super) fn read(&self) -> Result<Vec<SessionDocuments>, BotError> {
        let read = |mode| SessionDocuments::read(&self.file(mode)).map_err(BotError::refused);
        MODES.into_iter().map(read).collect()
    }
}

fn text(mode: &str) -> String {
    let words = mode.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    let name: String = words.collect();
    format!(
        "session: {name}\nmachines:\n  work: \"plan-specs:{mode}\"\n  background: \"plan-specs:auto_run\"\n  notes: \"plan-specs:planning_files\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_a_valid_document() {
        let documents = ModeDocuments::write().expect("written");
        let read = documents.read().expect("valid");
        let names: Vec<&str> = read.iter().map(|one| one.session().name.as_str()).collect();
        assert_eq!(names, ["WorkByPlan", "PlanMode", "PlanBuilder"]);
    }
}
