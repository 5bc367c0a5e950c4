//! The result of an accepted event.

use std::fmt;

pub use plan_machine_kernel::step::Address;

use crate::core::denied::DeniedStep;
use crate::core::host_tool::HostTool;
use crate::core::id::Id;
use crate::core::plan::AnyPlan;
use crate::core::reply::{PendingReply, Reply};
use crate::core::types::MachineTypes;

/// An accepted event.
pub struct AcceptedStep<'h, L: MachineTypes> {
    /// What the caller gets back.
    pub reply: Reply<'h>,
    /// The plan that was replaced or released.
    pub ended: Option<AnyPlan<L>>,
    /// The call that the host may now run: nothing else happened.
    pub run: Option<HostTool>,
    /// The plans that the event was about, by their position; a slot has one position.
    pub plans: TouchedPlans,
}

impl<'h, L: MachineTypes> AcceptedStep<'h, L> {
    #[inline]
    pub(crate) fn new(reply: Reply<'h>, plans: TouchedPlans) -> Self {
        Self {
            reply,
            ended: None,
            run: None,
            plans,
        }
    }

    /// The plan has left the slot, so a reply cannot borrow from it.
    #[inline]
    pub(crate) fn released(answer: PendingReply<L>, ended: Option<AnyPlan<L>>) -> Self {
        let reply = match &ended {
            Some(ended) => answer.of_gone(ended.record()),
            None => answer.of_nothing(),
        };
        Self {
            ended,
            ..Self::new(reply, TouchedPlans::None)
        }
    }

    pub(crate) fn run(call: HostTool) -> Self {
        Self {
            run: Some(call),
            ..Self::new(Reply::State(""), TouchedPlans::None)
        }
    }
}

impl<L: MachineTypes> AcceptedStep<'_, L> {
    /// Returns the answer to the sender; `None` if a host tool has yet to run, which answers for
    /// itself.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        self.run.is_none().then(|| self.reply.to_string())
    }
}

/// Returns the answer to the sender of an event, whether it was accepted or denied.
pub trait Answer {
    /// The reply, or why the event was denied; `None` if a host tool has yet to run, which answers
    /// for itself.
    fn answer(&self) -> Option<String>;
}

/// The result of a step.
impl<L: MachineTypes> Answer for Result<AcceptedStep<'_, L>, DeniedStep> {
    fn answer(&self) -> Option<String> {
        match self {
            Ok(accepted) => accepted.answer(),
            Err(denied) => Some(denied.to_string()),
        }
    }
}

/// The plans that an event was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TouchedPlans {
    /// None.
    None,
    /// This one.
    One(usize),
    /// Each of these; the reply is a list.
    Each(Vec<usize>),
}

impl<L: MachineTypes> fmt::Debug for AcceptedStep<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceptedStep")
            .field("reply", &self.reply)
            .field("ended", &self.ended)
            .field("run", &self.run)
            .field("plans", &self.plans)
            .finish()
    }
}

impl From<&Id> for Address {
    fn from(plan_id: &Id) -> Self {
        Self::from(plan_id.as_str())
    }
}
