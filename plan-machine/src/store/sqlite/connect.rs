//! Opening the file: durable, shared with other processes, and surely one of ours.

use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, TransactionBehavior};

use super::error::of_sqlite;
use crate::store::{StoreError, StoreErrorKind};

/// Says in the file's head whose file it is.
const APPLICATION: i64 = 0x504c_414e;

/// The layout of the tables.
const FORMAT: i64 = 1;

/// While another process commits: a commit is short, so looking again soon keeps nobody waiting for
/// longer than that.
const LOOK_AGAIN: Duration = Duration::from_micros(250);

/// After this many looks somebody holds the file who should not.
const LOOKS: i32 = 40_000;

/// Half of what `SQLite` would take. Every commit writes each page that it touches in full, and most touch
/// the last page of a table and that of its index.
const PAGE: i64 = 2048;

/// How many pages the log has before it is emptied: 4 MB, as with `SQLite`'s own pages.
const LOG_PAGES: i64 = 2000;

const TABLES: &str = "
    CREATE TABLE session(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        channel TEXT NOT NULL,
        conversation TEXT NOT NULL,
        UNIQUE(channel, conversation)
    ) STRICT;
    CREATE TABLE entry(
        place INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL,
        UNIQUE(session, seq)
    ) STRICT;
    CREATE TABLE snapshot(
        session INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL
    ) STRICT;
    CREATE TABLE answer(
        number INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        call_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL,
        UNIQUE(session, call_id)
    ) STRICT;
    CREATE INDEX answer_by_seq ON answer(session, seq);
    CREATE TABLE effect(
        session INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY(session, seq, position)
    ) STRICT, WITHOUT ROWID;
";

/// What to do where there is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    OrCreate,
    Existing,
}

/// The connection that writes.
pub(super) fn writer(path: &Path, mode: Mode) -> Result<Connection, StoreError> {
    let create = match mode {
        Mode::OrCreate => OpenFlags::SQLITE_OPEN_CREATE,
        Mode::Existing => OpenFlags::empty(),
    };
    let failed = |error| of_sqlite(path, &error);
    if mode == Mode::OrCreate {
        make_private(path);
    }
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | create)?;
    // Asked of the connection: to open the file in another way, and close it, would let go of the locks
    // that this process has on it.
    if connection.is_readonly(MAIN_DB).map_err(failed)? {
        let message = format!("`{}` is read-only", path.display());
        return Err(StoreError::new(StoreErrorKind::ReadOnly, message));
    }
    // Means nothing to a file that has pages.
    connection
        .pragma_update(None, "page_size", PAGE)
        .map_err(failed)?;
    recognise(path, &mut connection, mode)?;
    durable(&connection).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Makes a new file for its owner alone, which `SQLite` would make for everybody; its log gets the same rights. A file
/// that is there is left as it is, and is not opened: closing it would let go of locks.
#[cfg(unix)]
fn make_private(path: &Path) {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    if path != Path::new(":memory:") {
        // Where no file can be made, SQLite says why.
        let _ = options.open(path);
    }
}

#[cfg(not(unix))]
fn make_private(_: &Path) {}

/// A connection that reads. It is opened for writing too, because readers of a file that others write
/// to take part in locking, but it changes nothing.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let failed = |error| of_sqlite(path, &error);
    connection
        .pragma_update(None, "query_only", true)
        .map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error| of_sqlite(path, &error);
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_handler(Some(wait)).map_err(failed)?;
    // Otherwise statements are planned anew whenever another session is looked for.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(failed)?;
    Ok(connection)
}

fn wait(looks: i32) -> bool {
    thread::sleep(LOOK_AGAIN);
    looks < LOOKS
}

/// Every commit waits for the disk, and readers never wait for the writer.
fn durable(connection: &Connection) -> rusqlite::Result<()> {
    // Changing the mode does not ask the busy handler; others may be opening the file too.
    let mut looks = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if is_busy(&error) && wait(looks) => looks += 1,
            changed => break changed?,
        }
    }
    // A log that is emptied is written over, and a file that does not grow is on disk sooner.
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    connection.pragma_update(None, "synchronous", "full")
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseBusy | DatabaseLocked)
    )
}

/// Makes the tables in an empty file; refuses any file that is not of this format.
fn recognise(path: &Path, connection: &mut Connection, mode: Mode) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    if of_this_format(path, connection, mode)? {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have made them meanwhile.
    if of_this_format(path, &transaction, mode)? {
        return Ok(());
    }
    transaction.execute_batch(TABLES).map_err(failed)?;
    transaction
        .pragma_update(None, "application_id", APPLICATION)
        .map_err(failed)?;
    transaction
        .pragma_update(None, "user_version", FORMAT)
        .map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// `false` for an empty file.
fn of_this_format(path: &Path, connection: &Connection, mode: Mode) -> Result<bool, StoreError> {
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    let foreign = |why: String| {
        let message = format!("`{}` {why}", path.display());
        Err(StoreError::new(StoreErrorKind::Foreign, message))
    };
    // In one statement, so of one moment: another process may be making the tables.
    let (application, format, tables): (i64, i64, i64) = connection
        .query_row(
            "SELECT (SELECT application_id FROM pragma_application_id),
                    (SELECT user_version FROM pragma_user_version),
                    (SELECT count(*) FROM sqlite_schema)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .map_err(failed)?;
    match (application, format) {
        (APPLICATION, FORMAT) => Ok(true),
        (APPLICATION, newer) if newer > FORMAT => foreign(format!(
            "was written by a newer version: its format is {newer}, and {FORMAT} is known here"
        )),
        (0, 0) if tables == 0 && mode == Mode::OrCreate => Ok(false),
        (0, 0) if tables == 0 => foreign("is empty".to_owned()),
        _ => foreign("holds something else than sessions".to_owned()),
    }
}
