//! Calls that come twice, and texts that cannot be stored.

use plan_machine::gate::{Decision, ToolCall};
use plan_machine::session::Sessions;
use plan_machine::store::{Commit, Head, Memory, Row, Store, StoreErrorKind};
use plan_machine::{Json, Object};

use crate::world::{by, command, identity, is_whole, postgres, sessions};

async fn a_repeated_call_is_answered_once(sessions: Sessions) {
    let session = sessions.session(&identity("repeated-calls"));
    command(&session, "/plan on").await.expect("a plan");
    let drafted = |id: &str, text: &str| {
        let args: Object = [("plan_markdown".to_owned(), Json::from(text))]
            .into_iter()
            .collect();
        let mut call = ToolCall::new("plan_set_content", args);
        call.id = Some(id.to_owned());
        call
    };
    // What an id may hold is up to whoever makes them.
    let calls = [
        drafted("a\0b", "# One"),
        drafted("a\0b", "# Two"),
        drafted("c", "# Three"),
    ];
    let done = session.decide(&calls, &by("model")).await.expect("answers");
    let repeated: Vec<bool> = done.answer.iter().map(|one| one.repeated).collect();
    assert_eq!(repeated, [false, true, false]);
    assert_eq!(done.answer[0].decision, done.answer[1].decision);
    assert_eq!(done.seq, 3);
    // And once more, all of it.
    let again = session.decide(&calls, &by("model")).await.expect("answers");
    assert!(again.repeated && again.seq == 3, "{again:?}");
    let same = |decision: &Decision| matches!(decision, Decision::Applied { .. });
    assert!(again.answer.iter().all(|one| same(&one.decision)));
    is_whole(&session).await;
}

#[tokio::test]
async fn a_call_that_a_model_repeats_is_answered_once_in_memory() {
    a_repeated_call_is_answered_once(sessions(Memory::new())).await;
}

#[tokio::test]
async fn a_call_that_a_model_repeats_is_answered_once_in_postgres() {
    a_repeated_call_is_answered_once(sessions(postgres("repeated_calls").await)).await;
}

#[tokio::test]
async fn a_text_that_postgres_cannot_hold_is_refused_in_words() {
    let store = postgres("texts").await;
    let commit = |body: &str| Commit {
        session: identity("some-texts"),
        expected: 0,
        after: None,
        rows: vec![Row {
            seq: 1,
            body: body.to_owned(),
            digest: [0; 32],
        }],
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: None,
    };
    let error = store.append(commit("a\0b")).await.expect_err("no text");
    assert_eq!(error.kind, StoreErrorKind::Failed);
    assert!(error.message.contains("U+0000"), "{error}");
    assert_eq!(
        store.head(&identity("some-texts")).await,
        Ok(Head::default())
    );
    store.append(commit("a b")).await.expect("a text");
}
