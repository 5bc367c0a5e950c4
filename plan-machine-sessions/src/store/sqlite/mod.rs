//! The embedded store: a `SQLite` file, which several processes may use at the same time.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use plan_machine_sessions::store::{Sqlite, Store};
//!
//! let store: Arc<dyn Store> = Arc::new(Sqlite::open("plans.db")?);
//! # Ok::<(), plan_machine_sessions::store::StoreError>(())
//! ```
//!
//! There is one writer at a time. All requests that arrive while it is busy are written in one transaction, so that
//! concurrent sessions share the wait for the disk.

mod check;
mod connect;
mod error;
mod extent;
mod files;
mod find;
mod in_use;
mod index;
mod known;
mod layout;
mod log;
mod lost;
mod numbers;
mod old_entries;
mod place;
mod read;
mod repair;
mod salvage;
mod schema;
mod work;
mod write;
mod writer;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use self::check::PageCheck;
use self::connect::{Checkpoints, FileConnection, Mode};
use self::error::of_sqlite;
use self::in_use::FileUse;
use self::known::KnownFiles;
pub use self::salvage::{SalvageReport, SalvagedSession};
use self::work::{DataChange, Work};
use self::writer::{Writer, WriterState};
use super::lost::LostSessions;
use super::{
    AppendOutcome, Commit, Head, ListedSession, Place, PlacedEntry, Row, Store, StoreChanges,
    StoreError, StoreErrorKind, StoreFuture, StoredAnswer, StoredSession, UnlistedSession,
    UnsettledEntry,
};
use plan_machine_kernel::time::Instant;

use crate::identity::SessionIdentity;

/// The minimum size in bytes of a log that a process empties when it leaves the file. Each process reads the whole log
/// when it opens the file.
const LARGE_LOG: u64 = 1 << 18;

/// How often watchers check whether other processes have changed the file.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Stores sessions durably in a `SQLite` file: a change is reported as stored only after it is on disk.
pub struct Sqlite {
    path: PathBuf,
    writer: Arc<Writer>,
    readers: Arc<Readers>,
    stay: Stay,
}

/// How long a process uses the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    /// The process handles many requests, some of them at the same time.
    Long,
    /// The process handles one request, so there is a single connection, and no thread reads while another one writes.
    Brief,
}

/// The connections for reading, which are reused.
struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<FileConnection>>,
    lost: Arc<LostSessions>,
    known: Arc<KnownFiles>,
}

impl Readers {
    fn read<T>(
        &self,
        read: impl FnOnce(&FileConnection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let failed = |error| of_sqlite(&self.path, &error);
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        self.known.are_usable()?;
        let reused = idle().pop();
        let connected = match reused {
            Some(connected) => connected,
            None => connect::reader(&self.path, &self.lost)?,
        };
        let result = read(&connected).map_err(failed);
        // If the file was removed or replaced, other processes see a different file, so the result must not be used.
        if let Err(gone) = self.known.are_there(&connected) {
            idle().clear();
            return Err(gone);
        }
        if !connected.is_locking && files::is_in_use(&self.path) {
            // Another process has begun to change the file during the read, which no lock prevented.
            let changed = format!(
                "`{}` was changed while it was being read",
                self.path.display()
            );
            return Err(StoreError::new(StoreErrorKind::Busy, changed));
        }
        // A connection is not reused after an error.
        if result.is_ok() && connected.is_locking {
            idle().push(connected);
        }
        result
    }
}

impl Readers {
    /// Closes the connections for reading that are not in use.
    fn close(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.clear();
    }
}

impl Sqlite {
    /// Opens a store; its file is created if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened for writing, its log or the definitions of its tables are damaged, it is not a
    /// store of plan-machine, or a newer version of plan-machine wrote it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::opened(path.as_ref(), Mode::OrCreate, Stay::Long)
    }

    /// Opens a store for a single request, in a process that ends afterwards; the file is created if it does not exist.
    /// Such a process calls [`leave`](Self::leave) at its end instead of closing the store.
    ///
    /// Such a store supports all operations, but it carries them out one at a time.
    ///
    /// # Errors
    ///
    /// In the same cases as [`open`](Self::open).
    pub fn open_briefly(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::opened(path.as_ref(), Mode::OrCreate, Stay::Brief)
    }

    /// Records that the files are in order, and leaves the write-ahead log to the next process. Everything that was
    /// acknowledged is on disk, but a part of it may be only in the log, so a copy of the file is complete only
    /// together with the log. Closing the store would move the content of the log into the file, which takes longer
    /// than the request itself. This method therefore does so only if the log has become large and no other process
    /// uses the file.
    ///
    /// The process must end after this call: a later change would make the next process check the whole file.
    pub fn leave(&self) {
        if files::log_size(&self.path) > LARGE_LOG {
            self.writer.empty_log();
        }
        files::mark_left(&self.path);
    }

    /// Opens an existing store. If the file is not writable, or the definitions of its tables are damaged, the store
    /// can be read, but any attempt to change it fails.
    ///
    /// # Errors
    ///
    /// If the file does not exist or cannot be opened, its log is damaged, it is not a store of plan-machine, or a
    /// newer version of plan-machine wrote it.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::opened(path.as_ref(), Mode::Existing, Stay::Long)
    }

    fn opened(path: &Path, mode: Mode, stay: Stay) -> Result<Self, StoreError> {
        let path = &place::of(path)?;
        // The log is checked before anything else opens the file.
        let used = FileUse::begin(path)?;
        let pages = if stay == Stay::Brief && files::is_left(path) {
            // The last process has used these files, and nothing has changed them since.
            PageCheck::Sound
        } else {
            unclean(path)?
        };
        let checkpoints = match stay {
            Stay::Long => Checkpoints::ByCommits,
            Stay::Brief => Checkpoints::WhenLeaving,
        };
        let lost = Arc::new(LostSessions::default());
        let known = Arc::new(KnownFiles::new(path.to_owned()));
        let opened = match connect::writer(path, mode, checkpoints, &lost) {
            Err(error) if connect::is_readable(error.kind) && mode == Mode::Existing => {
                connect::reader(path, &lost)?;
                WriterState {
                    connected: None,
                    pages: PageCheck::Unknown,
                    lost: Arc::clone(&lost),
                    known: Arc::clone(&known),
                }
            }
            connected => WriterState {
                connected: Some(connected?.without_leftovers(used.log)),
                pages,
                lost: Arc::clone(&lost),
                known: Arc::clone(&known),
            },
        };
        let (writer, bell) = Writer::new(path.to_owned(), opened);
        let writer = Arc::new(writer);
        let listener = Arc::downgrade(&writer);
        thread::Builder::new()
            .name("plan-machine-sqlite".to_owned())
            .spawn(move || writer::listen(&listener, &bell))
            .map_err(|error| StoreError::new(StoreErrorKind::Failed, error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            writer,
            readers: Arc::new(Readers {
                path: path.to_owned(),
                idle: Mutex::default(),
                lost,
                known,
            }),
            stay,
        })
    }

    /// Copies everything that can be read from a damaged file to a new file, and returns what was copied. The damaged
    /// file does not change. Sessions that have lost something cannot be used in the new file until they are
    /// [restarted](crate::Session::restart), unless only entries before their last snapshot are lost.
    ///
    /// No process may use the damaged file at the same time, and this process must not have it open.
    ///
    /// # Errors
    ///
    /// If the damaged file cannot be opened or changes during the copy, or if the new file already exists or cannot be
    /// written.
    pub fn salvage(
        damaged: impl AsRef<Path>,
        new: impl AsRef<Path>,
    ) -> Result<SalvageReport, StoreError> {
        salvage::copy(damaged.as_ref(), new.as_ref())
    }

    /// Returns the absolute path of the file, with all symbolic links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads on a separate thread, which may block while it waits for the disk. A store that was opened briefly reads
    /// on the calling thread.
    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&FileConnection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        if self.stay == Stay::Brief {
            return Box::pin(async move { self.writer.read(read) });
        }
        let readers = Arc::clone(&self.readers);
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || readers.read(read)).await;
            read.map_err(|error| StoreError::new(StoreErrorKind::Failed, error.to_string()))?
        })
    }
}

/// Checks the pages of a file that was not closed properly.
fn unclean(path: &Path) -> Result<PageCheck, StoreError> {
    let pages = check::after_unclean_end(path).map_err(|error| of_sqlite(path, &error))?;
    if let PageCheck::Old(damage) | PageCheck::Damaged(damage) = &pages {
        tracing::error!(path = %path.display(), %damage, "some pages of the store are damaged");
    }
    Ok(pages)
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sqlite").field(&self.path).finish()
    }
}

impl Store for Sqlite {
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome> {
        Box::pin(async move {
            let work = Work::Append(Box::new(commit));
            Ok(match self.writer.write(work).await? {
                DataChange::Yes => AppendOutcome::Stored,
                DataChange::No => AppendOutcome::Conflict,
            })
        })
    }

    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession> {
        let session = session.clone();
        self.read(move |on| read::session(on, &session))
    }

    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head> {
        let session = session.clone();
        self.read(move |on| read::head(on, &session))
    }

    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>> {
        let session = session.clone();
        self.read(move |on| read::history(on, &session, after, most))
    }

    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>> {
        self.read(move |on| read::everything(on, after, most))
    }

    fn end(&self) -> StoreFuture<'_, Place> {
        self.read(read::end)
    }

    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>> {
        let (session, call_id) = (session.clone(), call_id.to_owned());
        self.read(move |on| read::answer(on, &session, &call_id))
    }

    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        let session = session.clone();
        self.read(move |on| read::answers(on, &session, from, to))
    }

    fn last_answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        let session = session.clone();
        self.read(move |on| read::last_answers(on, &session, from, to, most))
    }

    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>> {
        let session = session.clone();
        self.read(move |on| read::pending(on, &session, most))
    }

    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>> {
        let after = after.cloned();
        self.read(move |on| read::waiting(on, after.as_ref(), most))
    }

    fn due(&self, until: Instant, most: u32) -> StoreFuture<'_, Vec<SessionIdentity>> {
        self.read(move |on| read::due(on, until, most))
    }

    fn due_at<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Option<Instant>> {
        let session = session.clone();
        self.read(move |on| read::due_at(on, &session))
    }

    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()> {
        let work = Work::Settle(session.clone(), Some((seq, position)));
        Box::pin(async move { self.writer.write(work).await.map(drop) })
    }

    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        let work = Work::Settle(session.clone(), None);
        Box::pin(async move { self.writer.write(work).await.map(drop) })
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>> {
        let after = after.cloned();
        self.read(move |on| read::sessions(on, after.as_ref(), most))
    }

    fn unlisted(&self) -> StoreFuture<'_, Vec<UnlistedSession>> {
        self.read(lost::unlisted)
    }

    fn repair<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        let work = Work::Repair(session.clone());
        Box::pin(async move { self.writer.write(work).await.map(drop) })
    }

    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool> {
        let work = Work::Delete(session.clone());
        Box::pin(async move { Ok(self.writer.write(work).await? == DataChange::Yes) })
    }

    fn wake(&self) -> StoreChanges {
        StoreChanges::new(self.writer.changes(), Some(LOOK_EVERY))
    }

    /// Checks the whole file. This takes time, because all of the file is read.
    fn check(&self) -> StoreFuture<'_, Vec<String>> {
        self.read(|on| Ok(check::all(on)))
    }

    /// Checkpoints the write-ahead log into the database file, and closes the connections that are not in use. `SQLite`
    /// does this itself when the last connection is closed, but threads that are still running when a process ends
    /// never close their connections. The next operation opens a new connection.
    fn close(&self) -> StoreFuture<'_, ()> {
        let (writer, readers) = (Arc::clone(&self.writer), Arc::clone(&self.readers));
        Box::pin(async move {
            let close = move || {
                readers.close();
                writer.close()
            };
            let closed = tokio::task::spawn_blocking(close).await;
            closed.map_err(|error| StoreError::new(StoreErrorKind::Failed, error.to_string()))?
        })
    }
}
