//! A store that cannot be reached for a while.

use plan_machine_kernel::json::Json;
use plan_machine_sessions::store;
use plan_machine_tests::postgres;

use crate::bench::{Bench, Setup, ready_plan};
use crate::client::at;

const TALK: &str = "/api/sessions/codex:first-talk";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_cannot_be_reached_is_reported_and_used_again_when_it_is_back() {
    let database = postgres::Server::start();
    let store = store::open(&database.database("inbox")).await;
    let bench = Bench::with(Setup {
        store: store.expect("a store"),
        ..Setup::default()
    })
    .await;
    let mut events = bench.events("/api/events", "").await;
    events.named("hello").await;
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    bench.waiting(1).await;
    let view = bench.get(TALK).await.expect(200);
    let (plan, token) = (view.text("cards.0.plan"), view.text("cards.0.token"));
    let body = format!(
        r#"{{"decision":"approve","machine":"PlanMode","plan":"{plan}","token":"{token}"}}"#
    );

    database.kill();
    let lost = events.named("store").await;
    assert_eq!(at(&lost.data, "reachable"), Json::Bool(false));
    assert!(at(&lost.data, "problem").as_text().is_some(), "{lost:?}");
    let ready = bench.raw("GET", "/readyz", "", None).await.expect(503);
    assert_eq!(ready.body, "the store cannot be reached\n");
    let me = bench.get("/api/me").await.expect(200);
    assert_eq!(me.at("store.reachable"), Json::Bool(false));
    let refused = bench.post(&format!("{TALK}/decision"), &body).await;
    assert_eq!(refused.expect(503).text("type"), "urn:plan-machine:store");

    // Nothing is stored in the meantime, so only the store itself can show that it can be reached again.
    database.restart();
    let back = events.named("store").await;
    assert_eq!(at(&back.data, "reachable"), Json::Bool(true));
    bench.raw("GET", "/readyz", "", None).await.expect(200);
    bench
        .post(&format!("{TALK}/decision"), &body)
        .await
        .expect(200);
    let approved = loop {
        let event = events.named("entry").await;
        if at(&event.data, "event") == Json::from("approve") {
            break event;
        }
    };
    assert_eq!(at(&approved.data, "seq"), Json::Int(4));
    bench.waiting(0).await;
    bench.stop().await;
}
