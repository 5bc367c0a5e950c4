//! The page, whose files are part of the program, and the link that opens it.

use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use plan_machine_kernel::digest::{hex, sha256};
use plan_machine_kernel::json::Object;
use plan_machine_kernel::visible::visible_line;

use super::fields::Fields;
use super::roles::{AsPerson, AsReader};
use crate::app::{App, now};
use crate::auth::Proof;
use crate::http::{Query, html, json};
use crate::problem::{Problem, ProblemKind};

/// The files of the page.
static FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The entity tags of the files, in the order of the files.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag = |bytes: &[u8]| format!("\"{}\"", hex(&sha256(&[bytes])[..12]));
    FILES.iter().map(|(_, bytes)| tag(bytes)).collect()
});

/// The page for a link that works. A redirect would not be enough: if the link was followed from a page of another
/// site, a browser does not send a `SameSite=Strict` cookie along with a redirect. Browsers do not send the part after
/// `#` to any server; instead, the page stores the key and sends it with its requests.
const OPENED: &str = "<meta http-equiv=\"refresh\" content=\"0;url=/#page=KEY\"><p><a href=\"/#page=KEY\">Go to the inbox</a></p>";

const USED: &str = "<h1>This link does not work</h1><p>Each link works only once. The terminal of this server shows the next one. <a href=\"/\">If this browser is already signed in, go to the inbox.</a></p>";

/// `GET /open?key=KEY`.
pub(super) async fn open(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["key"])?;
    // Programs that show a preview of a link send a `HEAD` request, which must not use up the link.
    if *request.method() != Method::GET {
        return Ok(html(StatusCode::OK, ""));
    }
    let opened = app.auth.open(query.get("key").unwrap_or_default(), now());
    let opened = opened.and_then(|opened| {
        let cookie = cookie_for(&app, request.headers(), &opened.cookie);
        Some((HeaderValue::from_str(&cookie).ok()?, opened))
    });
    let Some((cookie, opened)) = opened else {
        return Ok(html(StatusCode::UNAUTHORIZED, USED));
    };
    // The next browser needs its own link.
    if opened.is_of_terminal
        && let Ok(link) = app.link()
    {
        (app.show_link)(&link);
    }
    let mut response = html(StatusCode::OK, &OPENED.replace("KEY", &opened.page));
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Returns the cookie for the host that the request names. If browsers reach that host with TLS, they send the cookie
/// only with TLS: a request without TLS could be read in transit. Browsers do not accept such a cookie without TLS.
fn cookie_for(app: &App, headers: &HeaderMap, cookie: &str) -> String {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let has_tls = host.is_some_and(|host| app.hosts.is_reached_with_tls(host));
    let secure = if has_tls { "; Secure" } else { "" };
    format!("{cookie}{secure}")
}

/// `POST /api/link`: a person with a token, which a browser cannot send, gets a link that signs a browser in under the
/// person's own name.
pub(super) async fn link(
    State(app): State<Arc<App>>,
    AsPerson(who): AsPerson,
    request: Request,
) -> Result<Response, Problem> {
    Fields::read(&app, request).await?.end()?;
    // Otherwise, a browser could extend the time for which it is signed in again and again.
    if who.proof != Proof::Token {
        let detail = "a link needs a token with the role `person`; a cookie is not enough";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let link = app.link_for(&who.name);
    let link = link.map_err(|error| Problem::new(ProblemKind::Internal, error.to_string()))?;
    let mut object = Object::new();
    object.push("actor", visible_line(&who.name));
    object.push("link", link);
    Ok(json(object))
}

/// `GET /` and the other paths of the page, such as `/inbox`: the page itself reads the path.
pub(super) async fn index(_: AsReader, headers: HeaderMap) -> Response {
    file("index.html", &headers)
}

/// `GET /assets/NAME`.
pub(super) async fn asset(_: AsReader, Path(name): Path<String>, headers: HeaderMap) -> Response {
    file(&name, &headers)
}

/// Returns a file by its exact name; no file system is involved, so a name cannot lead out of a folder.
fn file(name: &str, headers: &HeaderMap) -> Response {
    let Some(at) = FILES.iter().position(|(known, _)| *known == name) else {
        return Problem::not_found("there is no such file").into_response();
    };
    let tag = TAGS[at].as_str();
    let known = headers.get(header::IF_NONE_MATCH);
    let is_known = known.is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(Body::from(Bytes::from_static(FILES[at].1)))
    };
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static(kind(name));
    headers.insert(header::CONTENT_TYPE, kind);
    // A browser revalidates the file each time, so that an update of the program is visible at once.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
