//! Helper functions for the laws.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use plan_machine_kernel::digest::sha256;
use tokio::time::Instant;

use crate::identity::{InvalidIdentity, SessionIdentity};
use crate::store::{
    AppendOutcome, Commit, ListedSession, NextDue, Place, PlacedEntry, Row, Store, StoreError,
    StoredAnswer, StoredSession, UnsettledEntry,
};

/// The store under test.
pub(super) type Tried = Arc<dyn Store>;

/// The result of checking a law.
pub(super) type LawResult = Result<(), Broken>;

/// A description of how the store breaks a law.
#[derive(Debug)]
pub(super) struct Broken(pub(super) String);

/// The maximum time to wait for an expected change: far longer than any store needs.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The maximum number of characters of a value that an error message shows.
const SHOWN: usize = 600;

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self(format!("expected a result, found an error: {error}"))
    }
}

impl From<InvalidIdentity> for Broken {
    fn from(error: InvalidIdentity) -> Self {
        Self(error.to_string())
    }
}

/// Checks that a value is the expected one; `what` names the value in the error message.
pub(super) fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> LawResult {
    if found == expected {
        return Ok(());
    }
    Err(Broken(format!(
        "{what}: expected {}, found {}",
        shown(expected),
        shown(found)
    )))
}

/// Checks the number of the last entry of a session.
pub(super) async fn ends_at(store: &Tried, session: &SessionIdentity, seq: u64) -> LawResult {
    let head = store.head(session).await?;
    same("the number of the last entry", &head.seq, &seq)
}

fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

/// Returns a string that no law has used before, in this process or in another one.
pub(super) fn fresh_word() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos();
    format!("{nanos:x}-{:x}-{count:x}", std::process::id())
}

/// Returns the identity of a session that does not exist yet.
pub(super) fn fresh() -> Result<SessionIdentity, Broken> {
    Ok(SessionIdentity::new(
        "conformance",
        &format!("law-{}", fresh_word()),
    )?)
}

pub(super) fn row(seq: u64, body: impl Into<String>) -> Row {
    let body = body.into();
    Row {
        seq,
        digest: sha256(&[body.as_bytes(), &seq.to_be_bytes()]),
        body,
    }
}

pub(super) fn given(seq: u64, call_id: impl Into<String>, body: impl Into<String>) -> StoredAnswer {
    let (call_id, body) = (call_id.into(), body.into());
    StoredAnswer {
        seq,
        digest: sha256(&[call_id.as_bytes(), body.as_bytes()]),
        call_id,
        body,
    }
}

/// Returns a commit that contains entries with these bodies, numbered consecutively after `expected`.
pub(super) fn entries(session: &SessionIdentity, expected: u64, bodies: &[&str]) -> Commit {
    let numbered = (expected + 1..).zip(bodies);
    Commit {
        rows: numbered.map(|(seq, body)| row(seq, *body)).collect(),
        ..empty(session, expected)
    }
}

/// Returns a commit that contains no data.
pub(super) fn empty(session: &SessionIdentity, expected: u64) -> Commit {
    Commit {
        session: session.clone(),
        expected,
        after: None,
        rows: Vec::new(),
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: None,
        due: NextDue::Unchanged,
    }
}

/// Checks that a commit is stored.
pub(super) async fn stored(store: &Tried, what: &str, commit: Commit) -> LawResult {
    same(what, &store.append(commit).await?, &AppendOutcome::Stored)
}

/// Checks that a commit fails with a conflict and leaves its session unchanged.
pub(super) async fn conflict(store: &Tried, what: &str, commit: Commit) -> LawResult {
    let session = commit.session.clone();
    let before = SessionData::of(store, &session).await?;
    same(what, &store.append(commit).await?, &AppendOutcome::Conflict)?;
    let after = SessionData::of(store, &session).await?;
    same(
        &format!("the data of the session after a conflict ({what})"),
        &after,
        &before,
    )
}

/// The data that a store returns about one session, except the instant of its next timer.
#[derive(Debug, PartialEq)]
pub(super) struct SessionData {
    pub(super) head: u64,
    pub(super) history: Vec<Row>,
    pub(super) read: StoredSession,
    pub(super) answers: Vec<StoredAnswer>,
    pub(super) pending: Vec<UnsettledEntry>,
    pub(super) listed: Option<ListedSession>,
}

impl SessionData {
    /// Returns the data of a session that does not exist: no data of any kind.
    pub(super) fn nothing() -> Self {
        Self {
            head: 0,
            history: Vec::new(),
            read: StoredSession::default(),
            answers: Vec::new(),
            pending: Vec::new(),
            listed: None,
        }
    }

    pub(super) async fn of(store: &Tried, session: &SessionIdentity) -> Result<Self, Broken> {
        Ok(Self {
            head: store.head(session).await?.seq,
            history: store.history(session, 0, u32::MAX).await?,
            read: store.read(session).await?,
            answers: store.answers(session, 0, u64::MAX).await?,
            pending: store.pending(session, u32::MAX).await?,
            listed: listed(store, session).await?,
        })
    }
}

/// Returns the session's item in the list of sessions; `None` if the session is not listed.
async fn listed(store: &Tried, session: &SessionIdentity) -> Result<Option<ListedSession>, Broken> {
    // The list is read from the name of the conversation without its last character, which sorts shortly before the
    // full name, so few pages are read.
    let mut before = session.conversation().to_owned();
    before.pop();
    let mut after = SessionIdentity::existing(session.channel(), &before)?;
    loop {
        let page = store.sessions(Some(&after), 64).await?;
        if let Some(found) = page.iter().find(|listed| listed.session == *session) {
            return Ok(Some(found.clone()));
        }
        match page.last() {
            Some(last) if last.session < *session => after = last.session.clone(),
            _ => return Ok(None),
        }
    }
}

/// Waits until the store has at least `count` entries of these sessions after a position, and returns them. A store
/// may hold back an entry while earlier entries are still being stored.
pub(super) async fn placed(
    store: &Tried,
    after: Place,
    of: &[&SessionIdentity],
    count: usize,
) -> Result<Vec<PlacedEntry>, Broken> {
    let mut wake = store.wake();
    let until = Instant::now() + PATIENCE;
    loop {
        let found = placed_now(store, after, of).await?;
        if found.len() >= count {
            return Ok(found);
        }
        if Instant::now() > until {
            let rows: Vec<&Row> = found.iter().map(|placed| &placed.row).collect();
            return Err(Broken(format!(
                "entries after position {after}: expected at least {count}, found {}: {}",
                rows.len(),
                shown(&rows)
            )));
        }
        let _ = tokio::time::timeout(Duration::from_millis(20), wake.up()).await;
    }
}

async fn placed_now(
    store: &Tried,
    mut after: Place,
    of: &[&SessionIdentity],
) -> Result<Vec<PlacedEntry>, Broken> {
    let mut found = Vec::new();
    loop {
        let page = store.everything(after, 5).await?;
        if page.len() > 5 {
            return Err(Broken(format!(
                "expected at most 5 entries in a page, found {}",
                page.len()
            )));
        }
        let Some(last) = page.last() else {
            return Ok(found);
        };
        if last.place <= after {
            return Err(Broken(format!(
                "expected a position after {after}, found {}",
                last.place
            )));
        }
        after = last.place;
        found.extend(
            page.into_iter()
                .filter(|placed| of.contains(&&placed.session)),
        );
    }
}
