//! Keeps the host's folder and the model's folder apart: neither contains the other, not even through symbolic links.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use crate::error::HostError;

/// The maximum number of symbolic links that are followed in a path.
const LINKS: usize = 40;

/// Refuses a workspace that contains one of the host's files or lies within the data folder: a model that could write
/// to the host's files could change its own permissions. This function creates nothing.
///
/// Each path comes with the command-line option that sets it.
///
/// # Errors
///
/// If the workspace overlaps the data folder or contains one of the files; the error names both paths and their
/// options. Also if a path cannot be resolved, for example because it contains too many symbolic links.
pub fn keep_apart(
    (workspace_option, workspace): (&str, &Path),
    (data_option, data): (&str, &Path),
    files: &[(&str, &Path)],
) -> Result<(), HostError> {
    let outer = resolved(workspace)?;
    let inner = resolved(data)?;
    if contains(&outer, &inner) || contains(&inner, &outer) {
        return Err(HostError::Input(format!(
            "the data folder `{}` and the workspace `{}` overlap; choose separate folders with `{data_option}` and \
                `{workspace_option}`",
            data.display(),
            workspace.display()
        )));
    }
    for (option, file) in files {
        if contains(&outer, &resolved(file)?) {
            return Err(HostError::Input(format!(
                "`{}` is in the workspace `{}`, where a model could change it; choose another path with `{option}` or \
                    `{workspace_option}`",
                file.display(),
                workspace.display()
            )));
        }
    }
    Ok(())
}

/// Returns whether `inner` is the folder `outer` or is inside it. A folder that is mounted twice counts as one folder.
fn contains(outer: &Path, inner: &Path) -> bool {
    let identity =
        |path: &Path| Some(fs::metadata(path).ok()?).map(|found| (found.dev(), found.ino()));
    let folder = identity(outer);
    let is_same = |path: &Path| folder.is_some() && identity(path) == folder;
    inner.starts_with(outer) || inner.ancestors().any(is_same)
}

/// Returns the absolute path of a file that may not exist yet, with symbolic links resolved.
fn resolved(path: &Path) -> Result<PathBuf, HostError> {
    let failed =
        |why: &dyn std::fmt::Display| HostError::Input(format!("`{}`: {why}", path.display()));
    let mut left = std::path::absolute(path).map_err(|error| failed(&error))?;
    // The components of the path that do not exist yet, last one first.
    let mut missing: Vec<OsString> = Vec::new();
    for _ in 0..LINKS {
        let mut found = left.clone();
        while found.symlink_metadata().is_err() {
            match found.components().next_back() {
                Some(Component::Normal(name)) => missing.push(name.to_owned()),
                _ => {
                    return Err(failed(
                        &"the path contains `..` after a folder that does not exist",
                    ));
                }
            }
            found.pop();
        }
        if let Ok(whole) = found.canonicalize() {
            let all = missing.iter().rev();
            return Ok(all.fold(whole, |path, name| path.join(name)));
        }
        // A dangling link: the file would be created at its target.
        let target = fs::read_link(&found).map_err(|error| failed(&error))?;
        found.pop();
        left = found.join(target);
    }
    Err(failed(&"the path contains too many symbolic links"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_overlaps_is_found_through_links_and_before_anything_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("workspace")).expect("made");
        symlink(at("workspace"), at("link")).expect("linked");
        symlink(at("workspace/plans.db"), at("plans.db")).expect("linked");
        symlink(at("round"), at("round")).expect("linked");
        let apart = |data: &str, file: &str| {
            keep_apart(
                ("--workspace", &at("workspace")),
                ("--data", &at(data)),
                &[("--store", &at(file))],
            )
        };
        assert!(apart("data", "elsewhere/plans.db").is_ok());
        for data in ["workspace", "workspace/data/deep", "link/data", "."] {
            let refused = apart(data, "elsewhere.db").expect_err(data).to_string();
            assert!(
                refused.contains("overlap; choose separate folders"),
                "{refused}"
            );
        }
        for file in ["workspace/plans.db", "link/new/plans.db", "plans.db"] {
            let refused = apart("data", file).expect_err(file).to_string();
            assert!(refused.contains("is in the workspace"), "{refused}");
        }
        assert!(apart("data", "round/plans.db").is_err());
        assert!(apart("data", "new/../workspace/plans.db").is_err());
        assert!(!at("data").exists() && !at("elsewhere").exists());
    }
}
