//! Opens the file of a store: makes its commits durable, shares it with other processes, and checks that it is a store
//! of plan-machine.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, TransactionBehavior};

use super::error::{foreign, kind, of_sqlite, with_damaged_pages};
use super::files::{self, Files, LOOK_AGAIN};
use super::in_use::FileUse;
use super::layout::{self, Layout};
use super::log::LogContent;
use super::schema;
use crate::store::lost::LostSessions;
use crate::store::{StoreError, StoreErrorKind};

/// The application id in the file's header, which identifies a store of plan-machine.
const APPLICATION: i64 = 0x504c_414e;

/// The maximum number of retries. If the file is still locked after that, another process must be holding the lock by
/// mistake.
const LOOKS: i32 = 40_000;

/// The maximum number of retries while the file is being opened. Many processes may create or open it at the same time,
/// and on a busy computer each of them may have to wait for all others.
const OPENING_LOOKS: i32 = 240_000;

/// The page size in bytes: half of `SQLite`'s default. A commit writes every page that it touches in full, and most
/// commits touch only the last page of a table and the last page of its index.
const PAGE: i64 = 2048;

/// When the content of the write-ahead log is copied into the database file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checkpoints {
    /// The log is copied into the database file by the commit that makes it larger than 4 MB, the same amount of data
    /// as with `SQLite`'s default settings.
    ByCommits,
    /// The log is copied into the database file only when a process stops using the file. A copy after a commit would
    /// be wasted: the process is about to end, and cannot tell the next process how much of the log was copied.
    WhenLeaving,
}

impl Checkpoints {
    /// Returns the number of pages that the log must reach before a commit copies it; 0 if commits never copy it.
    fn pages(self) -> i64 {
        match self {
            Self::ByCommits => 2000,
            Self::WhenLeaving => 0,
        }
    }
}

/// Whether to create a file that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    OrCreate,
    Existing,
}

/// A connection, and the files that it uses.
pub(super) struct FileConnection {
    pub(super) connection: Connection,
    pub(super) layout: Layout,
    pub(super) files: Files,
    /// Whether the connection takes part in locking. Without locking, it is used only once.
    pub(super) is_locking: bool,
    /// The lost sessions of the file, which all connections of a store share.
    pub(super) lost: Arc<LostSessions>,
    /// Declared last, so that it is dropped after the connection is closed.
    _used: FileUse,
}

impl FileConnection {
    /// Copies a log with leftovers of killed processes into the database file, so that the next change starts the log
    /// over. Without its index, such a log looks damaged.
    pub(super) fn without_leftovers(self, log: Option<LogContent>) -> Self {
        if log == Some(LogContent::Leftovers) {
            let copy = "PRAGMA wal_checkpoint(PASSIVE)";
            // If the log cannot be copied now, a later process copies it.
            let _ = self.connection.query_row(copy, [], |_| Ok(()));
        }
        self
    }
}

impl Drop for FileConnection {
    /// Closes the connection. `SQLite` makes the last connection of a file copy the log into the file and remove the
    /// log. This is prevented if the files are not the ones that this connection opened, because the log may then
    /// contain entries of other processes that this connection has not read.
    fn drop(&mut self) {
        if self.files.are_there().is_err() {
            let leave = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            // This setting cannot fail: it only changes a flag of the connection.
            let _ = self.connection.set_db_config(leave, true);
        }
    }
}

/// Opens the connection for writing.
pub(super) fn writer(
    path: &Path,
    mode: Mode,
    checkpoints: Checkpoints,
    lost: &Arc<LostSessions>,
) -> Result<FileConnection, StoreError> {
    let create = match mode {
        Mode::OrCreate => OpenFlags::SQLITE_OPEN_CREATE,
        Mode::Existing => OpenFlags::empty(),
    };
    let failed = |error| of_sqlite(path, &error);
    let used = FileUse::begin(path)?;
    if mode == Mode::OrCreate {
        make_private(path);
    }
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | create)?;
    // Only SQLite may be asked whether the file is read-only: opening and closing the file in any other way would
    // release the locks that this process has on it.
    if connection.is_readonly(MAIN_DB).map_err(failed)? {
        let message = format!("`{}` is read-only", path.display());
        return Err(StoreError::new(StoreErrorKind::ReadOnly, message));
    }
    set_page_size(&connection).map_err(failed)?;
    recognise(path, &mut connection, mode)?;
    // The file itself is writable, so SQLite has found in the header that it must not write.
    if connection.is_readonly(MAIN_DB).map_err(failed)? {
        let damage = "the header says that a newer version of SQLite wrote the file";
        return Err(with_damaged_pages(path, damage));
    }
    schema::refuse_damaged(path, &connection)?;
    durable(&connection, checkpoints).map_err(failed)?;
    connected(path, used, connection, lost)
}

/// Sets the page size of a new file. A file that already has pages keeps its page size.
pub(super) fn set_page_size(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", PAGE)
}

/// Creates a new file that only its owner can access, because `SQLite` would create a file that everyone can read. The
/// log gets the same permissions as the file. An existing file is left unchanged and is not opened here, because
/// closing it would release locks.
#[cfg(unix)]
fn make_private(path: &Path) {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    // If the file cannot be created here, SQLite fails to open it and reports the reason.
    let _ = options.open(path);
}

#[cfg(not(unix))]
fn make_private(_: &Path) {}

/// Opens a connection for reading. The file is still opened in read-write mode, because readers take part in locking if
/// other processes write to the file, but this connection never changes the file.
///
/// If this process cannot write to the file or to its folder, and no other process is using the file, the file is read
/// without locking. `SQLite` would otherwise create further files in the folder with the permissions of the database
/// file, and the owner of the database file could not write to them later.
pub(super) fn reader(path: &Path, lost: &Arc<LostSessions>) -> Result<FileConnection, StoreError> {
    let used = FileUse::begin(path)?;
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let is_readonly = connection.is_readonly(MAIN_DB);
    if is_readonly.map_err(|error| of_sqlite(path, &error))? && !files::is_in_use(path) {
        drop(connection);
        return unlocked(path, lost);
    }
    match reading(path, used, connection, lost) {
        Err(error) if is_read_only(error.kind) => unlocked(path, lost).map_err(|unlocked| {
            // A file that does not exist is not read-only.
            if path.exists() { unlocked } else { error }
        }),
        read => read,
    }
}

/// Returns whether an error of this kind may mean that the file or its folder is read-only.
pub(super) fn is_read_only(kind: StoreErrorKind) -> bool {
    matches!(kind, StoreErrorKind::ReadOnly | StoreErrorKind::Unreachable)
}

/// Returns whether a file that cannot be opened for writing, because of an error of this kind, may still be read.
pub(super) fn is_readable(kind: StoreErrorKind) -> bool {
    is_read_only(kind) || kind == StoreErrorKind::Damaged
}

/// Opens a read-only file without locking. This works only if all data is in the file itself.
fn unlocked(path: &Path, lost: &Arc<LostSessions>) -> Result<FileConnection, StoreError> {
    if files::has_log(path) {
        let message = format!(
            "`{0}` or its folder is read-only, but a part of the data is in `{0}-wal`: copy both files to a folder \
             that you can write to, and open the copy",
            path.display()
        );
        return Err(StoreError::new(StoreErrorKind::ReadOnly, message));
    }
    let used = FileUse::begin(path)?;
    let immutable = format!("file:{}?immutable=1", files::in_uri(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = open(Path::new(&immutable), flags)?;
    let mut connected = reading(path, used, connection, lost)?;
    connected.is_locking = false;
    Ok(connected)
}

// Parameters are dropped from the last to the first, so the connection is closed before `used` is dropped.
fn reading(
    path: &Path,
    used: FileUse,
    connection: Connection,
    lost: &Arc<LostSessions>,
) -> Result<FileConnection, StoreError> {
    let failed = |error| of_sqlite(path, &error);
    connection
        .pragma_update(None, "query_only", true)
        .map_err(failed)?;
    connected(path, used, connection, lost)
}

/// Returns a connection that has already read from its file, so that the write-ahead log exists as well.
fn connected(
    path: &Path,
    used: FileUse,
    connection: Connection,
    lost: &Arc<LostSessions>,
) -> Result<FileConnection, StoreError> {
    connection.set_prepared_statement_cache_capacity(64);
    let layout = layout(path, &connection, Mode::Existing)?;
    let layout = layout.ok_or_else(|| empty(path))?;
    Ok(FileConnection {
        connection,
        layout,
        files: Files::of(path),
        is_locking: true,
        lost: Arc::clone(lost),
        _used: used,
    })
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error| of_sqlite(path, &error);
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_handler(Some(wait)).map_err(failed)?;
    // Without this setting, SQLite would plan a statement again whenever a different session is looked up.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(failed)?;
    Ok(connection)
}

fn wait(looks: i32) -> bool {
    thread::sleep(LOOK_AGAIN);
    looks < LOOKS
}

/// Makes every commit wait for the disk, and lets readers proceed without waiting for the writer.
fn durable(connection: &Connection, checkpoints: Checkpoints) -> rusqlite::Result<()> {
    // SQLite does not call the busy handler when it changes the journal mode, so this loop retries while other
    // processes are opening the file.
    let mut looks = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if is_busy(&error) && looks < OPENING_LOOKS => {
                thread::sleep(LOOK_AGAIN);
                looks += 1;
            }
            changed => break changed?,
        }
    }
    // After a checkpoint, the write-ahead log is overwritten from the start. A log that does not grow is written to
    // disk faster.
    connection.pragma_update(None, "wal_autocheckpoint", checkpoints.pages())?;
    // SQLite would write a page of a large transaction a second time, with checksums that are wrong until the end of
    // the commit. If the process is killed there, its log looks damaged.
    connection.pragma_update(None, "cache_spill", false)?;
    connection.pragma_update(None, "synchronous", "full")
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseBusy | DatabaseLocked)
    )
}

/// Creates the tables in an empty file, migrates the tables of an earlier version to the current layout, and refuses a
/// file with an unknown layout.
fn recognise(path: &Path, connection: &mut Connection, mode: Mode) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    if layout(path, connection, mode)? == Some(Layout::CURRENT) {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have created the tables in the meantime.
    let found = layout(path, &transaction, mode)?;
    if found == Some(Layout::CURRENT) {
        return Ok(());
    }
    layout::make(&transaction, found).map_err(|error| match found {
        // The tables do not match the layout in the header, so the layout number in the header is wrong.
        Some(layout) if kind(&error) == StoreErrorKind::Failed => {
            let number = layout.number();
            let damage = format!("the file is marked as format {number}, but its tables have another format ({error})");
            with_damaged_pages(path, &damage)
        }
        _ => failed(error),
    })?;
    mark(&transaction).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Marks a file as a store with the current layout.
pub(super) fn mark(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", Layout::CURRENT.number())
}

fn empty(path: &Path) -> StoreError {
    let message = format!("`{}` is empty", path.display());
    StoreError::new(StoreErrorKind::Foreign, message)
}

/// Returns the layout of a file; `None` if the file is empty and may be used to create a store.
fn layout(path: &Path, connection: &Connection, mode: Mode) -> Result<Option<Layout>, StoreError> {
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    // A single statement reads all values at the same moment, even if another process is creating the tables.
    let (application, number, tables): (i64, i64, i64) = connection
        .query_row(
            "SELECT (SELECT application_id FROM pragma_application_id),
                    (SELECT user_version FROM pragma_user_version),
                    (SELECT count(*) FROM sqlite_schema)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .map_err(failed)?;
    let known = Layout::CURRENT.number();
    match (application, Layout::of(number)) {
        (APPLICATION, Some(layout)) => Ok(Some(layout)),
        (APPLICATION, None) if number > known => Err(foreign(
            path,
            &format!(
                "was written by a newer version of plan-machine: it has format {number}, \
                 but this version supports only formats up to {known}"
            ),
        )),
        (0, None) if number == 0 && tables == 0 && mode == Mode::OrCreate => Ok(None),
        (0, None) if number == 0 && tables == 0 => Err(empty(path)),
        _ => Err(foreign(path, "is not a store of plan-machine")),
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    /// Returns the `synchronous` level of a connection: 2 is `FULL`, with which every commit waits for the disk.
    fn synchronous(connection: &Connection) -> i64 {
        let level = connection.pragma_query_value(None, "synchronous", |row| row.get(0));
        level.expect("a level")
    }

    /// The level is set explicitly, instead of relying on the default of `SQLite`.
    #[test]
    fn every_commit_waits_for_the_disk_even_if_the_default_is_not_to_wait() {
        for checkpoints in [Checkpoints::ByCommits, Checkpoints::WhenLeaving] {
            let connection = Connection::open_in_memory().expect("a database");
            let off = connection.pragma_update(None, "synchronous", "off");
            off.expect("another level");
            assert_eq!(synchronous(&connection), 0);
            durable(&connection, checkpoints).expect("the settings");
            assert_eq!(synchronous(&connection), 2, "{checkpoints:?}");
        }
    }

    #[test]
    fn every_commit_of_a_writer_waits_for_the_disk() {
        let folder = env::temp_dir().join(format!("plan-machine-writer-{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (name, checkpoints) in [
            ("commits.db", Checkpoints::ByCommits),
            ("leaving.db", Checkpoints::WhenLeaving),
        ] {
            let path = folder.join(name);
            let opened = writer(&path, Mode::OrCreate, checkpoints, &Arc::default());
            let opened = opened.expect("a new store");
            assert_eq!(synchronous(&opened.connection), 2, "{checkpoints:?}");
        }
        fs::remove_dir_all(&folder).expect("the folder is removed");
    }
}
