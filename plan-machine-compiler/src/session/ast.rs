//! A session document as written, before its machines are loaded.

use plan_machine_kernel::timers::Period;

use crate::source::{Span, Spanned};
use crate::syntax::ast::{ExpectedEffect, Invariant, Literal, Name};

/// A whole document.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) name: Option<Name>,
    pub(super) doc: Option<Name>,
    pub(super) deny_warnings: bool,
    pub(super) machines: Vec<Machine>,
    /// The calls document: a path, or `plan-specs:NAME`.
    pub(super) calls: Option<Name>,
    /// The character that commands begin with.
    pub(super) prefix: Option<Name>,
    pub(super) invariants: Vec<Invariant>,
    pub(super) scenarios: Vec<Scenario>,
}

/// A machine of the session: the name that the machine has in this document, and the location of its spec.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) name: Name,
    pub(super) source: Name,
}

/// An example run of the session.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: Name,
    /// The scenario whose steps run before the steps of this scenario.
    pub(super) given: Option<Name>,
    pub(super) steps: Vec<Step>,
    /// Whether a part of the scenario could not be read. This was reported, and the scenario is not run.
    pub(super) damaged: bool,
}

/// One step of a scenario: what is sent, and the expected result.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) span: Span,
    pub(super) calls: Vec<Call>,
    pub(super) batch: bool,
    /// The time that passes, instead of a call.
    pub(super) wait: Option<Spanned<Period>>,
    /// The id of the turn that begins, instead of a call.
    pub(super) turn: Option<Name>,
    /// How many times the step is sent.
    pub(super) repeat: Option<Spanned<i64>>,
    pub(super) context: Option<Literal>,
    /// The sender of a command.
    pub(super) actor: Option<Name>,
    pub(super) at: Option<Name>,
    pub(super) expect: Expect,
}

/// One call of a step.
#[derive(Debug)]
pub(super) struct Call {
    /// A typed line, the name of an event with its machine, or the name of a tool.
    pub(super) what: Name,
    pub(super) tool: bool,
    pub(super) class: Option<Name>,
    pub(super) with: Option<Literal>,
    pub(super) plan_id: Option<Name>,
    /// The revision that the sender has seen.
    pub(super) expect_revision: Option<Spanned<i64>>,
}

/// The expected result of a step; omitted parts are not checked.
#[derive(Debug, Default)]
pub(super) struct Expect {
    /// The states of machines after the step.
    pub(super) then: Vec<(Name, Name)>,
    /// The final states of the plans of machines that were replaced or released.
    pub(super) ended: Vec<(Name, Name)>,
    /// The values of some fields of machines.
    pub(super) data: Vec<(Name, Literal)>,
    pub(super) reply: Option<Literal>,
    /// All effects of machines, in order.
    pub(super) emits: Vec<(Name, Spanned<Vec<ExpectedEffect>>)>,
    pub(super) advertises: Option<Spanned<Vec<Name>>>,
    pub(super) runs: Option<Literal>,
    pub(super) denied: Option<Name>,
    pub(super) messages: Option<Spanned<Vec<Name>>>,
}
