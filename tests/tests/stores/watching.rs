//! Watchers that do not use the same connection as the writers.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use plan_machine_sessions::journal::Chain;
use plan_machine_sessions::store::{Place, Store};
use plan_machine_sessions::watch::{WatchedEntry, Watcher};
use plan_machine_sessions::{Session, SessionIdentity};
use plan_machine_tests::postgres::Server;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::world::{command, connected, draft, identity, postgres, server, sessions};

const WRITERS: u64 = 4;
const ENTRIES: u64 = 30;

/// The maximum time that a watcher waits for an entry. A test that passes never reaches this limit.
const LIMIT: Duration = Duration::from_secs(120);

/// Starts a plan and drafts it again and again, until the session has this many entries.
async fn live(session: &Session, entries: u64) {
    command(session, "/plan on").await.expect("a plan");
    for number in 1..entries {
        let seq = draft(session, &format!("# Draft {number}")).await;
        assert_eq!(seq, Ok(number + 1));
    }
}

async fn next(watch: &mut Watcher, count: u64) -> Vec<WatchedEntry> {
    let mut seen = Vec::new();
    for _ in 0..count {
        let next = timeout(LIMIT, watch.next()).await;
        seen.push(next.expect("an entry in time").expect("an entry"));
    }
    seen
}

/// Returns the sequence numbers of a session's entries, in the order in which they were seen.
fn numbers(seen: &[WatchedEntry], conversation: &str) -> Vec<u64> {
    seen.iter()
        .filter(|seen| seen.session.conversation() == conversation)
        .map(|seen| seen.entry.seq)
        .collect()
}

fn name(writer: u64) -> String {
    format!("writer-{writer}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_watcher_sees_each_entry_once_and_in_order_while_several_write() {
    let watching = sessions(postgres("watched").await);
    let mut watch = watching.watch(Place::START);
    let mut one = watching.session(&identity(&name(2))).watch(0);

    let mut writing = JoinSet::new();
    for writer in 0..WRITERS {
        writing.spawn(async move {
            // Each writer is a separate host.
            let sessions = sessions(connected(&server().url("watched")).await);
            live(&sessions.session(&identity(&name(writer))), ENTRIES).await;
        });
    }
    let seen = next(&mut watch, WRITERS * ENTRIES).await;
    writing.join_all().await;
    let all: Vec<u64> = (1..=ENTRIES).collect();
    for writer in 0..WRITERS {
        assert_eq!(numbers(&seen, &name(writer)), all);
    }
    assert!(seen.is_sorted_by(|a, b| a.place < b.place));
    let of_one = next(&mut one, ENTRIES).await;
    assert_eq!(numbers(&of_one, &name(2)), all);

    // From any position, another watcher sees the remaining entries.
    for at in [0, 1, 17, seen.len() - 2] {
        let place: Place = seen[at].place.to_string().parse().expect("a place");
        let rest = (seen.len() - at - 1) as u64;
        let again = next(&mut watching.watch(place), rest).await;
        assert_eq!(again, seen[at + 1..]);
    }
    // A watcher of future entries sees only those.
    let mut late = watching.watch(watching.end().await.expect("an end"));
    let session = watching.session(&identity(&name(0)));
    command(&session, "/plan done")
        .await
        .expect("the plan ends");
    let last = next(&mut late, 1).await;
    assert_eq!(numbers(&last, &name(0)), [ENTRIES + 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_entry_is_skipped_if_a_later_transaction_commits_before_an_earlier_one() {
    let url = server().database("out_of_order");
    let watching = sessions(connected(&url).await);
    let mut watch = watching.watch(Place::START);
    let session = watching.session(&identity("the-early-one"));
    command(&session, "/plan on").await.expect("a plan");
    assert_eq!(next(&mut watch, 1).await.len(), 1);

    // This transaction has started to write, and locks a session that it will write to.
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
        .await
        .expect("a connection");
    let connection = tokio::spawn(connection);
    let body = &session.history(0, 1).await.expect("an entry")[0].to_text();
    let slow = SessionIdentity::existing("stores", "slow").expect("an identity");
    let digest = Chain::start(&slow).then(body).to_hex();
    let early = format!(
        "BEGIN;
        INSERT INTO plan_machine.session (channel, conversation, seq) VALUES ('stores', 'slow', 1);
        INSERT INTO plan_machine.entry (session, seq, body, digest, transaction)
        SELECT (SELECT id FROM plan_machine.session WHERE conversation = 'slow'), seq, body,
               decode('{digest}', 'hex'), pg_current_xact_id()::text::bigint
        FROM plan_machine.entry"
    );
    client
        .batch_execute(&early)
        .await
        .expect("the transaction has started");
    // A later transaction has been committed but is not shown yet, because the entries before it
    // are not known yet.
    draft(&session, "# Later").await.expect("a draft");
    let place = watching.end().await.expect("an end");
    let store = watching.store();
    assert_eq!(store.everything(place, 10).await, Ok(Vec::new()));

    client
        .batch_execute("COMMIT")
        .await
        .expect("the transaction is committed");
    let seen = next(&mut watch, 2).await;
    let order: Vec<&str> = seen
        .iter()
        .map(|seen| seen.session.conversation())
        .collect();
    assert_eq!(order, ["slow", "the-early-one"]);
    // A watcher that started in between sees both entries.
    let after = next(&mut watching.watch(place), 2).await;
    assert_eq!(after, seen);
    drop(client);
    connection.await.expect("a task").expect("an end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn other_hosts_are_notified_of_stored_entries() {
    let url = server().database("told");
    let sessions = sessions(connected(&url).await);
    let session = sessions.session(&identity("talked-about"));
    command(&session, "/plan on").await.expect("a plan");
    let (client, mut connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
        .await
        .expect("a connection");
    let (ear, mut heard) = tokio::sync::watch::channel(0);
    let hearing = tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if matches!(message, tokio_postgres::AsyncMessage::Notification(_)) {
                ear.send_modify(|count| *count += 1);
            }
        }
    });
    let listen = client.batch_execute("LISTEN plan_machine");
    listen.await.expect("the connection listens");
    for number in 0..3 {
        // A notification may also belong to the previous entry, so drafts are written until a notification arrives.
        let before = *heard.borrow_and_update();
        let mut draft_again = 0;
        while *heard.borrow_and_update() == before {
            let text = format!("# Draft {number}, {draft_again}");
            draft(&session, &text).await.expect("a draft");
            draft_again += 1;
            assert!(draft_again < 10_000, "no notification arrives");
        }
    }
    drop(client);
    hearing.await.expect("a task");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_store_is_notified_of_what_other_hosts_store() {
    let url = server().database("heard");
    let sessions = sessions(connected(&url).await);
    let listener = connected(&url).await;
    let mut changes = listener.wake();
    let session = sessions.session(&identity("heard-elsewhere"));
    command(&session, "/plan on").await.expect("a plan");
    for number in 0..3 {
        // A notification may also belong to an earlier entry, so drafts are written until the next one arrives.
        let mut notified = pin!(changes.notified());
        let mut draft_again = 0;
        while poll_once(notified.as_mut()).await.is_none() {
            let text = format!("# Draft {number}, {draft_again}");
            draft(&session, &text).await.expect("a draft");
            draft_again += 1;
            assert!(draft_again < 10_000, "no notification arrives");
        }
    }
}

/// Returns the result of a future if it is ready.
async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_watcher_survives_a_restart_of_the_server() {
    let server = tokio::task::spawn_blocking(Server::start);
    let server = server.await.expect("a server");
    let url = server.database("watched");
    let (writing, watching) = (
        sessions(connected(&url).await),
        sessions(connected(&url).await),
    );
    let session = writing.session(&identity("long-lived"));
    command(&session, "/plan on").await.expect("a plan");
    let mut all = watching.watch(Place::START);
    let mut one = watching.session(&identity("long-lived")).watch(0);
    assert_eq!(
        next(&mut all, 1).await,
        next(&mut all_of(&watching), 1).await
    );
    assert_eq!(next(&mut one, 1).await[0].entry.seq, 1);

    for round in 2..4 {
        let server = &server;
        tokio::task::block_in_place(|| server.kill());
        // During an outage, the watcher reports an error; afterwards, it continues.
        let away = timeout(LIMIT, all.next()).await.expect("an error in time");
        let away = away.expect_err("the server is down");
        assert!(away.to_string().contains("cannot be reached"), "{away}");
        tokio::task::block_in_place(|| server.restart());
        let seq = draft(&session, "# After that").await;
        assert_eq!(seq, Ok(round));
        assert_eq!(next(&mut all, 1).await[0].entry.seq, round);
        assert_eq!(next(&mut one, 1).await[0].entry.seq, round);
    }
}

/// Returns another watcher of all sessions.
fn all_of(sessions: &plan_machine_sessions::Sessions) -> Watcher {
    sessions.watch(Place::START)
}
