//! A server that hangs: an error is returned within the deadline, and the session continues after the server recovers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plan_machine_sessions::store::{Postgres, StoreErrorKind};
use plan_machine_sessions::{Session, SessionError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::world::{by, draft, identity, is_whole, ready, server, sessions};

/// The maximum time that a test waits for an answer: much longer than all deadlines. A test that passes never reaches
/// this limit.
const LIMIT: Duration = Duration::from_secs(120);

/// The connections of a [`Way`] that are blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Held {
    /// Connections with a lower number than this one receive no answers.
    answers: usize,
    /// On connections with a lower number than this one, nothing is forwarded.
    all: usize,
}

/// A proxy to the server that can block traffic.
struct Way {
    port: u16,
    made: Arc<AtomicUsize>,
    held: watch::Sender<Held>,
}

impl Way {
    async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let here = listener.local_addr().expect("an address").port();
        let (held, made) = (watch::Sender::new(Held::default()), Arc::default());
        let way = Self {
            port: here,
            made: Arc::clone(&made),
            held: held.clone(),
        };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let number = made.fetch_add(1, Ordering::SeqCst);
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else {
                    continue;
                };
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let (requests, answers) = (held.subscribe(), held.subscribe());
                tokio::spawn(pump(from_client, to_server, requests, move |held| {
                    number < held.all
                }));
                tokio::spawn(pump(from_server, to_client, answers, move |held| {
                    number < held.all.max(held.answers)
                }));
            }
        });
        way
    }

    /// Blocks the answers on all existing connections; new connections are not affected.
    fn hold_answers(&self) {
        let made = self.made.load(Ordering::SeqCst);
        self.held.send_modify(|held| held.answers = made);
    }

    /// Blocks everything, even on new connections.
    fn hold_everything(&self) {
        self.held.send_modify(|held| held.all = usize::MAX);
    }

    fn release(&self) {
        self.held.send_modify(|held| *held = Held::default());
    }
}

/// Forwards traffic unless it is blocked.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut held: watch::Receiver<Held>,
    is_held: impl Fn(Held) -> bool + Send,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(many @ 1..) = from.read(&mut buffer).await {
        if held.wait_for(|held| !is_held(*held)).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..many]).await.is_err() {
            return;
        }
    }
}

/// Returns a session in its own database that is reached through a proxy which can block traffic.
/// The deadlines are long enough for a busy computer.
async fn over_a_way(database: &str) -> (Way, Session) {
    let url = tokio::task::block_in_place(|| server().database(database));
    let direct = sessions(Postgres::connect(&url).await.expect("a store"));
    ready(&direct.session(&identity(database))).await;
    let (_, after) = url.split_once("127.0.0.1:").expect("an address");
    let (port, _) = after.split_once('/').expect("a port");
    let way = Way::to(port.parse().expect("a number")).await;
    let here = url.replace(&format!(":{port}/"), &format!(":{}/", way.port));
    let here = format!("{here}&statement_deadline=6&commit_deadline=6");
    let store = Postgres::connect(&here).await.expect("a store");
    let session = sessions(store).session(&identity(database));
    // After this draft, the statement is prepared on the server, so a commit is a single message.
    assert_eq!(draft(&session, "# over the way").await, Ok(3));
    (way, session)
}

fn is_late<T: std::fmt::Debug>(answer: Result<T, SessionError>) {
    let Err(SessionError::Store(error)) = answer else {
        panic!("no answer can have arrived: {answer:?}");
    };
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
}

/// Drafts until a draft is stored: right after a hang, the proxy may still be slow.
async fn drafted_at_last(session: &Session, text: &str) -> u64 {
    let drafted = async {
        loop {
            match draft(session, text).await {
                Ok(seq) => break seq,
                Err(error) => is_late::<()>(Err(error)),
            }
        }
    };
    timeout(LIMIT, drafted).await.expect("a draft in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_without_an_answer_is_found_in_the_store() {
    let (way, session) = over_a_way("answers_held").await;
    way.hold_answers();
    // The draft is stored; its outcome is read over another connection.
    assert_eq!(draft(&session, "# stored").await, Ok(4));
    way.release();
    assert_eq!(drafted_at_last(&session, "# after it").await, 5);
    is_whole(&session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_hangs_is_an_error_and_the_session_continues_afterwards() {
    let (way, session) = over_a_way("all_held").await;
    way.hold_everything();
    is_late(draft(&session, "# on its way").await);
    is_late(session.plans().await);
    way.release();
    // The earlier message has arrived, or it never will: in both cases, the new draft follows the same entry.
    let last = drafted_at_last(&session, "# after it").await;
    assert!(last == 4 || last == 5, "{last}");
    is_whole(&session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_that_is_sent_again_after_a_hang_is_accepted_once() {
    let (way, session) = over_a_way("sent_again").await;
    let done = session
        .command("/plan done", &by("ann").once("call-0"))
        .await;
    assert_eq!(done.expect("an answer").seq, 4);
    way.hold_answers();
    // Looking up the call also needs an answer, so either nothing was sent, or the entry was stored
    // and is found.
    let first = session.command("/plan on", &by("ann").once("call-1")).await;
    way.release();
    let again = async {
        loop {
            match session.command("/plan on", &by("ann").once("call-1")).await {
                Ok(done) => break done,
                Err(error) => is_late::<()>(Err(error)),
            }
        }
    };
    let again = timeout(LIMIT, again).await.expect("an answer in time");
    assert_eq!(again.seq, 5);
    if let Ok(first) = first {
        assert!(again.repeated, "{first:?}");
    }
    assert_eq!(session.seq().await, Ok(5));
    is_whole(&session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connecting_to_a_server_that_never_answers_fails() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let holding = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((connection, _)) = silent.accept().await {
            held.push(connection);
        }
    });
    let url = format!("postgres://ann@127.0.0.1:{port}/plans?connect_timeout=1");
    let error = timeout(LIMIT, Postgres::connect(&url))
        .await
        .expect("an error in time")
        .expect_err("a server that does not answer");
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
    let url = format!("{url}&commit_deadline=soon");
    let error = Postgres::connect(&url)
        .await
        .expect_err("an invalid deadline");
    assert!(
        error
            .message
            .contains("`soon` is not a deadline: expected a positive number of seconds"),
        "{error}"
    );
    holding.abort();
}
