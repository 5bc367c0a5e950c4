//! The record of what was installed. It contains the original text of each file, so that a removal can restore it.

use std::path::{Path, PathBuf};

use plan_machine_kernel::digest::{hex, sha256};
use plan_machine_kernel::json::{Json, Object};

use crate::project::files::{self, Durability};
use crate::project::{ProjectError, Site};

/// The name of the record in the folder of the state.
const RECORD: &str = "installed.json";

/// What was installed for a project, or for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallRecord {
    /// The agents for which the gate is installed, in the order of the installations.
    pub agents: Vec<String>,
    /// The files that were written.
    pub files: Vec<InstalledFile>,
    /// The folders that were created, each before its subfolders.
    pub folders: Vec<PathBuf>,
}

/// A file that an installation has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The agent that the file belongs to; `None` for a document, which belongs to all agents.
    pub agent: Option<String>,
    /// The text before the installation; `None` if there was no file.
    pub original: Option<String>,
    /// The digest of the text that was written.
    pub written: String,
}

impl InstallRecord {
    /// Reads the record of a project.
    ///
    /// # Errors
    ///
    /// If the record cannot be read.
    pub fn read(site: &Site) -> Result<Self, ProjectError> {
        let path = Self::path(site);
        let Some(bytes) = files::read(&path)? else {
            return Ok(Self::default());
        };
        let text = String::from_utf8(bytes).unwrap_or_default();
        let json = Json::parse(&text).ok();
        json.as_ref()
            .and_then(Self::from_json)
            .ok_or(ProjectError::DamagedInstallRecord(path))
    }

    /// Stores the record, or removes it if nothing is installed.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub fn store(&self, site: &Site) -> Result<(), ProjectError> {
        let path = Self::path(site);
        if self.files.is_empty() {
            return files::remove(&path);
        }
        files::write(&path, &format!("{}\n", self.to_json()), Durability::Durable)
    }

    /// Returns the file with the record.
    pub(super) fn path(site: &Site) -> PathBuf {
        site.state.join(RECORD)
    }

    /// Returns the record of a file; `None` if the installation has not written the file.
    #[must_use]
    pub fn file(&self, path: &Path) -> Option<&InstalledFile> {
        self.files.iter().find(|file| file.path == path)
    }

    fn to_json(&self) -> Json {
        let texts =
            |all: &[String]| Json::List(all.iter().map(|text| Json::from(text.as_str())).collect());
        let mut object = Object::new();
        object.push("agents", texts(&self.agents));
        let files = self.files.iter().map(|file| {
            let mut entry = Object::new();
            entry.push("path", file.path.display().to_string());
            entry.push(
                "agent",
                file.agent.as_deref().map_or(Json::Null, Json::from),
            );
            entry.push(
                "original",
                file.original.as_deref().map_or(Json::Null, Json::from),
            );
            entry.push("written", file.written.as_str());
            Json::from(entry)
        });
        object.push("files", Json::List(files.collect()));
        let folders: Vec<String> = self
            .folders
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        object.push("folders", texts(&folders));
        object.into()
    }

    fn from_json(json: &Json) -> Option<Self> {
        let object = json.as_object()?;
        let texts = |key: &str| -> Option<Vec<String>> {
            let list = object.get(key)?.as_list()?.iter();
            list.map(|text| Some(text.as_text()?.to_owned())).collect()
        };
        let files = object.get("files")?.as_list()?.iter().map(|entry| {
            let entry = entry.as_object()?;
            let text = |key: &str| Some(entry.get(key)?.as_text()?.to_owned());
            Some(InstalledFile {
                path: text("path")?.into(),
                agent: text("agent"),
                original: text("original"),
                written: text("written")?,
            })
        });
        Some(Self {
            agents: texts("agents")?,
            files: files.collect::<Option<_>>()?,
            folders: texts("folders")?.into_iter().map(PathBuf::from).collect(),
        })
    }
}

/// Returns the digest of a text that was written.
pub(super) fn digest(text: &str) -> String {
    hex(&sha256(&[text.as_bytes()]))
}
