//! Follows the symbolic links in a path.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The maximum number of links that are followed on one path.
const MOST: usize = 40;

/// The destination of a path after its symbolic links are followed.
pub(super) enum Followed {
    /// To itself: the path contains no symbolic link.
    Itself,
    /// To this path.
    To(PathBuf),
    /// To no file: the system does not open the path, because it has too many links.
    Nowhere,
}

/// Follows the symbolic links in the path `rest`, which is relative to the folder `start`. Dangling links are followed,
/// too, because writing through such a link creates its target.
pub(super) fn followed(start: &Path, rest: &Path) -> Followed {
    let mut at = PathBuf::with_capacity(start.as_os_str().len() + rest.as_os_str().len() + 1);
    at.push(start);
    let mut parts = rest.components();
    while let Some(part) = parts.next() {
        match part {
            Component::CurDir => continue,
            Component::ParentDir => {
                at.pop();
                continue;
            }
            Component::Normal(name) => at.push(name),
            Component::Prefix(_) | Component::RootDir => {
                at.push(part);
                continue;
            }
        }
        match at.read_link() {
            Ok(target) => {
                at.pop();
                let mut left = reversed(parts.as_path());
                left.extend(reversed(&target));
                return after_a_link(at, left);
            }
            // A path that does not exist contains no links.
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            Err(_) => {}
        }
    }
    Followed::Itself
}

/// Follows the symbolic links in a path that contains at least one. `left` are the parts of the path that come after
/// `at`, the last one first.
fn after_a_link(mut at: PathBuf, mut left: Vec<PathBuf>) -> Followed {
    let mut links = 1;
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
    Followed::To(at)
}

/// Returns the parts of a path, the last one first.
fn reversed(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().rev();
    parts
        .filter(|part| !matches!(part, Component::CurDir))
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}
