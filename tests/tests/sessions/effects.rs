//! Effects are stored with the event and handed out at least once, each under one identity.

use super::{around, draft, identity, in_memory, on_disk, ready};

#[tokio::test]
async fn an_effect_is_handed_out_until_it_is_settled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let identity = identity("until-it-is-settled");
    let session = on_disk(&path).session(&identity);
    session.command("/plan on", &around()).await.expect("begun");
    let done = session
        .decide(&[draft("# v1")], &around())
        .await
        .expect("drafted");
    assert_eq!(done.effects.len(), 1);
    assert_eq!(done.effects[0].id.to_string(), "plan-1/2/0");
    assert_eq!(done.effects[0].effect.name, "plan_ready");
    drop(session);

    let sessions = on_disk(&path);
    assert_eq!(sessions.with_effects(10).await, Ok(vec![identity.clone()]));
    let session = sessions.session(&identity);
    let pending = session.effects().await.expect("effects");
    assert_eq!(pending, done.effects);
    session.settle(&pending[0].id).await.expect("settled");
    session
        .settle(&pending[0].id)
        .await
        .expect("settled twice is settled");
    assert_eq!(session.effects().await, Ok(Vec::new()));
    assert_eq!(on_disk(&path).with_effects(10).await, Ok(Vec::new()));
}

#[tokio::test]
async fn effects_come_oldest_first_and_each_entry_numbers_its_own() {
    let session = in_memory().session(&identity("oldest-first"));
    ready(&session).await;
    session
        .decide(&[draft("# v2"), draft("# v3")], &around())
        .await
        .expect("drafted");
    let ids: Vec<String> = session
        .effects()
        .await
        .expect("effects")
        .iter()
        .map(|effect| effect.id.to_string())
        .collect();
    assert_eq!(ids.first().map(String::as_str), Some("plan-1/2/0"));
    let mut sorted = ids.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(ids, sorted);
}
