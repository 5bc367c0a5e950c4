//! Scenarios, resolved: names are ids, literals are values in JSON.

use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
pub use plan_machine_kernel::expected::Expected;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

use super::ids::{EffectId, EventId, FieldId, StateId};
use crate::source::{Span, Spanned};

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it shows, as a sentence.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// What comes before its own steps.
    pub given: Option<Given>,
    /// Its own steps.
    pub steps: Arc<[Step]>,
}

impl Scenario {
    /// Returns every step that is sent: the given ones first.
    pub fn sent(&self) -> impl Iterator<Item = &Step> {
        let given = self.given.iter().flat_map(|given| &given.scenarios);
        let given = given.flat_map(|scenario| scenario.steps.iter());
        given.chain(self.steps.iter())
    }
}

/// The scenarios whose steps come before those of another.
#[derive(Clone, Debug)]
pub struct Given {
    /// Where it is named.
    pub span: Span,
    /// Each of them, in the order in which they are sent.
    pub scenarios: Vec<GivenScenario>,
}

/// A scenario whose steps come before those of another.
#[derive(Clone, Debug)]
pub struct GivenScenario {
    /// Its name.
    pub name: String,
    /// Its own steps.
    pub steps: Arc<[Step]>,
}

/// One step: what is sent, and the expected result.
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
    /// The expected result.
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
    /// The record.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
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

/// The expected result of a step; omitted parts are not checked.
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
