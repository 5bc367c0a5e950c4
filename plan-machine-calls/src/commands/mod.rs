//! Decides whether a command consists only of listed commands.

mod folder;
mod parse;
mod scan;
mod simple;
mod synonyms;
mod unquoted;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use plan_machine_kernel::calls::{CommandRule, is_shell_word};

use crate::flags::{FlagsTable, Program};
use crate::paths::Paths;
use crate::refusal::{Refusal, quoted};
use crate::word::Word;
use folder::Folders;
use simple::Simple;
use synonyms::{Synonym, synonym};

/// The commands that a rule lists, by their first word.
#[derive(Debug)]
pub(crate) struct ListedCommands {
    commands: HashMap<String, Vec<Entry>>,
    table: Arc<FlagsTable>,
}

/// A listed command.
#[derive(Debug)]
struct Entry {
    /// All words of the command.
    words: Vec<String>,
}

impl ListedCommands {
    /// Prepares the commands of a rule. Words that the shell itself interprets, and `cd`, are never listed.
    pub(crate) fn new(rule: &CommandRule, table: Arc<FlagsTable>) -> Self {
        let mut listed: HashMap<String, Vec<Entry>> = HashMap::new();
        for words in &rule.only {
            let Some(first) = words.first() else {
                continue;
            };
            if is_shell_word(first) || first == "cd" {
                continue;
            }
            let entry = Entry {
                words: words.clone(),
            };
            listed.entry(first.clone()).or_default().push(entry);
        }
        // The most specific entry, which has the most words, comes first.
        for entries in listed.values_mut() {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
        }
        Self {
            commands: listed,
            table,
        }
    }

    /// Checks a simple command.
    fn allows(&self, simple: &Simple<'_>) -> Result<(), Refusal> {
        let name = &simple.words[0];
        if let Some(synonym) = synonym(&simple.words) {
            return self.allows_synonym(name.raw, &synonym);
        }
        let entries = self.commands.get(name.value.as_ref());
        let Some(entries) = entries.filter(|_| name.is_plain()) else {
            return Err(Refusal::new(format!("{} is not listed", quoted(name.raw))));
        };
        let matching = entries.iter().find_map(|entry| {
            let arguments = entry.arguments(&simple.words[1..], &self.table)?;
            Some((entry, arguments))
        });
        let Some((entry, arguments)) = matching else {
            let words = simple.words.iter().take(2).map(|word| word.raw);
            let words: Vec<&str> = words.collect();
            let reason = format!("{} is not listed", quoted(&words.join(" ")));
            return Err(Refusal::new(reason));
        };
        match entry.program(&self.table) {
            Some(program) => program.allows(&name.value, arguments),
            None => Program::default().allows(&name.value, arguments),
        }
    }

    /// Checks a command that does the same as one or more common commands; one of the common commands must be listed.
    fn allows_synonym(&self, name: &str, synonym: &Synonym<'_, '_>) -> Result<(), Refusal> {
        let entries = synonym
            .means
            .iter()
            .filter_map(|word| self.commands.get(*word));
        let mut entries = entries.flatten().filter(|entry| entry.rest().is_empty());
        let Some(entry) = entries.next() else {
            return Err(Refusal::new(format!("{} is not listed", quoted(name))));
        };
        match entry.program(&self.table) {
            Some(program) if synonym.has_flags => program.allows(name, synonym.arguments),
            _ => Program::default().allows(name, synonym.arguments),
        }
    }
}

impl Entry {
    /// Returns the words after the first one.
    fn rest(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the program's entry in the table of flags. Without an entry, no flag is known to be harmless.
    fn program<'t>(&self, table: &'t FlagsTable) -> Option<&'t Program> {
        table.find(&self.words)
    }

    /// Returns the words after the listed ones, if `words` begins with the listed ones. Flags that
    /// the program may have before its next word are skipped, such as `--no-pager` in
    /// `git --no-pager log`.
    fn arguments<'w, 'c>(
        &self,
        words: &'w [Word<'c>],
        table: &FlagsTable,
    ) -> Option<&'w [Word<'c>]> {
        let mut words = words;
        let is_flag = words
            .first()
            .is_some_and(|word| word.value.starts_with('-'));
        if is_flag
            && !self.rest().is_empty()
            && let Some(program) = self.program(table)
        {
            while let Some((_, after)) = words.split_first().filter(|(word, _)| {
                let flag = word.value.as_ref();
                word.is_plain() && program.allows_before(flag)
            }) {
                words = after;
            }
        }
        for expected in self.rest() {
            let (word, after) = words.split_first()?;
            if !word.is_plain() || word.value != *expected {
                return None;
            }
            words = after;
        }
        Some(words)
    }
}

/// The command of a call, which several rules may check. Its text is scanned once.
pub(crate) struct CommandText<'c> {
    text: &'c str,
    scanned: Result<Vec<Simple<'c>>, Refusal>,
    confirmed: OnceCell<Result<(), Refusal>>,
}

impl<'c> CommandText<'c> {
    /// Scans a command.
    pub(crate) fn new(text: &'c str) -> Self {
        Self {
            text,
            scanned: scan::scan(text),
            confirmed: OnceCell::new(),
        }
    }

    /// Checks that the command consists only of listed commands, and of `cd` inside the project.
    /// The command starts in `folder`.
    pub(crate) fn consists_of(
        &self,
        listed: &ListedCommands,
        paths: &Paths,
        folder: PathBuf,
    ) -> Result<(), Refusal> {
        let simple = self.scanned.as_ref().map_err(Clone::clone)?;
        let mut folders = Folders::start(paths, folder)?;
        for simple in simple {
            let name = &simple.words[0];
            if name.raw == "cd" {
                folders.enter(simple)?;
                continue;
            }
            listed.allows(simple)?;
            if name.raw == "git" {
                folders.of_one_repository()?;
            }
        }
        let confirm = || parse::confirm(self.text, simple);
        self.confirmed.get_or_init(confirm).clone()
    }
}
