//! Describes failures as a [`ModelError`].

use std::error::Error as _;
use std::iter::successors;
use std::time::Duration;

use reqwest::{Error, StatusCode};
use serde_json::Value;

use crate::model::ModelError;
use crate::words::in_a_line;

/// The kind and the cause of an error that has not been prepared for display yet.
pub(super) type Fault = (fn(String) -> ModelError, String);

/// Describes an error of the HTTP client. The description must not quote the request, which contains the conversation.
pub(super) fn of(error: &Error, timeout: Duration) -> Fault {
    let why = if error.is_timeout() {
        format!("no answer within {timeout:?}")
    } else {
        // The outermost message contains the URL; the innermost message says what happened.
        let innermost = successors(error.source(), |cause| (*cause).source()).last();
        innermost.map_or_else(|| "the request failed".to_owned(), ToString::to_string)
    };
    (ModelError::Unreachable, why)
}

/// Describes an answer with an HTTP error status.
pub(super) fn of_status(status: StatusCode, body: &str) -> Fault {
    let why = format!("HTTP {}: {}", status.as_u16(), message(body));
    let why = why.trim_end_matches(": ").to_owned();
    // A server that fails may answer the next time; a server that rejects a request usually rejects it again.
    if status.is_client_error() {
        (ModelError::Refused, why)
    } else {
        (ModelError::Unreachable, why)
    }
}

/// Prepares an error for display: removes the key, which a server may have included in its answer, and shortens the
/// text.
pub(super) fn told((kind, why): Fault, key: Option<&str>) -> ModelError {
    let why = key.map_or_else(|| why.clone(), |key| why.replace(key, "***"));
    kind(in_a_line(&why, 500))
}

/// Returns the server's error message: both supported APIs put it in `error.message`, but some servers put it in
/// `error`.
fn message(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let error = &value["error"];
    let message = error["message"].as_str().or_else(|| error.as_str());
    message.unwrap_or(body).to_owned()
}
