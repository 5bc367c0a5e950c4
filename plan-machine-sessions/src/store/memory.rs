//! A store in memory, whose data is lost when the store is dropped.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::{
    AppendOutcome, Commit, Head, ListedSession, NextDue, Place, PlacedEntry, Row, Store,
    StoreChanges, StoreError, StoreFuture, StoredAnswer, StoredSession, UnsettledEntry,
    effect_without_entry,
};
use plan_machine_kernel::time::Instant;

use crate::identity::SessionIdentity;

/// Stores sessions in memory, for tests and for sessions that need not outlive the process.
#[derive(Debug)]
pub struct Memory {
    kept: Mutex<MemoryContent>,
    changes: watch::Sender<u64>,
}

/// The sessions in a store, with the indexes that find them.
#[derive(Debug, Default)]
struct MemoryContent {
    sessions: BTreeMap<SessionIdentity, Journal>,
    /// The sessions with running timers, by the instants at which they are due.
    due: BTreeSet<(Instant, SessionIdentity)>,
    /// The session and number of each entry, by the entry's position among the entries of all sessions.
    order: BTreeMap<u64, (SessionIdentity, u64)>,
    last: u64,
}

#[derive(Debug, Default)]
struct Journal {
    rows: Vec<Row>,
    snapshot: Option<Row>,
    answers: Vec<StoredAnswer>,
    /// The index, in `answers`, of the answer to each call.
    by_call: HashMap<String, usize>,
    effects: BTreeSet<(u64, u32)>,
    due: Option<Instant>,
}

impl Journal {
    fn head(&self) -> Head {
        Head {
            seq: self.rows.len() as u64,
            digest: self.rows.last().map(|row| row.digest),
        }
    }

    fn after(&self, seq: u64) -> &[Row] {
        let from = usize::try_from(seq).unwrap_or(usize::MAX);
        self.rows.get(from..).unwrap_or_default()
    }

    fn row(&self, seq: u64) -> Option<&Row> {
        self.after(seq.checked_sub(1)?).first()
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            changes: watch::Sender::new(0),
        }
    }
}

impl Memory {
    /// Returns an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn kept(&self) -> MutexGuard<'_, MemoryContent> {
        // No code of this module panics between changes that belong together, so the data is consistent even if the
        // lock is poisoned.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryContent {
    fn append(&mut self, commit: Commit) -> AppendOutcome {
        let known = self.sessions.get(&commit.session);
        let mut new = HashSet::new();
        let mut given = |answer: &StoredAnswer| {
            let before = |journal: &Journal| journal.by_call.contains_key(&answer.call_id);
            known.is_some_and(before) || !new.insert(answer.call_id.clone())
        };
        let head = known.map(Journal::head).unwrap_or_default();
        if head.seq != commit.expected
            || commit.after.is_some_and(|after| head.digest != Some(after))
            || commit.answers.iter().any(&mut given)
        {
            return AppendOutcome::Conflict;
        }
        for row in &commit.rows {
            self.last += 1;
            self.order
                .insert(self.last, (commit.session.clone(), row.seq));
        }
        self.set_due(&commit.session, commit.due);
        let journal = self.sessions.entry(commit.session).or_default();
        journal.rows.extend(commit.rows);
        for answer in commit.answers {
            journal
                .by_call
                .insert(answer.call_id.clone(), journal.answers.len());
            journal.answers.push(answer);
        }
        journal.effects.extend(commit.effects);
        if commit.snapshot.is_some() {
            journal.snapshot = commit.snapshot;
        }
        AppendOutcome::Stored
    }

    fn set_due(&mut self, session: &SessionIdentity, due: NextDue) {
        let at = match due {
            NextDue::Unchanged => return,
            NextDue::At(at) => Some(at),
            NextDue::Never => None,
        };
        let journal = self.sessions.entry(session.clone()).or_default();
        if let Some(before) = std::mem::replace(&mut journal.due, at) {
            self.due.remove(&(before, session.clone()));
        }
        self.due.extend(at.map(|at| (at, session.clone())));
    }

    fn pending(
        &self,
        session: &SessionIdentity,
        most: usize,
    ) -> Result<Vec<UnsettledEntry>, StoreError> {
        let mut found: Vec<UnsettledEntry> = Vec::new();
        let Some(journal) = self.sessions.get(session) else {
            return Ok(found);
        };
        for (seq, position) in &journal.effects {
            let many = found.len();
            match found.last_mut() {
                Some(last) if last.row.seq == *seq => last.positions.push(*position),
                _ if many == most => break,
                _ => {
                    let row = journal.row(*seq);
                    found.push(UnsettledEntry {
                        row: row.ok_or_else(|| effect_without_entry(*seq))?.clone(),
                        positions: vec![*position],
                    });
                }
            }
        }
        Ok(found)
    }

    fn everything(&self, after: Place, most: usize) -> Vec<PlacedEntry> {
        let later = self.order.range(after.number.saturating_add(1)..);
        let placed = later.filter_map(|(number, (session, seq))| {
            let row = self.sessions.get(session)?.row(*seq)?;
            Some(PlacedEntry {
                place: Place {
                    transaction: 0,
                    number: *number,
                },
                session: session.clone(),
                row: row.clone(),
            })
        });
        placed.take(most).collect()
    }
}

fn now<'a, T: Send + 'a>(value: T) -> StoreFuture<'a, T> {
    Box::pin(ready(Ok(value)))
}

impl Store for Memory {
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome> {
        let appended = self.kept().append(commit);
        if appended == AppendOutcome::Stored {
            self.changes.send_modify(|changes| *changes += 1);
        }
        now(appended)
    }

    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession> {
        let kept = self.kept();
        let read = kept.sessions.get(session).map(|journal| {
            let from = journal.snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
            StoredSession {
                head: journal.head(),
                snapshot: journal.snapshot.clone(),
                base: journal.row(from).map(|row| row.digest),
                tail: journal.after(from).to_vec(),
            }
        });
        now(read.unwrap_or_default())
    }

    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head> {
        let head = self.kept().sessions.get(session).map(Journal::head);
        now(head.unwrap_or_default())
    }

    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>> {
        let kept = self.kept();
        let rows = kept
            .sessions
            .get(session)
            .map(|journal| journal.after(after));
        let rows = rows.unwrap_or_default().iter().take(most as usize);
        now(rows.cloned().collect())
    }

    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>> {
        now(self.kept().everything(after, most as usize))
    }

    fn end(&self) -> StoreFuture<'_, Place> {
        now(Place {
            transaction: 0,
            number: self.kept().last,
        })
    }

    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>> {
        let kept = self.kept();
        let found = kept.sessions.get(session).and_then(|journal| {
            let at = journal.by_call.get(call_id)?;
            journal.answers.get(*at)
        });
        now(found.cloned())
    }

    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        let kept = self.kept();
        let answers = kept.sessions.get(session).map(|journal| &journal.answers);
        let within = answers
            .into_iter()
            .flatten()
            .filter(|given| (from..=to).contains(&given.seq));
        now(within.cloned().collect())
    }

    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>> {
        Box::pin(ready(self.kept().pending(session, most as usize)))
    }

    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>> {
        let kept = self.kept();
        let waiting = kept.sessions.iter().filter(|(session, journal)| {
            !journal.effects.is_empty() && after.is_none_or(|after| *session > after)
        });
        let waiting = waiting.map(|(session, _)| session.clone());
        now(waiting.take(most as usize).collect())
    }

    fn due(&self, until: Instant, most: u32) -> StoreFuture<'_, Vec<SessionIdentity>> {
        let kept = self.kept();
        let due = kept.due.iter().take_while(|(at, _)| *at <= until);
        let due = due.map(|(_, session)| session.clone());
        now(due.take(most as usize).collect())
    }

    fn due_at<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Option<Instant>> {
        let kept = self.kept();
        let journal = kept.sessions.get(session);
        now(journal.and_then(|journal| journal.due))
    }

    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()> {
        if let Some(journal) = self.kept().sessions.get_mut(session) {
            journal.effects.remove(&(seq, position));
        }
        now(())
    }

    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        if let Some(journal) = self.kept().sessions.get_mut(session) {
            journal.effects.clear();
        }
        now(())
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>> {
        let kept = self.kept();
        let later = kept
            .sessions
            .iter()
            .filter(|(session, _)| after.is_none_or(|after| *session > after));
        let listed = later.map(|(session, journal)| ListedSession {
            session: session.clone(),
            seq: journal.head().seq,
        });
        now(listed.take(most as usize).collect())
    }

    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool> {
        let mut kept = self.kept();
        kept.due.retain(|(_, of)| of != session);
        kept.order.retain(|_, (of, _)| of != session);
        now(kept.sessions.remove(session).is_some())
    }

    fn wake(&self) -> StoreChanges {
        StoreChanges::new(self.changes.subscribe(), None)
    }
}
