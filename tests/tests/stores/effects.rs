//! In every store, effects are delivered in only one way: by `Session::effects`.

use plan_machine::gate::Decision;
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{Memory, Sqlite};

use crate::world::{command, draft, drafted, identity, postgres, sessions};

/// Checks that answers do not contain effects, and that `effects` delivers each effect in order until it is settled.
async fn effects_are_delivered_once(sessions: Sessions) {
    let session = sessions.session(&identity("delivered-once"));
    command(&session, "/plan on").await.expect("a plan");
    let decided = drafted(&session, "# One").await.expect("a draft");
    let decision = &decided.answer[0];
    assert!(
        matches!(decision, Decision::Applied { acceptance, .. } if acceptance.effects.is_empty()),
        "{decision:?}"
    );
    draft(&session, "# Two").await.expect("a draft");
    let mut left = session.effects().await.expect("effects");
    assert_eq!(left.len(), 2, "{left:?}");
    while !left.is_empty() {
        assert_eq!(session.effects().await.as_ref(), Ok(&left));
        let done = left.remove(0);
        session.settle(&done.id).await.expect("settled");
    }
    assert_eq!(session.effects().await, Ok(Vec::new()));
    assert_eq!(sessions.with_effects(10).await, Ok(Vec::new()));
}

#[tokio::test]
async fn effects_are_delivered_once_in_memory() {
    effects_are_delivered_once(sessions(Memory::new())).await;
}

#[tokio::test]
async fn effects_are_delivered_once_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("plans.db")).expect("a store");
    effects_are_delivered_once(sessions(store)).await;
}

#[tokio::test]
async fn effects_are_delivered_once_from_postgres() {
    effects_are_delivered_once(sessions(postgres("delivered_once").await)).await;
}
