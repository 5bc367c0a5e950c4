//! What came of an accepted event.

use std::fmt;

use crate::denied::Denied;
use crate::host_tool::HostTool;
use crate::id::Id;
use crate::lifecycle::Lifecycle;
use crate::plan::AnyPlan;
use crate::reply::{Answer, Reply};

/// An accepted event.
pub struct Accepted<'h, L: Lifecycle> {
    /// What the caller gets back.
    pub reply: Reply<'h>,
    /// The plan that was replaced or released.
    pub ended: Option<AnyPlan<L>>,
    /// The call that the host may now run: nothing else happened.
    pub run: Option<HostTool>,
    /// The plans that the event spoke of, by their place; a slot has one place.
    pub plans: Touched,
}

impl<'h, L: Lifecycle> Accepted<'h, L> {
    #[inline]
    pub(crate) fn new(reply: Reply<'h>, plans: Touched) -> Self {
        Self {
            reply,
            ended: None,
            run: None,
            plans,
        }
    }

    /// The plan has left the slot; what is said of it cannot be lent.
    #[inline]
    pub(crate) fn released(answer: Answer<L>, ended: Option<AnyPlan<L>>) -> Self {
        let reply = match &ended {
            Some(ended) => answer.of_gone(ended.record()),
            None => answer.of_nothing(),
        };
        Self {
            ended,
            ..Self::new(reply, Touched::None)
        }
    }

    pub(crate) fn run(call: HostTool) -> Self {
        Self {
            run: Some(call),
            ..Self::new(Reply::State(""), Touched::None)
        }
    }
}

impl<L: Lifecycle> Accepted<'_, L> {
    /// What the sender is answered; nothing where a tool of the host has yet to run, which answers for
    /// itself.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        self.run.is_none().then(|| self.reply.to_string())
    }
}

/// What the sender of an event is answered, whether it was taken or denied.
pub trait Answered {
    /// The reply, or why the event was denied; nothing where a tool of the host has yet to run, which
    /// answers for itself.
    fn answer(&self) -> Option<String>;
}

/// What a step gives.
impl<L: Lifecycle> Answered for Result<Accepted<'_, L>, Denied> {
    fn answer(&self) -> Option<String> {
        match self {
            Ok(accepted) => accepted.answer(),
            Err(denied) => Some(denied.to_string()),
        }
    }
}

/// Which plans an event spoke of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched {
    /// None.
    None,
    /// This one.
    One(usize),
    /// Each of these; the reply is a list.
    Each(Vec<usize>),
}

impl<L: Lifecycle> fmt::Debug for Accepted<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accepted")
            .field("reply", &self.reply)
            .field("ended", &self.ended)
            .field("run", &self.run)
            .field("plans", &self.plans)
            .finish()
    }
}

/// Which plan an event is for, and what its sender has seen of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Which plan.
    pub plan_id: Option<String>,
    /// Which revision the sender has seen.
    pub expect_revision: Option<u64>,
}

impl Address {
    /// Whichever plan takes the event.
    pub const ANY: Self = Self {
        plan_id: None,
        expect_revision: None,
    };

    /// The plan as its sender has seen it: a later revision refuses the event as stale.
    #[must_use]
    pub fn at_revision(mut self, revision: u64) -> Self {
        self.expect_revision = Some(revision);
        self
    }
}

impl From<&str> for Address {
    fn from(plan_id: &str) -> Self {
        Self {
            plan_id: Some(plan_id.to_owned()),
            expect_revision: None,
        }
    }
}

impl From<&Id> for Address {
    fn from(plan_id: &Id) -> Self {
        Self::from(plan_id.as_str())
    }
}

impl From<&String> for Address {
    fn from(plan_id: &String) -> Self {
        Self::from(plan_id.as_str())
    }
}
