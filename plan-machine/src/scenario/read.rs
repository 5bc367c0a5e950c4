//! Parses the steps of a scenario from the form in which generated code contains them.

use plan_machine_kernel::expected::Expected;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

/// One step: the calls that are sent, and the expected result.
pub(super) struct Step {
    /// The given scenario that the step is part of, if any.
    pub(super) given: Option<String>,
    /// The time that passes instead of a call.
    pub(super) wait: Option<Period>,
    pub(super) calls: Vec<StepCall>,
    pub(super) batch: bool,
    pub(super) repeat: u64,
    pub(super) context: Object,
    pub(super) at: Option<Instant>,
    pub(super) expect: Object,
}

/// One call of a step.
pub(super) struct StepCall {
    pub(super) what: What,
    pub(super) with: Object,
    pub(super) plan_id: Option<String>,
    pub(super) expect_revision: Option<u64>,
}

pub(super) enum What {
    Event(String),
    Line(String),
    Tool(String),
}

fn text(object: &Object, key: &str) -> Option<String> {
    object.get(key).and_then(Json::as_text).map(str::to_owned)
}

fn number(object: &Object, key: &str) -> Option<u64> {
    let number = object.get(key).and_then(Json::as_int)?;
    u64::try_from(number).ok()
}

fn object(object: &Object, key: &str) -> Object {
    object
        .get(key)
        .and_then(Json::as_object)
        .cloned()
        .unwrap_or_default()
}

impl Step {
    /// Parses a step. Generated code is always well-formed, so there is no error.
    pub(super) fn read(text: &str) -> Self {
        let expect = match Json::parse(text) {
            Ok(Json::Object(object)) => object,
            _ => Object::new(),
        };
        let calls = expect
            .get("calls")
            .and_then(Json::as_list)
            .unwrap_or_default();
        let at = self::text(&expect, "at").and_then(|at| Instant::parse(&at).ok());
        Self {
            given: self::text(&expect, "given"),
            wait: self::text(&expect, "wait").and_then(|wait| wait.parse().ok()),
            calls: calls
                .iter()
                .filter_map(Json::as_object)
                .map(StepCall::read)
                .collect(),
            batch: expect.get("batch").is_some(),
            repeat: number(&expect, "repeat").unwrap_or(1),
            context: object(&expect, "context"),
            at,
            expect,
        }
    }
}

impl StepCall {
    fn read(call: &Object) -> Self {
        let what = if let Some(event) = text(call, "event") {
            What::Event(event)
        } else if let Some(tool) = text(call, "tool") {
            What::Tool(tool)
        } else {
            What::Line(text(call, "line").unwrap_or_default())
        };
        Self {
            what,
            with: object(call, "with"),
            plan_id: text(call, "plan_id"),
            expect_revision: number(call, "expect_revision"),
        }
    }
}

/// Parses an expected value: a string represents itself, `{"plain": …}` is an unquoted scalar, and `{"map": …}` is a
/// map.
pub(super) fn expected(json: &Json) -> Expected {
    match json {
        Json::List(items) => Expected::List(items.iter().map(expected).collect()),
        Json::Object(object) => match (object.get("plain"), object.get("map")) {
            (Some(Json::Text(text)), _) => Expected::Scalar {
                text: text.clone(),
                quoted: false,
            },
            (_, Some(Json::Object(map))) => {
                let entries = map
                    .iter()
                    .map(|(key, value)| (key.to_owned(), expected(value)));
                Expected::Map(entries.collect())
            }
            _ => Expected::Map(Vec::new()),
        },
        other => Expected::Scalar {
            text: other.as_text().unwrap_or_default().to_owned(),
            quoted: true,
        },
    }
}
