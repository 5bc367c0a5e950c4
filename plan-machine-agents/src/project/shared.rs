//! The store that a project shares with other computers, instead of a store of its own. Its address is in a file in the
//! state folder, where only a person can change it, and the record of trust has the digest of that file. So the gate
//! closes if the file is removed or changed, and an empty store never replaces the one with the sessions.

use std::fmt;
use std::path::PathBuf;

use plan_machine_kernel::digest::{hex, sha256};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::store::without_password;
use plan_machine_sessions::{InvalidIdentity, SessionIdentity};

use super::error::ProjectError;
use super::files::{self, Durability};
use super::home::{ADDRESS, digest_of};
use super::site::{DOCUMENT, FOLDER, Site};

/// The maximum number of characters of a project's folder that are part of its name.
const LONGEST: usize = 32;

/// The store that a project shares with other computers.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedStore {
    address: String,
    /// The name of this project in the store. The same project on another computer has another name.
    name: String,
}

/// The address may contain a password, which is not shown.
impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedStore")
            .field("address", &without_password(&self.address))
            .field("name", &self.name)
            .finish()
    }
}

impl SharedStore {
    /// Returns the store at an address, for a project. The name of the project depends on `key`, which is secret and
    /// different on each computer.
    pub(super) fn of(site: &Site, address: &str, key: &[u8; 32]) -> Self {
        Self {
            address: address.to_owned(),
            name: name(site, key),
        }
    }

    /// Returns the address of the store, which may contain a password.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the identity that a session of this project has in the store: its channel ends with the project's name.
    /// Agents on two computers may use the same id for two conversations.
    ///
    /// # Errors
    ///
    /// If the name of the project is not valid in a channel.
    pub fn named(&self, session: &SessionIdentity) -> Result<SessionIdentity, InvalidIdentity> {
        let channel = format!("{}@{}", session.channel(), self.name);
        SessionIdentity::existing(&channel, session.conversation())
    }

    /// Returns whether a session of the store belongs to this project.
    #[must_use]
    pub fn contains(&self, session: &SessionIdentity) -> bool {
        let name = session.channel().strip_suffix(&self.name);
        name.is_some_and(|agent| agent.ends_with('@'))
    }

    fn to_text(&self) -> String {
        let mut object = Object::new();
        object.push("address", self.address.as_str());
        object.push("name", self.name.as_str());
        format!("{}\n", Json::from(object))
    }

    fn from_text(text: &str) -> Option<Self> {
        let json = Json::parse(text).ok()?;
        let object = json.as_object()?;
        let text = |key: &str| Some(object.get(key)?.as_text()?.to_owned());
        Some(Self {
            address: text("address")?,
            name: text("name")?,
        })
    }
}

/// Writes the address of a project's store to its file, and returns the digest of the file.
pub(super) fn write(site: &Site, shared: &SharedStore) -> Result<String, ProjectError> {
    let text = shared.to_text();
    files::write(&file(site), &text, Durability::Durable)?;
    Ok(digest(&text))
}

/// Removes the file with the address.
pub(super) fn remove(site: &Site) -> Result<(), ProjectError> {
    files::remove(&file(site))
}

/// Returns the store whose file has this digest.
pub(super) fn read(site: &Site, noted: &str) -> Result<SharedStore, ProjectError> {
    let path = file(site);
    let text = files::read_text(&path)?;
    let text = text.ok_or_else(|| ProjectError::NoAddress(path.clone()))?;
    let is_same = digest(&text) == noted;
    let shared = SharedStore::from_text(&text).filter(|_| is_same);
    shared.ok_or(ProjectError::ChangedAddress(path))
}

/// Returns the digest of the file with the address; `None` if there is no such file.
pub(super) fn current_digest(site: &Site) -> Result<Option<String>, ProjectError> {
    let text = files::read_text(&file(site))?;
    Ok(text.map(|text| digest(&text)))
}

/// Returns the file with the address.
pub(super) fn file(site: &Site) -> PathBuf {
    site.state.join(ADDRESS)
}

fn digest(text: &str) -> String {
    hex(&sha256(&[text.as_bytes()]))
}

/// Returns the name of a project in shared stores: its folder, and a mark of 32 bits that depends on the project's path
/// and on the computer. So two projects in folders of the same name are very unlikely to have the same name.
fn name(site: &Site, key: &[u8; 32]) -> String {
    let is_project = site.document == site.root.join(FOLDER).join(DOCUMENT);
    let folder = site.root.file_name().filter(|_| is_project);
    let folder = folder.map_or_else(|| "user".into(), |folder| folder.to_string_lossy());
    let plain = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' => letter,
        _ => '-',
    };
    let folder: String = folder.chars().take(LONGEST).map(plain).collect();
    let mark = digest_of(&[key, site.state.as_os_str().as_encoded_bytes()]);
    format!("{folder}-{}", &mark[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::StateFolder;

    #[test]
    fn the_same_folder_on_two_computers_has_two_names() {
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let site = Site::of_project(&home, &place.path().join("a shop"));
        let shared = |key: u8| SharedStore::of(&site, "postgres://db/plans", &[key; 32]);
        let (one, other) = (shared(1), shared(2));
        let session: SessionIdentity = "goose:20260101_1".parse().expect("an identity");
        let stored = one.named(&session).expect("an identity");
        assert!(stored.channel().starts_with("goose@a-shop-"), "{stored}");
        assert!(one.contains(&stored) && !other.contains(&stored));
        assert!(!one.contains(&session));
        assert_ne!(other.named(&session).expect("an identity"), stored);
    }
}
