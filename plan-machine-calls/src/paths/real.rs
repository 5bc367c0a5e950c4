//! Paths as the file system resolves them.

use std::io::ErrorKind;
use std::path::Path;

use crate::below::below;

/// Returns the names in a path below `root` after its symbolic links are followed; all links must
/// stay in `root`. Names that do not exist yet are kept. The error completes a sentence about the
/// path.
pub(crate) fn real(root: &Path, names: &[String]) -> Result<Vec<String>, &'static str> {
    let mut at = root.to_path_buf();
    let mut names = names.iter();
    for name in names.by_ref() {
        at.push(name);
        match at.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                // Nothing is known about the target of a dangling link, which a write would create.
                at = at
                    .canonicalize()
                    .map_err(|_| "is a dangling symbolic link")?;
                if !at.starts_with(root) {
                    return Err("leads out of the project through a symbolic link");
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            Err(_) => return Err("cannot be resolved"),
        }
    }
    at.extend(names);
    let inside = below(&at, root).ok_or("is outside the project")?;
    let inside = inside.iter().map(|name| name.to_str().map(str::to_owned));
    inside
        .collect::<Option<Vec<String>>>()
        .ok_or("has a name that is not UTF-8")
}
