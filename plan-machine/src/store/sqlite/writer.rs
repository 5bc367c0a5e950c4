//! The thread that writes: what has come while it was busy goes into one transaction.

use std::path::Path;
use std::sync::mpsc;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{oneshot, watch};

use super::connect::{self, Mode};
use super::error::of_sqlite;
use super::write;
use crate::session::SessionIdentity;
use crate::store::{Commit, StoreError, StoreErrorKind};

/// How much goes into one transaction at most, so that nobody waits for too many others.
const MOST: usize = 1024;

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

/// Writes until nobody can ask for it any more.
pub(super) fn work(
    path: &Path,
    connection: Connection,
    todo: &mpsc::Receiver<Job>,
    changes: &watch::Sender<u64>,
) {
    let mut writer = Writer {
        path,
        connection: Some(connection),
    };
    while let Ok(first) = todo.recv() {
        let mut jobs = vec![first];
        jobs.extend(todo.try_iter().take(MOST - 1));
        let works: Vec<&Work> = jobs.iter().map(|job| &job.work).collect();
        let results = writer.write(&works);
        if results.contains(&Ok(Worked::Yes)) {
            changes.send_modify(|changes| *changes += 1);
        }
        for (job, result) in jobs.into_iter().zip(results) {
            // Whoever has stopped waiting finds it when the session is next opened.
            let _ = job.answer.send(result);
        }
    }
}

struct Writer<'p> {
    path: &'p Path,
    /// None after something went wrong that a new connection may mend.
    connection: Option<Connection>,
}

impl Writer<'_> {
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
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect::writer(self.path, Mode::Existing)?,
        };
        let written = transaction(&mut connection, works);
        let result = written.map_err(|error| of_sqlite(self.path, &error));
        if result.is_ok() {
            self.connection = Some(connection);
        }
        result
    }
}

fn transaction(connection: &mut Connection, works: &[&Work]) -> rusqlite::Result<Vec<Worked>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let worked = works.iter().map(|work| match work {
        Work::Append(commit) => write::append(&transaction, commit),
        Work::Settle(session, seq, position) => {
            write::settle(&transaction, session, *seq, *position)
        }
        Work::Delete(session) => write::delete(&transaction, session),
    });
    let worked = worked.collect::<rusqlite::Result<_>>()?;
    transaction.commit()?;
    Ok(worked)
}
