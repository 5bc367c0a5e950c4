//! The part of a step that generated code performs, and its result: what happens to the record.

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::time::Instant;

use super::cx::Cx;
use super::denied::DenialReason;
use super::plan::AnyPlan;
use super::record::Record;
use super::reply::PendingReply;
use super::seal::Runtime;
use super::types::MachineTypes;

/// The transitions of a compiled machine. Only [`machine!`](crate::machine!) implements this trait.
pub trait Steps: MachineTypes {
    /// Applies an event to a record.
    ///
    /// # Errors
    ///
    /// If the event is denied; in this case, nothing has changed.
    #[doc(hidden)]
    fn in_record(
        record: &mut Record<Self>,
        event: &mut Self::Event,
        cx: &mut Cx<Self>,
        from: Runtime<Self>,
    ) -> Result<StepEnd<Self>, DenialReason>;
    /// Applies an event to `none`.
    ///
    /// # Errors
    ///
    /// If the event is denied; in this case, nothing has changed.
    #[doc(hidden)]
    fn in_none(
        event: &mut Self::Event,
        cx: &mut Cx<Self>,
        from: Runtime<Self>,
    ) -> Result<StepEnd<Self>, DenialReason>;
    /// Returns the reply of one record to a command that went to every record. The reply is that of the alternative
    /// that this record took.
    ///
    /// # Errors
    ///
    /// If the reply needs a value that is not set, or if a number in it becomes too large.
    fn late_reply(
        taken: u16,
        record: &Record<Self>,
        event: &Self::Event,
        cx: &Cx<Self>,
    ) -> Result<PendingReply<Self>, DenialReason>;

    /// Fires a timer of a record: the timer at this index among the machine's timers.
    ///
    /// # Errors
    ///
    /// If no transition can be taken; in this case, nothing has changed.
    #[doc(hidden)]
    fn fire(
        _record: &mut Record<Self>,
        _timer: u16,
        _cx: &mut Cx<Self>,
        _from: Runtime<Self>,
    ) -> Result<StepEnd<Self>, DenialReason> {
        Err(DenialReason::not_allowed())
    }

    /// Returns a context for timers, if the machine has timers. No host sends a timer, so the fields have arbitrary
    /// values; the rules of the spec language ensure that nothing reads these values.
    #[doc(hidden)]
    #[must_use]
    fn timer_context() -> Option<Self::Context> {
        None
    }

    /// Returns whether a host tool could run now with some arguments, if alternatives decide that. A
    /// condition that reads the event counts as true.
    #[doc(hidden)]
    #[must_use]
    fn could_run(_record: Option<&Record<Self>>, _tool: &str, _cx: FloorTime) -> bool {
        true
    }

    /// Returns the token of a record's current content.
    fn token(record: &Record<Self>) -> Token;
    /// Returns the fields that the record's state needs but that are not set.
    fn lacks(record: &Record<Self>) -> Vec<&'static str>;
}

impl<L: Steps> AnyPlan<L> {
    /// Returns the token of the content that a person would see now.
    #[must_use]
    pub fn token(&self) -> Token {
        L::token(self.record())
    }
}

/// The time at which a turn determines which host tools could run.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct FloorTime {
    /// The time.
    pub now: Instant,
}

/// The result of an accepted event: the change to the slot, and the reply.
#[doc(hidden)]
#[derive(Debug)]
pub struct StepEnd<L: MachineTypes> {
    /// The change to the slot.
    pub outcome: SlotChange<L>,
    /// The reply.
    pub answer: PendingReply<L>,
}

/// The change to the slot.
#[doc(hidden)]
#[derive(Debug)]
pub enum SlotChange<L: MachineTypes> {
    /// No change: there is no record, or the record stays in the slot.
    Stays,
    /// This record starts.
    Starts(Box<Record<L>>),
    /// The record leaves the slot.
    Released,
    /// The record leaves the slot, and this record succeeds it.
    Succeeded(Box<Record<L>>),
}

impl<L: MachineTypes> StepEnd<L> {
    /// Returns whether the record stays in the slot and the reply is the name of its state or a string that it
    /// contains. Such a result owns nothing.
    #[inline]
    pub(crate) fn owns_nothing(&self) -> bool {
        matches!(
            (&self.outcome, &self.answer),
            (
                SlotChange::Stays,
                PendingReply::State | PendingReply::Lent(_)
            )
        )
    }

    /// Returns the result of a step that does not change the slot.
    #[inline]
    #[must_use]
    pub fn stays(answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Stays,
            answer,
        }
    }

    /// Returns the result of a step that starts a record.
    #[inline]
    #[must_use]
    pub fn starts(record: Box<Record<L>>, answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Starts(record),
            answer,
        }
    }

    /// Returns the result of a step after which the record leaves the slot.
    #[inline]
    #[must_use]
    pub fn released(answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Released,
            answer,
        }
    }

    /// Returns the result of a step after which another record succeeds the current one.
    #[inline]
    #[must_use]
    pub fn succeeded(record: Box<Record<L>>, answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Succeeded(record),
            answer,
        }
    }
}
