//! Requests from people and pages that must not be able to do anything.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::bench::{Bench, PERSON, Setup, bearer};
use crate::client::{LIMIT, page_headers, send};
use crate::flood::{CALLS, Flood};

/// Every path that shows something.
const PATHS: [&str; 12] = [
    "/",
    "/assets/index.html",
    "/session/codex:first-talk",
    "/api/me",
    "/api/inbox",
    "/api/sessions",
    "/api/sessions/codex:first-talk",
    "/api/events",
    "/api/proofs",
    "/api/plans?sessionId=web:abcdefgh",
    "/metrics",
    "/openapi.json",
];

#[tokio::test]
async fn a_request_without_a_valid_credential_sees_nothing() {
    let mut setup = Setup::default();
    setup.limits.failures.burst = 1000.0;
    let bench = Bench::with(setup).await;
    let cookie = format!(
        "Cookie: plan_machine_{}=616e6e.9999999999.00\r\n",
        bench.address.port()
    );
    for path in PATHS {
        for headers in [
            "",
            "Authorization: Bearer wrong-token-0123456789abcdef\r\n",
            "Authorization: Basic YW5uOmFubg==\r\n",
            "Authorization: Bearer \r\n",
            "Cookie: plan_machine=1\r\n",
            &cookie,
        ] {
            let answer = bench.raw("GET", path, headers, None).await.expect(401);
            assert!(answer.header("www-authenticate").is_some(), "{path}");
        }
    }
    let page = bench
        .raw("GET", "/", "Accept: text/html\r\n", None)
        .await
        .expect(401);
    assert!(page.body.contains("Open the link"), "{}", page.body);
    let body = Some(r#"{"sessionId":"web:abcdefgh"}"#);
    bench
        .raw("POST", "/api/plans/enable", "", body)
        .await
        .expect(401);
    bench.raw("GET", "/healthz", "", None).await.expect(200);
    bench.stop().await;
}

/// `plan-machine serve` is not the only program with this server.
#[tokio::test]
async fn a_refusal_does_not_name_a_program_that_may_not_run_this_server() {
    let bench = Bench::new().await;
    let (_, path) = bench.link.split_once("/open?").expect("a link");
    let path = format!("/open?{path}");
    let opened = bench.raw("GET", &path, "", None).await.expect(200);
    let headers = page_headers(&opened);
    let (cookie, _) = headers.split_once("\r\n").expect("a cookie");
    let cookie = format!("{cookie}\r\n");
    for (path, headers) in [
        ("/", "Accept: text/html\r\n"),
        ("/api/inbox", ""),
        ("/api/inbox", cookie.as_str()),
        (path.as_str(), ""),
    ] {
        let answer = bench.raw("GET", path, headers, None).await.expect(401);
        let body = answer.body;
        assert!(!body.contains("plan-machine serve"), "{path}: {body}");
        assert!(body.contains("this server"), "{path}: {body}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn guessing_credentials_is_slowed_down() {
    let mut setup = Setup::default();
    setup.limits.failures.burst = 3.0;
    setup.limits.failures.per_second = 0.000_1;
    let bench = Bench::with(setup).await;
    for _ in 0..3 {
        bench.raw("GET", "/api/inbox", "", None).await.expect(401);
    }
    let slowed = bench.raw("GET", "/api/inbox", "", None).await.expect(429);
    assert!(slowed.header("retry-after").is_some());
    // Those who have a credential are not affected.
    bench.get("/api/inbox").await.expect(200);
    bench.stop().await;
}

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
async fn a_link_works_once_and_the_next_one_is_shown() {
    let bench = Bench::new().await;
    let path = bench
        .link
        .split_once(&bench.host())
        .expect("a link")
        .1
        .to_owned();
    let opened = bench.raw("GET", &path, "", None).await.expect(200);
    let cookie = opened.header("set-cookie").expect("a cookie").to_owned();
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let again = bench.raw("GET", &path, "", None).await.expect(401);
    // The preview of a link does not use it up.
    let next = bench.links.lock().expect("links").clone();
    let next = next[0].split_once(&bench.host()).expect("a link").1;
    bench.raw("HEAD", next, "", None).await.expect(200);
    assert!(again.header("set-cookie").is_none());
    bench.raw("GET", "/open?key=", "", None).await.expect(401);
    bench.raw("GET", "/open", "", None).await.expect(401);
    let next = bench.links.lock().expect("links").clone();
    assert_eq!(next.len(), 1);
    let me = bench
        .raw("GET", "/api/me", &page_headers(&opened), None)
        .await;
    assert_eq!(me.expect(200).text("role"), "person");
    let next = next[0].split_once(&bench.host()).expect("a link").1;
    bench.raw("GET", next, "", None).await.expect(200);
    bench.stop().await;
}

/// Opens the link of the terminal by a name of the server, and returns the cookie that the answer sets.
async fn cookie_of_link(bench: &Bench, host: &str) -> String {
    let path = bench.link.find("/open?").map(|at| &bench.link[at..]);
    let path = path.expect("the path of the link");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let answer = send(bench.address, request.as_bytes()).await.expect(200);
    answer.header("set-cookie").expect("a cookie").to_owned()
}

#[tokio::test]
async fn a_browser_sends_the_cookie_only_with_tls_if_it_reaches_the_server_with_tls() {
    let behind_proxy = || Setup {
        hosts: vec!["https://inbox.example".to_owned(), "plain.test".to_owned()],
        ..Setup::default()
    };
    let bench = Bench::with(behind_proxy()).await;
    assert!(bench.link.starts_with("https://"), "{}", bench.link);
    let cookie = cookie_of_link(&bench, "inbox.example").await;
    assert!(
        cookie.ends_with("; HttpOnly; SameSite=Strict; Secure"),
        "{cookie}"
    );
    bench.stop().await;
    let bench = Bench::with(behind_proxy()).await;
    let cookie = cookie_of_link(&bench, "plain.test").await;
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
    bench.stop().await;
}

#[tokio::test]
async fn a_browser_on_this_computer_sends_the_cookie_without_tls() {
    let bench = Bench::new().await;
    let cookie = cookie_of_link(&bench, &bench.host()).await;
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
    bench.stop().await;
}

#[tokio::test]
async fn a_foreign_host_is_refused() {
    let bench = Bench::with(Setup {
        hosts: vec!["inbox.example".to_owned()],
        ..Setup::default()
    })
    .await;
    let port = bench.address.port();
    let request = |host: &str, target: &str| {
        let bearer = bearer(PERSON);
        format!("GET {target} HTTP/1.1\r\n{host}Connection: close\r\n{bearer}\r\n")
    };
    for host in [
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        "Host: 127.0.0.1:1\r\n".to_owned(),
        "Host: \r\n".to_owned(),
        format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"),
    ] {
        let answer = send(bench.address, request(&host, "/api/inbox").as_bytes()).await;
        assert!(matches!(answer.status, 400 | 421), "{host}: {answer:?}");
        assert!(!answer.body.contains("waiting"), "{host}");
    }
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let absolute = request(&own, "http://evil.example/api/inbox");
    let answer = send(bench.address, absolute.as_bytes()).await;
    answer.expect(421);
    for host in [
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        "inbox.example".to_owned(),
    ] {
        let host = format!("Host: {host}\r\n");
        send(bench.address, request(&host, "/api/inbox").as_bytes())
            .await
            .expect(200);
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_page_of_another_origin_can_neither_read_nor_write() {
    let bench = Bench::new().await;
    let path = bench
        .link
        .split_once(&bench.host())
        .expect("a link")
        .1
        .to_owned();
    let opened = bench.raw("GET", &path, "", None).await.expect(200);
    let cookie = page_headers(&opened);
    let (host, port) = (bench.host(), bench.address.port());
    let body = Some(r#"{"sessionId":"web:abcdefgh"}"#);
    for origin in [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        "http://localhost:3000".to_owned(),
        // The same computer under another name is another origin.
        format!("http://localhost:{port}"),
        format!("http://{host}.evil.example"),
    ] {
        let headers = format!("{cookie}Origin: {origin}\r\n");
        bench
            .raw("POST", "/api/plans/enable", &headers, body)
            .await
            .expect(403);
        bench
            .raw("GET", "/api/inbox", &headers, None)
            .await
            .expect(403);
    }
    // A form sends no JSON, and a request without an origin is not from the page.
    bench
        .raw("POST", "/api/plans/enable", &cookie, body)
        .await
        .expect(403);
    let own = format!("{cookie}Origin: http://{host}\r\n");
    let form = "Content-Type: text/plain\r\nContent-Length: 2\r\n";
    let answer = bench
        .raw("POST", "/api/plans/enable", &format!("{own}{form}"), None)
        .await;
    assert_eq!(answer.status, 415);
    let form = bench.raw("POST", "/api/plans/enable", &own, None).await;
    assert_eq!(
        form.text("detail"),
        "expected the header `Content-Type: application/json`, found no such header"
    );
    for site in ["cross-site", "same-site"] {
        let headers = format!("{cookie}Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: no-cors\r\n");
        bench
            .raw("GET", "/api/sessions", &headers, None)
            .await
            .expect(403);
    }
    bench
        .raw("POST", "/api/plans/enable", &own, body)
        .await
        .expect(200);
    let options = bench.raw("OPTIONS", "/api/inbox", &own, None).await;
    assert!(options.header("access-control-allow-origin").is_none());
    bench.stop().await;
}

/// The policy of every answer. Content may come only from this server, and nobody may frame it.
const POLICY: [&str; 10] = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
];

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_a_browser_safe() {
    let bench = Bench::new().await;
    let page = "Accept: text/html\r\n".to_owned();
    let (_, opening) = bench.link.split_once(&bench.host()).expect("a link");
    // Only files of the page may be stored, and browsers ask each time whether they have changed.
    for (path, headers, status, cache) in [
        ("/api/inbox", bearer(PERSON), 200, "no-store"),
        ("/nothing", String::new(), 401, "no-store"),
        ("/nothing", bearer(PERSON), 404, "no-store"),
        ("/healthz", String::new(), 200, "no-store"),
        ("/", bearer(PERSON), 200, "no-cache"),
        ("/", page.clone(), 401, "no-store"),
        ("/inbox", bearer(PERSON), 200, "no-cache"),
        ("/session/codex:first-talk", page, 401, "no-store"),
        ("/assets/index.html", bearer(PERSON), 200, "no-cache"),
        ("/open", String::new(), 401, "no-store"),
        (opening, String::new(), 200, "no-store"),
    ] {
        let answer = bench.raw("GET", path, &headers, None).await.expect(status);
        let policy = answer.header("content-security-policy").expect("a policy");
        let policy: Vec<&str> = policy.split("; ").collect();
        assert_eq!(policy, POLICY, "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some(cache), "{path}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_path_cannot_leave_the_files_of_the_page() {
    let bench = Bench::new().await;
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2fCargo.toml",
        "/assets/%2e%2e/Cargo.toml",
        "/assets/%2e%2e%2fsrc%2flib.rs",
        "/assets/..\\Cargo.toml",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/",
        "/assets/.",
        "/assets/index.html%00.js",
        "/../../etc/passwd",
        "/assets/%ff",
    ] {
        let answer = bench.get(path).await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
        assert!(
            !answer.body.contains("[package]") && !answer.body.contains("root:"),
            "{path}"
        );
    }
    bench.stop().await;
}

#[tokio::test]
async fn the_files_of_the_page_are_served_with_their_types_and_tags() {
    let bench = Bench::new().await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let mut seen = Vec::new();
    for file in std::fs::read_dir(folder).expect("the files of the page") {
        let file = file.expect("a file");
        let name = file.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || !file.path().is_file() {
            continue;
        }
        let answer = bench.get(&format!("/assets/{name}")).await.expect(200);
        let tag = answer.header("etag").expect("a tag").to_owned();
        assert_ne!(
            answer.header("content-type"),
            Some("application/octet-stream"),
            "{name}"
        );
        let headers = format!("{}If-None-Match: {tag}\r\n", bearer(PERSON));
        bench
            .raw("GET", &format!("/assets/{name}"), &headers, None)
            .await
            .expect(304);
        if name == "index.html" {
            let page = bench.get("/").await.expect(200);
            assert_eq!(
                page.header("content-type"),
                Some("text/html; charset=utf-8")
            );
            bench.get("/session/codex:first-talk").await.expect(200);
        }
        seen.push(name);
    }
    for name in ["index.html", "main.js", "base.css", "icon.svg"] {
        assert!(seen.iter().any(|one| one == name), "{name}: {seen:?}");
    }
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

/// Browsers send a cookie to every port of a host.
#[tokio::test]
async fn a_cookie_that_a_server_on_another_port_has_received_opens_nothing() {
    let bench = Bench::new().await;
    let path = bench.link.split_once(&bench.host()).expect("a link").1;
    let opened = bench.raw("GET", path, "", None).await.expect(200);
    let own = page_headers(&opened);
    let cookie = own.split_inclusive("\r\n").next().expect("a cookie");
    let origin = format!("Origin: http://{}\r\n", bench.host());
    let body = Some(r#"{"sessionId":"web:abcdefgh"}"#);
    let stolen = format!("{cookie}{origin}");
    bench
        .raw("POST", "/api/plans/enable", &stolen, body)
        .await
        .expect(401);
    for path in [
        "/api/me",
        "/api/inbox",
        "/api/events",
        "/metrics",
        "/openapi.json",
    ] {
        bench.raw("GET", path, cookie, None).await.expect(401);
    }
    // The page itself has no secrets, and a cookie that another server has added does not hide the valid one.
    bench.raw("GET", "/", cookie, None).await.expect(200);
    let name = cookie.split('=').next().expect("a name");
    let added = own.replacen(name, &format!("{name}=x; {}", &name["Cookie: ".len()..]), 1);
    bench.raw("GET", "/api/me", &added, None).await.expect(200);
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
