//! Switches a project to a store that it shares with other computers, and back to its own store.

use super::error::ProjectError;
use super::shared::{self, SharedStore};
use super::site::Site;
use super::trust;

/// Makes a project use the store at an address. `key` is secret and different on each computer; the project's name in
/// the store depends on it. Returns whether anything has changed.
///
/// # Errors
///
/// If the records cannot be read or written.
pub fn share_store(site: &Site, address: &str, key: &[u8; 32]) -> Result<bool, ProjectError> {
    let shared = SharedStore::of(site, address, key);
    if trust::shared_store(site).is_ok_and(|known| known.as_ref() == Some(&shared)) {
        return Ok(false);
    }
    // Until the record of trust has the new digest, the gate is closed or uses the earlier store.
    let digest = shared::write(site, &shared)?;
    trust::note_store(site, Some(&digest))?;
    Ok(true)
}

/// Forgets the address, so that the project has a store of its own again.
///
/// # Errors
///
/// If the records cannot be changed.
pub fn forget_store(site: &Site) -> Result<(), ProjectError> {
    // If this is interrupted, the gate is closed.
    shared::remove(site)?;
    trust::note_store(site, None)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::shared::file;
    use super::trust::shared_store;
    use super::*;
    use crate::project::StateFolder;
    use crate::project::files::{self, Durability};

    const ADDRESS: &str = "postgres://ann:secret@db/plans";

    /// Returns a site whose documents count as trusted.
    fn site(place: &Path) -> Site {
        let home = StateFolder::at(place.join("state"));
        let site = Site::of_project(&home, &place.join("a shop"));
        files::write(&site.state.join("trust.json"), "{}", Durability::Fleeting).expect("a record");
        site
    }

    #[test]
    fn an_address_is_used_until_it_is_forgotten() {
        let place = tempfile::tempdir().expect("a folder");
        let site = site(place.path());
        assert_eq!(shared_store(&site).expect("readable"), None);
        assert!(share_store(&site, ADDRESS, &[1; 32]).expect("stored"));
        assert!(!share_store(&site, ADDRESS, &[1; 32]).expect("stored"));
        let shared = shared_store(&site).expect("readable").expect("a store");
        assert_eq!(shared.address(), ADDRESS);
        let shown = format!("{shared:?}");
        assert!(!shown.contains("secret"), "{shown}");
        forget_store(&site).expect("forgotten");
        assert_eq!(shared_store(&site).expect("readable"), None);
        assert!(!file(&site).exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_an_address() {
        use std::os::unix::fs::PermissionsExt as _;
        let place = tempfile::tempdir().expect("a folder");
        let site = site(place.path());
        share_store(&site, ADDRESS, &[1; 32]).expect("stored");
        let mode = fs::metadata(file(&site)).expect("a file").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }

    #[test]
    fn an_address_that_is_missing_or_damaged_or_changed_is_an_error() {
        let place = tempfile::tempdir().expect("a folder");
        let site = site(place.path());
        share_store(&site, ADDRESS, &[1; 32]).expect("stored");
        let path = file(&site);
        let text = fs::read_to_string(&path).expect("a file");
        let elsewhere = text.replace("db", "elsewhere");
        for changed in [&text[..text.len() - 1], "", &elsewhere[..]] {
            fs::write(&path, changed).expect("written");
            let error = shared_store(&site).expect_err("another address");
            assert!(matches!(error, ProjectError::ChangedAddress(_)), "{error}");
        }
        fs::remove_file(&path).expect("removed");
        let error = shared_store(&site).expect_err("no address");
        assert!(matches!(error, ProjectError::NoAddress(_)), "{error}");
    }
}
