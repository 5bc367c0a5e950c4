//! The protection of browsers: other names and origins are refused, every response has the headers that protect a
//! browser, and paths lead only to the files of the page.

use crate::bench::{Bench, PERSON, Setup, bearer};
use crate::client::{page_headers, send};

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

/// The policy of every response. Content may come only from this server, and nobody may frame it.
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
