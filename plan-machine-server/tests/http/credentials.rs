//! Requests without a valid credential see nothing, and guessing is slowed down. A link works once, and the cookie that
//! it sets is of no use to other servers.

use crate::bench::{Bench, Setup};
use crate::client::{page_headers, send};

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

/// `plan-machine serve` is not the only program that contains this server.
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
async fn a_browser_that_is_signed_in_is_not_sent_to_the_terminal_by_an_unknown_address() {
    let bench = Bench::new().await;
    let path = bench.link.split_once(&bench.host()).expect("a link").1;
    let opened = bench.raw("GET", path, "", None).await.expect(200);
    let headers = page_headers(&opened);
    let cookie = headers.split_inclusive("\r\n").next().expect("a cookie");
    let cookie = format!("{cookie}Accept: text/html\r\n");
    for path in ["/nonsense", "/openapi.json"] {
        let answer = bench.raw("GET", path, &cookie, None).await.expect(401);
        assert!(answer.body.contains("not a page"), "{}", answer.body);
        assert!(!answer.body.contains("no valid cookie"), "{}", answer.body);
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
    let detail = slowed.text("detail");
    assert!(detail.contains("without a valid credential"), "{detail}");
    // Those who have a credential are not affected.
    bench.get("/api/inbox").await.expect(200);
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

/// Opens the link on the terminal under a name of the server, and returns the cookie that the response sets.
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
