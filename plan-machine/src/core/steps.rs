//! What generated code does with an event, and what happens to the record that accepts it.

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
    /// Applies an event to a record.
    ///
    /// # Errors
    ///
    /// If it is denied; nothing has changed then.
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
    /// If it is denied; nothing has changed then.
    #[doc(hidden)]
    fn in_none(
        event: &mut Self::Event,
        cx: &mut Cx<Self>,
        from: Runtime<Self>,
    ) -> Result<StepEnd<Self>, DenialReason>;
    /// Returns the reply of a command that went to every record, by the alternative that the record
    /// took.
    ///
    /// # Errors
    ///
    /// If a number in it becomes too large.
    fn late_reply(
        taken: u16,
        record: &Record<Self>,
        event: &Self::Event,
        cx: &Cx<Self>,
    ) -> Result<PendingReply<Self>, DenialReason>;

    /// Returns the token of a record's current content.
    fn token(record: &Record<Self>) -> Token;
    /// Returns the fields that a state needs and the record does not have.
    fn lacks(record: &Record<Self>) -> Vec<&'static str>;
}

impl<L: Steps> AnyPlan<L> {
    /// Returns the token of what a person would see now.
    #[must_use]
    pub fn token(&self) -> Token {
        L::token(self.record())
    }
}

/// What happens to the slot after an accepted event, and the reply.
#[doc(hidden)]
#[derive(Debug)]
pub struct StepEnd<L: MachineTypes> {
    /// What happens to the slot.
    pub outcome: SlotChange<L>,
    /// The reply.
    pub answer: PendingReply<L>,
}

/// What happens to the slot.
#[doc(hidden)]
#[derive(Debug)]
pub enum SlotChange<L: MachineTypes> {
    /// Nothing: `none` answered, or the record stays in place.
    Stays,
    /// A record starts.
    Starts(Box<Record<L>>),
    /// The record leaves.
    Released,
    /// The record leaves, and another replaces it.
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

    /// Another record replaces it.
    #[inline]
    #[must_use]
    pub fn succeeded(record: Box<Record<L>>, answer: PendingReply<L>) -> Self {
        Self {
            outcome: SlotChange::Succeeded(record),
            answer,
        }
    }
}
