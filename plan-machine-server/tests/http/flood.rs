//! Many events that are large and that nobody has to store: calls that are denied.

use tokio::time::timeout;

use crate::bench::{Bench, HOST, ready_plan};
use crate::client::{Answer, LIMIT};

/// The number of calls in one request.
pub(crate) const CALLS: usize = 128;

/// A session in which calls are denied.
const SESSION: &str = "codex:flooded-talk";

/// The requests of a program whose calls are all denied.
pub(crate) struct Flood<'b> {
    bench: &'b Bench,
    body: String,
}

impl<'b> Flood<'b> {
    /// Makes a plan that waits, so that no call may run.
    pub(crate) async fn new(bench: &'b Bench) -> Self {
        ready_plan(&bench.session(SESSION), "make").await;
        let text = "x".repeat(1900);
        let call = format!(r#"{{"name":"shell","args":{{"cmd":"{text}"}}}}"#);
        let body = format!(r#"{{"calls":[{}]}}"#, vec![call; CALLS].join(","));
        Self { bench, body }
    }

    /// Sends this number of requests, each of which causes [`CALLS`] events of two kilobytes.
    pub(crate) async fn send(&self, requests: usize) {
        let path = format!("/api/sessions/{SESSION}/decide");
        for _ in 0..requests {
            let sent = timeout(LIMIT, self.send_one(&path)).await;
            sent.expect("a connection in time");
        }
    }

    /// Sends one request. A server at its limit closes the connection without a response, so the request is repeated
    /// until an earlier connection has ended.
    async fn send_one(&self, path: &str) {
        loop {
            match self.bench.post_as(HOST, path, &self.body).await {
                Answer { status: 0, .. } => tokio::task::yield_now().await,
                answer => {
                    answer.expect(200);
                    return;
                }
            }
        }
    }
}
