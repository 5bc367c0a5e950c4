//! What went wrong, in the words of [`ModelError`].

use std::error::Error as _;
use std::iter::successors;
use std::time::Duration;

use genai::{Error, webc};
use serde_json::Value;

use crate::model::{ModelError, in_a_line};

/// What kind of error it is, and why, before that is fit to be told.
pub(super) type Fault = (fn(String) -> ModelError, String);

/// An error of the client. Of the request, which holds the conversation, nothing is said.
pub(super) fn of(error: &Error, timeout: Duration) -> Fault {
    match error {
        Error::WebModelCall { webc_error, .. } => of_call(webc_error, timeout),
        Error::ChatResponseGeneration {
            response_body,
            cause,
            ..
        } => (ModelError::Garbled, format!("{cause}: {response_body}")),
        other => (ModelError::Refused, other.to_string()),
    }
}

fn of_call(error: &webc::Error, timeout: Duration) -> Fault {
    match error {
        webc::Error::ResponseFailedStatus { status, body, .. } => {
            let why = format!("HTTP {}: {}", status.as_u16(), message(body));
            let why = why.trim_end_matches(": ").to_owned();
            // A server that fails may answer the next time; one that refuses will not.
            if status.is_client_error() {
                (ModelError::Refused, why)
            } else {
                (ModelError::Unreachable, why)
            }
        }
        webc::Error::ResponseFailedNotJson { content_type, body } => {
            let why = format!("\"{content_type}\" is not JSON: {body}");
            (ModelError::Garbled, why)
        }
        webc::Error::ResponseFailedInvalidJson { body, cause } => {
            (ModelError::Garbled, format!("{cause}: {body}"))
        }
        webc::Error::JsonValueExt(why) => (ModelError::Garbled, why.to_string()),
        webc::Error::Reqwest(why) if why.is_timeout() => {
            let why = format!("no answer within {} seconds", timeout.as_secs_f64());
            (ModelError::Unreachable, why)
        }
        // The outermost words have the URL in them; the innermost say what happened.
        webc::Error::Reqwest(why) => {
            let innermost = successors(why.source(), |cause| (*cause).source()).last();
            let why = innermost.map_or_else(|| "it failed".to_owned(), ToString::to_string);
            (ModelError::Unreachable, why)
        }
    }
}

/// An error as it is told: without the key, which a server may have put into its answer, and not too long.
pub(super) fn told((kind, why): Fault, key: Option<&str>) -> ModelError {
    let why = key.map_or_else(|| why.clone(), |key| why.replace(key, "***"));
    kind(in_a_line(&why, 500))
}

/// What a server says of an error: both APIs have it at `error.message`, some servers at `error`.
fn message(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let error = &value["error"];
    let message = error["message"].as_str().or_else(|| error.as_str());
    message.unwrap_or(body).to_owned()
}
