//! Names of files, compared as a file system that ignores case would compare them.

use std::borrow::Cow;

use crate::project::PathStyle;

/// A name in a path. The name may be a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name<'n> {
    /// The name as [`folded`] returns it.
    text: Cow<'n, str>,
    /// Whether the name contains a pattern.
    is_open: bool,
}

/// The characters that begin a pattern.
const OPENING: [char; 4] = ['*', '?', '[', '{'];

impl<'n> Name<'n> {
    fn new(name: &'n str, kind: Names) -> Self {
        let text = folded(name);
        Self {
            // A shell does not expand `{}`; `find` and `xargs` replace it with a name that is not known.
            is_open: kind == Names::Patterns && text.contains(OPENING) && text != "{}",
            text,
        }
    }

    /// Returns the same name with its own copy of the text.
    pub(super) fn into_owned(self) -> Name<'static> {
        Name {
            text: self.text.into_owned().into(),
            is_open: self.is_open,
        }
    }

    /// Returns whether this is the pattern that matches every name.
    pub(super) fn is_everything(&self) -> bool {
        self.is_open && self.text == "*"
    }

    /// Returns whether the name contains a pattern.
    pub(super) fn is_pattern(&self) -> bool {
        self.is_open
    }

    /// Returns whether the name begins with a dot.
    pub(super) fn is_hidden(&self) -> bool {
        self.text.starts_with('.')
    }

    /// Returns whether a name in a call may refer to a file with this name. Both names may be patterns.
    pub(super) fn may_be(&self, name: &Name<'_>) -> bool {
        if !self.is_open && !name.is_open {
            return self.text == name.text;
        }
        Ends::of(self).may_be(&Ends::of(name))
    }
}

/// Returns whether a word in the place of a program is a pattern that may become the name of one of `programs`. A
/// pattern without any fixed character does not count: it is the last case of `case`, or a test such as `[`.
pub(super) fn may_become<'p>(word: &str, mut programs: impl Iterator<Item = &'p str>) -> bool {
    let pattern = Name::new(word, Names::Patterns);
    if !pattern.is_open {
        return false;
    }
    let ends = Ends::of(&pattern);
    let is_fixed = ends.start + ends.end > 0;
    is_fixed && programs.any(|program| Name::new(program, Names::Plain).may_be(&pattern))
}

/// A pattern, with the lengths of its fixed start and its fixed end.
struct Ends<'n> {
    text: &'n str,
    start: usize,
    end: usize,
    is_open: bool,
}

impl<'n> Ends<'n> {
    fn of(name: &'n Name<'_>) -> Self {
        let text = &*name.text;
        let first = text.find(OPENING).filter(|_| name.is_open);
        let (start, end) = match (first, text.rfind([']', '}', '*', '?'])) {
            (Some(first), Some(last)) if last >= first => (first, text.len() - last - 1),
            (Some(first), _) => (first, 0),
            (None, _) => (text.len(), text.len()),
        };
        Self {
            text,
            start,
            end,
            is_open: name.is_open,
        }
    }

    fn may_be(&self, other: &Ends<'_>) -> bool {
        let start = self.start.min(other.start);
        let end = self.end.min(other.end);
        let (one, two) = (self.text.as_bytes(), other.text.as_bytes());
        let fits = |this: &Ends<'_>, that: &Ends<'_>| {
            this.is_open || this.text.len() >= that.start + that.end
        };
        one[..start] == two[..start]
            && one[one.len() - end..] == two[two.len() - end..]
            && fits(self, other)
            && fits(other, self)
    }
}

/// How the names in a path are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// The names may be patterns, which a shell expands.
    Patterns,
    /// The names are literal.
    Plain,
}

/// Returns the names of a path, without `.` and `..`.
pub(super) fn names(path: &str, style: PathStyle, kind: Names) -> Vec<Name<'_>> {
    let mut names = Vec::with_capacity(8);
    let is_windows = style == PathStyle::Windows;
    let is_separator = |letter: char| letter == '/' || (is_windows && letter == '\\');
    for name in path.split(is_separator) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name if is_windows => names.push(Name::new(as_on_windows(name), kind)),
            name => names.push(Name::new(name, kind)),
        }
    }
    names
}

/// Returns a name without the parts that Windows ignores: dots and spaces at the end, and the name of a stream.
fn as_on_windows(name: &str) -> &str {
    let is_drive = name.len() == 2;
    let stream = name.find(':').filter(|_| !is_drive);
    name[..stream.unwrap_or(name.len())].trim_end_matches(['.', ' '])
}

/// Returns a name in lower case, and without characters that file systems ignore: some treat `ſ` as `s`, `\u{212a}`
/// (the kelvin sign) as `k`, and `a\u{200c}b` as `ab`.
pub(super) fn folded(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            name.to_ascii_lowercase().into()
        } else {
            name.into()
        };
    }
    let letters = name.chars().filter(|letter| !is_ignored(*letter));
    let letters = letters.flat_map(char::to_uppercase);
    letters
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .into()
}

/// Returns whether a character is one of Unicode's default ignorable code points.
fn is_ignored(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be(file: &str, name: &str) -> bool {
        let name = Name::new(name, Names::Patterns);
        Name::new(file, Names::Patterns).may_be(&name)
    }

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
            ("hooks.json", "{}"),
        ] {
            assert!(!may_be(file, name), "{file} {name}");
        }
    }

    #[test]
    fn a_plain_name_is_no_pattern() {
        let file = Name::new("settings*.json", Names::Patterns);
        assert!(!file.may_be(&Name::new("*", Names::Plain)));
        assert!(!file.may_be(&Name::new("{a}", Names::Plain)));
        assert!(file.may_be(&Name::new("settings.x.json", Names::Plain)));
    }

    #[test]
    fn names_that_differ_by_case_or_by_ignored_characters_are_the_same() {
        for name in [
            "HOOKS.json",
            "hookſ.json",
            "hoo\u{212a}s.json",
            "ho\u{200c}oks.json\u{feff}",
        ] {
            assert!(may_be("hooks.json", name), "{name}");
        }
        assert!(may_be("config", "con\u{fb01}g"));
        assert!(may_be("straße", "STRASSE"));
        assert!(!may_be("hooks.json", "hookś.json"));
    }

    #[test]
    fn windows_drops_the_end_of_a_name_and_streams() {
        let text = |path: &str, style| {
            let names = names(path, style, Names::Plain).into_iter();
            names.map(|name| name.text).collect::<Vec<_>>().join("/")
        };
        let windows = PathStyle::Windows;
        assert_eq!(text("C:/a/.Codex. /x::$DATA", windows), "c:/a/.codex/x");
        assert_eq!(text("a/b. ", PathStyle::Unix), "a/b. ");
    }
}
