//! The writer of a file. Only one task writes at a time, and all requests that arrive in the meantime are written
//! together, so that they wait for the disk only once.
//!
//! If the disk is fast, the first task to arrive writes the requests of all waiting tasks, on its own thread, because
//! waking another thread would take longer than the disk. If the disk is slow, a separate thread writes and waits for
//! the disk, so that other tasks are not delayed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::check::{self, PageCheck};
use super::connect::{self, Checkpoints, FileConnection, Mode};
use super::error::{of_sqlite, with_damaged_pages};
use super::files;
use super::in_use::locked;
use super::known::KnownFiles;
use super::repair;
use super::work::{DataChange, Work};
use super::write;
use crate::store::lost::LostSessions;
use crate::store::{StoreError, StoreErrorKind};

/// The maximum number of jobs in one transaction, so that no job has to wait for too many others.
const MOST: usize = 1024;

/// A disk counts as fast if a transaction takes less time than this. A task may wait this long without noticeably
/// delaying other tasks on its thread.
const QUICK: Duration = Duration::from_millis(1);

/// While only one task writes, it pauses once in this many writes, so that other tasks can add their jobs to its
/// transaction.
const LOOK_ROUND: u32 = 64;

/// A request to write, and the channel to the task that is waiting for the result.
struct Job {
    work: Work,
    answer: oneshot::Sender<Result<DataChange, StoreError>>,
}

/// The writer of a file. All changes that this process makes to the file go through it.
pub(super) struct Writer {
    waiting: Mutex<Vec<Job>>,
    file: Mutex<File>,
    /// Wakes the thread that writes if the disk is slow.
    bell: SyncSender<()>,
    /// The moving average of the duration of transactions, in nanoseconds.
    pace: AtomicU64,
    /// The number of writes since jobs of several tasks were last written in one transaction.
    alone: AtomicU32,
    changes: watch::Sender<u64>,
}

impl Writer {
    /// Returns a writer, and the receiver that wakes its thread.
    pub(super) fn new(path: PathBuf, opened: WriterState) -> (Self, Receiver<()>) {
        let (bell, rung) = sync_channel(1);
        let writer = Self {
            waiting: Mutex::default(),
            file: Mutex::new(File {
                path,
                connected: opened.connected,
                pages: opened.pages,
                lost: opened.lost,
                known: opened.known,
            }),
            bell,
            pace: AtomicU64::new(0),
            alone: AtomicU32::new(0),
            changes: watch::Sender::new(0),
        };
        (writer, rung)
    }

    /// Returns a receiver that is notified of the changes that this process makes to the file.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Reads with the connection for writing, and waits for a write that is in progress.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&FileConnection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        locked(&self.file).on(read)
    }

    /// Copies the log into the database file and empties it, unless other processes are using the file.
    pub(super) fn empty_log(&self) {
        let file = locked(&self.file);
        if let Some(connected) = &file.connected
            && file.known.are_there(connected).is_ok()
        {
            let connection = &connected.connection;
            // If the log cannot be emptied now, another process empties it later.
            let _ = connection.busy_timeout(Duration::ZERO);
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    /// Submits a request to write, and waits for the result.
    pub(super) async fn write(&self, work: Work) -> Result<DataChange, StoreError> {
        let (quick, company) = (self.is_quick(), self.expects_company());
        if quick
            && !company
            && let Some(written) = self.write_alone(&work)
        {
            return written;
        }
        let (answer, answered) = oneshot::channel();
        locked(&self.waiting).push(Job { work, answer });
        if quick {
            if company {
                // Other tasks that are about to write may add their jobs now. If this task is cancelled in the
                // meantime, the separate thread writes the job of this task.
                let leaving = Leaving(Some(self));
                tokio::task::yield_now().await;
                leaving.stayed();
            }
            self.write_here();
            self.ring_for_others();
        } else {
            self.ring();
        }
        let gone = |_| {
            StoreError::new(
                StoreErrorKind::Failed,
                "the writer of the file stopped before it returned a result",
            )
        };
        answered.await.map_err(gone)?
    }

    /// Carries out a request directly, without a job. If another task is waiting or writing, the request is not carried
    /// out, and `None` is returned.
    fn write_alone(&self, work: &Work) -> Option<Result<DataChange, StoreError>> {
        let mut file = try_locked(&self.file)?;
        if !locked(&self.waiting).is_empty() {
            return None;
        }
        let began = Instant::now();
        let written = file.alone(work);
        self.done(began, written == Ok(DataChange::Yes));
        drop(file);
        self.ring_for_others();
        Some(written)
    }

    /// Returns whether other tasks are likely to write at the same time: this is assumed after jobs have been written
    /// together, and once in every `LOOK_ROUND` writes.
    fn expects_company(&self) -> bool {
        let alone = self.alone.fetch_add(1, Ordering::Relaxed);
        alone.is_multiple_of(LOOK_ROUND)
    }

    fn is_quick(&self) -> bool {
        u128::from(self.pace.load(Ordering::Relaxed)) < QUICK.as_nanos()
    }

    /// Wakes the thread if jobs arrived during a write, because the tasks that added those jobs rely on the thread.
    fn ring_for_others(&self) {
        if !locked(&self.waiting).is_empty() {
            self.ring();
        }
    }

    /// Writes the waiting jobs, unless another task is writing. In that case, the other task checks for waiting jobs
    /// when it is done. Returns whether this task was able to write.
    fn write_here(&self) -> bool {
        let file = try_locked(&self.file);
        file.map(|mut file| self.write_waiting(&mut file)).is_some()
    }

    /// Writes the waiting jobs, checkpoints the write-ahead log into the database file, and closes the connection. The
    /// next write opens a new connection.
    pub(super) fn close(&self) -> Result<(), StoreError> {
        let mut file = locked(&self.file);
        while !locked(&self.waiting).is_empty() {
            self.write_waiting(&mut file);
        }
        file.close()
    }

    fn ring(&self) {
        // If the channel is full, the thread has already been notified, so that error is ignored.
        if let Err(TrySendError::Disconnected(())) = self.bell.try_send(()) {
            // If the thread has ended, the writer still works, but the caller is blocked while it writes.
            while !locked(&self.waiting).is_empty() && self.write_here() {}
        }
    }

    /// Writes the waiting jobs in one transaction.
    fn write_waiting(&self, file: &mut File) {
        let mut waiting = locked(&self.waiting);
        let many = waiting.len().min(MOST);
        let jobs: Vec<Job> = waiting.drain(..many).collect();
        drop(waiting);
        if jobs.is_empty() {
            return;
        }
        if jobs.len() > 1 {
            self.alone.store(0, Ordering::Relaxed);
        }
        let began = Instant::now();
        let works: Vec<&Work> = jobs.iter().map(|job| &job.work).collect();
        let results = file.write(&works);
        self.done(began, results.contains(&Ok(DataChange::Yes)));
        for (job, result) in jobs.into_iter().zip(results) {
            // If the receiver has been dropped, the session finds the result when it is next opened.
            let _ = job.answer.send(result);
        }
    }

    /// Records how long a transaction took, and notifies watchers if it changed anything.
    fn done(&self, began: Instant, changed: bool) {
        self.remember(began.elapsed());
        // If there are no subscribers, no notification is needed: new subscribers read the current data first.
        if changed && self.changes.receiver_count() > 0 {
            self.changes.send_modify(|changes| *changes += 1);
        }
    }

    /// Updates the moving average of the duration of transactions, so that a single slow transaction does not make the
    /// disk count as slow.
    fn remember(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let pace = self.pace.load(Ordering::Relaxed);
        self.pace
            .store(pace - pace / 8 + took / 8, Ordering::Relaxed);
    }
}

/// Writes the waiting jobs whenever the thread is woken, for as long as the writer exists.
pub(super) fn listen(writer: &Weak<Writer>, bell: &Receiver<()>) {
    while bell.recv().is_ok() {
        let Some(writer) = writer.upgrade() else {
            return;
        };
        while !locked(&writer.waiting).is_empty() {
            let mut file = locked(&writer.file);
            writer.write_waiting(&mut file);
        }
    }
}

/// Ensures that a waiting job is written if the task that queued it is cancelled.
struct Leaving<'a>(Option<&'a Writer>);

impl Leaving<'_> {
    fn stayed(mut self) {
        self.0 = None;
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if let Some(writer) = self.0 {
            writer.ring();
        }
    }
}

fn try_locked<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The initial state of the writer of a newly opened store.
pub(super) struct WriterState {
    /// The connection for writing; `None` if the file can only be read, because it is read-only or damaged.
    pub(super) connected: Option<FileConnection>,
    pub(super) pages: PageCheck,
    /// The lost sessions of the file.
    pub(super) lost: Arc<LostSessions>,
    pub(super) known: Arc<KnownFiles>,
}

struct File {
    path: PathBuf,
    /// The connection for writing; `None` after an error, after the file has been closed, or if the file was opened
    /// read-only. The next write tries to open a new connection.
    connected: Option<FileConnection>,
    pages: PageCheck,
    lost: Arc<LostSessions>,
    known: Arc<KnownFiles>,
}

impl File {
    fn write(&mut self, works: &[&Work]) -> Vec<Result<DataChange, StoreError>> {
        if let [work] = works {
            return vec![self.alone(work)];
        }
        match self.change(works, |connected| together(connected, works)) {
            Ok(worked) => worked.into_iter().map(Ok).collect(),
            // The error affects all jobs equally, so they are not tried one by one.
            Err(error) if is_of_all(error.kind) => vec![Err(error); works.len()],
            // The error may be caused by a single job, which must not prevent the other jobs from being written.
            Err(_) => works.iter().map(|work| self.alone(work)).collect(),
        }
    }

    /// Checkpoints the write-ahead log into the database file, and closes the connection. This waits for readers in
    /// other processes for as long as a commit would wait for a lock. After that, the checkpoint is left to those
    /// processes.
    fn close(&mut self) -> Result<(), StoreError> {
        let Some(connected) = self.connected.take() else {
            return Ok(());
        };
        self.known.are_there(&connected)?;
        let emptied = connected
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        emptied.map_err(|error| of_sqlite(&self.path, &error))?;
        drop(connected);
        files::forget_left(&self.path);
        self.known.closed();
        Ok(())
    }

    fn alone(&mut self, work: &Work) -> Result<DataChange, StoreError> {
        self.change(&[work], |connected| alone(connected, work))
    }

    /// Calls `write` with the connection, unless the file has damaged pages that these jobs may reach. The pages are
    /// checked before the first change, and again after a change that failed because of damage.
    fn change<T>(
        &mut self,
        works: &[&Work],
        write: impl FnOnce(&FileConnection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        if matches!(self.pages, PageCheck::Unknown) {
            let path = self.path.clone();
            self.pages = self.on(|connected| Ok(check::pages(&path, &connected.connection)))?;
        }
        let deletes = works.iter().any(|work| matches!(work, Work::Delete(_)));
        match &self.pages {
            PageCheck::Damaged(damage) => return Err(with_damaged_pages(&self.path, damage)),
            PageCheck::Old(damage) if deletes => {
                return Err(with_damaged_pages(&self.path, damage));
            }
            _ => {}
        }
        let written = self.on(write);
        if matches!(&written, Err(error) if error.kind == StoreErrorKind::Damaged) {
            self.pages = PageCheck::Unknown;
        }
        written
    }

    /// Calls `write` with the connection, which is opened first if necessary. After an error, the connection is
    /// dropped, which rolls back its transaction. A change does not count as written until this method has checked that
    /// the files are still in place and complete.
    fn on<T>(
        &mut self,
        write: impl FnOnce(&FileConnection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.known.are_usable()?;
        let connected = self.connected.take().map_or_else(
            || {
                connect::writer(
                    &self.path,
                    Mode::Existing,
                    Checkpoints::ByCommits,
                    &self.lost,
                )
            },
            Ok,
        )?;
        self.known.are_there(&connected)?;
        let written = write(&connected);
        if written.is_err() {
            // When the last connection is closed, `SQLite` drops the rest of a log that was truncated.
            self.known.are_there(&connected)?;
        }
        let written = written.map_err(|error| of_sqlite(&self.path, &error))?;
        self.known.follow(&connected)?;
        self.connected = Some(connected);
        Ok(written)
    }
}

/// Returns whether an error of this kind affects all waiting jobs.
fn is_of_all(kind: StoreErrorKind) -> bool {
    use StoreErrorKind::{Busy, ReadOnly, Unreachable};
    matches!(kind, Busy | ReadOnly | Unreachable)
}

fn alone(on: &FileConnection, work: &Work) -> rusqlite::Result<DataChange> {
    if let Work::Append(commit) = work
        && write::follow(&on.connection, commit)?
    {
        return Ok(DataChange::Yes);
    }
    transaction(&on.connection, || apply(on, work))
}

/// Writes all jobs in one transaction.
fn together(on: &FileConnection, works: &[&Work]) -> rusqlite::Result<Vec<DataChange>> {
    transaction(&on.connection, || {
        let works = works.iter();
        works.map(|work| apply(on, work)).collect()
    })
}

fn transaction<T>(
    connection: &Connection,
    write: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // The statements are cached, because parsing them each time would take longer than many commits do.
    let run = |statement: &str| connection.prepare_cached(statement)?.execute([]);
    run("BEGIN IMMEDIATE")?;
    let written = write()?;
    run("COMMIT")?;
    Ok(written)
}

fn apply(on: &FileConnection, work: &Work) -> rusqlite::Result<DataChange> {
    match work {
        Work::Append(commit) => write::append(on, commit),
        Work::Settle(session, one) => write::settle(on, session, *one),
        Work::Repair(session) => repair::session(on, session),
        Work::Delete(session) => write::delete(on, session),
    }
}
