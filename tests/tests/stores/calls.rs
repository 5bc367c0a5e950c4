//! Repeated calls, and strings that cannot be stored.

use std::sync::Arc;

use plan_machine::gate::{Decision, ToolCall};
use plan_machine::{Json, Object};
use plan_machine_sessions::store::{
    Commit, Head, Memory, NextDue, Row, Sqlite, Store, StoreErrorKind,
};
use plan_machine_sessions::{SessionError, Sessions};

use crate::world::{by, command, identity, is_whole, machines, postgres, sessions};

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
    // An id may contain any characters.
    let calls = [
        drafted("a\0b", "# One"),
        drafted("a\0b", "# One"),
        drafted("c", "# Three"),
    ];
    let is_repeated = |decision: &Decision| matches!(decision, Decision::Repeated(_));
    let done = session.decide(&calls, &by("model")).await.expect("answers");
    let repeated: Vec<bool> = done.answer.iter().map(is_repeated).collect();
    assert_eq!(repeated, [false, true, false]);
    assert_eq!(done.answer[0].answer(), done.answer[1].answer());
    assert_eq!(done.seq, 3);
    // A restarted host sends all calls once more.
    let session = Sessions::new(Arc::clone(session.store()), machines());
    let session = session.session(&identity("repeated-calls"));
    let again = session.decide(&calls, &by("model")).await.expect("answers");
    assert!(again.repeated && again.seq == 3, "{again:?}");
    assert!(again.answer.iter().all(is_repeated));
    // A different call with the same id is an error, and the other calls of its response are not decided either.
    let other = [drafted("d", "# Four"), drafted("c", "# Five")];
    let error = session.decide(&other, &by("model")).await;
    let error = error.expect_err("the id was used before");
    assert_eq!(
        error.to_string(),
        "the call id `c` of the model was already used for `plan_set_content` with different arguments; give each call its own id"
    );
    // The ids of a person's commands are separate from those of a model's calls.
    let off = session.command("/reset", &by("ann").once("c")).await;
    let off = off.expect("an answer");
    assert!(
        off.answer[0].outcome.is_accepted() && !off.repeated,
        "{off:?}"
    );
    assert_eq!(off.seq, 4);
    let again = session.command("/reset", &by("ann").once("c")).await;
    assert!(again.expect("an answer").repeated);
    let other = session.command("/plan on", &by("ann").once("c")).await;
    assert!(
        matches!(other, Err(SessionError::OtherCall { .. })),
        "{other:?}"
    );
    assert_eq!(session.seq().await, Ok(4));
    is_whole(&session).await;
}

#[tokio::test]
async fn a_call_that_a_model_repeats_is_answered_once_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("plans.db")).expect("a store");
    a_repeated_call_is_answered_once(sessions(store)).await;
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
async fn a_text_that_postgres_cannot_store_is_rejected_with_a_message() {
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
        due: NextDue::Unchanged,
    };
    let error = store
        .append(commit("a\0b"))
        .await
        .expect_err("a NUL character cannot be stored");
    assert_eq!(error.kind, StoreErrorKind::Failed);
    assert!(error.message.contains("U+0000"), "{error}");
    assert_eq!(
        store.head(&identity("some-texts")).await,
        Ok(Head::default())
    );
    store.append(commit("a b")).await.expect("a valid string");
}
