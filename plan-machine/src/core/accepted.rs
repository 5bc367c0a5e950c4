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

/// An accepted event. Most events only move the plan in a slot and reply with the name of its state: such a result is
/// stored in three words, and dropping it takes one comparison.
pub struct AcceptedStep<'h, L: MachineTypes> {
    /// The state of the plan in the slot, if the reply is its name.
    state: Option<L::State>,
    /// The reply, if it is a text of a plan.
    lent: Option<&'h str>,
    rest: Rest<L>,
}

/// The less common parts of a result. [`Drop`] drops them out of line, so that the check for them is all that every
/// step pays.
struct Rest<L: MachineTypes>(ManuallyDrop<Option<Ending<L>>>);

/// The result of an event that did more than move the plan in a slot or read from it.
enum Ending<L: MachineTypes> {
    /// The plan at this position accepted it and lends the text of the reply.
    Lent(usize),
    /// The plan at this position accepted it.
    Replied(usize, Reply<'static>),
    /// There is no plan: `none` answered.
    Answered(Reply<'static>),
    /// The plan left the slot, and another one took its place if `succeeded`.
    Ended {
        ended: AnyPlan<L>,
        succeeded: bool,
        reply: Reply<'static>,
    },
    /// Each of these plans accepted it.
    Each(Vec<usize>, Reply<'static>),
    /// The host may run a tool.
    Run(HostTool),
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

    /// The plan in the slot accepted the event, and the reply is the name of its state.
    #[inline]
    pub(crate) fn moved(state: L::State) -> Self {
        Self::made(Some(state), None, None)
    }

    fn of(ending: Ending<L>) -> Self {
        Self::made(None, None, Some(ending))
    }

    /// The plan at a position accepted the event.
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

    /// The plan has left the slot; another one may have taken its place.
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

    /// Returns the reply if it is not owned: a lent text, or the name of a state.
    fn lent_reply(&self) -> Reply<'h> {
        match self.lent {
            Some(text) => Reply::Text(Cow::Borrowed(text)),
            None => Reply::State(self.state.map_or("", L::state_name)),
        }
    }

    /// What the caller gets back.
    #[must_use]
    pub fn into_reply(mut self) -> Reply<'h> {
        match self.rest.0.take() {
            Some(
                Ending::Replied(_, reply)
                | Ending::Answered(reply)
                | Ending::Ended { reply, .. }
                | Ending::Each(_, reply),
            ) => reply,
            Some(Ending::Lent(_) | Ending::Run(_)) | None => self.lent_reply(),
        }
    }

    /// The plan that was replaced or released.
    #[must_use]
    pub fn into_ended(mut self) -> Option<AnyPlan<L>> {
        match self.rest.0.take() {
            Some(Ending::Ended { ended, .. }) => Some(ended),
            _ => None,
        }
    }

    /// The call that the host may now run: nothing else happened.
    #[must_use]
    pub fn into_run(mut self) -> Option<HostTool> {
        match self.rest.0.take() {
            Some(Ending::Run(call)) => Some(call),
            _ => None,
        }
    }
}

impl<L: MachineTypes> AcceptedStep<'_, L> {
    /// What the caller gets back.
    #[must_use]
    pub fn reply(&self) -> Reply<'_> {
        match &*self.rest.0 {
            Some(
                Ending::Replied(_, reply)
                | Ending::Answered(reply)
                | Ending::Ended { reply, .. }
                | Ending::Each(_, reply),
            ) => reply.borrowed(),
            Some(Ending::Lent(_) | Ending::Run(_)) | None => self.lent_reply(),
        }
    }

    /// The plan that was replaced or released.
    #[must_use]
    pub fn ended(&self) -> Option<&AnyPlan<L>> {
        match &*self.rest.0 {
            Some(Ending::Ended { ended, .. }) => Some(ended),
            _ => None,
        }
    }

    /// The call that the host may now run: nothing else happened.
    #[must_use]
    pub fn run(&self) -> Option<&HostTool> {
        match &*self.rest.0 {
            Some(Ending::Run(call)) => Some(call),
            _ => None,
        }
    }

    /// The plans that the event was about, by their place; a slot has one place.
    #[must_use]
    pub fn plans(&self) -> TouchedPlans {
        match &*self.rest.0 {
            None
            | Some(Ending::Ended {
                succeeded: true, ..
            }) => TouchedPlans::One(0),
            Some(Ending::Lent(at) | Ending::Replied(at, _)) => TouchedPlans::One(*at),
            Some(Ending::Each(all, _)) => TouchedPlans::Each(all.clone()),
            Some(Ending::Answered(_) | Ending::Ended { .. } | Ending::Run(_)) => TouchedPlans::None,
        }
    }

    /// What the sender is answered; nothing where a host tool has yet to run, which answers for
    /// itself.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        self.run().is_none().then(|| self.reply().to_string())
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
