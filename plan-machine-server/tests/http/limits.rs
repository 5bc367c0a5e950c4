//! Clients with too many requests or connections, clients that send too much, send too slowly or send bytes that are
//! not text, and clients that read nothing.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::bench::{Bench, PERSON, Setup, bearer};
use crate::client::{LIMIT, send};
use crate::flood::{CALLS, Flood};

#[tokio::test]
async fn too_many_requests_of_one_sender_are_refused() {
    let mut setup = Setup::default();
    setup.limits.requests.burst = 2.0;
    setup.limits.requests.per_second = 0.000_1;
    let bench = Bench::with(setup).await;
    bench.get("/api/inbox").await.expect(200);
    bench.get("/api/inbox").await.expect(200);
    bench.get("/api/inbox").await.expect(429);
    bench.stop().await;
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused() {
    let bench = Bench::new().await;
    let (host, bearer) = (bench.host(), bearer(PERSON));
    let long = "x".repeat(10 << 20);
    let head = format!(
        "POST /api/plans/enable HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{bearer}Content-Type: application/json\r\n"
    );
    let declared = format!("{head}Content-Length: {}\r\n\r\n{long}", long.len());
    let answer = send(bench.address, declared.as_bytes()).await;
    assert!(matches!(answer.status, 413 | 0), "{}", answer.status);
    // The length is not declared: the server stops reading at its limit.
    let chunked = format!(
        "{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{long}\r\n0\r\n\r\n",
        long.len()
    );
    let answer = send(bench.address, chunked.as_bytes()).await;
    assert!(matches!(answer.status, 413 | 0), "{}", answer.status);
    let header = format!("{head}X-Long: {}\r\n\r\n", "x".repeat(1 << 20));
    let answer = send(bench.address, header.as_bytes()).await;
    assert!(matches!(answer.status, 431 | 400 | 0), "{}", answer.status);
    let deep = format!(
        "{{\"context\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    bench.post("/api/plans/enable", &deep).await.expect(400);
    bench.get("/api/inbox").await.expect(200);
    bench.stop().await;
}

#[tokio::test]
async fn a_path_that_is_not_text_gets_a_problem_document() {
    let bench = Bench::new().await;
    let refused = bench
        .raw("GET", "/api/sessions/%ff", "", None)
        .await
        .expect(400);
    assert!(refused.text("detail").contains("not valid UTF-8"));
    bench.stop().await;
}

#[tokio::test]
async fn a_client_that_sends_its_request_byte_by_byte_is_disconnected() {
    let mut setup = Setup::default();
    setup.limits.connections.head = Duration::from_millis(50);
    setup.limits.request = Duration::from_millis(200);
    let bench = Bench::with(setup).await;
    let mut slow = TcpStream::connect(bench.address)
        .await
        .expect("a connection");
    slow.write_all(b"GET /api/inbox HTTP/1.1\r\nHost: ")
        .await
        .expect("a part");
    let mut rest = Vec::new();
    let ended = timeout(LIMIT, slow.read_to_end(&mut rest)).await;
    // The connection is closed, with or without an error as its answer.
    let _ = ended.expect("the connection ends");
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    // Others are still answered, even if one of their requests was too slow for these limits.
    let answered = async {
        while bench.get("/api/inbox").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, answered).await.expect("an answer in time");
    bench.stop().await;
}

#[tokio::test]
async fn a_client_that_does_not_send_its_body_is_told_so() {
    let mut setup = Setup::default();
    // Even on a busy machine, the head arrives in time, so only the body is late.
    setup.limits.connections.head = LIMIT;
    setup.limits.request = Duration::from_millis(200);
    let bench = Bench::with(setup).await;
    let mut slow = TcpStream::connect(bench.address)
        .await
        .expect("a connection");
    let (host, bearer) = (bench.host(), bearer(PERSON));
    let head = format!(
        "POST /api/plans/enable HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{bearer}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).await.expect("a part");
    let mut rest = Vec::new();
    let ended = timeout(LIMIT, slow.read_to_end(&mut rest)).await;
    let _ = ended.expect("the connection ends");
    assert!(String::from_utf8_lossy(&rest).contains("503"));
    // Others are still answered, even if one of their requests was too slow for this limit.
    let answered = async {
        while bench.get("/api/inbox").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, answered).await.expect("an answer in time");
    bench.stop().await;
}

#[tokio::test]
async fn connections_above_the_limit_are_closed_and_the_others_work() {
    let mut setup = Setup::default();
    setup.limits.connections.connections = 2;
    let bench = Bench::with(setup).await;
    let mut first = bench.events("/api/events", "").await;
    first.named("hello").await;
    let mut second = bench.events("/api/events", "").await;
    second.named("hello").await;
    let refused = bench.raw("GET", "/healthz", "", None).await;
    assert_eq!(refused.status, 0);
    drop(second);
    let answered = async {
        while bench.raw("GET", "/healthz", "", None).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, answered).await.expect("a free connection");
    bench.stop().await;
}

#[tokio::test]
async fn a_connection_that_accepts_nothing_is_closed() {
    let mut setup = Setup::default();
    setup.limits.connections.write = Duration::from_millis(20);
    setup.limits.connections.connections = 2;
    let bench = Bench::with(setup).await;
    let flood = Flood::new(&bench).await;
    let mut stuck = bench.events("/api/events", "").await;
    flood.send(16).await;
    // Two other connections can be open only if the server has closed the first one.
    let mut other = bench.events("/api/events", "").await;
    other.named("hello").await;
    let answered = async { while bench.raw("GET", "/healthz", "", None).await.status != 200 {} };
    timeout(LIMIT, answered).await.expect("a free connection");
    let mut received = 0;
    while let Some(event) = stuck.next().await {
        assert_ne!(event.name, "dropped");
        received += 1;
    }
    assert!(received < 16 * CALLS, "{received} events were received");
    bench.stop().await;
}
