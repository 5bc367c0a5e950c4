//! Several servers over one store.

use std::sync::Arc;

use plan_machine_kernel::json::Json;
use plan_machine_sessions::store::{self, Memory, Store};
use plan_machine_tests::postgres;

use crate::bench::{Bench, Setup, ready_plan};
use crate::client::at;

/// Checks that an approval on one server is seen on another one and lets the session of another host continue.
async fn approved_elsewhere(store: impl Fn() -> Arc<dyn Store>) {
    let setup = || Setup {
        store: store(),
        ..Setup::default()
    };
    let (one, other) = (Bench::with(setup()).await, Bench::with(setup()).await);
    let session = one.session("web:abcdefgh");
    ready_plan(&session, "make").await;
    let mut events = other.events("/api/events", "").await;
    events.named("hello").await;
    other.waiting(1).await;
    let view = one.get("/api/sessions/web:abcdefgh").await.expect(200);
    let (plan, token) = (view.text("cards.0.plan"), view.text("cards.0.token"));
    let body = format!(
        r#"{{"decision":"approve","machine":"PlanMode","plan":"{plan}","token":"{token}"}}"#
    );
    let path = "/api/sessions/web:abcdefgh/decision";
    let (first, second) = tokio::join!(one.post(path, &body), other.post(path, &body));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{first:?} {second:?}");
    let approved = loop {
        let event = events.named("entry").await;
        if at(&event.data, "event") == Json::from("approve") {
            break event;
        }
    };
    assert_eq!(at(&approved.data, "actor"), Json::from("ann"));
    one.waiting(0).await;
    other.waiting(0).await;
    let started = r#"{"machine":"PlanMode","event":"step_started","with":{"step":0}}"#;
    let path = "/api/sessions/web:abcdefgh/signal";
    let answer = other.post(path, started).await.expect(200);
    assert_eq!(answer.at("accepted"), Json::Bool(true));
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn an_approval_on_one_server_lets_a_session_of_another_one_go_on() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    approved_elsewhere(|| Arc::clone(&store)).await;
}

/// Opens the store at an address once for each server, as two processes would.
async fn approved_elsewhere_at(address: &str) {
    let one = store::open(address).await.expect("a store");
    let other = store::open(address).await.expect("a store");
    let handed = std::sync::atomic::AtomicUsize::new(0);
    approved_elsewhere(|| {
        let first = handed.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        Arc::clone(if first { &one } else { &other })
    })
    .await;
}

#[tokio::test]
async fn two_servers_share_an_sqlite_file() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("plans.db");
    approved_elsewhere_at(&format!("sqlite:{}", path.display())).await;
}

#[tokio::test]
async fn two_servers_share_a_postgres_database() {
    let database = postgres::Server::start();
    approved_elsewhere_at(&database.database("team")).await;
}
