//! Checks the pages of a file. Changes to the content of entries are detected by digests; these checks find pages that
//! contradict each other.
//!
//! A check reads the whole file, so it is done only after an unclean shutdown or on request.

use std::path::Path;
use std::thread;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Result};

use super::connect::{FileConnection, is_busy, is_read_only};
use super::error::kind;
use super::files::{self, LOOK_AGAIN};
use super::layout::Layout;
use super::numbers::uint;
use super::old_entries::OldEntries;
use super::schema;
use crate::store::without_owner;

/// The maximum number of attempts to get exclusive access to a file. A process that uses the file keeps its access, so
/// waiting longer would only delay this process.
const LOOKS: i32 = 20;

/// The maximum number of problems that one check of `SQLite` lists.
const SHOWN: u32 = 20;

/// The tables with the data of sessions, each with the words for one row and for several rows.
const KEPT: [[&str; 3]; 5] = [
    ["entry", "entry", "entries"],
    ["effect", "pending effect", "pending effects"],
    ["answer", "answer", "answers"],
    ["snapshot", "snapshot", "snapshots"],
    ["due", "instant of a timer", "instants of timers"],
];

/// Checks a file that was not closed properly: its write-ahead log is not empty and was not left on purpose, and no
/// other process has the file open. If the file was closed properly, or if other processes use it, it is checked later,
/// before it is changed. A read-only file is not checked.
pub(super) fn after_unclean_end(path: &Path) -> Result<PageCheck> {
    if !files::has_log(path) || files::is_left(path) {
        return Ok(PageCheck::Unknown);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(wait))?;
    // With exclusive access, `SQLite` would empty the log without recording this in the index.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if connection.is_readonly(MAIN_DB)? {
        return Ok(PageCheck::Unknown);
    }
    // If this process can get exclusive access, no other process is using the file.
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    let alone = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    match alone {
        Err(error) if is_busy(&error) || is_read_only(kind(&error)) => {
            return Ok(PageCheck::Unknown);
        }
        alone => alone?,
    }
    Ok(pages(path, &connection))
}

/// Waits for processes that open the file at the same time, but not for processes that use the file.
fn wait(looks: i32) -> bool {
    thread::sleep(LOOK_AGAIN);
    looks < LOOKS
}

/// The known state of the pages of a file.
pub(super) enum PageCheck {
    /// The pages have not been checked.
    Unknown,
    Sound,
    /// The only damaged pages are leaves that new entries do not reach. Contains the first problem.
    Old(String),
    /// A change may reach a damaged page. Contains the first such problem.
    Damaged(String),
}

/// Returns whether a problem is harmless, that is, cannot make a change reach the wrong page. Harmless problems are
/// values of the wrong type, missing or extra rows in an index, and pages that no other page refers to.
fn is_harmless(problem: &str) -> bool {
    problem.contains(" value in ")
        || problem.starts_with("wrong # of entries in index ")
        || problem.ends_with("never used")
        || problem.starts_with("*** in database")
}

/// Checks the pages before a file is changed. A file with damaged pages can be read, but a change that reaches them
/// could damage other sessions, because `SQLite` relies on the content of a damaged page.
pub(super) fn pages(path: &Path, connection: &Connection) -> PageCheck {
    let all = problems(connection, "quick_check");
    let mut found: Vec<&String> = all.iter().filter(|problem| !is_harmless(problem)).collect();
    let Some(first) = found.first().copied().cloned() else {
        return PageCheck::Sound;
    };
    // If the list is full, there may be problems that it does not contain.
    let is_complete = all.len() < SHOWN as usize;
    let old = OldEntries::of(path, connection).filter(|_| is_complete);
    found.retain(|problem| !old.as_ref().is_some_and(|old| old.contain(problem)));
    match found.first() {
        Some(problem) => PageCheck::Damaged((*problem).clone()),
        None => PageCheck::Old(first),
    }
}

/// Returns the problems in a file: at most `SHOWN` damaged pages and indexes that do not match their tables, and all
/// changed definitions, rows that do not belong to any session, and pending effects without an entry.
pub(super) fn all(on: &FileConnection) -> Vec<String> {
    let connection = &on.connection;
    let mut all = problems(connection, "integrity_check");
    // A file with an earlier layout is only read.
    if on.layout == Layout::CURRENT {
        let differences = schema::differences(connection);
        all.extend(differences.unwrap_or_else(|error| vec![error.to_string()]));
    }
    let has_timers = on.layout >= Layout::Three;
    let kept = KEPT
        .iter()
        .filter(|[table, ..]| has_timers || *table != "due");
    for [table, one, many] in kept {
        // The number 0 belongs to the row that reserves a position after a deletion.
        let select = format!(
            "SELECT count(*) FROM {table}
             WHERE session <> 0 AND session NOT IN (SELECT id FROM session NOT INDEXED)"
        );
        all.extend(counted(connection, &select, [one, many, "session"]));
    }
    all.extend(counted(
        connection,
        "SELECT count(*) FROM effect WHERE NOT EXISTS
         (SELECT 1 FROM entry WHERE entry.session = effect.session AND entry.seq = effect.seq)",
        ["pending effect", "pending effects", "entry"],
    ));
    all
}

/// Describes the number of rows that a statement counts; `None` if there are no such rows.
fn counted(connection: &Connection, select: &str, [one, many, of]: [&str; 3]) -> Option<String> {
    let number = connection.query_row(select, [], |row| uint(row, 0));
    match number {
        Ok(number) => without_owner(number, one, many, of),
        Err(error) => Some(error.to_string()),
    }
}

/// Lists the problems that a check of `SQLite` finds: first those of the pages, then those of the rows. If rows are on
/// a damaged page, the check ends with an error, which is returned only if no problem was found before.
fn problems(connection: &Connection, check: &str) -> Vec<String> {
    let mut found = Vec::new();
    let listed = each_problem(connection, check, |text| {
        // The description of a problem may span several lines.
        let lines = text.lines().filter(|line| *line != "ok");
        found.extend(lines.map(str::to_owned));
    });
    match listed {
        Err(error) if found.is_empty() => vec![error.to_string()],
        _ => found,
    }
}

fn each_problem(connection: &Connection, check: &str, mut each: impl FnMut(&str)) -> Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA {check}({SHOWN})"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(&row.get::<_, String>(0)?);
    }
    Ok(())
}
