//! The tool that lists a folder.

use super::ToolError;
use super::folder::Folder;

/// The maximum number of names shown in a list.
const SHOWN: usize = 1000;

/// Returns the sorted names of the files and folders in a folder. Names of folders end with a slash, and symbolic links
/// are marked.
pub(super) fn list(folder: &Folder, path: &str) -> Result<String, ToolError> {
    let told = |error| ToolError::Refused(format!("`{path}` cannot be listed: {error}"));
    let mut names = Vec::new();
    for entry in folder.dir(path)?.entries().map_err(told)? {
        let entry = entry.map_err(told)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(told)?;
        names.push(match () {
            () if kind.is_dir() => format!("{name}/"),
            () if kind.is_symlink() => format!("{name} (a symbolic link, not followed)"),
            () => name,
        });
    }
    names.sort_unstable();
    let left = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if left > 0 {
        names.push(format!("… and {left} more"));
    }
    if names.is_empty() {
        names.push("The folder is empty.".to_owned());
    }
    Ok(names.join("\n"))
}
