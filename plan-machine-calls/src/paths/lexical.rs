//! Splits paths into names, without reading the file system.

use crate::project::PathStyle;
use crate::refusal::{Refusal, quoted};

/// The maximum length of a path, in bytes.
const LONGEST: usize = 4096;
/// The maximum number of names in a path.
const MOST_NAMES: usize = 256;

/// Names that are devices on Windows, with or without an extension.
const DEVICES: [&str; 6] = ["aux", "con", "nul", "prn", "conin$", "conout$"];

/// The names in a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lexical {
    /// The start of an absolute path: `/`, or a drive such as `C:\`.
    pub(crate) absolute: Option<String>,
    /// The names, with `..` but without `.`.
    pub(crate) names: Vec<String>,
}

/// Splits a path into names.
pub(crate) fn lexical(path: &str, style: PathStyle) -> Result<Lexical, Refusal> {
    let refuse = |why: &str| Err(Refusal::new(format!("{} {why}", quoted(path))));
    if path.is_empty() || path.len() > LONGEST {
        return refuse("is empty or too long");
    }
    if path.chars().any(char::is_control) {
        return refuse("contains a control character");
    }
    if path.starts_with('~') {
        return refuse("may be in a home folder");
    }
    let (absolute, rest) = match style {
        PathStyle::Unix if path.contains('\\') => {
            return refuse("contains a backslash, which separates names on some systems");
        }
        PathStyle::Unix => match path.strip_prefix('/') {
            Some(rest) => (Some("/".to_owned()), rest),
            None => (None, path),
        },
        PathStyle::Windows => match drive(path) {
            Some((drive, rest)) => (Some(drive), rest),
            None if path.starts_with(['/', '\\']) => return refuse("is on an unknown drive"),
            None => (None, path),
        },
    };
    let is_separator =
        |letter: char| letter == '/' || (letter == '\\' && style == PathStyle::Windows);
    let names = rest.split(is_separator);
    let names: Vec<String> = names
        .filter(|name| !name.is_empty() && *name != ".")
        .map(str::to_owned)
        .collect();
    if names.len() > MOST_NAMES {
        return refuse("has too many names");
    }
    if style == PathStyle::Windows && names.iter().any(|name| is_odd_on_windows(name)) {
        return refuse("contains a name that has a special meaning on Windows");
    }
    Ok(Lexical { absolute, names })
}

/// Splits a path such as `C:\x` after its drive.
fn drive(path: &str) -> Option<(String, &str)> {
    let mut letters = path.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    if letters.next() != Some(':') || !matches!(letters.next(), Some('/' | '\\')) {
        return None;
    }
    Some((format!("{letter}:\\"), &path[3..]))
}

/// Returns whether a name has another meaning on Windows: it names a device or a stream, or ends
/// with dots or spaces, which Windows drops.
fn is_odd_on_windows(name: &str) -> bool {
    if name == ".." {
        return false;
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_ascii_lowercase();
    let is_port = matches!(stem.get(..3), Some("com" | "lpt")) && stem.chars().count() == 4;
    is_port
        || DEVICES.contains(&stem.as_str())
        || name.ends_with(['.', ' '])
        || name.contains([':', '*', '?', '"', '<', '>', '|'])
        // Short names such as `PLANS~1` are aliases of other names.
        || name.contains('~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, style: PathStyle) -> Option<Vec<String>> {
        lexical(path, style).ok().map(|found| found.names)
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "callers compare the result with optional names"
    )]
    fn texts(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn separators_and_dots_are_normalised() {
        let unix = PathStyle::Unix;
        assert_eq!(names("plans//./a.md", unix), texts(&["plans", "a.md"]));
        assert_eq!(names("plans/../src", unix), texts(&["plans", "..", "src"]));
        assert_eq!(names("/etc/", unix), texts(&["etc"]));
    }

    #[test]
    fn a_backslash_is_a_separator_on_windows_and_nothing_certain_elsewhere() {
        assert_eq!(names(r"plans\..\src", PathStyle::Unix), None);
        assert_eq!(
            names(r"plans\..\src/x", PathStyle::Windows),
            texts(&["plans", "..", "src", "x"])
        );
    }

    #[test]
    fn drives_are_absolute_and_other_roots_are_refused_on_windows() {
        let found = lexical(r"c:\work\x", PathStyle::Windows).ok();
        assert_eq!(
            found.and_then(|found| found.absolute),
            Some("c:\\".to_owned())
        );
        for path in [r"\\server\share\x", r"\x", "/x", r"\\?\C:\x", "c:x"] {
            assert_eq!(names(path, PathStyle::Windows), None, "{path}");
        }
    }

    #[test]
    fn names_that_windows_reads_in_another_way_are_refused() {
        for path in [
            "plans/NUL",
            "plans/con.md",
            "plans/x.",
            "plans/x ",
            "plans/a:b",
            "PLANS~1/x",
            "com1",
        ] {
            assert_eq!(names(path, PathStyle::Windows), None, "{path}");
        }
        assert!(names("plans/console.md", PathStyle::Windows).is_some());
    }

    #[test]
    fn hostile_paths_are_refused() {
        let long = "a/".repeat(3000);
        for path in ["", "~/x", "a\0b", "a\nb", long.as_str()] {
            assert_eq!(names(path, PathStyle::Unix), None);
        }
        assert_eq!(names(&"a/".repeat(300), PathStyle::Unix), None);
    }
}
