//! Finds out where the paths of calls lead, and whether they stay in the project.
//!
//! A path is first normalized as text, then resolved in the file system. Both results must be in the project and obey
//! the rule, so that neither `..` nor a symbolic link leads elsewhere.

mod lexical;
mod real;

use lexical::lexical;
use real::real;

use std::path::{Path, PathBuf};

use plan_machine_kernel::calls::PathRule;

use crate::below::below;
use crate::project::{PathStyle, Project};
use crate::refusal::{Refusal, quoted};

/// The project folder, as written and with its symbolic links followed.
#[derive(Debug)]
pub(crate) struct Paths {
    root: PathBuf,
    real_root: PathBuf,
    style: PathStyle,
}

impl Paths {
    /// Prepares the paths of a project.
    pub(crate) fn new(project: &Project) -> Self {
        let real = project.root.canonicalize();
        Self {
            real_root: real.unwrap_or_else(|_| project.root.clone()),
            root: project.root.clone(),
            style: project.style,
        }
    }

    /// Returns the folder in the project that a path leads to. A relative path starts in `folder`.
    /// Symbolic links are refused: after `cd link`, shells disagree about what `..` means.
    pub(crate) fn within(&self, folder: &Path, path: &str) -> Result<PathBuf, Refusal> {
        // Most commands start in the project folder, which needs no check.
        if path == "." && folder.as_os_str() == self.root.as_os_str() {
            return Ok(self.root.clone());
        }
        let found = self.find(folder, path)?;
        if found.real != found.written {
            let reason = format!(
                "{} leads to another place through a symbolic link",
                quoted(path)
            );
            return Err(Refusal::new(reason));
        }
        let names = found.written.iter();
        Ok(names.fold(self.root.clone(), |at, name| at.join(name)))
    }

    /// Returns whether a folder is in the project, but is not the project folder itself.
    pub(crate) fn is_inner(&self, folder: &Path) -> bool {
        folder != self.root && folder.starts_with(&self.root)
    }

    /// Checks that a path leads below one of the folders of a rule. A relative path starts in
    /// `folder`.
    pub(crate) fn obeys(&self, rule: &PathRule, folder: &Path, path: &str) -> Result<(), Refusal> {
        let found = self.find(folder, path)?;
        // Git runs programs that the configuration of a repository names, even if the repository is
        // inside another one.
        let mut names = found.written.iter().chain(&found.real);
        if names.any(|name| name.eq_ignore_ascii_case(".git")) {
            let reason = format!("{} belongs to git itself", quoted(path));
            return Err(Refusal::new(reason));
        }
        let is_below = |under: &Vec<String>| {
            let below = |names: &[String]| names.len() > under.len() && names.starts_with(under);
            below(&found.written) && below(&found.real)
        };
        if rule.under.iter().any(is_below) {
            return Ok(());
        }
        let folders = rule.under.iter().map(|under| match under.join("/") {
            project if project.is_empty() => "the project folder".to_owned(),
            folder => quoted(&folder),
        });
        let folders: Vec<String> = folders.collect();
        let reason = format!("{} is not below {}", quoted(path), folders.join(" or "));
        Err(Refusal::new(reason))
    }

    /// Returns the names in a path, both as it is written and after its symbolic links are followed.
    fn find(&self, folder: &Path, path: &str) -> Result<FoundPath, Refusal> {
        let lexical = lexical(path, self.style)?;
        let mut at = lexical
            .absolute
            .map_or_else(|| folder.to_path_buf(), PathBuf::from);
        for name in &lexical.names {
            if name != ".." {
                at.push(name);
                continue;
            }
            // After a symbolic link, `..` is the parent folder of the link's target.
            if at.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                let reason = format!("{} has `..` after a symbolic link", quoted(path));
                return Err(Refusal::new(reason));
            }
            at.pop();
        }
        let written = self
            .inside(&at)
            .ok_or_else(|| Refusal::new(format!("{} is outside the project", quoted(path))))?;
        let real = real(&self.real_root, &written);
        let real = real.map_err(|told| Refusal::new(format!("{} {told}", quoted(path))))?;
        Ok(FoundPath { written, real })
    }

    /// Returns the names in a path, relative to the project folder; `None` if the path is outside
    /// the project.
    fn inside(&self, path: &Path) -> Option<Vec<String>> {
        let inside = below(path, &self.root).or_else(|| below(path, &self.real_root));
        let names = inside?.iter();
        names.map(|name| name.to_str().map(str::to_owned)).collect()
    }
}

/// The names in a path, relative to the project folder.
struct FoundPath {
    /// The names in the path as it is written.
    written: Vec<String>,
    /// The names in the path after its symbolic links are followed.
    real: Vec<String>,
}
