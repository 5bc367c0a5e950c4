//! The records of the documents that a person has trusted, and of the proof of their invariants. The records are
//! outside the project.

use plan_machine_kernel::json::{Json, Object};

use super::documents::Documents;
use super::error::ProjectError;
use super::files::{self, Durability};
use super::shared::{self, SharedStore};
use super::site::{Site, TRUST};

/// The record of what was proved.
const PROVED: &str = "proved.json";

/// The record of the trusted texts, with which later texts are compared.
const TEXTS: &str = "trusted.json";

/// The entry in the record [`PROVED`] that says whether a hook may leave out the proofs when it reads the documents.
const WITHOUT_PROOFS: &str = "without_proofs";

/// The entry in the record [`TRUST`] with the digest of the address of the store that the project shares with other
/// computers. A record without it belongs to a project that has a store of its own.
const STORE: &str = "store";

/// The version of the compiler. Another version has to prove the documents again.
pub const COMPILER: &str = env!("CARGO_PKG_VERSION");

/// Checks that a person has trusted exactly these documents, and that this version has proved them.
///
/// # Errors
///
/// If the documents are not trusted, have changed since, or have not been proved by this version, or if a record cannot
/// be read. The gate must then stay closed.
pub fn check(site: &Site, documents: &Documents) -> Result<(), ProjectError> {
    checked(site, documents).map(drop)
}

/// Checks documents as [`check`] does, and returns the store that the project shares with other computers, if there is
/// one.
pub(crate) fn check_and_find_store(
    site: &Site,
    documents: &Documents,
) -> Result<Option<SharedStore>, ProjectError> {
    noted_store(site, &checked(site, documents)?)
}

/// Checks documents, and returns the record of trust.
fn checked(site: &Site, documents: &Documents) -> Result<Object, ProjectError> {
    let trusted = record(site, TRUST)?.ok_or(ProjectError::NeverTrusted)?;
    if text(&trusted, "digest") != Some(&documents.digest) {
        return Err(ProjectError::Changed);
    }
    let proved = record(site, PROVED)?.ok_or(ProjectError::Unproved)?;
    let is_same = text(&proved, "digest") == Some(&documents.digest);
    if !is_same || text(&proved, "compiler") != Some(COMPILER) {
        return Err(ProjectError::Unproved);
    }
    // A person may have trusted other documents since the record that allowed the cut was read.
    if documents.is_cut && !allows_cut(&proved) {
        return Err(ProjectError::Changed);
    }
    Ok(trusted)
}

/// Returns the store that a trusted project shares with other computers; `None` if it has a store of its own.
///
/// # Errors
///
/// If a record cannot be read, or if the address is missing or has changed.
pub fn shared_store(site: &Site) -> Result<Option<SharedStore>, ProjectError> {
    match record(site, TRUST)? {
        Some(trusted) => noted_store(site, &trusted),
        None => Ok(None),
    }
}

fn noted_store(site: &Site, trusted: &Object) -> Result<Option<SharedStore>, ProjectError> {
    match trusted.get(STORE) {
        None => Ok(None),
        Some(digest) => shared::read(site, digest.as_text().unwrap_or_default()).map(Some),
    }
}

/// Sets the digest of the address in the record of trust. If there is no record yet, [`trust`] adds the digest.
pub(super) fn note_store(site: &Site, digest: Option<&str>) -> Result<(), ProjectError> {
    let Some(mut trusted) = record(site, TRUST)? else {
        return Ok(());
    };
    trusted.remove(STORE);
    if let Some(digest) = digest {
        trusted.push(STORE, digest);
    }
    store(site, TRUST, trusted)
}

/// Returns the digest of the address that the next record of trust has to contain. If there is a record already, its
/// digest is kept, so that trusting new documents does not accept another address.
fn store_to_note(site: &Site) -> Result<Option<String>, ProjectError> {
    match record(site, TRUST) {
        // A note that is not a digest matches no address, so that the gate stays closed.
        Ok(Some(trusted)) => Ok(trusted
            .get(STORE)
            .map(|noted| noted.as_text().unwrap_or_default().to_owned())),
        // The record was removed or damaged.
        Ok(None) | Err(_) => shared::current_digest(site),
    }
}

fn allows_cut(proved: &Object) -> bool {
    proved.get(WITHOUT_PROOFS).and_then(Json::as_bool) == Some(true)
}

/// Returns the texts that were trusted last; empty if there are none, or if the record is damaged. Trusting documents
/// writes the record again, so a damaged record must not prevent that.
///
/// # Errors
///
/// If the record cannot be read.
pub fn trusted_texts(site: &Site) -> Result<Vec<(String, String)>, ProjectError> {
    let record = match record(site, TEXTS) {
        Ok(Some(record)) => record,
        Ok(None) | Err(ProjectError::DamagedTrust(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
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
    proved.push(WITHOUT_PROOFS, are_alike(site, documents));
    store(site, PROVED, proved)?;
    let mut trusted = Object::new();
    trusted.push("project", site.root.display().to_string());
    trusted.push("digest", documents.digest.as_str());
    if let Some(digest) = store_to_note(site)? {
        trusted.push(STORE, digest);
    }
    // This record opens the gate, so it is written last.
    store(site, TRUST, trusted)
}

/// Reads documents that were trusted before. If they are known to mean the same without their proofs, the proofs are
/// left out, because reading takes most of the time of a hook.
///
/// The result must be [checked](check), because the documents may have changed since they were trusted.
///
/// # Errors
///
/// If a document or the record of what was proved cannot be read.
pub fn read_trusted(site: &Site) -> Result<Documents, ProjectError> {
    let proved = record(site, PROVED)?;
    let may_cut = proved
        .is_some_and(|proved| allows_cut(&proved) && text(&proved, "compiler") == Some(COMPILER));
    if may_cut {
        Documents::read_without_proofs(site).or_else(|_| Documents::read(site))
    } else {
        Documents::read(site)
    }
}

/// Returns whether the documents lead to the same decision on every call if they are read without their proofs.
fn are_alike(site: &Site, documents: &Documents) -> bool {
    Documents::read_without_proofs(site).is_ok_and(|cut| {
        cut.digest == documents.digest && cut.session.runs_like(&documents.session)
    })
}

/// Removes the records of trust and the address of a shared store, so that the project is no longer gated once its
/// document is removed.
///
/// # Errors
///
/// If a record cannot be removed.
pub fn forget(site: &Site) -> Result<(), ProjectError> {
    for name in [TRUST, PROVED, TEXTS] {
        files::remove(&site.state.join(name))?;
    }
    shared::remove(site)
}

fn record(site: &Site, name: &str) -> Result<Option<Object>, ProjectError> {
    let path = site.state.join(name);
    let Some(bytes) = files::read(&path)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).unwrap_or_default();
    match Json::parse(&text) {
        Ok(Json::Object(object)) => Ok(Some(object)),
        _ => Err(ProjectError::DamagedTrust(path)),
    }
}

fn text<'o>(object: &'o Object, key: &str) -> Option<&'o str> {
    object.get(key)?.as_text()
}

fn store(site: &Site, name: &str, object: Object) -> Result<(), ProjectError> {
    let text = format!("{}\n", Json::from(object));
    files::write(&site.state.join(name), &text, Durability::Durable)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::StateFolder;

    const SESSION: &str = "session: S\nmachines: { m: m.yaml }\ncalls: calls.yaml\n";
    const MACHINE: &str = "\
machine: M
commands: { begin: /begin, stop: /stop }
states:
  none: { on: { begin: a } }
  a: { on: { stop: { to: z, next: none } } }
  z: { final: true }
scenarios: {}
";
    const CALLS: &str = "calls: C\nclasses: [looks]\nrules: []\notherwise: looks\n";

    /// Returns a project with this machine, and its folder.
    fn project(machine: &str) -> (tempfile::TempDir, Site) {
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let folder = place.path().join("project");
        fs::create_dir_all(folder.join(".plan-machine")).expect("a folder");
        let site = Site::of_project(&home, &folder);
        files::make_folder(&site.state).expect("a folder");
        for (name, text) in [
            ("session.yaml", SESSION),
            ("m.yaml", machine),
            ("calls.yaml", CALLS),
        ] {
            fs::write(site.root.join(".plan-machine").join(name), text).expect("a file");
        }
        (place, site)
    }

    fn trusted(site: &Site) -> Documents {
        let (documents, _) = Documents::prove(site).expect("proved documents");
        trust(site, &documents).expect("trusted documents");
        documents
    }

    fn may_cut(site: &Site) -> Option<bool> {
        let proved = record(site, PROVED).expect("a readable record")?;
        proved.get(WITHOUT_PROOFS)?.as_bool()
    }

    #[test]
    fn trusted_documents_are_read_without_their_proofs_but_their_digest_covers_them() {
        let (_place, site) = project(MACHINE);
        let whole = trusted(&site);
        assert_eq!(may_cut(&site), Some(true));
        let read = read_trusted(&site).expect("documents");
        assert_eq!(read.texts, whole.texts);
        check(&site, &read).expect("trusted documents");
        let machine = site.root.join(".plan-machine/m.yaml");
        fs::write(machine, format!("{MACHINE}  # about scenarios\n")).expect("a file");
        let read = read_trusted(&site).expect("documents");
        let error = check(&site, &read).expect_err("changed documents");
        assert!(matches!(error, ProjectError::Changed), "{error}");
    }

    #[test]
    fn a_record_that_was_cut_short_closes_the_gate() {
        let (_place, site) = project(MACHINE);
        let documents = trusted(&site);
        for name in [TRUST, PROVED] {
            let path = site.state.join(name);
            let whole = fs::read_to_string(&path).expect("a record");
            // A record ends with a line break, which has no meaning.
            for end in 0..whole.trim_end().len() {
                fs::write(&path, &whole.as_bytes()[..end]).expect("a file");
                let error = check(&site, &documents).expect_err("a part of a record");
                assert!(matches!(error, ProjectError::DamagedTrust(_)), "{error}");
            }
            fs::write(&path, &whole).expect("a file");
            check(&site, &documents).expect("trusted documents");
        }
    }

    #[test]
    fn trusting_documents_again_replaces_damaged_records() {
        let (_place, site) = project(MACHINE);
        let documents = trusted(&site);
        for name in [TRUST, PROVED, TEXTS] {
            for garbage in [&b"garbage"[..], b"[]", b"\xff\xfe"] {
                fs::write(site.state.join(name), garbage).expect("a file");
                if name != TEXTS {
                    let error = check(&site, &documents).expect_err("a damaged record");
                    let text = error.to_string();
                    assert!(text.contains(&format!("{name}` is damaged")), "{text}");
                    assert!(
                        text.ends_with("run `plan-machine trust` in a terminal"),
                        "{text}"
                    );
                }
                // `plan-machine trust` compares the documents with the texts that were trusted last.
                trusted_texts(&site).expect("texts");
                let again = trusted(&site);
                check(&site, &again).expect("trusted documents");
            }
        }
    }

    #[test]
    fn documents_that_need_an_anchor_of_their_proofs_are_read_whole() {
        let machine = MACHINE.replace("scenarios: {}", "scenarios: &none {}\ntypes: *none");
        let (_place, site) = project(&machine);
        trusted(&site);
        assert_eq!(may_cut(&site), Some(false));
        let read = read_trusted(&site).expect("documents");
        check(&site, &read).expect("trusted documents");
    }

    #[test]
    fn documents_that_were_cut_before_another_version_was_trusted_are_refused() {
        // `scenarios` looks like an entry of the spec, but it is a tool.
        let tools = "tools: {\nscenarios: {},\nother: {} }\nstates:";
        let (_place, site) = project(MACHINE);
        trusted(&site);
        let machine = site.root.join(".plan-machine/m.yaml");
        fs::write(machine, MACHINE.replace("states:", tools)).expect("a file");
        let cut = read_trusted(&site).expect("documents");
        assert!(cut.is_cut);
        let whole = trusted(&site);
        assert_eq!(cut.digest, whole.digest);
        let error = check(&site, &cut).expect_err("another version was trusted");
        assert!(matches!(error, ProjectError::Changed), "{error}");
    }

    #[test]
    fn documents_that_mean_something_else_without_a_line_are_read_whole() {
        // `scenarios` looks like an entry of the spec, but it is a tool.
        let tools = "tools: {\nscenarios: {},\nother: {} }\nstates:";
        let (_place, site) = project(&MACHINE.replace("states:", tools));
        trusted(&site);
        assert_eq!(may_cut(&site), Some(false));
        let read = read_trusted(&site).expect("documents");
        check(&site, &read).expect("trusted documents");
    }
}
