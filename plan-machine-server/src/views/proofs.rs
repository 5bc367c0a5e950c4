//! The proofs: the invariants of the documents with their verdicts.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan_machine_compiler::prove::InvariantReport;
use plan_machine_compiler::prove::scenarios::ScenarioReport;
use plan_machine_compiler::session::{Files, compile_session};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{DocumentKind, compile, document_kind};
use plan_machine_kernel::json::{Json, Object};

use super::maybe::maybe;
use super::written::invariants;

/// The state of the proofs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ProofState {
    /// Nobody has asked for the proofs yet.
    #[default]
    Unknown,
    /// The invariants are being proved.
    Running,
    /// The proofs.
    Ready(Json),
}

/// Identifies the documents that proofs are about, by the number of times that the documents had changed when proving
/// began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProofEdition(u64);

#[derive(Debug, Default)]
struct CurrentProofs {
    edition: ProofEdition,
    state: ProofState,
}

/// The proofs of the documents that are served. Proving may take seconds, so it is done once.
#[derive(Debug, Default)]
pub(crate) struct Proofs(Mutex<CurrentProofs>);

impl Proofs {
    fn current(&self) -> MutexGuard<'_, CurrentProofs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of the proofs. If nobody has asked for them yet, the caller must prove the invariants and then
    /// call [`set`](Self::set) with the edition.
    pub(crate) fn begin(&self) -> (ProofState, ProofEdition) {
        let mut current = self.current();
        let before = current.state.clone();
        if before == ProofState::Unknown {
            current.state = ProofState::Running;
        }
        (before, current.edition)
    }

    /// Stores the proofs, unless the documents have changed since proving began.
    pub(crate) fn set(&self, edition: ProofEdition, documents: Json) {
        let mut current = self.current();
        if current.edition == edition {
            current.state = ProofState::Ready(documents);
        }
    }

    /// Discards the proofs, because the documents have changed.
    pub(crate) fn forget(&self) {
        let mut current = self.current();
        current.edition.0 += 1;
        current.state = ProofState::Unknown;
    }

    /// Returns the response to a request for the proofs, given their state.
    #[must_use]
    pub(crate) fn json(state: &ProofState) -> Json {
        let mut object = Object::new();
        match state {
            ProofState::Ready(documents) => {
                object.push("ready", true);
                object.push("documents", documents.clone());
            }
            ProofState::Unknown | ProofState::Running => {
                object.push("ready", false);
                object.push("documents", Vec::<Json>::new());
            }
        }
        object.push("problem", Json::Null);
        object.into()
    }

    /// Proves the invariants of a session document and of its machines. This takes a while.
    #[must_use]
    pub(crate) fn prove(file: &Path) -> Vec<Json> {
        let Ok(text) = std::fs::read_to_string(file) else {
            return Vec::new();
        };
        let mut sources = SourceMap::default();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let id = sources.add(name.into_owned(), text.clone());
        let folder = file.parent().unwrap_or(Path::new(""));
        let compiled = compile_session(&mut sources, id, &mut Files::new(folder).shown_as(""));
        let session = compiled.session.as_ref();
        let doc = session.and_then(|session| session.doc.clone());
        let title = compiled.name.clone().unwrap_or_default();
        let file = sources.file(id).name().to_owned();
        let report = &compiled.report;
        let mut documents = vec![document(
            ("session", &title, &file, doc.as_deref()),
            &text,
            &report.invariants,
            &report.scenarios,
        )];
        let files: Vec<(String, String)> = sources
            .files()
            .iter()
            .map(|file| (file.name().to_owned(), file.text().to_owned()))
            .collect();
        for (name, text) in files {
            let mut alone = SourceMap::default();
            let id = alone.add(name.clone(), text.clone());
            if document_kind(&alone, id) != DocumentKind::Machine {
                continue;
            }
            let compiled = compile(&alone, id);
            let (Some(machine), Some(report)) = (&compiled.machine, &compiled.report) else {
                continue;
            };
            documents.push(document(
                ("machine", &machine.name, &name, machine.doc.as_deref()),
                &text,
                &report.invariants,
                &report.scenarios,
            ));
        }
        documents
    }
}

fn document(
    (kind, name, file, doc): (&'static str, &str, &str, Option<&str>),
    text: &str,
    reports: &[InvariantReport],
    scenarios: &[ScenarioReport],
) -> Json {
    let written = invariants(text);
    let reports = reports.iter().map(|report| {
        let mut known = written.iter();
        let known = known.find(|written| written.name == report.name);
        let mut object = Object::new();
        object.push("name", report.name.as_str());
        object.push("words", report.name.replace('_', " "));
        object.push(
            "statement",
            maybe(known.map(|known| known.statement.as_str())),
        );
        object.push("note", maybe(known.and_then(|known| known.note.as_deref())));
        object.push("verdict", report.verdict.as_str());
        Json::Object(object)
    });
    let scenarios = scenarios.iter().map(|scenario| {
        let mut object = Object::new();
        object.push("name", scenario.name.as_str());
        object.push("passed", scenario.passed);
        Json::Object(object)
    });
    let mut object = Object::new();
    object.push("kind", kind);
    object.push("name", name);
    object.push("file", file);
    object.push("doc", doc.unwrap_or_default().trim());
    object.push("invariants", reports.collect::<Vec<Json>>());
    object.push("scenarios", scenarios.collect::<Vec<Json>>());
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_of_documents_that_have_changed_are_not_stored() {
        let proofs = Proofs::default();
        let (state, old) = proofs.begin();
        assert_eq!(state, ProofState::Unknown);
        proofs.forget();
        proofs.set(old, Json::from("old"));
        let (state, new) = proofs.begin();
        assert_eq!(state, ProofState::Unknown);
        // The old proofs may also arrive while the new ones are still running.
        proofs.set(old, Json::from("old"));
        assert_eq!(proofs.begin().0, ProofState::Running);
        proofs.set(new, Json::from("new"));
        assert_eq!(proofs.begin().0, ProofState::Ready(Json::from("new")));
    }
}
