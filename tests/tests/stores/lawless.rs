//! The laws detect violations: each of these stores has one fault, and a law detects it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::conformance;
use plan_machine_sessions::store::{
    AppendOutcome, Commit, Head, ListedSession, Memory, NextDue, Place, PlacedEntry, Row, Store,
    StoreChanges, StoreFuture, StoredAnswer, StoredSession, UnsettledEntry,
};
use tokio::sync::watch;

/// The fault of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    IgnoresExpected,
    LosesAnswers,
    ForgetsSnapshots,
    BindsNoSnapshot,
    BelievesSnapshots,
    LosesTheSecondEntry,
    CutsTexts,
    AnswersTwice,
    StoresHalfOfAConflict,
    KeepsSettledEffects,
    SettlesNoneAtOnce,
    LeavesEffectsOut,
    ListsBackwards,
    DeletesNothing,
    SkipsAnEntryOfAll,
    ItsEndIsTheStart,
    RepairsBySettling,
    ForgetsTimers,
    RoundsTimersDown,
    ListsTooManyTimers,
    MixesUpTimers,
    DoesNotKnowTimers,
    WakesNobody,
}

/// Forwards all calls to a store in memory, with one fault.
#[derive(Debug)]
struct Lawless {
    memory: Memory,
    wrong: Wrong,
    silent: watch::Sender<u64>,
}

fn after_a_millisecond(instant: Instant) -> Instant {
    let after = instant.since_1970() + Duration::from_millis(1);
    Instant::from_since_1970(after).unwrap_or(Instant::LAST)
}

impl Lawless {
    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == wrong
    }

    async fn spoiled(&self, mut commit: Commit) -> AppendOutcome {
        let memory = &self.memory;
        match self.wrong {
            Wrong::IgnoresExpected => {
                commit.expected = memory.head(&commit.session).await.expect("a head").seq;
                commit.after = None;
            }
            Wrong::LosesAnswers => commit.answers.clear(),
            Wrong::ForgetsSnapshots => commit.snapshot = None,
            Wrong::ForgetsTimers if commit.rows.is_empty() => commit.due = NextDue::Unchanged,
            Wrong::LosesTheSecondEntry if commit.rows.len() > 1 => {
                commit.rows.remove(1);
            }
            Wrong::CutsTexts => {
                for row in &mut commit.rows {
                    row.body.truncate(65_536);
                }
            }
            Wrong::AnswersTwice => {
                let mut new = Vec::new();
                for answer in commit.answers {
                    let given = memory.answer(&commit.session, &answer.call_id).await;
                    if given.expect("an answer").is_none() {
                        new.push(answer);
                    }
                }
                commit.answers = new;
            }
            _ => {}
        }
        let half = Commit {
            expected: memory.head(&commit.session).await.expect("a head").seq,
            rows: Vec::new(),
            effects: Vec::new(),
            snapshot: None,
            due: NextDue::Unchanged,
            ..commit.clone()
        };
        let appended = memory.append(commit).await.expect("an answer");
        if self.is(Wrong::StoresHalfOfAConflict) && appended == AppendOutcome::Conflict {
            memory.append(half).await.expect("an answer");
        }
        appended
    }
}

impl Store for Lawless {
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome> {
        Box::pin(async move { Ok(self.spoiled(commit).await) })
    }

    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession> {
        Box::pin(async move {
            let mut read = self.memory.read(session).await?;
            if self.is(Wrong::BindsNoSnapshot) {
                read.base = None;
            }
            if self.is(Wrong::BelievesSnapshots) {
                read.head.seq = read.snapshot.as_ref().map_or(read.head.seq, |row| row.seq);
            }
            Ok(read)
        })
    }

    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head> {
        self.memory.head(session)
    }

    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>> {
        self.memory.history(session, after, most)
    }

    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>> {
        let skips = self.is(Wrong::SkipsAnEntryOfAll);
        Box::pin(async move {
            let mut placed = self.memory.everything(after, most).await?;
            if skips && placed.len() > 2 {
                placed.remove(1);
            }
            Ok(placed)
        })
    }

    fn end(&self) -> StoreFuture<'_, Place> {
        if self.is(Wrong::ItsEndIsTheStart) {
            return Box::pin(async { Ok(Place::START) });
        }
        self.memory.end()
    }

    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>> {
        self.memory.answer(session, call_id)
    }

    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        self.memory.answers(session, from, to)
    }

    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>> {
        Box::pin(async move {
            match self.memory.pending(session, most).await {
                Err(_) if self.is(Wrong::LeavesEffectsOut) => Ok(Vec::new()),
                found => found,
            }
        })
    }

    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>> {
        self.memory.waiting(after, most)
    }

    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()> {
        if self.is(Wrong::KeepsSettledEffects) {
            return Box::pin(async { Ok(()) });
        }
        self.memory.settle(session, seq, position)
    }

    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        if self.is(Wrong::SettlesNoneAtOnce) {
            return Box::pin(async { Ok(()) });
        }
        self.memory.settle_all(session)
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>> {
        let backwards = self.is(Wrong::ListsBackwards);
        Box::pin(async move {
            let mut listed = self.memory.sessions(after, most).await?;
            if backwards {
                listed.reverse();
            }
            Ok(listed)
        })
    }

    fn due(&self, until: Instant, most: u32) -> StoreFuture<'_, Vec<SessionIdentity>> {
        let (until, most) = match self.wrong {
            Wrong::RoundsTimersDown => (after_a_millisecond(until), most),
            Wrong::ListsTooManyTimers => (until, most.saturating_add(1)),
            _ => (until, most),
        };
        Box::pin(async move {
            let mut due = self.memory.due(until, most).await?;
            if self.is(Wrong::MixesUpTimers) {
                due.reverse();
            }
            Ok(due)
        })
    }

    fn due_at<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Option<Instant>> {
        if self.is(Wrong::DoesNotKnowTimers) {
            return Box::pin(async { Ok(None) });
        }
        self.memory.due_at(session)
    }

    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool> {
        if self.is(Wrong::DeletesNothing) {
            return Box::pin(async move { Ok(self.memory.head(session).await?.seq > 0) });
        }
        self.memory.delete(session)
    }

    fn repair<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        if self.is(Wrong::RepairsBySettling) {
            return self.memory.settle_all(session);
        }
        self.memory.repair(session)
    }

    fn wake(&self) -> StoreChanges {
        if self.is(Wrong::WakesNobody) {
            return StoreChanges::new(self.silent.subscribe(), None);
        }
        self.memory.wake()
    }
}

fn lawless(wrong: Wrong) -> Arc<dyn Store> {
    Arc::new(Lawless {
        memory: Memory::new(),
        wrong,
        silent: watch::Sender::new(0),
    })
}

/// Returns the laws that a store breaks.
async fn broken(wrong: Wrong) -> BTreeSet<&'static str> {
    let mut broken = BTreeSet::new();
    for law in conformance::LAWS {
        if let Err(how) = law.holds(lawless(wrong)).await {
            assert!(how.contains("expected"), "{}: {how}", law.name);
            broken.insert(law.name);
        }
    }
    broken
}

/// Each fault, with a law that detects it.
const DETECTED: [(Wrong, &str); 23] = [
    (
        Wrong::IgnoresExpected,
        "a commit that expects a wrong sequence number fails with a conflict and changes nothing",
    ),
    (Wrong::LosesAnswers, "answers can be stored without entries"),
    (
        Wrong::ForgetsSnapshots,
        "reading a session returns the last snapshot and the entries after it",
    ),
    (
        Wrong::BindsNoSnapshot,
        "a snapshot is read together with the digest of the entry that it is bound to",
    ),
    (
        Wrong::BelievesSnapshots,
        "a snapshot whose entries are missing is not used",
    ),
    (
        Wrong::LosesTheSecondEntry,
        "several entries of one commit are stored together",
    ),
    (
        Wrong::CutsTexts,
        "large entries, snapshots and answers are read back unchanged",
    ),
    (Wrong::AnswersTwice, "a call is answered only once"),
    (
        Wrong::StoresHalfOfAConflict,
        "a commit that expects a wrong sequence number fails with a conflict and changes nothing",
    ),
    (
        Wrong::KeepsSettledEffects,
        "effects are pending until they are settled",
    ),
    (
        Wrong::SettlesNoneAtOnce,
        "all effects of a session can be settled together",
    ),
    (
        Wrong::LeavesEffectsOut,
        "an effect whose entry is missing causes an error, but only in its own session",
    ),
    (
        Wrong::ListsBackwards,
        "sessions are listed sorted by channel, then by conversation",
    ),
    (
        Wrong::DeletesNothing,
        "a session is deleted together with all of its data",
    ),
    (
        Wrong::SkipsAnEntryOfAll,
        "the positions of entries increase across all sessions",
    ),
    (
        Wrong::ItsEndIsTheStart,
        "the end position is not before any entry that has been read",
    ),
    (
        Wrong::RepairsBySettling,
        "a repair does not change a session that is not damaged",
    ),
    (
        Wrong::ForgetsTimers,
        "a session is listed as due from the instant of its next timer on",
    ),
    (
        Wrong::RoundsTimersDown,
        "a session is never listed as due before its next timer",
    ),
    (
        Wrong::ListsTooManyTimers,
        "a session is listed as due from the instant of its next timer on",
    ),
    (
        Wrong::MixesUpTimers,
        "a session is listed as due from the instant of its next timer on",
    ),
    (
        Wrong::DoesNotKnowTimers,
        "a store returns the instant at which the next timer of a session is due",
    ),
    (
        Wrong::WakesNobody,
        "tasks that wait for new entries are woken",
    ),
];

#[tokio::test(start_paused = true)]
async fn a_store_that_does_one_thing_wrong_breaks_the_law_that_says_so() {
    for (wrong, law) in DETECTED {
        let broken = broken(wrong).await;
        assert!(broken.contains(law), "{wrong:?} breaks {broken:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_broken_law_is_named() {
    let all = |wrong| conformance::all(lawless(wrong));
    assert_eq!(all(Wrong::Nothing).await, Ok(()));
    for (wrong, law) in [
        (
            Wrong::IgnoresExpected,
            "a commit that expects a wrong sequence number fails with a conflict and changes nothing: a commit that \
             expects sequence number 1 in a session that does not exist: expected Conflict, found Stored",
        ),
        (
            Wrong::LosesAnswers,
            "stored data reads back unchanged: an answer: expected Some(",
        ),
        (
            Wrong::WakesNobody,
            "tasks that wait for new entries are woken: ",
        ),
    ] {
        let how = all(wrong).await.expect_err("a law is broken");
        assert!(how.starts_with(law), "{how}");
    }
}
