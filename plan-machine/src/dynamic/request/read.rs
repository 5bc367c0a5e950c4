//! Parses the request on a line without consulting the machine: only known keys are allowed, and
//! each value must have the right type.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::suggest::did_you_mean;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use crate::dynamic::machine::ShownToken;

/// The keys of a call.
const CALL: [&str; 8] = [
    "do",
    "tool",
    "class",
    "with",
    "plan_id",
    "expect_revision",
    "token",
    "call_id",
];

/// One JSON object of the input.
#[derive(Debug)]
pub struct Request {
    /// The call or the batch of calls that is requested.
    pub body: RequestBody,
    /// The host's context data, not yet checked to be an object.
    pub context: Option<Json>,
    /// The time of the request, if it states one.
    pub at: Option<Instant>,
    /// The sender.
    pub actor: Option<String>,
}

/// The body of a request.
#[derive(Debug)]
pub enum RequestBody {
    /// One call.
    Call(WrittenCall),
    /// The start of a turn with this id: a person has sent a message.
    Turn(String),
    /// Time that passes.
    Wait(Period),
    /// The calls of one model response; each is parsed separately, so that an invalid one does not affect the others.
    Batch(Vec<Json>),
}

/// A call as written.
#[derive(Debug)]
pub struct WrittenCall {
    /// The event or tool that is called.
    pub name: CallName,
    /// The class of a call to a host tool.
    pub class: Option<String>,
    /// The payload.
    pub with: Object,
    /// The plan that the call is addressed to.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<u64>,
    /// The token that came with the call.
    pub token: ShownToken,
    /// The call's id; a call with the same id is accepted only once.
    pub call_id: Option<String>,
}

/// The name of the event or tool that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallName {
    /// An event, or a command as typed by a user.
    Do(String),
    /// A tool.
    Tool(String),
}

/// The location of an object in the input, which determines the allowed keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPlace {
    /// On its own line.
    Line,
    /// In a list of requests, such as the trace of a broken invariant. An item of the list may also
    /// contain the state and the data after the step.
    Trace,
    /// In a batch.
    Batch,
}

impl RequestPlace {
    fn keys(self) -> impl Iterator<Item = &'static str> {
        let more: &[&str] = match self {
            RequestPlace::Batch => &[],
            RequestPlace::Line => &["batch", "turn", "wait", "context", "at", "actor"],
            RequestPlace::Trace => &[
                "batch", "turn", "wait", "context", "at", "actor", "state", "data",
            ],
        };
        CALL.into_iter().chain(more.iter().copied())
    }
}

/// Reads a request.
///
/// # Errors
///
/// If the input is invalid; the error says what was found and what was expected.
pub fn request(json: &Json, place: RequestPlace) -> Result<Request, String> {
    let object = known(json, place)?;
    let at = match object.get("at") {
        None => None,
        Some(Json::Text(text)) => Some(Instant::parse(text)?),
        Some(found) => {
            return Err(format!(
                "`at` is {found}, expected an instant such as `2026-01-01T00:00:00Z`"
            ));
        }
    };
    let words = (text(object, "turn")?, text(object, "wait")?);
    let body = match (words, object.get("batch")) {
        ((Some(turn), _), _) => RequestBody::Turn(begun(object, turn)?),
        ((None, Some(period)), _) => RequestBody::Wait(waited(object, &period)?),
        ((None, None), None) => RequestBody::Call(written(object)?),
        ((None, None), Some(batch)) => RequestBody::Batch(calls(object, batch)?),
    };
    Ok(Request {
        body,
        context: object.get("context").cloned(),
        at,
        actor: text(object, "actor")?,
    })
}

/// Reads a call of a batch.
///
/// # Errors
///
/// If the input is invalid; the error says what was found and what was expected.
pub fn call_in_batch(json: &Json) -> Result<WrittenCall, String> {
    written(known(json, RequestPlace::Batch)?)
}

/// Returns the object if it has only keys that are allowed at its location.
fn known(json: &Json, place: RequestPlace) -> Result<&Object, String> {
    let object = json
        .as_object()
        .ok_or_else(|| format!("expected a request or call as a JSON object, found {json}"))?;
    match object
        .iter()
        .find(|(key, _)| !place.keys().any(|known| known == *key))
    {
        None => Ok(object),
        Some((key, _)) => {
            let near = did_you_mean(key, place.keys());
            let place = if place == RequestPlace::Batch {
                " in a call of a batch"
            } else {
                ""
            };
            Err(format!("unknown key `{key}`{place}{near}"))
        }
    }
}

/// Returns the id of a turn, if the request contains neither calls nor a wait.
fn begun(object: &Object, turn: String) -> Result<String, String> {
    alone(object, "turn", &["batch", "wait"])?;
    if turn.trim().is_empty() {
        return Err("the id in `turn` is blank".to_owned());
    }
    Ok(turn)
}

/// Returns the time that passes, if the request contains nothing else.
fn waited(object: &Object, period: &str) -> Result<Period, String> {
    alone(object, "wait", &["batch", "context", "at", "actor"])?;
    period.parse()
}

/// Refuses a request that contains a call, or one of the other keys, besides `what`.
fn alone(object: &Object, what: &str, others: &[&'static str]) -> Result<(), String> {
    let mut others = CALL.into_iter().chain(others.iter().copied());
    match others.find(|key| object.get(key).is_some()) {
        None => Ok(()),
        Some(key) => Err(format!("`{what}` and `{key}` cannot be used together")),
    }
}

fn calls(object: &Object, batch: &Json) -> Result<Vec<Json>, String> {
    if let Some(key) = CALL.into_iter().find(|key| object.get(key).is_some()) {
        return Err(format!(
            "`{key}` belongs in the calls of `batch`, not next to `batch`"
        ));
    }
    let calls = batch
        .as_list()
        .ok_or_else(|| format!("`batch` is {batch}, expected a list of calls"))?;
    Ok(calls.to_vec())
}

fn written(object: &Object) -> Result<WrittenCall, String> {
    let name = match (text(object, "do")?, text(object, "tool")?) {
        (Some(name), None) => CallName::Do(name),
        (None, Some(name)) => CallName::Tool(name),
        (None, None) => {
            return Err(
                "`do` or `tool` is required; a line that is not a single call has `batch`, `turn` or `wait` instead"
                    .to_owned(),
            );
        }
        (Some(_), Some(_)) => return Err("`do` and `tool` cannot be used together".to_owned()),
    };
    let (CallName::Do(named) | CallName::Tool(named)) = &name;
    if named.trim().is_empty() {
        return Err("the name in `do` or `tool` is blank".to_owned());
    }
    let with = match object.get("with") {
        None => Object::new(),
        Some(Json::Object(with)) => with.clone(),
        Some(found) => return Err(format!("`with` is {found}, expected an object")),
    };
    let expect_revision = match object.get("expect_revision") {
        None => None,
        Some(Json::Uint(number)) => Some(*number),
        Some(found) => {
            let number = found.as_int().and_then(|number| u64::try_from(number).ok());
            let unfit = || format!("`expect_revision` is {found}, expected a non-negative integer");
            Some(number.ok_or_else(unfit)?)
        }
    };
    Ok(WrittenCall {
        name,
        class: text(object, "class")?,
        with,
        plan_id: text(object, "plan_id")?,
        expect_revision,
        token: text(object, "token")?.map_or(ShownToken::Missing, token),
        call_id: text(object, "call_id")?,
    })
}

/// Parses a token; the word `current` means the current token.
pub(super) fn token(text: String) -> ShownToken {
    match text.as_str() {
        "current" => ShownToken::Current,
        _ => ShownToken::Shown(text),
    }
}

fn text(object: &Object, key: &str) -> Result<Option<String>, String> {
    match object.get(key) {
        None => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text.clone())),
        Some(found) => Err(format!("`{key}` is {found}, expected a string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, place: RequestPlace) -> String {
        let json = Json::parse(text).expect("valid JSON");
        request(&json, place).expect_err("must be refused")
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest_one() {
        let reason = refused(r#"{"do":"x","plan_ids":"a"}"#, RequestPlace::Line);
        assert_eq!(reason, "unknown key `plan_ids`; did you mean `plan_id`?");
    }

    #[test]
    fn what_a_trace_tells_of_its_steps_is_only_there() {
        let step = r#"{"do":"x","state":"READY","data":{}}"#;
        assert!(refused(step, RequestPlace::Line).contains("`state`"));
        let json = Json::parse(step).expect("valid JSON");
        assert!(request(&json, RequestPlace::Trace).is_ok());
    }

    #[test]
    fn a_request_is_one_thing() {
        assert!(refused("{}", RequestPlace::Line).contains("required"));
        assert!(refused(r#"{"do":"a","tool":"b"}"#, RequestPlace::Line).contains("together"));
        assert!(
            refused(r#"{"batch":[],"with":{}}"#, RequestPlace::Line)
                .contains("in the calls of `batch`")
        );
        assert!(refused(r#"{"batch":{}}"#, RequestPlace::Line).contains("expected a list"));
        assert!(refused(r#"{"do":" "}"#, RequestPlace::Line).contains("blank"));
        assert!(refused(r#"{"turn":"t1","do":"a"}"#, RequestPlace::Line).contains("together"));
        assert!(refused(r#"{"turn":""}"#, RequestPlace::Line).contains("blank"));
        assert!(refused(r#"{"turn":1}"#, RequestPlace::Line).contains("expected a string"));
        assert!(refused(r#"{"wait":"1h","do":"a"}"#, RequestPlace::Line).contains("together"));
        assert!(refused(r#"{"wait":"1x"}"#, RequestPlace::Line).contains("not a period"));
        assert!(refused("3", RequestPlace::Line).contains("as a JSON object"));
    }

    #[test]
    fn a_revision_is_a_whole_number_from_zero() {
        for wrong in ["-1", "1.0", "\"1\"", "null"] {
            let text = format!(r#"{{"do":"x","expect_revision":{wrong}}}"#);
            assert!(refused(&text, RequestPlace::Line).contains("`expect_revision`"));
        }
    }

    #[test]
    fn an_instant_is_an_instant() {
        assert!(refused(r#"{"do":"x","at":"noon"}"#, RequestPlace::Line).contains("noon"));
        assert!(refused(r#"{"do":"x","at":5}"#, RequestPlace::Line).contains("`at`"));
    }
}
