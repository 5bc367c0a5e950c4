//! The folders in which the parts of a command may run.

use std::path::PathBuf;

use super::simple::Simple;
use crate::paths::Paths;
use crate::refusal::{Refusal, quoted};

/// The maximum number of folders that are tracked. An ordinary command changes its folder less often.
const MOST: usize = 16;

/// The folders in which the next simple command may run. A `cd` may fail, so the previous folder
/// remains possible.
pub(super) struct Folders<'p> {
    paths: &'p Paths,
    folders: Vec<PathBuf>,
}

impl<'p> Folders<'p> {
    /// Returns the folders at the start of a command: only `folder`, which must be in the project.
    pub(super) fn start(paths: &'p Paths, folder: PathBuf) -> Result<Self, Refusal> {
        paths.within(&folder, ".")?;
        Ok(Self {
            paths,
            folders: vec![folder],
        })
    }

    /// Follows `cd FOLDER`. The folder must be in the project.
    pub(super) fn enter(&mut self, simple: &Simple<'_>) -> Result<(), Refusal> {
        let [_, target] = &simple.words[..] else {
            return Err(Refusal::new("`cd` needs exactly one folder"));
        };
        let to = &target.value;
        if target.is_pattern || to.starts_with(['-', '~', '+']) {
            let reason = format!("`cd {}` does not name a folder of the project", target.raw);
            return Err(Refusal::new(reason));
        }
        for folder in self.folders.clone() {
            let entered = self.paths.within(&folder, to)?;
            if !self.folders.contains(&entered) {
                self.folders.push(entered);
            }
        }
        if self.folders.len() > MOST {
            return Err(Refusal::new("the command changes its folder too often"));
        }
        Ok(())
    }

    /// Returns an error if git would read the configuration of another repository inside the project: such a
    /// configuration can name programs that git runs.
    pub(super) fn of_one_repository(&self) -> Result<(), Refusal> {
        for folder in &self.folders {
            let inner = folder.ancestors().take_while(|at| self.paths.is_inner(at));
            for at in inner {
                let has = |name: &str| at.join(name).symlink_metadata().is_ok();
                if has(".git") || has("HEAD") {
                    let at = at.display().to_string();
                    let reason = format!("git would read another repository in {}", quoted(&at));
                    return Err(Refusal::new(reason));
                }
            }
        }
        Ok(())
    }
}
