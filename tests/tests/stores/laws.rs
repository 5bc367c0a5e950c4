//! Each store obeys every law.

use std::sync::Arc;

use plan_machine_sessions::conformance;
use plan_machine_sessions::store::{Memory, Sqlite, Store};

use crate::world::postgres;

async fn conforms(store: impl Store + 'static) {
    if let Err(broken) = conformance::all(Arc::new(store)).await {
        panic!("{broken}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_obeys_every_law() {
    conforms(Memory::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sqlite_obeys_every_law() {
    let folder = tempfile::tempdir().expect("a folder");
    conforms(Sqlite::open(folder.path().join("plans.db")).expect("a store")).await;
}

#[tokio::test]
async fn sqlite_obeys_every_law_on_one_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    conforms(Sqlite::open(folder.path().join("plans.db")).expect("a store")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sqlite_obeys_every_law_if_it_is_opened_briefly() {
    let folder = tempfile::tempdir().expect("a folder");
    conforms(Sqlite::open_briefly(folder.path().join("plans.db")).expect("a store")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_obeys_every_law() {
    conforms(postgres("laws").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_obeys_every_law_when_all_laws_are_tested_at_once() {
    let store: Arc<dyn Store> = Arc::new(postgres("laws_at_once").await);
    let trials = conformance::LAWS.iter().map(|law| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { law.holds(store).await.map_err(|how| (law.name, how)) })
    });
    for trial in trials.collect::<Vec<_>>() {
        assert_eq!(trial.await.expect("a trial"), Ok(()));
    }
}
