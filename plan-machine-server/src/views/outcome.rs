//! Decisions about calls.

use plan_machine::gate::{Decision, EarlierDecision};
use plan_machine::machine::Denial;
use plan_machine_kernel::json::{Json, Object};

use super::maybe::maybe;

/// Returns a denial.
#[must_use]
pub(crate) fn denial_json(denial: &Denial) -> Json {
    let texts = |texts: &[String]| -> Json {
        let texts = texts.iter().map(|text| Json::from(text.as_str()));
        Json::List(texts.collect())
    };
    let mut object = Object::new();
    object.push("kind", denial.kind.as_str());
    object.push("messages", texts(&denial.messages));
    object.push("state", denial.state.as_str());
    object.push("allowedIn", texts(&denial.allowed_in));
    object.into()
}

/// Returns the decision on a call.
#[must_use]
pub(crate) fn decision_json(decision: &Decision) -> Json {
    let mut object = Object::new();
    match decision {
        Decision::Applied { machine, .. } => {
            object.push("decision", "applied");
            object.push("machine", &**machine);
        }
        Decision::Recorded { machine, .. } => {
            object.push("decision", "recorded");
            object.push("machine", &**machine);
        }
        Decision::Run(allowed) => {
            object.push("decision", "run");
            object.push("tool", allowed.tool());
            object.push("class", maybe(allowed.class()));
        }
        Decision::Denied(denial) => {
            object.push("decision", "denied");
            object.push("denial", denial_json(denial));
        }
        Decision::Repeated(earlier) => {
            object.push("decision", "repeated");
            object.push("earlier", earlier_json(earlier));
        }
    }
    object.push("text", maybe(decision.answer()));
    object.into()
}

fn earlier_json(earlier: &EarlierDecision) -> Json {
    let mut object = Object::new();
    match earlier {
        EarlierDecision::Applied { machine, .. } => {
            object.push("decision", "applied");
            object.push("machine", &**machine);
        }
        EarlierDecision::Recorded { machine, .. } => {
            object.push("decision", "recorded");
            object.push("machine", &**machine);
        }
        EarlierDecision::LetRun { tool } => {
            object.push("decision", "run");
            object.push("tool", tool.as_str());
        }
        EarlierDecision::Denied(denial) => {
            object.push("decision", "denied");
            object.push("denial", denial_json(denial));
        }
    }
    object.into()
}
