//! A machine as sessions, stores and the gate see it: compiled or interpreted, events and answers
//! in JSON.

mod answer;
mod check;
mod typed;
mod unknown;

pub use unknown::UnknownEvent;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use crate::description::Description;
use crate::id::Id;

/// A machine, compiled or interpreted.
pub trait Machine {
    /// What a session holds of it.
    type Held: Send;

    /// Its tables.
    fn description(&self) -> &'static Description;

    /// Everything that affects its meaning, as a spec in Rust's tokens: no docs, prompts, invariants and
    /// scenarios. The fingerprint is the digest of this text.
    fn meaning(&self) -> &str;

    /// What a new session holds: nothing.
    fn empty(&self) -> Self::Held;

    /// Steps what is held. An accepted event changes it, nothing else does.
    ///
    /// # Errors
    ///
    /// Where the call names an event that the machine does not have.
    fn step(
        &self,
        held: &mut Self::Held,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent>;

    /// The state in which a batch of calls begins now.
    fn batch_start(&self, held: &Self::Held) -> BatchStart;

    /// The session's plans in the order of creation, ended ones included.
    fn plans(&self, held: &Self::Held) -> Vec<PlanView>;

    /// The place of the plan in the slot; machines of many have none.
    fn slot(&self, held: &Self::Held) -> Option<usize>;

    /// The editions that plans of the session have had.
    fn editions(&self, held: &Self::Held) -> Editions;

    /// Says which editions plans of the session have had: the next step counts from there.
    fn set_editions(&self, held: &mut Self::Held, editions: Editions);

    /// The id of the plan in the slot; machines of many have none.
    fn slot_plan(&self, held: &Self::Held) -> Option<Id> {
        let at = self.slot(held)?;
        self.plans(held).get(at).map(|plan| plan.id.clone())
    }

    /// Puts stored plans back: types, bounds, what their states need, and which plan is in the slot are checked
    /// against the machine. That each plan got into its state by the machine's rules is taken from where they were
    /// stored; `Session::check_stored` compares them with a journal.
    ///
    /// # Errors
    ///
    /// Names the plan that does not fit, and why.
    fn restore(&self, stored: &Stored) -> Result<Self::Held, Damaged>;

    /// Whether plans that have ended can still be addressed or listed.
    fn needs_ended(&self) -> bool;

    /// Lets go of the plans that have left the slot.
    fn forget_ended(&self, held: &mut Self::Held);

    /// The machine's own tools that the model sees now, sorted by name.
    fn advertised(&self, held: &Self::Held) -> Vec<String> {
        let machine = self.description();
        let plans = self.plans(held);
        let mut states: BTreeSet<&str> = match self.slot(held) {
            Some(at) => [&*plans[at].state].into(),
            None => ["none"].into(),
        };
        if machine.is_many() {
            states.extend(plans.iter().map(|plan| &*plan.state));
        }
        let states = states
            .into_iter()
            .filter_map(|name| machine.state_named(name));
        let tools: BTreeSet<&str> = states
            .flat_map(|state| machine.advertised(state))
            .map(|tool| tool.name)
            .collect();
        tools.into_iter().map(str::to_owned).collect()
    }
}

/// One event that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What was sent.
    pub what: What,
    /// The payload.
    pub with: Object,
    /// Which plan it is for.
    pub plan_id: Option<String>,
    /// Which revision the sender has seen.
    pub expect_revision: Option<u64>,
    /// The token of what a person was shown.
    pub token: ShownToken,
    /// The batch that it is part of.
    pub batch: Option<BatchStart>,
}

impl Call {
    /// An event with an empty payload, for whichever plan takes it.
    #[must_use]
    pub fn new(what: What) -> Self {
        Self {
            what,
            with: Object::new(),
            plan_id: None,
            expect_revision: None,
            token: ShownToken::Missing,
            batch: None,
        }
    }
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An event of the machine, by its name.
    Event(Cow<'static, str>),
    /// A tool that the machine does not define, by its name.
    HostTool(Cow<'static, str>),
}

/// The token that came with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownToken {
    /// None.
    Missing,
    /// The current one, whatever it is: for hosts that have just shown the plan.
    Current,
    /// This one.
    Shown(String),
}

/// Where a batch began: what would not run there does not run later in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchStart(pub(crate) u16);

/// What a step needs to know beside the event.
pub struct Env<'a> {
    /// The time.
    pub now: Instant,
    /// An id that no plan has, for the plan that the step may start.
    pub new_id: Id,
    /// What the host knows.
    pub context: &'a Object,
    /// The tools that the host has, where it says so: any other is unknown.
    pub host_tools: Option<&'a BTreeSet<String>>,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The machine took it.
    Accepted(Box<Taken>),
    /// A tool of the host may run.
    Run {
        /// Its name.
        tool: String,
        /// The state in which it may.
        state: String,
    },
    /// The machine did not take it, and nothing changed.
    Denied(Denial),
}

/// An event that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The plans that the event spoke of, as they are now.
    pub plans: Vec<PlanView>,
    /// The event went to each of them; the reply is a list.
    pub each: bool,
    /// The plan that was replaced or released.
    pub ended: Option<PlanView>,
    /// Effects, in order. In the answers of a session there are none: it delivers them once, by
    /// `Session::effects`.
    pub effects: Vec<EffectView>,
    /// What the caller gets back.
    pub reply: Json,
}

/// A plan, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanView {
    /// Its identity.
    pub id: Id,
    /// The plan it succeeded.
    pub previous: Option<Id>,
    /// The leaf it is in.
    pub state: Cow<'static, str>,
    /// How often it has changed.
    pub revision: u64,
    /// How often it has changed for those who review it.
    pub edition: u64,
    /// The token of what a person would see now.
    pub token: String,
    /// What it holds; what is unset is left out.
    pub data: Object,
}

/// An effect that was put out.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectView {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The plan it speaks of; none where there was no plan.
    pub plan: Option<Id>,
    /// What it carries; what is unset is left out.
    pub fields: Object,
}

/// A denial: a value, not a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Denial {
    /// What the sender can do about it.
    pub kind: DenialKind,
    /// In words.
    pub messages: Vec<String>,
    /// The state of the plan that was asked.
    pub state: String,
    /// Where the event would have been allowed; only for `not_allowed`.
    pub allowed_in: Vec<String>,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.messages.join("; "))
    }
}

/// What is stored of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stored {
    /// The plans, in the order of creation.
    pub plans: Vec<PlanView>,
    /// The place of the plan in the slot.
    pub slot: Option<usize>,
    /// The last edition that a plan of the session has had, plans that are gone counted; nothing where
    /// nothing is reviewed, or no plan has begun.
    pub editions: Option<u64>,
}

impl Stored {
    /// The editions that were used: never fewer than the plans show.
    pub(crate) fn editions(&self, reviews: bool) -> Editions {
        let mut editions = Editions::up_to(self.editions.filter(|_| reviews));
        for plan in self.plans.iter().filter(|_| reviews) {
            editions.keep(plan.edition);
        }
        editions
    }
}

/// A stored plan that does not fit the machine, or plans that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Which plan; none where the plans do not fit together.
    pub plan: Option<Id>,
    /// What is wrong with it, all of it.
    pub problems: Vec<String>,
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.plan {
            Some(plan) => write!(f, "the plan {plan} cannot be read: ")?,
            None => f.write_str("the stored plans cannot be read: ")?,
        }
        f.write_str(&self.problems.join("; "))
    }
}

impl Error for Damaged {}
