//! Scoped memory. The spec [`plan_specs::memory`] defines the scopes, their readers and their
//! writers; this module stores items under the keys that the spec's types provide.
//!
//! Operations that a run must not perform do not compile:
//!
//! ```compile_fail,E0599
//! use plan_specs::memory::{Identity, TaskId, TaskRun};
//!
//! let session = Identity::new("terminal", "morning-1").unwrap();
//! let run = TaskRun::new(session, TaskId::new("t1").unwrap());
//! run.write_decision(); // of which goal?
//! ```
//!
//! Items are lines of JSON appended to one file: a file that is only appended to and read as a whole needs no database,
//! and a person can read and repair it. All functions here block on disk access.

mod item;
mod line;

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use plan_machine::Instant;
use plan_machine::scope::{Promotion, ScopeKey, WriteScope};
use plan_specs::memory::{GoalRun, Identity, TaskRun};

use crate::disk;
use crate::error::HostError;
use crate::observe;
pub use item::Item;
use line::Line;

/// A file with the items of any number of sessions.
#[derive(Debug)]
pub struct MemoryFile(PathBuf);

/// A line that cannot be read as an item. It stays in the file unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The problem.
    pub why: String,
}

impl DamagedLine {
    /// Says which line cannot be read, and why.
    pub(crate) fn report(&self) -> String {
        let Self { line, why } = self;
        format!("line {line} of the memory file cannot be read: {why}")
    }
}

/// A reader of items: a run, or a session outside its runs.
pub trait Reader {
    /// Returns the session of the reader and the scopes that it may read, nearest first.
    fn reads_in(&self) -> (&Identity, Vec<ScopeKey>);
}

impl Reader for GoalRun {
    fn reads_in(&self) -> (&Identity, Vec<ScopeKey>) {
        (self.identity(), self.reads().into())
    }
}

impl Reader for TaskRun {
    fn reads_in(&self) -> (&Identity, Vec<ScopeKey>) {
        (self.identity(), self.reads().into())
    }
}

impl Reader for Identity {
    fn reads_in(&self) -> (&Identity, Vec<ScopeKey>) {
        let (session, global) = (self.read_session(), self.read_global());
        (self, vec![session.into_key(), global.into_key()])
    }
}

impl MemoryFile {
    /// Opens a memory; its file is created if it is missing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(path: &Path) -> Result<Self, HostError> {
        let memory = Self(path.to_owned());
        memory.file()?;
        Ok(memory)
    }

    /// Stores text in a scope that a run may write to.
    ///
    /// # Errors
    /// If the text cannot be stored.
    pub fn remember<L>(
        &self,
        to: &WriteScope<L>,
        text: &str,
        by: &str,
        at: Instant,
    ) -> Result<(), HostError> {
        self.append(&Line::new(to.key(), None, text, by, at))
    }

    /// Copies an item to a scope that no run may write to without a promotion. This consumes the promotion.
    ///
    /// # Errors
    /// If the item is not from the promotion's scope, or cannot be stored.
    pub fn promote<L>(
        &self,
        item: &Item,
        promotion: Promotion<L>,
        at: Instant,
    ) -> Result<(), HostError> {
        let from = promotion.from();
        if item.scope != *from {
            if item.scope.partition().is_some() && item.scope.partition() != from.partition() {
                observe::cross_session_blocked();
            }
            let told = format!("the item is not in the scope `{from}`");
            return Err(HostError::input(told));
        }
        let (from, by) = (from.clone(), promotion.by().to_owned());
        let to = promotion.into_write();
        self.append(&Line::new(to.key(), Some(&from), &item.text, &by, at))
    }

    /// Returns the items that a reader may read: nearest scope first, and newest first within each scope.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn recall(&self, reader: &impl Reader) -> Result<Vec<Item>, HostError> {
        let (lines, _) = self.lines()?;
        let (session, scopes) = reader.reads_in();
        let mut items = Vec::new();
        for key in scopes {
            let carrying = |line: &&Line| line.carries(&key, session);
            for line in lines.iter().rev().filter(carrying) {
                if line.is_kept_under(&key) {
                    count(&key);
                    items.push(line.item(&key));
                } else {
                    // The line belongs to another session, for example to a task with the same id.
                    observe::cross_session_blocked();
                }
            }
        }
        Ok(items)
    }

    /// Returns the lines of the file that are not items.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn damaged(&self) -> Result<Vec<DamagedLine>, HostError> {
        Ok(self.lines()?.1)
    }

    fn lines(&self) -> Result<(Vec<Line>, Vec<DamagedLine>), HostError> {
        let bytes = match std::fs::read(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.map_err(HostError::disk(&self.0, "read"))?,
        };
        let (mut lines, mut damaged) = (Vec::new(), Vec::new());
        let all = bytes.split(|byte| *byte == b'\n').zip(1..);
        for (bytes, line) in all.filter(|(bytes, _)| !bytes.trim_ascii().is_empty()) {
            match disk::json(bytes).and_then(Line::consistent) {
                Ok(read) => lines.push(read),
                Err(why) => damaged.push(DamagedLine { line, why }),
            }
        }
        Ok((lines, damaged))
    }

    /// Appends the line in one write, so that writes of other processes cannot interleave with it. The text starts with
    /// a line break: if the previous write was cut off, the incomplete line does not corrupt the new line.
    fn append(&self, line: &Line) -> Result<(), HostError> {
        let failed = HostError::disk(&self.0, "written");
        let line = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
        let text = format!("\n{line}\n");
        let mut file = self.file()?;
        if file.write(text.as_bytes()).map_err(&failed)? < text.len() {
            return Err(failed(ErrorKind::StorageFull.into()));
        }
        file.sync_data().map_err(failed)
    }

    fn file(&self) -> Result<File, HostError> {
        disk::append(&self.0).map_err(HostError::disk(&self.0, "opened"))
    }
}

fn count(key: &ScopeKey) {
    match key.level() {
        "goal" => observe::goal_selected(),
        "task" => observe::task_selected(),
        _ => {}
    }
}
