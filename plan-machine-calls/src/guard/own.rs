//! The gate's own files, and whether a word names one of them.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use super::links::{Followed, followed};
use super::names::{Name, Names, names};
use super::uri::LONGEST;
use super::variables;
use crate::below::below;
use crate::own_files::PLACES;
use crate::project::{PathStyle, Project};

/// Variables that contain the project folder.
const PROJECT: [&str; 2] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"];

/// The gate's own files.
#[derive(Debug)]
pub(super) struct Own {
    files: Vec<OwnFile>,
    /// The names in the paths of the files that no call may read.
    secrets: Vec<Vec<Name<'static>>>,
    root: PathBuf,
    real_root: PathBuf,
    /// Whether the names in the paths of the two roots differ.
    has_two_roots: bool,
    home: Option<PathBuf>,
    /// The variables that lead to folders with the gate's files, and their values.
    variables: Vec<(&'static str, PathBuf)>,
    style: PathStyle,
}

/// A file or a folder of the gate.
#[derive(Debug, PartialEq, Eq)]
struct OwnFile {
    /// The names in its path. They may contain `*`.
    names: Vec<Name<'static>>,
    /// Whether everything in it belongs to the gate.
    is_folder: bool,
    /// The number of names in the path of the file's base folder, which is the project or the home folder. The folders
    /// between the base folder and the file belong to the gate as a whole, because removing one of them removes the
    /// file. `None` if other programs also use these folders, or if the path is absolute.
    base: Option<usize>,
}

impl Own {
    /// Prepares the files of a project.
    pub(super) fn new(project: &Project) -> Self {
        let style = project.style;
        let roots = both(&project.root);
        let homes: Vec<PathBuf> = project.home.iter().flat_map(|home| both(home)).collect();
        let bases = |path: &'_ str| match path.strip_prefix("~/") {
            Some(rest) => (&homes, rest.to_owned()),
            None => (&roots, path.to_owned()),
        };
        let mut files = Vec::new();
        for path in &project.own {
            let (bases, rest) = bases(path);
            for base in bases {
                let file = OwnFile {
                    names: names_of(&base.join(&rest), style),
                    is_folder: path.ends_with('/'),
                    base: is_private(path)
                        .then(|| names(&base.to_string_lossy(), style, Names::Plain).len()),
                };
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        let secrets = project.secret.iter().flat_map(|path| {
            let (bases, rest) = bases(path);
            let of = move |base: &PathBuf| names_of(&base.join(&rest), style);
            bases.iter().map(of).collect::<Vec<_>>()
        });
        let real_root = roots.last().unwrap_or(&project.root).clone();
        Self {
            secrets: secrets.collect(),
            files,
            has_two_roots: names_of(&project.root, style) != names_of(&real_root, style),
            real_root,
            root: project.root.clone(),
            home: project.home.clone(),
            variables: variables_of(project),
            style,
        }
    }

    /// Returns whether a word of a call in `folder` names one of the files, or a folder that belongs to the gate
    /// because of one of them. Case is ignored, because some file systems ignore it.
    pub(super) fn is_named(&self, folder: &Path, word: &str, kind: Names) -> bool {
        let has = |names: &[Name<'_>]| self.files.iter().any(|file| file.is_named(names));
        self.leads(folder, word, kind, has)
    }

    /// Returns whether a word names a folder, or a pattern of folders, that contains one of the files.
    pub(super) fn is_around(&self, folder: &Path, word: &str) -> bool {
        let has = |names: &[Name<'_>]| self.files.iter().any(|file| file.is_in(names));
        self.leads(folder, word, Names::Patterns, has)
    }

    /// Returns whether a word names a file that no call may read, or its folder.
    pub(super) fn is_secret(&self, folder: &Path, word: &str, kind: Names) -> bool {
        let is_secret = |names: &[Name<'_>], secret: &Vec<Name<'static>>| {
            let is_folder = names.len() + 1 == secret.len();
            // `/proc/*` would be everything in `/proc`.
            let is_near =
                names.len() == secret.len() || (is_folder && !secret.iter().any(Name::is_pattern));
            is_near && secret.iter().zip(names).all(|(one, name)| one.may_be(name))
        };
        let has = |names: &[Name<'_>]| self.secrets.iter().any(|secret| is_secret(names, secret));
        self.leads(folder, word, kind, has)
    }

    /// Returns whether a word leads to a path that `has` accepts, as it is written or after its symbolic links are
    /// followed.
    fn leads(
        &self,
        folder: &Path,
        word: &str,
        kind: Names,
        has: impl Fn(&[Name<'_>]) -> bool,
    ) -> bool {
        if word.is_empty() || word.len() > LONGEST {
            return false;
        }
        let path = self.path(folder, word);
        if has(&names(&path.to_string_lossy(), self.style, kind)) {
            return true;
        }
        let in_root = below(&path, &self.root);
        let (start, rest) = match in_root {
            Some(rest) => (self.real_root.as_path(), rest),
            None => (Path::new(""), path.as_path()),
        };
        let real = match followed(start, rest) {
            Followed::To(real) => real,
            Followed::Itself if in_root.is_some() && self.has_two_roots => {
                self.real_root.join(rest)
            }
            Followed::Itself | Followed::Nowhere => return false,
        };
        has(&names(&real.to_string_lossy(), self.style, kind))
    }

    /// Returns the path that a word means, as far as it is known.
    pub(super) fn path(&self, folder: &Path, word: &str) -> PathBuf {
        let word = match self.style {
            PathStyle::Windows => word.replace('\\', "/"),
            PathStyle::Unix => word.to_owned(),
        };
        let (base, rest) = match variables::leading(&word) {
            Some((name, rest)) => match self.value(folder, name) {
                Some(value) => (value, rest),
                None => (folder, word.as_str()),
            },
            None => self.tilde(folder, &word),
        };
        base.join(variables::removed(rest).as_ref())
    }

    /// Returns the folder that a variable contains.
    fn value<'s>(&'s self, folder: &'s Path, name: &str) -> Option<&'s Path> {
        match name {
            "HOME" => self.home.as_deref(),
            // A command enters one folder after another. Each folder that it may have left is checked as well, so it
            // does not matter which of them is the previous one.
            "PWD" | "OLDPWD" => Some(folder),
            name if PROJECT.contains(&name) => Some(&self.root),
            name => {
                let mut known = self.variables.iter();
                let found = known.find(|(variable, _)| *variable == name);
                found.map(|(_, value)| value.as_path())
            }
        }
    }

    /// Returns the folder that `~` at the start of a word means, and the rest of the word.
    fn tilde<'s>(&'s self, folder: &'s Path, word: &'s str) -> (&'s Path, &'s str) {
        let Some(after) = word.strip_prefix('~') else {
            return (folder, word);
        };
        let (user, rest) = after.split_once('/').unwrap_or((after, ""));
        let rest = rest.trim_start_matches('/');
        // `~+`, `~-` and `~1` are folders that the command has entered, like `$PWD` and `$OLDPWD`.
        let number = user.strip_prefix(['+', '-']).unwrap_or(user);
        if !user.is_empty() && number.chars().all(|letter| letter.is_ascii_digit()) {
            return (folder, rest);
        }
        let is_home =
            |home: &&Path| user.is_empty() || home.file_name().is_some_and(|name| name == user);
        match self.home.as_deref().filter(is_home) {
            Some(home) => (home, rest),
            None => (folder, word),
        }
    }

    /// Returns the project folder if a folder is in it.
    pub(super) fn top(&self, folder: &Path) -> Option<&Path> {
        let of = |path: &Path| names_of(path, self.style);
        let folder = of(folder);
        let mut roots = [&self.root, &self.real_root].into_iter();
        let root = roots.find(|root| folder.starts_with(&of(root)));
        root.map(PathBuf::as_path)
    }
}

impl OwnFile {
    /// Returns whether these names lead to a folder that contains the file.
    fn is_in(&self, names: &[Name<'_>]) -> bool {
        let is_shorter = names.len() < self.names.len();
        is_shorter
            && names.iter().zip(&self.names).all(|(name, own)| {
                // `*` alone does not match hidden names.
                !(name.is_everything() && own.is_hidden()) && own.may_be(name)
            })
    }

    fn is_named(&self, names: &[Name<'_>]) -> bool {
        let shorter = names.len().min(self.names.len());
        // The last names differ most often.
        let same = (0..shorter).rev().all(|at| {
            // `*` alone does not name the file: it matches everything in the folder.
            let is_everything = self.base == Some(at) && names[at].is_everything();
            !is_everything && self.names[at].may_be(&names[at])
        });
        same && match names.len().cmp(&self.names.len()) {
            Ordering::Equal => true,
            Ordering::Greater => self.is_folder,
            Ordering::Less => self.base.is_some_and(|base| names.len() > base),
        }
    }
}

/// Returns the names in a path, which may be patterns.
fn names_of(path: &Path, style: PathStyle) -> Vec<Name<'static>> {
    let path = path.to_string_lossy();
    let names = names(&path, style, Names::Patterns).into_iter();
    names.map(Name::into_owned).collect()
}

/// Returns a folder as it is written, and with its symbolic links followed if that differs.
fn both(folder: &Path) -> Vec<PathBuf> {
    let real = folder.canonicalize().ok();
    let real = real.filter(|real| real != folder);
    std::iter::once(folder.to_path_buf()).chain(real).collect()
}

/// Returns whether the folders in the path of a file exist only for this file.
fn is_private(path: &str) -> bool {
    // Many programs have files in these two folders.
    let is_shared = path.starts_with("~/.config/") || path.starts_with("~/.local/");
    !is_shared && !Path::new(path).is_absolute()
}

/// Returns the folders that environment variables can name: the folders that the variables have moved, and all usual
/// folders.
fn variables_of(project: &Project) -> Vec<(&'static str, PathBuf)> {
    let mut all = project.moved.clone();
    for place in PLACES {
        let usual = place.usual.strip_prefix("~/").zip(project.home.as_ref());
        if let Some((rest, home)) = usual {
            all.push((place.variable, home.join(rest)));
        }
    }
    all
}
