//! The output of the demo, compared with a snapshot.

#[tokio::test]
async fn the_demo_plays_the_lifecycles() {
    let mut shown = Vec::new();
    let folder = tempfile::tempdir().expect("a folder");
    plan_bot::demo::play(folder.path(), &mut shown, || ())
        .await
        .expect("played");
    let shown = String::from_utf8(shown).expect("text");
    insta::assert_snapshot!(shown);
}
