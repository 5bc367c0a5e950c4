//! Checks every request before anything else: its host, its sender, its origin and its rate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics::counter;
use percent_encoding::percent_decode_str;
use tokio::time::timeout;

use crate::app::{App, now};
use crate::auth::{Credential, Proof};
use crate::http::{Peer, html, is_own_origin};
use crate::metrics::names;
use crate::problem::{Problem, ProblemKind};

/// The paths that show no data and need no credential.
const OPEN: [&str; 3] = ["/open", "/healthz", "/readyz"];

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

const UNAUTHORIZED: &str = "<h1>Open the link from plan-machine</h1><p>This browser has no valid cookie. Use the link that this server shows on its terminal. A link works once; after it has been used, the terminal shows the next one.</p>";

/// The page for a browser that is signed in and requests an address that is not a page.
const NOT_A_PAGE: &str = "<h1>This address is not a page</h1><p>The address is unknown, or it leads to data for programs, which a browser cannot open. <a href=\"/\">Go to the inbox</a>.</p>";

/// Checks a request, forwards it, and completes the response.
pub(super) async fn guard(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let route = label(request.uri().path());
    let is_page = wants_page(&request);
    let mut response = match check(&app, &mut request) {
        Ok(()) => match timeout(app.limits.request, next.run(request)).await {
            Ok(response) => response,
            Err(_) => {
                Problem::new(ProblemKind::Timeout, "the request took too long").into_response()
            }
        },
        Err(problem) if problem.kind == ProblemKind::Unauthorized && is_page => {
            let is_signed_in = app.auth.credential(request.headers(), now()).is_some();
            let page = if is_signed_in {
                NOT_A_PAGE
            } else {
                UNAUTHORIZED
            };
            html(StatusCode::UNAUTHORIZED, page)
        }
        Err(problem) => problem.into_response(),
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    let status = response.status().as_u16().to_string();
    counter!(names::REQUESTS, "route" => route, "status" => status).increment(1);
    response
}

/// Returns whether a browser requests a page, so that a person will read the response.
fn wants_page(request: &Request) -> bool {
    let accept = text(request.headers(), &header::ACCEPT).unwrap_or_default();
    request.method() == Method::GET
        && accept.contains("text/html")
        && !request.uri().path().starts_with("/api/")
}

fn check(app: &App, request: &mut Request) -> Result<(), Problem> {
    let headers = request.headers();
    let host = text(headers, &header::HOST).unwrap_or_default().to_owned();
    let named = request.uri().authority();
    let is_same = named.is_none_or(|named| named.as_str().eq_ignore_ascii_case(&host));
    let is_once = headers.get_all(header::HOST).iter().count() == 1;
    if !is_once || !is_same || !app.hosts.allow(&host) {
        let detail = format!("`{host}` is not an address of this server; `--host NAME` adds one");
        return Err(Problem::new(ProblemKind::WrongHost, detail));
    }
    check_origin(headers, &host)?;
    let path = request.uri().path();
    if percent_decode_str(path).decode_utf8().is_err() {
        return Err(Problem::invalid("the path is not valid UTF-8"));
    }
    let is_open = OPEN.contains(&path);
    let credential = app.auth.credential(headers, now());
    let Some(credential) = credential else {
        if is_open {
            return Ok(());
        }
        let peer = request.extensions().get::<Peer>();
        let peer = peer.map_or(String::new(), |peer| peer.0.to_string());
        let failed = app.failures.take(&peer, Instant::now());
        within(failed, "too many requests without a valid credential")?;
        let detail = "this request has no valid credential; open the link that this server shows on its terminal, or send `Authorization: Bearer TOKEN`";
        return Err(Problem::new(ProblemKind::Unauthorized, detail));
    };
    if credential.proof == Proof::Cookie && !is_open && !is_of_page(path) {
        let detail = "this request has a cookie, but not the key of the page; open the link that this server shows on its terminal";
        return Err(Problem::new(ProblemKind::Unauthorized, detail));
    }
    check_cookie(request, &credential)?;
    let requested = app.requests.take(&credential.name, Instant::now());
    within(requested, "too many requests")?;
    request.extensions_mut().insert(credential);
    Ok(())
}

/// Returns whether a path belongs to the page itself. The page contains no data of sessions: it loads the data with
/// further requests.
fn is_of_page(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next();
    matches!(first, Some("" | "inbox" | "session" | "proofs" | "assets"))
}

/// Refuses requests from pages of another origin. Pages on other ports of this computer belong to the same site, so
/// browsers also send our cookie with the requests of those pages.
fn check_origin(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    let foreign = |what: &str| {
        let detail = format!("the request comes from {what}");
        Problem::new(ProblemKind::Forbidden, detail)
    };
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        if !is_own_origin(origin, host) {
            return Err(foreign(&format!("the foreign origin `{origin}`")));
        }
    }
    let site = text(headers, &HeaderName::from_static("sec-fetch-site"));
    let mode = text(headers, &HeaderName::from_static("sec-fetch-mode"));
    let is_foreign = matches!(site, Some("cross-site" | "same-site"));
    // A person may follow a link to the page. If the link is on another site, the strict cookie is not sent.
    if is_foreign && mode != Some("navigate") {
        return Err(foreign("a page of another origin"));
    }
    Ok(())
}

/// Checks a request that has a cookie. A browser sends the cookie with every request, so a request that changes
/// something must prove its origin.
fn check_cookie(request: &Request, credential: &Credential) -> Result<(), Problem> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let has_origin = request.headers().contains_key(header::ORIGIN);
    let is_browser = credential.proof != Proof::Token;
    if is_browser && !is_read && !has_origin {
        let detail = "a request that changes something and has a cookie needs an `Origin` header";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    Ok(())
}

fn within(taken: Result<(), Duration>, what: &str) -> Result<(), Problem> {
    taken.map_err(|wait| {
        let seconds = wait.as_secs() + 1;
        let mut problem = Problem::new(ProblemKind::Busy, format!("{what}; wait {seconds} s"));
        problem.retry_after = Some(seconds);
        problem
    })
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the label of a path for the metrics. The label omits the names in the path, so that the number of time
/// series stays small.
fn label(path: &str) -> &'static str {
    let mut parts = path.trim_start_matches('/').splitn(4, '/');
    let first = parts.next().unwrap_or_default();
    match first {
        "" => "page",
        "assets" => "assets",
        "open" => "open",
        "healthz" | "readyz" => "health",
        "metrics" => "metrics",
        "api" => match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
            ("inbox", ..) => "inbox",
            ("plans", ..) => "plans",
            ("events", ..) => "events",
            ("sessions", Some(_), Some("events")) => "session_events",
            ("sessions", Some(_), Some("decide")) => "decide",
            ("sessions", Some(_), Some("decision")) => "decision",
            ("sessions", Some(_), _) => "session",
            ("sessions", ..) => "sessions",
            _ => "api",
        },
        _ => "other",
    }
}
