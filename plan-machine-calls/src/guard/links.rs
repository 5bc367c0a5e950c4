//! Where a path leads after its symbolic links are followed.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The maximum number of links that are followed on one path.
const MOST: usize = 40;

/// Where a path leads.
pub(super) enum Followed {
    /// There are no symbolic links in it.
    Itself,
    /// It leads here.
    To(PathBuf),
    /// The system does not open it, because it has too many links.
    Nowhere,
}

/// Follows the symbolic links in the path `rest`, which is relative to the folder `start`. Dangling links are followed,
/// too, because writing through such a link creates its target.
pub(super) fn followed(start: &Path, rest: &Path) -> Followed {
    let mut at = start.to_path_buf();
    let mut left: Vec<PathBuf> = reversed(rest);
    let mut links = 0;
    let mut exists = true;
    while let Some(name) = left.pop() {
        match name.components().next() {
            Some(Component::ParentDir) => {
                at.pop();
                continue;
            }
            Some(Component::Normal(_)) => at.push(&name),
            Some(_) => {
                // The target of a link can be absolute; its root replaces the path so far.
                at.push(&name);
                continue;
            }
            None => continue,
        }
        if !exists {
            continue;
        }
        match at.read_link() {
            Ok(target) => {
                links += 1;
                if links > MOST {
                    return Followed::Nowhere;
                }
                at.pop();
                left.extend(reversed(&target));
            }
            Err(error) => exists = error.kind() != ErrorKind::NotFound,
        }
    }
    if links == 0 {
        Followed::Itself
    } else {
        Followed::To(at)
    }
}

/// Returns the parts of a path, the last one first.
fn reversed(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().rev();
    parts
        .filter(|part| !matches!(part, Component::CurDir))
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}
