//! What generated code does with an event, and what happens to the record that takes it.

use plan_machine_kernel::digest::Token;

use super::cx::Cx;
use super::denied::DenialReason;
use super::plan::AnyPlan;
use super::record::Record;
use super::reply::PendingReply;
use super::seal::Runtime;
use super::types::MachineTypes;

/// The transitions of a compiled machine. Only [`machine!`](crate::machine!) implements it.
pub trait Steps: MachineTypes {
    /// A record takes an event.
    ///
    /// # Errors
    ///
    /// Where it does not; nothing has changed then.
    #[doc(hidden)]
    fn in_record(
        record: &mut Record<Self>,
        event: &mut Self::Event,
        cx: &mut Cx<Self>,
        from: Runtime<Self>,
    ) -> Result<StepEnd<Self>, DenialReason>;
    /// `none` takes an event.
    ///
    /// # Errors
    ///
    /// Where it does not; nothing has changed then.
    #[doc(hidden)]
    fn in_none(
        event: &mut Self::Event,
        cx: &mut Cx<Self>,
        from: Runtime<Self>,
    ) -> Result<StepEnd<Self>, DenialReason>;
    /// The reply of a command that went to each record, by the alternative that the record took.
    ///
    /// # Errors
    ///
    /// Where a number in it grows too large.
    fn late_reply(
        taken: u16,
        record: &Record<Self>,
        event: &Self::Event,
        cx: &Cx<Self>,
    ) -> Result<PendingReply<Self>, DenialReason>;

    /// The token of what a record holds now.
    fn token(record: &Record<Self>) -> Token;
    /// The fields that a state needs and the record does not have.
    fn lacks(record: &Record<Self>) -> Vec<&'static str>;
}

impl<L: Steps> AnyPlan<L> {
    /// The token of what a person would see now.
    #[must_use]
    pub fn token(&self) -> Token {
        L::token(self.record())
    }
}

/// What happens to the slot after an accepted event, and what the caller gets back.
#[doc(hidden)]
#[derive(Debug)]
pub struct StepEnd<L: MachineTypes> {
    /// What happens to the slot.
    pub outcome: SlotChange<L>,
    /// What the caller gets back.
    pub answer: PendingReply<L>,
}

/// What happens to the slot.
#[doc(hidden)]
#[derive(Debug)]
pub enum SlotChange<L: MachineTypes> {
    /// Nothing: `none` answered, or the record stays where it is held.
    Stays,
    /// A record starts.
    Starts(Box<Record<L>>),
    /// The record leaves.
    Released,
    /// The record leaves, and another takes its place.
    Succeeded(Box<Record<L>>),
}

impl<L: MachineTypes> StepEnd<L> {
    /// The record stays where it is held, and the reply is the name of its state.
    #[inline]
    pub(crate) fn only_moves(&self) -> bool {
        matches!(
            (&self.outcome, &self.answer),
            (SlotChange::Stays, PendingReply::State)
        )
    }

    /// Whatever is held stays.
    #[inline]
    #[must_use]
    pub fn stays(answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Stays,
            answer,
        }
    }

    /// A record starts.
    #[inline]
    #[must_use]
    pub fn starts(record: Box<Record<L>>, answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Starts(record),
            answer,
        }
    }

    /// The record leaves.
    #[inline]
    #[must_use]
    pub fn released(answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Released,
            answer,
        }
    }

    /// Another record takes its place.
    #[inline]
    #[must_use]
    pub fn succeeded(record: Box<Record<L>>, answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Succeeded(record),
            answer,
        }
    }
}
