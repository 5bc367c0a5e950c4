//! Reads the documents of a project: the session document, and everything that it names.

use std::path::Path;

use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::session::{
    Files, LoadedText, Loader, Session, SessionReport, compile_session, read_compiled_session,
    without_proofs,
};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::digest::{hex, sha256};

use super::error::ProjectError;
use super::files;
use super::site::{DOCUMENT, Site};

/// The documents of a project.
#[derive(Debug)]
pub struct Documents {
    /// The session.
    pub session: Checked<Session>,
    /// The names and texts of all documents, in the order in which they were read, including documents that are shipped
    /// with this program.
    pub texts: Vec<(String, String)>,
    /// The digest of all documents.
    pub digest: String,
    /// Whether the session was read without the invariants, scenarios and examples of the documents.
    pub(super) is_cut: bool,
}

impl Documents {
    /// Reads documents that were proved before; nothing is proved again.
    ///
    /// # Errors
    ///
    /// If a document is missing or has errors, or if the session document names no calls document.
    pub fn read(site: &Site) -> Result<Self, ProjectError> {
        let (mut sources, file, mut loader) = opened(site)?;
        let session = read_compiled_session(&mut sources, file, &mut loader);
        let session = session.map_err(|found| broken(site, &sources, &found))?;
        Self::of(session, texts(&sources))
    }

    /// Reads documents that were proved before, but skips their invariants, scenarios and examples. The digest still
    /// covers the full text of each document.
    ///
    /// # Errors
    ///
    /// In the same cases as [`read`](Self::read), and if a document is not valid without these parts.
    pub(crate) fn read_without_proofs(site: &Site) -> Result<Self, ProjectError> {
        let (whole, file, files) = opened(site)?;
        let document = whole.file(file);
        let mut loader = WithoutProofs {
            files,
            whole: Vec::new(),
        };
        let mut sources = SourceMap::default();
        let file = sources.add(document.name(), without_proofs(document.text()));
        let session = read_compiled_session(&mut sources, file, &mut loader);
        let session = session.map_err(|found| broken(site, &sources, &found))?;
        let mut all = texts(&whole);
        let mut uncut = loader.whole.into_iter().peekable();
        for (name, text) in texts(&sources).into_iter().skip(1) {
            // Shipped documents are not loaded, and they are not cut.
            let whole = uncut.next_if(|whole| whole.name == name);
            all.push((name, whole.map_or(text, |whole| whole.text)));
        }
        let documents = Self::of(session, all)?;
        Ok(Self {
            is_cut: true,
            ..documents
        })
    }

    /// Reads documents, proves their invariants and runs their scenarios.
    ///
    /// # Errors
    ///
    /// If a document is missing or has errors, an invariant is not proved, a scenario fails, or the session document
    /// names no calls document.
    pub fn prove(site: &Site) -> Result<(Self, SessionReport), ProjectError> {
        let (mut sources, file, mut loader) = opened(site)?;
        let compilation = compile_session(&mut sources, file, &mut loader);
        let is_ok = compilation.is_ok();
        match compilation.session.filter(|_| is_ok) {
            Some(session) => Ok((Self::of(session, texts(&sources))?, compilation.report)),
            None => Err(broken(site, &sources, &compilation.diagnostics)),
        }
    }

    fn of(session: Checked<Session>, texts: Vec<(String, String)>) -> Result<Self, ProjectError> {
        if session.calls.is_none() {
            return Err(ProjectError::NoCalls);
        }
        Ok(Self {
            session,
            digest: digest(&texts),
            texts,
            is_cut: false,
        })
    }
}

/// Loads files without their invariants, scenarios and examples, and keeps the whole texts for the digest.
struct WithoutProofs {
    files: Files,
    whole: Vec<LoadedText>,
}

impl Loader for WithoutProofs {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let whole = self.files.load(path)?;
        let cut = LoadedText {
            name: whole.name.clone(),
            text: without_proofs(&whole.text),
        };
        self.whole.push(whole);
        Ok(cut)
    }
}

fn texts(sources: &SourceMap) -> Vec<(String, String)> {
    let files = sources.files().iter();
    files
        .map(|file| (file.name().to_owned(), file.text().to_owned()))
        .collect()
}

/// The sources with the session document, the document itself, and the files of its folder.
type DocumentSources = (SourceMap, plan_machine_compiler::source::FileId, Files);

fn opened(site: &Site) -> Result<DocumentSources, ProjectError> {
    let text = files::read_text(&site.document)?;
    let text = text.ok_or_else(|| ProjectError::NoDocument(site.document.clone()))?;
    let mut sources = SourceMap::default();
    let file = sources.add(DOCUMENT, text);
    let folder = site.document.parent().unwrap_or(Path::new("."));
    // The names are part of the digest, so they must not depend on the location of the project.
    Ok((sources, file, Files::new(folder).shown_as("")))
}

/// Returns the digest of all texts. The digest includes the length of each text, so that different lists do not have
/// the same digest.
fn digest(texts: &[(String, String)]) -> String {
    let mut pieces = Vec::new();
    for text in texts.iter().flat_map(|(name, text)| [name, text]) {
        pieces.push((text.len() as u64).to_be_bytes().to_vec());
        pieces.push(text.as_bytes().to_vec());
    }
    let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    hex(&sha256(&pieces))
}

/// Returns the error for documents that have these problems. It reports the first problem, with its file and line.
fn broken(site: &Site, sources: &SourceMap, found: &[Diagnostic]) -> ProjectError {
    let mut found = found.iter();
    let error = found.find(|found| found.severity == Severity::Error);
    let problem = match error {
        Some(error) => {
            let span = error.primary.span;
            let file = sources.file(span.file);
            let line = file.position(span.start).line;
            let path = place(site, file.name());
            format!("{path}:{line}: {}: {}", error.code, error.message)
        }
        None => "a document has errors".to_owned(),
    };
    ProjectError::Document {
        document: site.document.clone(),
        problem,
    }
}

/// Returns where a document is. A document that is shipped with this program is not in the project's folder.
fn place(site: &Site, name: &str) -> String {
    match site.document.parent() {
        _ if name == DOCUMENT => site.document.display().to_string(),
        Some(folder) if !name.contains(':') => folder.join(name).display().to_string(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{StateFolder, find};

    #[test]
    fn the_error_of_a_document_names_its_file_and_line() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("project");
        std::fs::create_dir_all(folder.join(".plan-machine")).expect("a folder");
        let document = folder.join(".plan-machine/session.yaml");
        std::fs::write(&document, "session: X\nmachines: { a: a.yaml }\n").expect("a file");
        let machine = folder.join(".plan-machine/a.yaml");
        std::fs::write(&machine, "machine: A\nstates: [\n").expect("a file");
        let home = StateFolder::at(place.path().join("state"));
        let site = find(&home, &folder).expect("a gated project");
        let error = Documents::read(&site).expect_err("errors").to_string();
        assert!(error.contains("a.yaml:"), "{error}");
        assert!(error.contains("plan-machine check "), "{error}");
    }
}
