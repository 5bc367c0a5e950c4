//! Idle sessions are removed from memory. Nothing else about them changes.

use std::time::Duration;

use plan_machine_sessions::{SessionError, SessionIdentity};

use super::{around, identity, in_memory, ready, states};

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
