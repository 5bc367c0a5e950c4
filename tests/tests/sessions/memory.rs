//! Idle sessions are removed from memory. Nothing else about them changes.

use std::sync::Arc;
use std::time::Duration;

use plan_machine_sessions::journal::Chain;
use plan_machine_sessions::store::{Commit, NextDue, Row, Store};
use plan_machine_sessions::{SessionError, SessionIdentity, Sessions};

use super::{around, identity, in_memory, machine_set, ready, states};

#[tokio::test]
async fn idle_sessions_leave_memory_and_come_back_when_they_are_used() {
    let sessions = in_memory();
    for number in 0..50 {
        ready(&sessions.session(&identity(&format!("idle-session-{number}")))).await;
    }
    assert_eq!(sessions.in_memory(), 50);
    let held = sessions.session(&identity("idle-session-7"));
    sessions.forget_idle(Duration::ZERO);
    assert_eq!(
        sessions.in_memory(),
        1,
        "only the session with a handle stays in memory"
    );
    assert_eq!(states(&held).await, ["READY"]);
    assert_eq!(
        states(&sessions.session(&identity("idle-session-8"))).await,
        ["READY"]
    );
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_are_removed_automatically() {
    let sessions = in_memory();
    ready(&sessions.session(&identity("left-alone"))).await;
    assert_eq!(sessions.in_memory(), 1);
    tokio::time::sleep(Duration::from_secs(900)).await;
    assert_eq!(sessions.in_memory(), 0);
}

/// Stores the entries of a session under another key as well, without the checks of a session.
async fn copy(store: &Arc<dyn Store>, from: &SessionIdentity, to: &SessionIdentity) {
    let rows = store.history(from, 0, 10).await;
    let mut chain = Chain::start(to);
    let rows = rows.expect("the stored entries").into_iter().map(|row| {
        chain = chain.then(&row.body);
        Row {
            digest: chain.digest(),
            ..row
        }
    });
    let commit = Commit {
        session: to.clone(),
        expected: 0,
        after: None,
        rows: rows.collect(),
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: None,
        due: NextDue::Unchanged,
    };
    store.append(commit).await.expect("the commit is stored");
}

#[tokio::test]
async fn no_session_starts_under_an_old_key_and_old_ones_stay_readable() {
    let sessions = in_memory();
    let old =
        SessionIdentity::existing("telegram", "4711").expect("a valid identity of an old session");
    let refused = sessions.session(&old).command("/plan on", &around()).await;
    assert!(
        matches!(refused, Err(SessionError::Identity(_))),
        "{refused:?}"
    );
    assert_eq!(sessions.list(None, 10).await, Ok(Vec::new()));

    // An earlier version did store sessions under such keys.
    let new = sessions.session(&identity("under-a-new-key"));
    let started = new.command("/plan on", &around()).await;
    started.expect("the plan is started");
    copy(sessions.store(), new.identity(), &old).await;
    let opened = Sessions::new(Arc::clone(sessions.store()), machine_set()).session(&old);
    assert_eq!(states(&opened).await, ["COLLECTING"]);
    let history = opened.history(0, 10).await.expect("the old entries");
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].event(), "plan_on");
    assert_eq!(opened.verify(&machine_set()).await, Ok(Vec::new()));
    let done = opened.command("/plan done", &around()).await;
    let done = done.expect("the command is answered");
    assert!(done.answer[0].outcome.is_accepted(), "{done:?}");
    assert_eq!(states(&opened).await, Vec::<String>::new());
    assert_eq!(opened.seq().await, Ok(2));
}

#[tokio::test]
async fn a_line_that_is_not_a_command_is_reported_and_stores_nothing() {
    let session = in_memory().session(&identity("no-command"));
    let error = session
        .command("/plam on", &around())
        .await
        .expect_err("the line is not a command");
    assert!(error.to_string().contains("/plan on"), "{error}");
    assert_eq!(session.seq().await, Ok(0));
}
