//! The result of an accepted event.

use std::borrow::Cow;
use std::fmt;
use std::mem::ManuallyDrop;

pub use plan_machine_kernel::step::Address;

use crate::core::denied::DeniedStep;
use crate::core::host_tool::HostTool;
use crate::core::id::Id;
use crate::core::plan::AnyPlan;
use crate::core::reply::{PendingReply, Reply};
use crate::core::types::MachineTypes;

/// The result of an accepted event. Most events only change the state of the plan in its slot and reply with the name
/// of the new state. Creating such a result sets only a few machine words, and dropping it takes one comparison.
pub struct AcceptedStep<'h, L: MachineTypes> {
    /// The state of the plan in the slot, if the reply is the name of that state.
    state: Option<L::State>,
    /// The reply, if it is a string that a plan contains.
    lent: Option<&'h str>,
    rest: Rest<L>,
}

/// The less common parts of a result. [`Drop`] drops them in a separate function, so that a step without them pays only
/// for a check.
struct Rest<L: MachineTypes>(ManuallyDrop<Option<Ending<L>>>);

/// The result of an event that did more than change the state of the plan in a slot or read from that plan.
enum Ending<L: MachineTypes> {
    /// The plan at this position accepted the event, and the reply is a string that the plan contains.
    Lent(usize),
    /// The plan at this position accepted the event.
    Replied(usize, Reply<'static>),
    /// There is no plan: the event was handled by the state `none`.
    Answered(Reply<'static>),
    /// The plan left the slot; if `succeeded`, another plan took its place.
    Ended {
        ended: AnyPlan<L>,
        succeeded: bool,
        reply: Reply<'static>,
    },
    /// Each of these plans accepted the event.
    Each(Vec<usize>, Reply<'static>),
    /// The host may run this tool.
    Run(HostTool),
    /// These plans have counted the call, and the host may run it.
    Counted {
        plans: TouchedPlans,
        ended: Option<AnyPlan<L>>,
        call: HostTool,
    },
}

impl<L: MachineTypes> Drop for Rest<L> {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            drop_ending(self.0.take());
        }
    }
}

#[inline(never)]
fn drop_ending<L: MachineTypes>(ending: Option<Ending<L>>) {
    drop(ending);
}

impl<'h, L: MachineTypes> AcceptedStep<'h, L> {
    #[inline]
    fn made(state: Option<L::State>, lent: Option<&'h str>, rest: Option<Ending<L>>) -> Self {
        let rest = Rest(ManuallyDrop::new(rest));
        Self { state, lent, rest }
    }

    /// Returns the result of an event that the plan in the slot accepted, with the name of its state as the reply.
    #[inline]
    pub(crate) fn moved(state: L::State) -> Self {
        Self::made(Some(state), None, None)
    }

    fn of(ending: Ending<L>) -> Self {
        Self::made(None, None, Some(ending))
    }

    /// Returns the result of an event that the plan in the slot accepted, with a reply that owns no data.
    #[inline]
    pub(crate) fn lent(answer: &PendingReply<L>, plan: &'h AnyPlan<L>) -> Self {
        match answer {
            PendingReply::Lent(text) => {
                Self::made(None, Some(text(plan.record()).unwrap_or_default()), None)
            }
            _ => Self::moved(plan.state()),
        }
    }

    /// Returns the result of an event that the plan in the slot accepted.
    pub(crate) fn of_slot(answer: PendingReply<L>, plan: &'h AnyPlan<L>) -> Self {
        match answer {
            PendingReply::Made(reply) => Self::of(Ending::Replied(0, reply)),
            answer => Self::lent(&answer, plan),
        }
    }

    /// Returns the result of an event that the plan at a position accepted.
    pub(crate) fn of_plan(at: usize, reply: Reply<'h>) -> Self {
        match reply {
            Reply::Text(Cow::Borrowed(text)) => {
                Self::made(None, Some(text), (at != 0).then_some(Ending::Lent(at)))
            }
            reply => Self::of(Ending::Replied(at, reply.into_owned())),
        }
    }

    pub(crate) fn of_none(answer: PendingReply<L>) -> Self {
        Self::of(Ending::Answered(answer.of_nothing()))
    }

    pub(crate) fn of_each(all: Vec<usize>, reply: Reply<'static>) -> Self {
        Self::of(Ending::Each(all, reply))
    }

    /// Returns the result of an event after which the plan left the slot; another plan may have taken its place.
    pub(crate) fn ended_by(
        answer: PendingReply<L>,
        ended: AnyPlan<L>,
        successor: Option<&AnyPlan<L>>,
    ) -> Self {
        Self::of(Ending::Ended {
            succeeded: successor.is_some(),
            reply: answer.of_gone(successor.unwrap_or(&ended).record()),
            ended,
        })
    }

    pub(crate) fn run_by_host(call: HostTool) -> Self {
        Self::of(Ending::Run(call))
    }

    /// Adds the call that the host may run now that a plan has counted it. The answer to the call will
    /// be the result of the tool, so there is no reply.
    pub(crate) fn counting(self, call: HostTool) -> Self {
        Self::of(Ending::Counted {
            plans: self.plans(),
            ended: self.into_ended(),
            call,
        })
    }

    /// Returns the reply if it is not owned: a borrowed string, or the name of a state.
    fn lent_reply(&self) -> Reply<'h> {
        match self.lent {
            Some(text) => Reply::Text(Cow::Borrowed(text)),
            None => Reply::State(self.state.map_or("", L::state_name)),
        }
    }

    /// Returns the reply to the sender.
    #[must_use]
    pub fn into_reply(mut self) -> Reply<'h> {
        match self.rest.0.take() {
            Some(
                Ending::Replied(_, reply)
                | Ending::Answered(reply)
                | Ending::Ended { reply, .. }
                | Ending::Each(_, reply),
            ) => reply,
            Some(Ending::Lent(_) | Ending::Run(_) | Ending::Counted { .. }) | None => {
                self.lent_reply()
            }
        }
    }

    /// Returns the plan that was replaced or released.
    #[must_use]
    pub fn into_ended(mut self) -> Option<AnyPlan<L>> {
        match self.rest.0.take() {
            Some(Ending::Ended { ended, .. }) => Some(ended),
            Some(Ending::Counted { ended, .. }) => ended,
            _ => None,
        }
    }

    /// Returns the call to a host tool that the host may now run, if there is one. A call that a plan has counted has
    /// changed the plan, so the host stores the plan first.
    #[must_use]
    pub fn into_run(mut self) -> Option<HostTool> {
        match self.rest.0.take() {
            Some(Ending::Run(call) | Ending::Counted { call, .. }) => Some(call),
            _ => None,
        }
    }
}

impl<L: MachineTypes> AcceptedStep<'_, L> {
    /// Returns the reply to the sender.
    #[must_use]
    pub fn reply(&self) -> Reply<'_> {
        match &*self.rest.0 {
            Some(
                Ending::Replied(_, reply)
                | Ending::Answered(reply)
                | Ending::Ended { reply, .. }
                | Ending::Each(_, reply),
            ) => reply.borrowed(),
            Some(Ending::Lent(_) | Ending::Run(_) | Ending::Counted { .. }) | None => {
                self.lent_reply()
            }
        }
    }

    /// Returns the plan that was replaced or released.
    #[must_use]
    pub fn ended(&self) -> Option<&AnyPlan<L>> {
        match &*self.rest.0 {
            Some(Ending::Ended { ended, .. }) => Some(ended),
            Some(Ending::Counted { ended, .. }) => ended.as_ref(),
            _ => None,
        }
    }

    /// Returns the call to a host tool that the host may now run, if there is one. A call that a plan has counted has
    /// changed the plan, so the host stores the plan first.
    #[must_use]
    pub fn run(&self) -> Option<&HostTool> {
        match &*self.rest.0 {
            Some(Ending::Run(call) | Ending::Counted { call, .. }) => Some(call),
            _ => None,
        }
    }

    /// Returns the positions of the plans that the event affected; a slot has only the position 0.
    #[must_use]
    pub fn plans(&self) -> TouchedPlans {
        match &*self.rest.0 {
            None
            | Some(Ending::Ended {
                succeeded: true, ..
            }) => TouchedPlans::One(0),
            Some(Ending::Lent(at) | Ending::Replied(at, _)) => TouchedPlans::One(*at),
            Some(Ending::Each(all, _)) => TouchedPlans::Each(all.clone()),
            Some(Ending::Counted { plans, .. }) => plans.clone(),
            Some(Ending::Answered(_) | Ending::Ended { .. } | Ending::Run(_)) => TouchedPlans::None,
        }
    }

    /// Returns the answer to the sender, or `None` if a host tool has yet to run: the answer will be the tool's result.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        self.run().is_none().then(|| self.reply().to_string())
    }
}

/// The answer to the sender of an event, whether the event was accepted or denied.
pub trait Answer {
    /// Returns the reply, or the reason why the event was denied; `None` if a host tool has yet to run: the answer will
    /// be the tool's result.
    fn answer(&self) -> Option<String>;
}

/// The answer to the sender of the event: the reply of the step, or the reason why the event was denied.
impl<L: MachineTypes> Answer for Result<AcceptedStep<'_, L>, DeniedStep> {
    fn answer(&self) -> Option<String> {
        match self {
            Ok(accepted) => accepted.answer(),
            Err(denied) => Some(denied.to_string()),
        }
    }
}

/// The plans that an event affected, by their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TouchedPlans {
    /// No plan.
    None,
    /// The plan at this position.
    One(usize),
    /// Each of the plans at these positions; the reply is a list.
    Each(Vec<usize>),
}

impl<L: MachineTypes> fmt::Debug for AcceptedStep<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceptedStep")
            .field("reply", &self.reply())
            .field("ended", &self.ended())
            .field("run", &self.run())
            .field("plans", &self.plans())
            .finish()
    }
}

impl From<&Id> for Address {
    fn from(plan_id: &Id) -> Self {
        Self::from(plan_id.as_str())
    }
}
