//! A session document with resolved names.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::expected::Expected;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::session::CommandPrefix;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use super::ast::Document;
use super::called::CalledTool;
use crate::calls::{Calls, Example};
use crate::model::scenario::{self, Runs};
use crate::model::{Checked, EventId, Machine, StateId};
use crate::operators::Gate;
use crate::prove::situations::Questions;
use crate::resolve::given::Given;
use crate::source::{Span, Spanned};
use crate::syntax::ast::Spec;

/// A session, which combines several machines.
#[derive(Clone, Debug)]
pub struct Session {
    /// The name of the session.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// The documentation of the session.
    pub doc: Option<String>,
    /// The machines, in the order of the document.
    pub members: Vec<Member>,
    /// The calls document that maps each call to a class.
    pub calls: Option<SessionCalls>,
    /// The character that commands begin with.
    pub prefix: CommandPrefix,
    /// Those calls in the scenarios that have arguments and a class: the class that the step states, or the only class
    /// that calls to the tool can have. As with the examples of a calls document, checking them requires a classifier.
    pub examples: Vec<Example>,
    pub(super) invariants: Vec<Invariant>,
    pub(super) scenarios: Vec<Scenario>,
    /// The document as written, whose names are resolved again if a machine is altered.
    pub(super) document: Arc<Document>,
}

/// A machine of a session.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name that the machine has in this session.
    pub name: String,
    /// The location of the name.
    pub span: Span,
    /// Where the machine comes from.
    pub origin: Origin,
    /// The spec as written.
    pub spec: Spec,
    /// The machine.
    pub machine: Checked<Machine>,
}

/// The calls document of a session.
#[derive(Clone, Debug)]
pub struct SessionCalls {
    /// The location in the session document where the calls document is named.
    pub span: Span,
    /// Where the document comes from.
    pub origin: Origin,
    /// The document.
    pub calls: Checked<Calls>,
}

/// Where a machine or a calls document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file, relative to the folder of the document.
    File(String),
    /// A document of `plan-specs`.
    Shipped(&'static str),
}

impl Session {
    /// Returns the index of the machine with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// Returns the machine at an index.
    #[must_use]
    pub fn machine(&self, at: usize) -> &Checked<Machine> {
        &self.members[at].machine
    }
}

/// An invariant.
#[derive(Clone, Debug)]
pub(super) struct Invariant {
    pub(super) name: String,
    pub(super) span: Span,
    #[cfg_attr(
        not(feature = "tools"),
        expect(dead_code, reason = "only `diff` reads it")
    )]
    pub(super) text: String,
    pub(super) property: Property,
    /// What the invariant asks about each machine, in the order of the machines.
    pub(super) questions: Vec<Questions>,
    /// The tools that the invariant asks about, in the order of the questions.
    pub(super) tools: Vec<CalledTool>,
}

impl Invariant {
    /// Returns the number of answers that one combination of situations needs.
    pub(super) fn asked(&self) -> usize {
        let asked = self.questions.iter();
        let asked = asked.map(|one| one.conditions.len() + one.tools.len());
        asked.sum::<usize>().max(1)
    }
}

/// The forms of invariants over several machines.
#[derive(Clone, Debug)]
pub(super) enum Property {
    /// `always E`.
    Always(Claim),
    /// `never E`.
    Never(Claim),
    /// `a only in E`.
    OnlyIn(Subject, Claim),
    /// `E only by a or b`.
    OnlyBy(Claim, Vec<Subject>),
}

/// An event that an invariant names.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// An event of a machine, or all of its timers. If the event is a tool, `tool` gives the position of the question
    /// about it.
    Events {
        machine: usize,
        events: Vec<EventId>,
        tool: Option<Tool>,
    },
    /// Calls to a host tool, or calls of a class: one question for each combination of a tool and a class that such a
    /// call may have.
    HostTool(Vec<Tool>),
}

/// A condition over several machines.
#[derive(Clone, Debug)]
pub(super) enum Claim {
    Constant(bool),
    /// A condition on one machine: the index of the machine, and the index of the condition among the questions to that
    /// machine.
    Condition(usize, usize),
    /// A claim about what the session does with a call.
    Tool(Gate, Tool),
    Not(Box<Claim>),
    And(Box<Claim>, Box<Claim>),
    Or(Box<Claim>, Box<Claim>),
}

/// A tool that an invariant of the session asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// The machine that defines the tool, and whether the tool can change the outside world; `None` for a host tool.
    pub(super) owner: Option<(usize, bool)>,
    /// The index of the tool among the questions to every machine.
    pub(super) question: usize,
}

/// An example run.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// The scenarios whose steps run before the steps of this scenario.
    pub(super) given: Option<Given<Step>>,
    pub(super) steps: Arc<[Step]>,
}

/// One step of a scenario.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) span: Span,
    /// The time that passes, instead of a call.
    pub(super) wait: Option<Period>,
    /// The id of the turn that begins, instead of a call.
    pub(super) turn: Option<String>,
    /// The calls to send; several calls are one response of the model.
    pub(super) calls: Vec<Call>,
    /// The number of times that the step is sent.
    pub(super) repeat: u64,
    pub(super) context: Object,
    pub(super) at: Option<Instant>,
    pub(super) expect: Expect,
}

/// One call of a step.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) what: What,
    /// The class of a call to a host tool.
    pub(super) class: Option<String>,
    pub(super) with: Object,
    pub(super) plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub(super) expect_revision: Option<u64>,
}

/// The content of a call.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A typed line.
    Line(String),
    /// An event that the host sends to a machine.
    Event(usize, EventId),
    /// A call by the model.
    Tool(String),
}

/// The expected result of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Expect {
    pub(super) then: Vec<(usize, Spanned<StateId>)>,
    /// The expected results of single machines: the plan that ended, data and effects.
    pub(super) machines: BTreeMap<usize, scenario::Expect>,
    pub(super) reply: Option<Spanned<Expected>>,
    pub(super) advertises: Option<Spanned<Vec<String>>>,
    pub(super) runs: Option<Spanned<Runs>>,
    pub(super) denied: Option<Spanned<DenialKind>>,
    pub(super) messages: Option<Spanned<Vec<String>>>,
}
