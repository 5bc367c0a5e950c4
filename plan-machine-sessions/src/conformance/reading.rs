//! Laws about reading: stored data reads back unchanged.

use super::kit::{
    LawResult, SessionData, Tried, empty, ends_at, entries, fresh, given, row, same, stored,
};
use crate::store::{Commit, Head, Row, StoredSession};

/// Strings that a careless store might alter.
const TEXTS: [&str; 6] = [
    "",
    r#"{"seq":1,"with":{"text":"it's \"quoted\" \\u0000"}}"#,
    "Straße, Ελλάδα, 日本語, עברית, 👩‍👩‍👧, e\u{301} and é",
    "\u{feff}line\nline\r\nline\ttab \u{1}\u{7f}",
    "$1 ? :name %s {} ' \" ; -- /* */ \\",
    "\u{10ffff}\u{fffd}\u{2028}",
];

/// Returns the number and digest of the last of these entries.
fn head(rows: &[Row]) -> Head {
    let last = rows.last();
    Head {
        seq: last.map_or(0, |row| row.seq),
        digest: last.map(|row| row.digest),
    }
}

pub(super) async fn nothing(store: Tried) -> LawResult {
    let session = fresh()?;
    let kept = SessionData::of(&store, &session).await?;
    same(
        "the data of a session that does not exist",
        &kept,
        &SessionData::nothing(),
    )?;
    let answer = store.answer(&session, "call-1").await?;
    same("an answer in a session that does not exist", &answer, &None)
}

/// Closes the store twice; each time, the next operation on the same store must open it again.
pub(super) async fn closed(store: Tried) -> LawResult {
    let session = fresh()?;
    stored(
        &store,
        "a commit before closing the store",
        entries(&session, 0, &["before"]),
    )
    .await?;
    store.close().await?;
    same(
        "the number of the last entry after closing the store",
        &store.head(&session).await?.seq,
        &1,
    )?;
    stored(
        &store,
        "a commit after closing the store",
        entries(&session, 1, &["after"]),
    )
    .await?;
    store.close().await?;
    let history = store.history(&session, 0, 100).await?;
    let texts: Vec<&str> = history.iter().map(|row| row.body.as_str()).collect();
    same(
        "the history after closing the store again",
        &texts,
        &vec!["before", "after"],
    )
}

pub(super) async fn as_it_was(store: Tried) -> LawResult {
    let session = fresh()?;
    let mut all = Vec::new();
    for (seq, text) in (1..).zip(TEXTS) {
        let commit = Commit {
            answers: vec![given(seq, format!("call {seq} {text}"), text)],
            ..entries(&session, seq - 1, &[text])
        };
        all.extend(commit.rows.clone());
        stored(&store, "a commit", commit).await?;
        ends_at(&store, &session, seq).await?;
    }
    let history = store.history(&session, 0, 100).await?;
    same("the history", &history, &all)?;
    let tail = all.clone();
    let read = StoredSession {
        head: head(&all),
        snapshot: None,
        base: None,
        tail,
    };
    same("the stored session", &store.read(&session).await?, &read)?;
    for (seq, text) in (1..).zip(TEXTS) {
        let expected = given(seq, format!("call {seq} {text}"), text);
        let found = store.answer(&session, &expected.call_id).await?;
        same("an answer", &found, &Some(expected))?;
    }
    let snapshot = row(6, TEXTS.concat());
    let commit = Commit {
        snapshot: Some(snapshot.clone()),
        ..empty(&session, 6)
    };
    stored(&store, "a commit that contains only a snapshot", commit).await?;
    let read = StoredSession {
        head: head(&all),
        snapshot: Some(snapshot),
        base: head(&all).digest,
        tail: Vec::new(),
    };
    let found = store.read(&session).await?;
    same("the stored session, with a snapshot", &found, &read)
}

pub(super) async fn large(store: Tried) -> LawResult {
    let session = fresh()?;
    // The text consists of pseudorandom digits, so that it is large even after compression.
    let mut text = String::with_capacity(1 << 20);
    let mut number: u64 = 0x9e37_79b9_7f4a_7c15;
    while text.len() < 1 << 20 {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        text.push_str(&number.to_string());
    }
    let commit = Commit {
        answers: vec![given(1, "large", text.clone())],
        snapshot: Some(row(1, text.clone())),
        ..entries(&session, 0, &[&text])
    };
    let expected = commit.clone();
    stored(&store, "a commit of 1 MB", commit).await?;
    let history = store.history(&session, 0, 2).await?;
    same("an entry of 1 MB", &history, &expected.rows)?;
    let snapshot = store.read(&session).await?.snapshot;
    same("a snapshot of 1 MB", &snapshot, &expected.snapshot)?;
    let answer = store.answer(&session, "large").await?;
    same(
        "an answer of 1 MB",
        &answer.as_ref(),
        &expected.answers.first(),
    )
}

pub(super) async fn snapshot_and_tail(store: Tried) -> LawResult {
    let session = fresh()?;
    stored(&store, "entry 1", entries(&session, 0, &["one"])).await?;
    for seq in [2, 4] {
        let commit = Commit {
            snapshot: Some(row(seq, format!("snapshot {seq}"))),
            ..entries(&session, seq - 1, &["with a snapshot"])
        };
        stored(&store, "an entry with a snapshot", commit).await?;
        let with = row(seq, "with a snapshot");
        let read = StoredSession {
            head: head(std::slice::from_ref(&with)),
            snapshot: Some(row(seq, format!("snapshot {seq}"))),
            base: Some(with.digest),
            tail: Vec::new(),
        };
        let found = store.read(&session).await?;
        same("the stored session, right after a snapshot", &found, &read)?;
        let commit = entries(&session, seq, &["after it"]);
        stored(&store, "an entry after the snapshot", commit).await?;
        let tail = vec![row(seq + 1, "after it")];
        let read = StoredSession {
            head: head(&tail),
            tail,
            ..read
        };
        let found = store.read(&session).await?;
        same("the stored session", &found, &read)?;
    }
    let history = store.history(&session, 0, 100).await?;
    same(
        "the number of entries, including those before the snapshots",
        &history.len(),
        &5,
    )
}

pub(super) async fn pages(store: Tried) -> LawResult {
    let session = fresh()?;
    let other = fresh()?;
    stored(
        &store,
        "an entry of another session",
        entries(&other, 0, &["other"]),
    )
    .await?;
    let bodies = ["1", "2", "3", "4", "5", "6", "7"];
    let commit = entries(&session, 0, &bodies);
    let all = commit.rows.clone();
    stored(&store, "seven entries", commit).await?;
    for (after, most, expected) in [
        (0, 3, &all[..3]),
        (3, 3, &all[3..6]),
        (6, 3, &all[6..]),
        (7, 3, &[]),
        (0, 7, &all[..]),
        (0, u32::MAX, &all[..]),
        (100, 3, &[]),
        (u64::MAX, 3, &[]),
        (2, 0, &[]),
    ] {
        let found = store.history(&session, after, most).await?;
        let what = format!("at most {most} entries after entry {after}");
        same(&what, &&found[..], &expected)?;
    }
    Ok(())
}
