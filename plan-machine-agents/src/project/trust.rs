//! What a person has trusted, and what was proved about it. The records are outside the project.

use plan_machine_kernel::json::{Json, Object};

use super::documents::Documents;
use super::error::ProjectError;
use super::files::{self, Durability};
use super::site::{Site, TRUST};

/// The record of what was proved.
const PROVED: &str = "proved.json";

/// The record of the trusted texts, with which later texts are compared.
const TEXTS: &str = "trusted.json";

/// The version of the compiler. Another version has to prove the documents again.
pub const COMPILER: &str = env!("CARGO_PKG_VERSION");

/// Checks that a person has trusted exactly these documents, and that this version has proved them.
///
/// # Errors
///
/// If the documents are not trusted, have changed since, or have not been proved by this version, or if a record cannot
/// be read. The gate must then stay closed.
pub fn check(site: &Site, documents: &Documents) -> Result<(), ProjectError> {
    let trusted = record(site, TRUST)?.ok_or(ProjectError::NeverTrusted)?;
    if text(&trusted, "digest") != Some(&documents.digest) {
        return Err(ProjectError::Changed);
    }
    let proved = record(site, PROVED)?.ok_or(ProjectError::Unproved)?;
    let is_same = text(&proved, "digest") == Some(&documents.digest);
    if !is_same || text(&proved, "compiler") != Some(COMPILER) {
        return Err(ProjectError::Unproved);
    }
    Ok(())
}

/// Returns the texts that were trusted last; empty if there are none.
///
/// # Errors
///
/// If the record cannot be read.
pub fn trusted_texts(site: &Site) -> Result<Vec<(String, String)>, ProjectError> {
    let Some(record) = record(site, TEXTS)? else {
        return Ok(Vec::new());
    };
    let texts = record.iter();
    let texts =
        texts.filter_map(|(name, text)| Some((name.to_owned(), text.as_text()?.to_owned())));
    Ok(texts.collect())
}

/// Returns whether these documents are the ones that were trusted last.
///
/// # Errors
///
/// If the record cannot be read.
pub fn is_trusted(site: &Site, documents: &Documents) -> Result<bool, ProjectError> {
    let trusted = record(site, TRUST)?;
    Ok(trusted.is_some_and(|trusted| text(&trusted, "digest") == Some(&documents.digest)))
}

/// Trusts documents that [`Documents::prove`] has returned.
///
/// # Errors
///
/// If the records cannot be written.
pub fn trust(site: &Site, documents: &Documents) -> Result<(), ProjectError> {
    let mut texts = Object::new();
    for (name, text) in &documents.texts {
        texts.insert(name.clone(), text.as_str());
    }
    store(site, TEXTS, texts)?;
    let mut proved = Object::new();
    proved.push("digest", documents.digest.as_str());
    proved.push("compiler", COMPILER);
    store(site, PROVED, proved)?;
    let mut trusted = Object::new();
    trusted.push("project", site.root.display().to_string());
    trusted.push("digest", documents.digest.as_str());
    // This record opens the gate, so it is written last.
    store(site, TRUST, trusted)
}

/// Removes the records of trust, so that the project is no longer gated once its document is removed.
///
/// # Errors
///
/// If a record cannot be removed.
pub fn forget(site: &Site) -> Result<(), ProjectError> {
    for name in [TRUST, PROVED, TEXTS] {
        let path = site.state.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ProjectError::file(&path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn record(site: &Site, name: &str) -> Result<Option<Object>, ProjectError> {
    let path = site.state.join(name);
    let Some(text) = files::read_text(&path)? else {
        return Ok(None);
    };
    match Json::parse(&text) {
        Ok(Json::Object(object)) => Ok(Some(object)),
        _ => Err(ProjectError::file(&path, "it is damaged")),
    }
}

fn text<'o>(object: &'o Object, key: &str) -> Option<&'o str> {
    object.get(key)?.as_text()
}

fn store(site: &Site, name: &str, object: Object) -> Result<(), ProjectError> {
    let text = format!("{}\n", Json::from(object));
    files::write(&site.state.join(name), &text, Durability::Durable)
}
