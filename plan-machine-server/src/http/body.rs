//! Reads the body of a request, up to a limit.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use plan_machine_kernel::json::{Json, Object};

use crate::problem::{Problem, ProblemKind};

/// Reads a JSON object of at most `most` bytes. An empty body is an empty object.
///
/// # Errors
///
/// If the body cannot be read, is too long, is not declared as JSON, or is not a JSON object.
pub(crate) async fn read_json(
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<Object, Problem> {
    check_kind(headers)?;
    let bytes = read(headers, body, most).await?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Problem::invalid("the body is not valid UTF-8"))?;
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    match Json::parse(&text) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err(Problem::invalid("expected a JSON object in the body")),
        Err(error) => Err(Problem::invalid(format!("the body is not JSON: {error}"))),
    }
}

/// Checks that a body is declared as JSON. A browser sends such a body for a page of another site only if this server
/// has permitted that (CORS), which it never does.
fn check_kind(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let found = if kind.is_empty() {
        "no such header".to_owned()
    } else {
        format!("`{kind}`")
    };
    let detail = format!("expected the header `Content-Type: application/json`, found {found}");
    Err(Problem::new(ProblemKind::MediaType, detail))
}

async fn read(headers: &HeaderMap, mut body: Body, most: usize) -> Result<Vec<u8>, Problem> {
    let too_large = || {
        let detail = format!("the body is longer than {most} bytes");
        Problem::new(ProblemKind::TooLarge, detail)
    };
    // If the declared length is too long, the body is not read at all.
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|_| Problem::invalid("the body could not be read"))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    async fn read_text(kind: &'static str, body: &'static str) -> Result<Object, Problem> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        read_json(&headers, Body::from(body), 16).await
    }

    #[tokio::test(flavor = "current_thread")]
    async fn only_a_short_json_object_is_read() {
        let json = "application/json; charset=utf-8";
        let read = read_text(json, r#"{"a":1}"#).await.expect("an object");
        assert_eq!(read.get("a"), Some(&Json::Int(1)));
        assert!(read_text(json, "").await.expect("nothing").is_empty());
        for (kind, body, expected) in [
            ("text/plain", "{}", ProblemKind::MediaType),
            (
                "application/x-www-form-urlencoded",
                "a=1",
                ProblemKind::MediaType,
            ),
            (json, "[]", ProblemKind::Invalid),
            (json, "{", ProblemKind::Invalid),
            (json, r#"{"a":1,"a":2}"#, ProblemKind::Invalid),
            (json, r#"{"a":1234567890}"#, ProblemKind::Invalid),
            (json, r#"{"a":12345678901}"#, ProblemKind::TooLarge),
        ] {
            let found = read_text(kind, body).await.map_err(|problem| problem.kind);
            if body.len() == 16 {
                assert!(found.is_ok(), "{body}");
            } else {
                assert_eq!(found.expect_err(body), expected, "{body}");
            }
        }
    }
}
