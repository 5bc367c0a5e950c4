//! Finds the clone of the repository in which this command was built, if there is one.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of this crate when it was compiled.
const BUILT_IN: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the `plan-machine` crate in the clone in which this command was built.
pub(super) fn library() -> Option<PathBuf> {
    beside(Path::new(BUILT_IN), env!("CARGO_PKG_VERSION"))
}

/// Returns the library next to the folder in which a command of this version was built, if it is still there: the
/// folder may have been moved or changed since. A package from a registry has no library next to it.
fn beside(own: &Path, version: &str) -> Option<PathBuf> {
    let read = |folder: &Path| fs::read_to_string(folder.join("Cargo.toml")).ok();
    let workspace = own.parent()?;
    // Cargo writes this file into every package that it creates for a registry.
    if own.join(".cargo_vcs_info.json").exists() {
        return None;
    }
    let manifest = read(workspace)?;
    let is_ours = manifest.lines().any(|line| line.trim() == "[workspace]")
        && names_version(&manifest, version)
        && is_package(&read(own)?, env!("CARGO_PKG_NAME"));
    let library = workspace.join("plan-machine");
    let is_library = is_ours && is_package(&read(&library)?, "plan-machine");
    is_library.then_some(library)
}

/// Returns whether a manifest belongs to the package with this name.
pub(super) fn is_package(manifest: &str, name: &str) -> bool {
    let wanted = format!("name = \"{name}\"");
    manifest.lines().any(|line| line.trim() == wanted)
}

fn names_version(manifest: &str, version: &str) -> bool {
    let wanted = format!("version = \"{version}\"");
    manifest.lines().any(|line| line.trim() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates folders, each with a `Cargo.toml` that contains one of these manifests.
    fn folders(manifests: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in manifests {
            let path = folder.path().join(path);
            fs::create_dir_all(&path).expect("made");
            fs::write(path.join("Cargo.toml"), text).expect("written");
        }
        folder
    }

    const WORKSPACE: (&str, &str) = (
        "",
        "[workspace]\n[workspace.package]\nversion = \"9.8.7\"\n",
    );
    const OWN: (&str, &str) = (
        "plan-machine-cli",
        "[package]\nname = \"plan-machine-cli\"\n",
    );
    const LIBRARY: (&str, &str) = ("plan-machine", "[package]\nname = \"plan-machine\"\n");

    fn found(folder: &tempfile::TempDir, version: &str) -> Option<PathBuf> {
        beside(&folder.path().join("plan-machine-cli"), version)
    }

    #[test]
    fn this_command_was_built_in_a_clone() {
        let library = library().expect("the tests run in a clone");
        assert!(library.join("src/lib.rs").is_file());
    }

    #[test]
    fn a_clone_is_the_whole_workspace_in_the_same_version() {
        let clone = folders(&[WORKSPACE, OWN, LIBRARY]);
        assert_eq!(
            found(&clone, "9.8.7"),
            Some(clone.path().join("plan-machine"))
        );
        assert_eq!(found(&clone, "9.8.8"), None);
        assert_eq!(found(&folders(&[OWN, LIBRARY]), "9.8.7"), None);
        assert_eq!(found(&folders(&[WORKSPACE, LIBRARY]), "9.8.7"), None);
        assert_eq!(found(&folders(&[WORKSPACE, OWN]), "9.8.7"), None);
        assert_eq!(found(&folders(&[]), "9.8.7"), None);
    }

    #[test]
    fn a_package_of_a_registry_is_not_a_clone() {
        let packed = folders(&[WORKSPACE, OWN, LIBRARY]);
        let info = packed.path().join("plan-machine-cli/.cargo_vcs_info.json");
        fs::write(info, "{}").expect("written");
        assert_eq!(found(&packed, "9.8.7"), None);
    }
}
