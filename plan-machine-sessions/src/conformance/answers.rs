//! Laws about answers: each answer is stored under the id of its call.

use super::kit::{
    LawResult, SessionData, Tried, conflict, empty, ends_at, entries, fresh, given, same, stored,
};
use crate::identity::SessionIdentity;
use crate::store::{Commit, StoredAnswer};

fn answers(session: &SessionIdentity, expected: u64, answers: Vec<StoredAnswer>) -> Commit {
    Commit {
        answers,
        ..empty(session, expected)
    }
}

pub(super) async fn without_entries(store: Tried) -> LawResult {
    let session = fresh()?;
    let first = given(0, "call-1", "denied: there is no plan");
    let commit = answers(&session, 0, vec![first.clone()]);
    stored(&store, "an answer before any entry", commit).await?;
    let kept = SessionData::of(&store, &session).await?;
    same("the number of the last entry", &kept.head, &0)?;
    same("the answers", &kept.answers, &vec![first.clone()])?;
    let listed = kept.listed.map(|listed| listed.seq);
    same(
        "the number of the last entry in the list of sessions",
        &listed,
        &Some(0),
    )?;
    let found = store.answer(&session, "call-1").await?;
    same("the answer", &found, &Some(first.clone()))?;
    let commit = answers(&session, 0, vec![given(0, "call-2", "denied again")]);
    stored(&store, "another answer before any entry", commit).await?;

    let commit = entries(&session, 0, &["one"]);
    stored(&store, "the first entry", commit).await?;
    let later = given(1, "call-3", "a reading");
    let commit = answers(&session, 1, vec![later.clone()]);
    stored(&store, "an answer after an entry", commit).await?;
    ends_at(&store, &session, 1).await?;
    for expected in [first, later] {
        let found = store.answer(&session, &expected.call_id).await?;
        same("the answer", &found, &Some(expected))?;
    }
    let other = fresh()?;
    let found = store.answer(&other, "call-1").await?;
    same(
        "an answer to a call with the same id in another session",
        &found,
        &None,
    )
}

pub(super) async fn in_order(store: Tried) -> LawResult {
    let session = fresh()?;
    // The ids are sorted neither in ascending nor in descending order.
    let ids = ["m", "z", "a", "k"];
    let mut all = Vec::new();
    for (seq, id) in (1..).zip(ids) {
        let both = vec![given(seq, id, "first"), given(seq, format!("{id}{id}"), "")];
        all.extend(both.clone());
        let commit = Commit {
            answers: both,
            ..entries(&session, seq - 1, &["entry"])
        };
        stored(&store, "an entry with two answers", commit).await?;
    }
    for (from, to, expected) in [
        (0, u64::MAX, &all[..]),
        (1, 4, &all[..]),
        (2, 3, &all[2..6]),
        (4, 4, &all[6..]),
        (5, u64::MAX, &[]),
        (3, 2, &[]),
    ] {
        let found = store.answers(&session, from, to).await?;
        same(
            &format!("the answers from entry {from} to entry {to}"),
            &&found[..],
            &expected,
        )?;
        for most in [0, 1, 3, u32::MAX] {
            let found = store.last_answers(&session, from, to, most).await?;
            let earlier = expected.len().saturating_sub(most as usize);
            same(
                &format!("the last {most} answers from entry {from} to entry {to}"),
                &&found[..],
                &&expected[earlier..],
            )?;
        }
    }
    Ok(())
}

pub(super) async fn once(store: Tried) -> LawResult {
    let session = fresh()?;
    let first = given(1, "call-1", "the first answer");
    let commit = Commit {
        answers: vec![first.clone()],
        ..entries(&session, 0, &["one"])
    };
    stored(&store, "an answer", commit).await?;
    let second = given(2, "call-1", "the second answer");
    let with_an_entry = Commit {
        effects: vec![(2, 0)],
        answers: vec![given(2, "call-2", "new"), second.clone()],
        ..entries(&session, 1, &["two"])
    };
    conflict(
        &store,
        "a second answer to a call, with an entry",
        with_an_entry,
    )
    .await?;
    let alone = answers(&session, 1, vec![given(1, "call-2", "new"), second]);
    conflict(&store, "a second answer to a call, without an entry", alone).await?;
    let both = vec![given(1, "call-3", "one"), given(1, "call-3", "two")];
    conflict(
        &store,
        "two answers to a call in one commit",
        answers(&session, 1, both),
    )
    .await?;
    let found = store.answer(&session, "call-1").await?;
    same("the answer", &found, &Some(first))?;

    let other = fresh()?;
    let commit = answers(&other, 0, vec![given(0, "call-1", "of another session")]);
    stored(
        &store,
        "an answer with the same call id in another session",
        commit,
    )
    .await
}

pub(super) async fn any_text(store: Tried) -> LawResult {
    let session = fresh()?;
    let ids = [
        String::new(),
        "\0".to_owned(),
        "a\0b".to_owned(),
        "a\0c".to_owned(),
        "é".to_owned(),
        "e\u{301}".to_owned(),
        "call".to_owned(),
        "CALL".to_owned(),
        "call ".to_owned(),
        // Digits that do not repeat, so that the id is longer than some databases allow for keys even after
        // compression.
        (1000..6000).map(|number| number.to_string()).collect(),
    ];
    for id in &ids {
        let commit = answers(&session, 0, vec![given(0, id.as_str(), format!("{id:?}"))]);
        stored(&store, &format!("an answer to the call {id:.20?}"), commit).await?;
    }
    for id in &ids {
        let expected = given(0, id.as_str(), format!("{id:?}"));
        let found = store.answer(&session, id).await?;
        same("the answer", &found, &Some(expected))?;
        let again = answers(&session, 0, vec![given(0, id.as_str(), "again")]);
        conflict(
            &store,
            &format!("another answer to the call {id:.20?}"),
            again,
        )
        .await?;
    }
    Ok(())
}
