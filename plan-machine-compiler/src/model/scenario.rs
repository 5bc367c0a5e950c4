//! Resolved scenarios: names have been replaced by ids, and payloads are JSON objects.

use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
pub use plan_machine_kernel::expected::Expected;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use super::ids::{EffectId, EventId, FieldId, StateId};
use crate::source::{Span, Spanned};

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// A sentence that describes what the scenario shows.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// The scenarios that run before the steps of this one.
    pub given: Option<GivenScenarios>,
    /// The steps of the scenario itself.
    pub steps: Arc<[Step]>,
}

impl Scenario {
    /// Returns all steps that are sent, starting with the steps of the given scenarios.
    pub fn sent(&self) -> impl Iterator<Item = &Step> {
        let given = self.given.iter().flat_map(|given| &given.scenarios);
        let given = given.flat_map(|scenario| scenario.steps.iter());
        given.chain(self.steps.iter())
    }
}

/// The scenarios whose steps run before the steps of another scenario.
#[derive(Clone, Debug)]
pub struct GivenScenarios {
    /// The location where the scenario names its given scenario.
    pub span: Span,
    /// The given scenarios, in the order in which their steps are sent.
    pub scenarios: Vec<GivenScenario>,
}

/// A scenario whose steps run before the steps of another scenario.
#[derive(Clone, Debug)]
pub struct GivenScenario {
    /// The name of the scenario.
    pub name: String,
    /// The steps of the scenario itself.
    pub steps: Arc<[Step]>,
}

/// One step: the calls to send, and the expected result.
#[derive(Clone, Debug)]
pub struct Step {
    /// The location where the step is written.
    pub span: Span,
    /// The time that passes instead of a call.
    pub wait: Option<Period>,
    /// The calls to send: one call, or several calls from one model response; none if the step waits.
    pub calls: Vec<Call>,
    /// Whether the calls form a batch.
    pub batch: bool,
    /// The number of times that the step is sent.
    pub repeat: u64,
    /// The context supplied by the host.
    pub context: Object,
    /// The time of the step, if the scenario states one.
    pub at: Option<Instant>,
    /// The expected result.
    pub expect: Expect,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The location where the call is written.
    pub span: Span,
    /// The content of the call.
    pub what: What,
    /// The payload.
    pub with: Object,
    /// The id of the record that the call is addressed to.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<u64>,
}

/// The content of a call.
#[derive(Clone, Debug)]
pub enum What {
    /// An event of the machine.
    Event(EventId),
    /// The text of a command.
    Line(String),
    /// A call to a tool that the machine does not define.
    Tool(String),
}

/// The expected result of a step. Omitted parts are not checked, except that a step without `denied` must not be
/// denied.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// The state after the step.
    pub then: Option<Spanned<StateId>>,
    /// The state of the record that was replaced or released.
    pub ended: Option<Spanned<StateId>>,
    /// The expected values of some data fields.
    pub data: Vec<(FieldId, Spanned<Expected>)>,
    /// The expected reply.
    pub reply: Option<Spanned<Expected>>,
    /// The expected effects, exactly and in order.
    pub emits: Option<Spanned<Vec<ExpectedEffect>>>,
    /// The expected advertised tools, exactly.
    pub advertises: Option<Spanned<Vec<String>>>,
    /// Whether the call runs, or which tools of the batch run.
    pub runs: Option<Spanned<Runs>>,
    /// The expected kind of denial.
    pub denied: Option<Spanned<DenialKind>>,
    /// The expected messages of the denial.
    pub messages: Option<Spanned<Vec<String>>>,
}

/// An effect that a step is expected to emit.
#[derive(Clone, Debug)]
pub struct ExpectedEffect {
    /// The declared effect.
    pub effect: EffectId,
    /// The location where the effect is expected.
    pub span: Span,
    /// The expected values of some fields of the effect.
    pub fields: Vec<(FieldId, Spanned<Expected>)>,
}

/// The value of `runs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Whether the call runs.
    One(bool),
    /// Which tools of the batch run.
    Tools(Vec<String>),
}
