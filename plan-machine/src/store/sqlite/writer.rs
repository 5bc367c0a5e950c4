//! One writer at a time, and one wait for the disk for all that has come meanwhile.
//!
//! Where the disk is quick, whoever comes first writes for all who wait, where it stands: waking
//! another thread would take longer than the disk. Where the disk is slow, a thread of its own waits
//! for it, so that nothing else is held up.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::connect::{self, Mode};
use super::error::of_sqlite;
use super::write;
use crate::session::SessionIdentity;
use crate::store::{Commit, StoreError, StoreErrorKind};

/// How much goes into one transaction at most, so that nobody waits for too many others.
const MOST: usize = 1024;

/// A disk is quick if a task may wait for it without holding up the others on its thread.
const QUICK: Duration = Duration::from_millis(1);

/// How often one who writes alone lets others come along first.
const LOOK_ROUND: u32 = 16;

/// Something to write, and who waits for it.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) answer: oneshot::Sender<Result<Worked, StoreError>>,
}

/// Something to write.
pub(super) enum Work {
    Append(Box<Commit>),
    Settle(SessionIdentity, u64, u32),
    Delete(SessionIdentity),
}

/// Whether there was something to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worked {
    Yes,
    No,
}

/// The one place where the file is written.
pub(super) struct Writer {
    waiting: Mutex<Vec<Job>>,
    file: Mutex<File>,
    /// Wakes the thread that waits for slow disks.
    bell: SyncSender<()>,
    /// How long the last transactions took, in nanoseconds.
    pace: AtomicU64,
    /// How many have written alone since a transaction was shared.
    alone: AtomicU32,
    changes: watch::Sender<u64>,
}

impl Writer {
    /// A writer, and the bell that its thread listens to.
    pub(super) fn new(path: PathBuf, connection: Connection) -> (Self, Receiver<()>) {
        let (bell, rung) = sync_channel(1);
        let writer = Self {
            waiting: Mutex::default(),
            file: Mutex::new(File {
                path,
                connection: Some(connection),
            }),
            bell,
            pace: AtomicU64::new(0),
            alone: AtomicU32::new(0),
            changes: watch::Sender::new(0),
        };
        (writer, rung)
    }

    /// Wakes those who wait for something new in this process.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Puts something among what waits to be written.
    pub(super) fn put(&self, job: Job) {
        locked(&self.waiting).push(job);
    }

    /// Sees to it that what waits is written: here, or by the thread.
    pub(super) async fn urge(&self) {
        if !self.is_quick() {
            return self.ring();
        }
        if self.expects_company() {
            // Whoever else is about to write something may come along.
            tokio::task::yield_now().await;
        }
        self.write_here();
        if !locked(&self.waiting).is_empty() {
            self.ring();
        }
    }

    /// Whether the last transaction was shared. One who writes alone looks round now and then.
    fn expects_company(&self) -> bool {
        let alone = self.alone.fetch_add(1, Ordering::Relaxed);
        alone.is_multiple_of(LOOK_ROUND)
    }

    fn is_quick(&self) -> bool {
        u128::from(self.pace.load(Ordering::Relaxed)) < QUICK.as_nanos()
    }

    /// Writes what waits, unless somebody is writing: they look again when they are done.
    fn write_here(&self) {
        if let Ok(mut file) = self.file.try_lock() {
            self.write(&mut file);
        }
    }

    fn ring(&self) {
        // A bell that is ringing need not be rung.
        if let Err(TrySendError::Disconnected(())) = self.bell.try_send(()) {
            // Without its thread the writer still writes, only in somebody's way.
            self.write_here();
        }
    }

    /// Writes everything that waits, in one transaction.
    fn write(&self, file: &mut File) {
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
        self.remember(began.elapsed());
        if results.contains(&Ok(Worked::Yes)) {
            self.changes.send_modify(|changes| *changes += 1);
        }
        for (job, result) in jobs.into_iter().zip(results) {
            // Whoever has stopped waiting finds it when the session is next opened.
            let _ = job.answer.send(result);
        }
    }

    /// A moving mean: one slow transaction is no slow disk.
    fn remember(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let pace = self.pace.load(Ordering::Relaxed);
        self.pace
            .store(pace - pace / 8 + took / 8, Ordering::Relaxed);
    }
}

/// Writes what waits whenever the bell rings, for as long as there is a writer.
pub(super) fn listen(writer: &Weak<Writer>, bell: &Receiver<()>) {
    while bell.recv().is_ok() {
        let Some(writer) = writer.upgrade() else {
            return;
        };
        while !locked(&writer.waiting).is_empty() {
            let mut file = locked(&writer.file);
            writer.write(&mut file);
        }
    }
}

/// Nothing in here panics between two changes that belong together.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct File {
    path: PathBuf,
    /// None after something went wrong that a new connection may mend.
    connection: Option<Connection>,
}

impl File {
    fn write(&mut self, works: &[&Work]) -> Vec<Result<Worked, StoreError>> {
        match self.together(works) {
            Ok(worked) => worked.into_iter().map(Ok).collect(),
            // One that cannot be written does not hold back the others.
            Err(_) if works.len() > 1 => works.iter().map(|work| self.alone(work)).collect(),
            Err(error) => vec![Err(error)],
        }
    }

    fn alone(&mut self, work: &Work) -> Result<Worked, StoreError> {
        let worked = self.together(&[work])?;
        let nothing = || StoreError::new(StoreErrorKind::Failed, "nothing was written");
        worked.first().copied().ok_or_else(nothing)
    }

    /// All of it in one transaction.
    fn together(&mut self, works: &[&Work]) -> Result<Vec<Worked>, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect::writer(&self.path, Mode::Existing)?,
        };
        let written = transaction(&connection, works);
        let result = written.map_err(|error| of_sqlite(&self.path, &error));
        if result.is_ok() {
            self.connection = Some(connection);
        }
        result
    }
}

/// All of it, or nothing: whoever gets an error lets go of the connection, and of what it has begun.
fn transaction(connection: &Connection, works: &[&Work]) -> rusqlite::Result<Vec<Worked>> {
    // Statements that are kept: to read them each time would take longer than many a commit.
    let run = |statement: &str| connection.prepare_cached(statement)?.execute([]);
    run("BEGIN IMMEDIATE")?;
    let worked = works.iter().map(|work| match work {
        Work::Append(commit) => write::append(connection, commit),
        Work::Settle(session, seq, position) => write::settle(connection, session, *seq, *position),
        Work::Delete(session) => write::delete(connection, session),
    });
    let worked = worked.collect::<rusqlite::Result<_>>()?;
    run("COMMIT")?;
    Ok(worked)
}
