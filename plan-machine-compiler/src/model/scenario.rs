//! Scenarios, resolved: names are ids, literals are values in JSON.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use super::ids::{EffectId, EventId, FieldId, StateId};
use crate::source::{Span, Spanned};

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it shows, in words.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// One step: what is sent, and what must come of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it was written.
    pub span: Span,
    /// What is sent: one call, or several of one model response.
    pub calls: Vec<Call>,
    /// The calls are a batch.
    pub batch: bool,
    /// Sent this many times.
    pub repeat: u64,
    /// What the host knows.
    pub context: Object,
    /// The time.
    pub at: Option<Instant>,
    /// What must come of it.
    pub expect: Expect,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where it was written.
    pub span: Span,
    /// What is sent.
    pub what: What,
    /// The payload.
    pub with: Object,
    /// Which record.
    pub plan_id: Option<String>,
    /// Which revision the sender has seen.
    pub expect_revision: Option<u64>,
}

/// What a call sends.
#[derive(Clone, Debug)]
pub enum What {
    /// An event of the machine.
    Event(EventId),
    /// A command's text.
    Line(String),
    /// A tool that the machine does not define.
    Tool(String),
}

/// What must come of a step; what is not said is not judged.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// The state afterwards.
    pub then: Option<Spanned<StateId>>,
    /// The state of the record that was replaced or released.
    pub ended: Option<Spanned<StateId>>,
    /// Some fields of the data.
    pub data: Vec<(FieldId, Spanned<Expected>)>,
    /// The reply.
    pub reply: Option<Spanned<Expected>>,
    /// The effects, exactly and in order.
    pub emits: Option<Spanned<Vec<EffectId>>>,
    /// The advertised tools, exactly.
    pub advertises: Option<Spanned<Vec<String>>>,
    /// Whether the call runs, or which tools of the batch do.
    pub runs: Option<Spanned<Runs>>,
    /// The kind of denial.
    pub denied: Option<Spanned<DenialKind>>,
    /// The denial's messages.
    pub messages: Option<Spanned<Vec<String>>>,
}

/// What `runs` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Whether the call runs.
    One(bool),
    /// Which tools of the batch run.
    Tools(Vec<String>),
}

/// A value as a scenario writes it: it is compared with what came out, which tells its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A scalar; one that stood in quotes is a text.
    Scalar {
        /// The text.
        text: String,
        /// It stood in quotes.
        quoted: bool,
    },
    /// A list.
    List(Vec<Expected>),
    /// A map.
    Map(Vec<(String, Expected)>),
}

impl Expected {
    /// Whether a value is the one that was expected; what is unset equals `null`.
    #[must_use]
    pub fn matches(&self, actual: Option<&Json>) -> bool {
        let Some(actual) = actual.filter(|json| !json.is_null()) else {
            return matches!(self, Expected::Scalar { text, quoted: false } if text.is_empty() || text == "null");
        };
        match (self, actual) {
            (Expected::Scalar { text, .. }, Json::Text(actual)) => text == actual,
            (
                Expected::Scalar {
                    text,
                    quoted: false,
                },
                actual,
            ) => Json::parse(text).is_ok_and(|wanted| wanted == *actual),
            (Expected::List(wanted), Json::List(actual)) => {
                wanted.len() == actual.len()
                    && wanted.iter().zip(actual).all(|(w, a)| w.matches(Some(a)))
            }
            (Expected::Map(wanted), Json::Object(actual)) => {
                let known = |key: &str| wanted.iter().any(|(name, _)| name == key);
                wanted.iter().all(|(name, w)| w.matches(actual.get(name)))
                    && actual.iter().all(|(key, _)| known(key))
            }
            _ => false,
        }
    }

    /// The value as people read it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Expected::Scalar { text, quoted: true } => Json::from(text.as_str()).to_string(),
            Expected::Scalar { text, .. } => text.clone(),
            Expected::List(items) => {
                let items: Vec<String> = items.iter().map(Expected::shown).collect();
                format!("[{}]", items.join(", "))
            }
            Expected::Map(entries) => {
                let entries = entries.iter();
                let entries: Vec<String> = entries
                    .map(|(name, value)| format!("{name}: {}", value.shown()))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }
}
