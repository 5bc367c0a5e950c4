//! Checks the pages of a file. Digests protect the content of entries; these checks find pages that contradict each
//! other.
//!
//! A check reads the whole file, so it is done only when there is a reason: after an unclean shutdown, or on request.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Result};

use super::connect::is_busy;
use super::files;
use super::numbers::uint;
use crate::store::lost;

/// The maximum number of problems listed.
const SHOWN: u32 = 20;

/// The tables with a session's data, and the names for one row and for several.
const KEPT: [[&str; 3]; 4] = [
    ["entry", "entry", "entries"],
    ["effect", "open effect", "open effects"],
    ["answer", "answer", "answers"],
    ["snapshot", "snapshot", "snapshots"],
];

/// Returns the problems of a file that was not closed properly: its log is not empty, and no one else has the file
/// open. `None` if it was closed, or if others are using it: they checked it when they opened it.
pub(super) fn after_unclean_end(path: &Path) -> Result<Option<Vec<String>>> {
    if !files::has_log(path) {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // A process that can get exclusive access is the only one.
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    let alone = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    match alone {
        Err(error) if is_busy(&error) => return Ok(None),
        alone => alone?,
    }
    Ok(Some(problems(&connection, "quick_check")))
}

/// Returns all problems: indexes that do not match their tables, rows that belong to no session, and open effects
/// without the entry that describes them.
pub(super) fn all(connection: &Connection) -> Vec<String> {
    let mut all = problems(connection, "integrity_check");
    for [table, one, many] in KEPT {
        let select = format!(
            "SELECT count(*) FROM {table} WHERE session NOT IN (SELECT id FROM session NOT INDEXED)"
        );
        all.extend(counted(connection, &select, [one, many, "session"]));
    }
    all.extend(counted(
        connection,
        "SELECT count(*) FROM effect WHERE NOT EXISTS
         (SELECT 1 FROM entry WHERE entry.session = effect.session AND entry.seq = effect.seq)",
        ["open effect", "open effects", "entry"],
    ));
    all
}

/// Describes the rows counted by a statement; `None` if there are none.
fn counted(connection: &Connection, select: &str, [one, many, of]: [&str; 3]) -> Option<String> {
    let number = connection.query_row(select, [], |row| uint(row, 0));
    match number {
        Ok(number) => lost(number, one, many, of),
        Err(error) => Some(error.to_string()),
    }
}

fn problems(connection: &Connection, check: &str) -> Vec<String> {
    let found = || -> Result<Vec<String>> {
        let mut statement = connection.prepare(&format!("PRAGMA {check}({SHOWN})"))?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.collect()
    };
    match found() {
        // A problem may span several lines.
        Ok(found) => found
            .iter()
            .flat_map(|text| text.lines())
            .filter(|line| *line != "ok")
            .map(str::to_owned)
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}
