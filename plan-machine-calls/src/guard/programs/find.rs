//! Finds the files that a call of `find` removes, and the commands that the call runs.

use super::archives::only_prints;
use super::copies::target;
use super::flags::files;
use super::known::{base, is_copier, is_known, is_remover, is_shell, is_wrapper};

/// Flags that may appear before the folders.
const LEADING: [&str; 12] = [
    "--", "-E", "-H", "-L", "-O0", "-O1", "-O2", "-O3", "-P", "-X", "-d", "-s",
];
/// Options, actions and tests that are true for every file, and the operator `-and` in both of its forms.
const ALWAYS_TRUE: [&str; 20] = [
    "-a",
    "-and",
    "-d",
    "-daystart",
    "-depth",
    "-follow",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-noignore_readdir_race",
    "-noleaf",
    "-nowarn",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-true",
    "-warn",
    "-x",
    "-xdev",
];
/// Options and actions with a value that are true for every file. A limit on the depth does not count as a condition,
/// because the gate has files at several depths.
const VALUED: [&str; 9] = [
    "-files0-from",
    "-fls",
    "-fprint",
    "-fprint0",
    "-fprintf",
    "-maxdepth",
    "-mindepth",
    "-printf",
    "-regextype",
];
/// Tests of a file's name or path.
const NAMES: [&str; 8] = [
    "-iname",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-name",
    "-path",
    "-regex",
    "-wholename",
];
/// Programs that always succeed, so that a test that runs one of them is true for every file.
const SUCCESSFUL: [&str; 3] = ["echo", "printf", "true"];

/// What a call of `find` does.
#[derive(Debug, Default)]
pub(in crate::guard) struct Find<'a, 'w> {
    /// The folders in which `find` searches.
    pub(in crate::guard) folders: Vec<&'w str>,
    /// The commands that `find` runs.
    pub(in crate::guard) commands: Vec<&'a [&'w str]>,
    /// Whether `find` removes or moves files without a condition that selects some of the files.
    pub(in crate::guard) removes_everything: bool,
}

/// Reads the words after `find`.
pub(in crate::guard) fn find<'a, 'w>(words: &'a [&'w str]) -> Find<'a, 'w> {
    let mut found = Find::default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match *word {
            "-D" => at += 1,
            "-f" => {
                at += 1;
                found.folders.extend(words.get(at));
            }
            word if LEADING.contains(&word) => {}
            word if word.starts_with('-') || matches!(word, "(" | ")" | "!" | ",") => break,
            word => found.folders.push(word),
        }
        at += 1;
    }
    if found.folders.is_empty() {
        found.folders.push(".");
    }
    let mut expression = Expression {
        words: words.get(at..).unwrap_or_default(),
        groups: vec![Group::default()],
        is_negated: false,
    };
    while let Some(word) = expression.next() {
        expression.read(word, &mut found);
    }
    found
}

/// The whole expression, or a part of it in parentheses.
#[derive(Default)]
struct Group {
    /// Whether the tests of the current alternative exclude some files.
    is_narrow: bool,
    /// Whether an earlier alternative is true for every file.
    is_open: bool,
    /// Whether `!` is before the group.
    is_negated: bool,
}

/// The rest of an expression, and the groups around it.
struct Expression<'a, 'w> {
    words: &'a [&'w str],
    groups: Vec<Group>,
    /// Whether `!` is before the next word.
    is_negated: bool,
}

impl<'a, 'w> Expression<'a, 'w> {
    fn next(&mut self) -> Option<&'w str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn read(&mut self, word: &'w str, found: &mut Find<'a, 'w>) {
        match word {
            "!" | "-not" => self.is_negated = !self.is_negated,
            "(" => {
                let is_negated = std::mem::take(&mut self.is_negated);
                self.groups.push(Group {
                    is_negated,
                    ..Group::default()
                });
            }
            ")" => self.close(),
            "-o" | "-or" | "," => {
                if let Some(group) = self.groups.last_mut() {
                    group.is_open |= !group.is_narrow;
                    group.is_narrow = false;
                }
            }
            "-delete" => {
                found.removes_everything |= self.is_for_every_file();
                self.is_negated = false;
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.run(found),
            _ => self.test(word),
        }
    }

    /// Ends a group, which is a test itself.
    fn close(&mut self) {
        if self.groups.len() < 2 {
            return;
        }
        if let Some(group) = self.groups.pop() {
            self.is_negated = group.is_negated;
            self.narrow(group.is_narrow && !group.is_open);
        }
    }

    /// Reads a test, with its value if it matters.
    fn test(&mut self, word: &str) {
        let is_narrow = if NAMES.contains(&word) {
            let value = self.next().unwrap_or_default();
            value.contains(|letter| !matches!(letter, '*' | '?' | '.' | '/'))
        } else if VALUED.contains(&word) {
            self.next();
            false
        } else if matches!(word, "-type" | "-xtype") {
            // A type other than `f` excludes all files, so it protects them.
            !self.next().unwrap_or_default().contains('f')
        } else {
            if self.words.first().is_some_and(|value| is_number(value)) {
                self.next();
            }
            word.starts_with('-') && !ALWAYS_TRUE.contains(&word)
        };
        self.narrow(is_narrow);
    }

    /// Reads a command that ends with `;` or with `{} +`.
    fn run(&mut self, found: &mut Find<'a, 'w>) {
        let is_end = |at: &usize| match self.words[*at] {
            ";" => true,
            "+" => *at > 0 && self.words[*at - 1] == "{}",
            _ => false,
        };
        let end = (0..self.words.len()).find(is_end);
        let (command, rest) = self.words.split_at(end.unwrap_or(self.words.len()));
        self.words = rest.get(1..).unwrap_or_default();
        found.commands.push(command);
        let mut programs = command.iter().map(|word| base(word));
        let program = programs.find(|program| !is_wrapper(program) && !program.starts_with('-'));
        let program = program.unwrap_or_default();
        if ruins(command) {
            found.removes_everything |= self.is_for_every_file();
        }
        self.narrow(!SUCCESSFUL.contains(&&*program));
    }

    fn is_for_every_file(&self) -> bool {
        !self.groups.iter().any(|group| group.is_narrow)
    }

    /// Adds a test to the current alternative. A test that `!` negates does not count as narrow, because it excludes
    /// only the files that it names.
    fn narrow(&mut self, is_narrow: bool) {
        let is_negated = std::mem::take(&mut self.is_negated);
        if let Some(group) = self.groups.last_mut() {
            group.is_narrow |= is_narrow && !is_negated;
        }
    }
}

/// Returns whether a command removes, moves or empties the files that `find` passes to it.
fn ruins(mut command: &[&str]) -> bool {
    let is_dangerous =
        |program: &str| is_remover(program) || matches!(program, "mv" | "tee" | "truncate");
    while let Some((first, rest)) = command.split_first() {
        let program = base(first);
        if is_shell(&program) {
            let is_end = |letter: char| letter.is_whitespace() || ";&|(){}`'\"$".contains(letter);
            let mut words = rest.iter().flat_map(|text| text.split(is_end));
            return words.any(|word| is_dangerous(&base(word)));
        }
        if !is_wrapper(&program) {
            return match &*program {
                "dd" => rest.contains(&"of={}"),
                "bzip2" | "gzip" | "xz" => !only_prints(&program, rest),
                program if is_copier(program) => {
                    target(program, rest).is_none() && files(rest).last() == Some(&"{}")
                }
                program => is_dangerous(program),
            };
        }
        let next = rest.iter().position(|word| is_known(&base(word)));
        command = &rest[next.unwrap_or(rest.len())..];
    }
    false
}

/// Returns whether a word is a value such as `-7`, and not a flag.
fn is_number(word: &str) -> bool {
    let number = word.strip_prefix(['-', '+']).unwrap_or(word);
    number.starts_with(|letter: char| letter.is_ascii_digit())
}
