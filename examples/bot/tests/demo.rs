//! The output of the demo, compared with a snapshot.

#[tokio::test]
async fn the_demo_plays_the_lifecycles() {
    let mut shown = Vec::new();
    plan_bot::demo::play(&mut shown, || ())
        .await
        .expect("played");
    let shown = String::from_utf8(shown).expect("text");
    insta::assert_snapshot!(shown);
}
