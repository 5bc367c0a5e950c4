//! Reads the documents of a project: the session document, and everything that it names.

use std::path::{Path, PathBuf};

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
    /// The compiled session document.
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
        Self::prove_with(site, &[])
    }

    /// Proves documents as [`prove`](Self::prove) does, as if these files already had these texts.
    pub(crate) fn prove_with(
        site: &Site,
        planned: &[(PathBuf, String)],
    ) -> Result<(Self, SessionReport), ProjectError> {
        let (mut sources, file, files) = match planned_text(planned, &site.document) {
            Some(text) => opened_with(site, text.to_owned()),
            None => opened(site)?,
        };
        let mut loader = WithPlanned {
            files,
            folder: folder(site),
            planned,
        };
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

/// The documents that a session document names.
#[derive(Debug, Default)]
pub(crate) struct NamedDocuments {
    /// The files, without the documents that are shipped with this program. Some of them may be missing.
    pub(crate) paths: Vec<PathBuf>,
    /// Whether all documents are valid. Otherwise, the session document may name more files than these.
    pub(crate) is_valid: bool,
}

impl NamedDocuments {
    /// Returns the documents that the session document of a project names.
    ///
    /// # Errors
    ///
    /// If the session document is missing or cannot be read.
    pub(crate) fn of(site: &Site) -> Result<Self, ProjectError> {
        let (mut sources, file, files) = opened(site)?;
        let mut loader = Recorded {
            files,
            paths: Vec::new(),
        };
        let session = read_compiled_session(&mut sources, file, &mut loader);
        let folder = folder(site);
        let paths = loader.paths.iter().map(|path| folder.join(path));
        Ok(Self {
            paths: paths.collect(),
            is_valid: session.is_ok(),
        })
    }
}

/// Loads files, and remembers the paths of all files that were requested, including missing ones.
struct Recorded {
    files: Files,
    paths: Vec<String>,
}

impl Loader for Recorded {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        self.paths.push(path.to_owned());
        self.files.load(path)
    }
}

/// Loads files as they will be after a change.
struct WithPlanned<'a> {
    files: Files,
    folder: &'a Path,
    planned: &'a [(PathBuf, String)],
}

impl Loader for WithPlanned<'_> {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        // The loader of the files refuses absolute paths.
        let is_relative = Path::new(path).is_relative();
        let place = is_relative.then(|| self.folder.join(path));
        match place.and_then(|place| planned_text(self.planned, &place)) {
            Some(text) => Ok(LoadedText {
                name: Path::new("").join(path).display().to_string(),
                text: text.to_owned(),
            }),
            None => self.files.load(path),
        }
    }
}

/// Returns the text that a file will have after a change; `None` if the change does not write the file.
fn planned_text<'a>(planned: &'a [(PathBuf, String)], path: &Path) -> Option<&'a str> {
    let mut planned = planned.iter();
    let found = planned.find(|(one, _)| one == path);
    found.map(|(_, text)| text.as_str())
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
    Ok(opened_with(site, text))
}

/// Returns the sources with this text of the session document.
fn opened_with(site: &Site, text: String) -> DocumentSources {
    let mut sources = SourceMap::default();
    let file = sources.add(DOCUMENT, text);
    // The names are part of the digest, so they must not depend on the location of the project.
    (sources, file, Files::new(folder(site)).shown_as(""))
}

/// Returns the folder of the documents.
fn folder(site: &Site) -> &Path {
    site.document.parent().unwrap_or(Path::new("."))
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
