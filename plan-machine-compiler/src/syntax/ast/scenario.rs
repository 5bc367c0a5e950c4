//! Scenarios as written.

use plan_machine_kernel::timers::Period;

use super::{Literal, Name};
use crate::source::{Span, Spanned};

/// A scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The name of the scenario: a sentence that says what the scenario demonstrates.
    pub name: Name,
    /// The scenario whose steps run before the steps of this scenario.
    pub given: Option<Name>,
    /// The scenario's own steps.
    pub steps: Vec<ScenarioStep>,
    /// Whether a part of the scenario could not be read. This was reported, and the scenario is not run.
    pub damaged: bool,
}

/// One step of a scenario: an action and its expected result.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioStep {
    /// The position of the step in the source.
    pub span: Span,
    /// The action.
    pub action: Action,
    /// How many times the action is sent.
    pub repeat: Option<Spanned<i64>>,
    /// The context sent by the host.
    pub context: Option<Literal>,
    /// The sender of a command.
    pub actor: Option<Name>,
    /// The time of the step.
    pub at: Option<Name>,
    /// The expected result.
    pub expect: Expect,
}

/// The action of a scenario step.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `do` with the name of an event or the text of a command, or `tool` with the name of a tool.
    Call(ScenarioCall),
    /// `batch`: the calls of one model response.
    Batch(Span, Vec<ScenarioCall>),
    /// `wait`: time passes.
    Wait(Spanned<Period>),
}

/// One call of a scenario step.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioCall {
    /// The event's name, the command's text or the tool's name.
    pub what: Name,
    /// Whether `tool:` was written rather than `do:`.
    pub tool: bool,
    /// The payload.
    pub with: Option<Literal>,
    /// The id of the record.
    pub plan_id: Option<Name>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<Spanned<i64>>,
}

/// The message for an `expect_revision` that no plan can have.
pub(in crate::syntax) const NEGATIVE_REVISION: &str =
    "`expect_revision` is negative; write the revision that the sender has seen";

/// Returns the message for a key that belongs to a call but was written next to a batch.
pub(in crate::syntax) fn belongs_to_a_call(key: &str) -> String {
    format!("`{key}` belongs to a call inside the batch, not to the batch itself")
}

/// An effect that a step is expected to emit.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedEffect {
    /// The name of the effect.
    pub name: Name,
    /// The expected values of some of the effect's fields.
    pub fields: Option<Literal>,
}

/// The expected result of a step. Omitted parts are not checked, except that a step without `denied` must not be
/// denied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// The state after the step.
    pub then: Option<Name>,
    /// The state of the record that was replaced or released.
    pub ended: Option<Name>,
    /// The expected values of some data fields.
    pub data: Option<Literal>,
    /// The reply.
    pub reply: Option<Literal>,
    /// All emitted effects, in order.
    pub emits: Option<Spanned<Vec<ExpectedEffect>>>,
    /// All advertised tools.
    pub advertises: Option<Spanned<Vec<Name>>>,
    /// Whether the tool runs or, for a batch, which tools run.
    pub runs: Option<Literal>,
    /// The kind of the expected denial.
    pub denied: Option<Name>,
    /// The messages of the denial.
    pub messages: Option<Spanned<Vec<Name>>>,
}
