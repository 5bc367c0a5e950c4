//! The gate's own files, and whether a word names one of them.

use std::path::{Path, PathBuf};

use crate::project::{PathStyle, Project};

/// Spellings of the home folder that every shell expands at the start of a word.
const HOMES: [&str; 3] = ["~", "$HOME", "${HOME}"];
const HERE: [&str; 4] = [
    "$PWD",
    "${PWD}",
    "$CLAUDE_PROJECT_DIR",
    "${CLAUDE_PROJECT_DIR}",
];

/// The gate's own files.
#[derive(Debug)]
pub(super) struct Own {
    files: Vec<OwnFile>,
    root: PathBuf,
    home: Option<PathBuf>,
    style: PathStyle,
}

/// A file or a folder of the gate.
#[derive(Debug)]
struct OwnFile {
    /// The names in its path, in lower case; the last one may contain a `*`.
    names: Vec<String>,
    /// Whether everything in it belongs to the gate.
    is_folder: bool,
    /// The number of names in the path of its base folder, which is the project or the home folder.
    /// The folders between the base folder and the file belong to the gate as a whole, because
    /// removing one of them removes the file.
    base: Option<usize>,
}

impl Own {
    /// Prepares the files of a project.
    pub(super) fn new(project: &Project) -> Self {
        let real_root = project.root.canonicalize().ok();
        let roots = std::iter::once(project.root.clone()).chain(real_root);
        let roots: Vec<PathBuf> = roots.collect();
        let mut files = Vec::new();
        for path in &project.own {
            let is_folder = path.ends_with('/');
            let home = path.strip_prefix("~/");
            let places: Vec<PathBuf> = match home {
                Some(rest) => project.home.iter().map(|home| home.join(rest)).collect(),
                None => roots.iter().map(|root| root.join(path)).collect(),
            };
            for (place, root) in places.iter().zip(&roots) {
                files.push(OwnFile {
                    names: names(place),
                    is_folder,
                    base: base(path, root, project.home.as_deref()),
                });
            }
        }
        Self {
            files,
            root: project.root.clone(),
            home: project.home.clone(),
            style: project.style,
        }
    }

    /// Returns whether a word of a command that runs in `folder` names one of the files, or a
    /// folder of the project that contains one of them. Case is ignored, because some file systems
    /// ignore it.
    pub(super) fn is_named(&self, folder: &Path, word: &str) -> bool {
        if word.is_empty() || word.len() > 4096 {
            return false;
        }
        let path = self.path(folder, word);
        let written = names(&path);
        if self.files.iter().any(|file| file.is_named(&written)) {
            return true;
        }
        let real = real(&path).map(|real| names(&real));
        real.is_some_and(|real| {
            real != written && self.files.iter().any(|file| file.is_named(&real))
        })
    }

    /// Returns the path that a word means, as far as it is known.
    pub(super) fn path(&self, folder: &Path, word: &str) -> PathBuf {
        let word = match self.style {
            PathStyle::Windows => word.replace('\\', "/"),
            PathStyle::Unix => word.to_owned(),
        };
        let after = |known: &&str| {
            let rest = word.strip_prefix(*known)?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| rest.trim_start_matches('/').to_owned())
        };
        if let (Some(home), Some(rest)) = (&self.home, HOMES.iter().find_map(after)) {
            return home.join(rest);
        }
        match HERE.iter().find_map(after) {
            Some(rest) => self.root.join(rest),
            None => folder.join(word),
        }
    }
}

impl OwnFile {
    fn is_named(&self, names: &[String]) -> bool {
        let shorter = names.len().min(self.names.len());
        let same = (0..shorter).all(|at| {
            // `*` alone does not name a file: it matches everything in the folder.
            let is_everything = names[at] == "*" && self.base == Some(at);
            !is_everything && may_be(&self.names[at], &names[at])
        });
        same && match names.len().cmp(&self.names.len()) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => self.is_folder,
            std::cmp::Ordering::Less => self.base.is_some_and(|base| names.len() > base),
        }
    }
}

/// Returns the number of names in the path of a file's base folder.
fn base(path: &str, root: &Path, home: Option<&Path>) -> Option<usize> {
    match path.strip_prefix("~/") {
        // Many programs have files in these two folders.
        Some(rest) if rest.starts_with(".config/") || rest.starts_with(".local/") => None,
        Some(_) => home.map(|home| names(home).len()),
        None if Path::new(path).is_absolute() => None,
        None => Some(names(root).len()),
    }
}

/// Returns the names of a path in lower case, without `.` and `..`.
fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let text = path.to_string_lossy();
    let is_separator = |letter: char| letter == '/' || (cfg!(windows) && letter == '\\');
    for name in text.split(is_separator) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name.to_lowercase()),
        }
    }
    names
}

/// Returns the path after its symbolic links are followed, as far as it exists.
fn real(path: &Path) -> Option<PathBuf> {
    for at in path.ancestors() {
        if let Ok(real) = at.canonicalize() {
            return Some(real.join(path.strip_prefix(at).ok()?));
        }
    }
    None
}

/// Returns whether a name in a call, which may be a pattern, can match the name of a file, which
/// may contain a `*`.
fn may_be(file: &str, name: &str) -> bool {
    let pattern = ['*', '?', '[', '{', '$'];
    let ends = |text: &str| match (text.find(pattern), text.rfind([']', '}', '*', '?'])) {
        (Some(first), Some(last)) if last >= first => (first, text.len() - last - 1, true),
        (Some(first), _) => (first, 0, true),
        (None, _) => (text.len(), text.len(), false),
    };
    let (file_start, file_end, file_open) = ends(file);
    let (name_start, name_end, name_open) = ends(name);
    if !file_open && !name_open {
        return file == name;
    }
    let start = file_start.min(name_start);
    let end = file_end.min(name_end);
    let long_enough = |text: &str, open: bool, other: usize| open || text.len() >= other;
    file.as_bytes()[..start] == name.as_bytes()[..start]
        && file.as_bytes()[file.len() - end..] == name.as_bytes()[name.len() - end..]
        && long_enough(file, file_open, name_start + name_end)
        && long_enough(name, name_open, file_start + file_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_a_pattern_may_be_a_file() {
        for (file, name) in [
            ("settings*.json", "settings.json"),
            ("settings*.json", "settings.local.json"),
            ("hooks.json", "hook?.json"),
            ("hooks.json", "*.json"),
            ("settings*.json", "sett*"),
            ("opencode.json", "open{code,x}.json"),
        ] {
            assert!(may_be(file, name), "{file} {name}");
        }
        for (file, name) in [
            ("settings*.json", "settings.json.bak"),
            ("settings*.json", "other.json"),
            ("hooks.json", "hooks.jsonx"),
            ("hooks.json", "x*"),
            ("settings*.json", "setting.json"),
        ] {
            assert!(!may_be(file, name), "{file} {name}");
        }
    }
}
