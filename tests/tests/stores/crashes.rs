//! A server that is killed, and connections that are lost.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use plan_machine::gate::EventContext;
use plan_machine_sessions::store::StoreErrorKind;
use plan_machine_sessions::{Session, SessionError, Sessions};
use plan_machine_tests::postgres::Server;
use plan_machine_tests::soak::times;
use tokio::sync::watch;

use crate::world::{
    by, command, connected, draft, identity, is_whole, machines, postgres, ready, server, sessions,
};

const WRITERS: usize = 6;
const KILLS: usize = 5;

/// The answers that one writer received.
#[derive(Default)]
struct Told {
    /// The stored drafts, with their sequence numbers.
    stored: Vec<(u64, String)>,
    errors: u64,
}

/// Writes drafts until it is stopped, and records which of them were acknowledged.
async fn write(session: Session, stop: Arc<AtomicBool>, acknowledged: watch::Sender<u64>) -> Told {
    let mut told = Told::default();
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let text = format!("# Draft {number}");
        match draft(&session, &text).await {
            Ok(seq) => {
                told.stored.push((seq, text));
                acknowledged.send_modify(|count| *count += 1);
            }
            Err(SessionError::Store(error)) => {
                assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
                told.errors += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    told
}

/// Returns an arbitrary number below a limit.
fn any_below(limit: u64) -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed)) % limit
}

/// Kills the server a few times, each time after some more entries have been acknowledged.
async fn kill_now_and_then(server: &Server, mut acknowledged: watch::Receiver<u64>) {
    for _ in 0..times(KILLS) {
        let enough = *acknowledged.borrow() + 20 + any_below(60);
        let enough = acknowledged.wait_for(|count| *count >= enough).await;
        drop(enough.expect("a writer is running"));
        tokio::task::block_in_place(|| {
            server.kill();
            server.restart();
        });
    }
    let enough = *acknowledged.borrow() + 50;
    let enough = acknowledged.wait_for(|count| *count >= enough).await;
    drop(enough.expect("a writer is running"));
}

/// Checks that everything that was acknowledged is stored, and that nothing is stored partially.
async fn check(session: &Session, told: &Told) {
    is_whole(session).await;
    let seq = session.seq().await.expect("a number");
    let history = session.history(0, u32::MAX).await.expect("a history");
    assert_eq!(history.len() as u64, seq);
    for (seq, text) in &told.stored {
        let entry = &history[usize::try_from(*seq).expect("a number") - 1];
        let with = entry.step.call.with.to_string();
        assert!(
            with.contains(text.as_str()),
            "entry {seq}: expected {text}, found {with}"
        );
    }
    // At most one event per error was stored but not acknowledged.
    let untold = history.len() - told.stored.len() - 1;
    assert!(untold as u64 <= told.errors, "{untold} of {}", told.errors);
    // Each draft has emitted its effect, and every effect has its entry.
    let effects = session.store().pending(session.identity(), u32::MAX);
    let effects = effects.await.expect("effects");
    assert_eq!(effects.len(), history.len() - 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn acknowledged_entries_survive_a_killed_server() {
    let server = tokio::task::spawn_blocking(Server::start);
    let server = server.await.expect("a server");
    let url = server.database("crashes");
    // Even then, an entry is acknowledged only when it is on disk.
    server.sql(
        "postgres",
        "ALTER DATABASE crashes SET synchronous_commit = off",
    );
    let shared = sessions(connected(&url).await);
    let stop = Arc::new(AtomicBool::new(false));
    let (acknowledged, count) = watch::channel(0);
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        // Some sessions share a store, and others have their own.
        let sessions = match writer % 2 {
            0 => shared.clone(),
            _ => Sessions::new(Arc::new(connected(&url).await), machines()),
        };
        let session = sessions.session(&identity(&format!("writer-{writer}")));
        command(&session, "/plan on").await.expect("a plan");
        let writing = write(session.clone(), Arc::clone(&stop), acknowledged.clone());
        writers.push((session, tokio::spawn(writing)));
    }
    // If no writer is left, the wait for more entries ends.
    drop(acknowledged);
    kill_now_and_then(&server, count).await;
    stop.store(true, Ordering::Relaxed);

    let (mut errors, mut stored) = (0, 0);
    for (session, writing) in writers {
        let told = writing.await.expect("a writer");
        errors += told.errors;
        stored += told.stored.len();
        check(&session, &told).await;
        // Another host that starts now sees the same data.
        let fresh = sessions(connected(&url).await);
        check(&fresh.session(session.identity()), &told).await;
        // The session continues.
        command(&session, "/plan done")
            .await
            .expect("the plan ends");
    }
    assert!(errors > 0, "no writer noticed that the server was killed");
    let kills = times(KILLS);
    println!("a server was killed {kills} times: {stored} entries were acknowledged, none is lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_reports_that_its_store_is_unreachable_and_continues_afterwards() {
    let server = tokio::task::spawn_blocking(Server::start);
    let server = server.await.expect("a server");
    let sessions = sessions(connected(&server.database("away")).await);
    let session = sessions.session(&identity("it-goes-on"));
    ready(&session).await;
    tokio::task::block_in_place(|| server.kill());
    for _ in 0..3 {
        let error = session.command("/plan done", &by("ann")).await;
        let Err(SessionError::Store(error)) = error else {
            panic!("the store is unavailable: {error:?}");
        };
        assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
        assert!(error.to_string().starts_with("the store cannot be reached"));
        let error = session.plans().await.expect_err("the store is unavailable");
        assert!(error.to_string().starts_with("the store cannot be reached"));
    }
    tokio::task::block_in_place(|| server.restart());
    assert_eq!(session.seq().await, Ok(2));
    assert_eq!(command(&session, "/plan done").await, Ok(3));
    is_whole(&session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connections_that_were_lost_are_created_again() {
    let sessions = sessions(postgres("disconnected").await);
    let session = sessions.session(&identity("reconnected"));
    ready(&session).await;
    let mut lost = 0;
    for number in 0..20 {
        tokio::task::block_in_place(|| server().disconnect("disconnected"));
        // Whether the lost connection is noticed in time depends on chance. If it is not noticed, the same command is
        // sent again.
        let around: EventContext = by("ann").once(format!("call-{number}"));
        let line = if number % 2 == 0 {
            "/plan done"
        } else {
            "/plan on"
        };
        let done = loop {
            match session.command(line, &around).await {
                Ok(done) => break done,
                Err(SessionError::Store(error)) => {
                    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
                    lost += 1;
                    assert!(lost < 1000, "{error}");
                }
                Err(other) => panic!("{other}"),
            }
        };
        assert_eq!(done.seq, number + 3);
    }
    is_whole(&session).await;
}
