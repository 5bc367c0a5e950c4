//! Copies the readable data of a damaged file to a new file.
//!
//! `SQLite` refuses a table if one of its interior pages is damaged, and every table if the definitions are damaged.
//! Writing to such a file can also damage the pages of other sessions. Therefore, the pages are read one by one, and
//! each row that is intact is copied. The old file is not changed.
//!
//! A session that has lost something stays closed in the new file until a person restarts it: the loss shows in its
//! entries, in the record of its last entry, or in the number of its effects. If none of them would show the loss, the
//! session gets a record of a last entry that has never existed.

mod finish;
mod gather;
mod names;
mod pages;
mod report;
mod rows;
mod tree;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use rusqlite::Connection;

use self::gather::{GatheredRows, called, named};
pub(super) use self::pages::Pages;
pub use self::report::{SalvageReport, SalvagedSession};
use self::rows::recognized;
use self::tree::TreeRow;
pub(super) use self::tree::children;
use super::connect;
use super::error::of_sqlite;
use super::files::log_of;
use super::layout;
use super::log;
use super::place;
use crate::store::{StoreError, StoreErrorKind};

/// Copies the readable data of a file to a new file.
pub(super) fn copy(from: &Path, to: &Path) -> Result<SalvageReport, StoreError> {
    let from = place::of(from)?;
    let unreadable = |error: io::Error| {
        let message = format!("`{}`: {error}", from.display());
        StoreError::new(StoreErrorKind::Unreachable, message)
    };
    let before = times(&from);
    let pages = Pages::open(&from).map_err(unreadable)?;
    let lacks_transactions = log::is_incomplete(&from).map_err(unreadable)?;
    make(to)?;
    let copied = fill(&pages, to, lacks_transactions).map_err(|error| of_sqlite(to, &error));
    let copied = copied.and_then(|copied| {
        if times(&from) != before {
            let message = format!(
                "`{}` was changed while it was being copied: stop all processes that use it",
                from.display()
            );
            return Err(StoreError::new(StoreErrorKind::Busy, message));
        }
        copied.ok_or_else(|| {
            let message = format!("`{}` contains no data of a session", from.display());
            StoreError::new(StoreErrorKind::Foreign, message)
        })
    });
    if copied.is_err() {
        // This call created the file, and no one else uses it.
        let _ = fs::remove_file(to);
    }
    copied
}

/// Returns the sizes and times of the file and its log.
fn times(path: &Path) -> [Option<(u64, SystemTime)>; 2] {
    [path, &log_of(path)].map(|path| {
        let found = fs::metadata(path).ok()?;
        Some((found.len(), found.modified().ok()?))
    })
}

/// Creates the new file, which only its owner can access.
fn make(to: &Path) -> Result<(), StoreError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(to) {
        Ok(_) => Ok(()),
        Err(error) => {
            let message = format!("cannot create `{}`: {error}", to.display());
            Err(StoreError::new(StoreErrorKind::Unreachable, message))
        }
    }
}

/// Fills a new file in one transaction. Returns `None` if there is nothing to copy. `lacks_transactions` says whether
/// the log is damaged, so that the last transactions are unknown.
fn fill(
    pages: &Pages,
    to: &Path,
    lacks_transactions: bool,
) -> rusqlite::Result<Option<SalvageReport>> {
    let mut connection = Connection::open(to)?;
    connect::set_page_size(&connection)?;
    let transaction = connection.transaction()?;
    layout::make(&transaction, None)?;
    let mut gathered = GatheredRows::new(&transaction);
    let unused = pages.unused();
    let is_used = |number: &u32| {
        unused
            .as_ref()
            .is_none_or(|unused| !unused.contains(number))
    };
    for number in (1..=pages.many()).filter(is_used) {
        let Some(page) = tree::page(pages, number).filter(|page| page.is_table) else {
            continue;
        };
        for row in page.rows.into_iter().filter_map(recognized) {
            gathered.take(row)?;
        }
    }
    indexes(pages, &mut gathered)?;
    let has_lost = lacks_transactions && names::take(pages, &mut gathered);
    let mut salvaged = finish::all(gathered, lacks_transactions)?;
    if has_lost {
        let problem = "the damaged part of the log contains names of other sessions; they were copied without entries, \
                       and may include sessions that were deleted";
        salvaged.problems.push(problem.to_owned());
    }
    if unused.is_none() {
        let problem =
            "the list of unused pages is damaged; sessions that were deleted may have been copied";
        salvaged.problems.push(problem.to_owned());
    }
    let is_empty: bool = transaction.query_row(
        "SELECT NOT EXISTS(SELECT 1 FROM session) AND NOT EXISTS(SELECT 1 FROM entry)",
        [],
        |row| row.get(0),
    )?;
    connect::mark(&transaction)?;
    transaction.commit()?;
    Ok((!is_empty).then_some(salvaged))
}

/// Adds the effects, and those values of lost rows that the indexes still contain.
fn indexes(pages: &Pages, gathered: &mut GatheredRows<'_>) -> rusqlite::Result<()> {
    for row in walked(pages, gathered, "effect") {
        gathered.take_effect(&row)?;
    }
    for row in walked(pages, gathered, "sqlite_autoindex_session_1") {
        if let Some((channel, conversation, id)) = named(&row) {
            gathered.take_name(channel, conversation, id);
        }
    }
    for row in walked(pages, gathered, "session_by_conversation") {
        if let Some((conversation, channel, id)) = named(&row) {
            gathered.take_name(channel, conversation, id);
        }
    }
    for index in ["sqlite_autoindex_answer_1", "answer_by_call"] {
        for row in walked(pages, gathered, index) {
            if let Some((session, call, number)) = called(&row) {
                gathered.note_answer(session, call, number)?;
            }
        }
    }
    Ok(())
}

/// Returns the rows of an index that can be reached from its root page.
fn walked(pages: &Pages, gathered: &GatheredRows<'_>, name: &str) -> Vec<TreeRow> {
    let mut open: Vec<u32> = gathered.roots.get(name).copied().into_iter().collect();
    let mut seen = HashSet::new();
    let mut rows = Vec::new();
    while let Some(number) = open.pop() {
        if !seen.insert(number) {
            continue;
        }
        if let Some(page) = tree::page(pages, number).filter(|page| !page.is_table) {
            open.extend(page.children);
            rows.extend(page.rows);
        }
    }
    rows
}
