//! What generated code says of a machine; everything that is the same for all machines is built on
//! it here.

use std::fmt::Debug;

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};

use crate::cx::Cx;
use crate::denied::Refusal;
use crate::description::Description;
use crate::held::Hold;
use crate::host_tool::HostTool;
use crate::plan::AnyPlan;
use crate::record::Record;
use crate::reply::Answer;
use crate::seal::Runtime;
use crate::value::{Problems, Value};

/// A compiled machine. Only [`crate::machine!`] implements it.
pub trait Lifecycle: Sized + 'static {
    /// Its leaves.
    type State: Copy + Eq + Debug + Send + Sync + 'static;
    /// What a record holds.
    type Data: Value + Clone + Debug + Send + Sync + 'static;
    /// What can be sent to it.
    type Event: Clone + Debug + Send + 'static;
    /// What it puts out.
    type Effect: Value + Clone + Debug + PartialEq + Send + 'static;
    /// What the host sends with every event.
    type Context: Value + Clone + Debug + Send + 'static;
    /// What lists of plans show.
    type Summary: Value + Clone + Debug + Send + Sync + 'static;
    /// What a session holds: a slot, or any number of plans.
    type Held: Hold<Self>;
    /// A plan whose state is known, of whichever state.
    type Typed;
    /// Shows that the machine's own module calls: nothing else can make one.
    #[doc(hidden)]
    type Seal;

    /// The tables.
    const MACHINE: &'static Description;
    /// Everything that affects its meaning, as a spec in Rust's tokens. A program that does not ask for it does
    /// not hold it.
    const MEANING: &'static str;
    /// Something is reviewed, so editions are counted.
    const REVIEWS: bool;
    /// Some reply lists the session's plans.
    const LISTS: bool;

    /// The place of a state in the tables.
    fn state_index(state: Self::State) -> u16;
    /// The state at a place in the tables.
    fn state_at(index: u16) -> Option<Self::State>;
    /// The place of an event in the tables.
    fn event_index(event: &Self::Event) -> u16;
    /// Reads the event at a place in the tables.
    fn decode(
        index: u16,
        with: &Object,
        token: Token,
        problems: &mut Problems,
    ) -> Option<Self::Event>;
    /// The payload of an event as JSON; none of a tool of the host.
    fn encode(event: &Self::Event) -> Option<Json>;
    /// The call of a tool of the host, if the event is one.
    fn host_tool(event: &mut Self::Event) -> Option<&mut HostTool>;
    /// The token that an event carries.
    fn token_of(event: &Self::Event) -> Option<Token>;
    /// The event of a host's tool.
    fn of_host_tool(call: HostTool) -> Self::Event;

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
    ) -> Result<After<Self>, Refusal>;
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
    ) -> Result<After<Self>, Refusal>;
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
    ) -> Result<Answer<Self>, Refusal>;

    /// The token of what a record holds now.
    fn token(record: &Record<Self>) -> Token;
    /// The fields that a state needs and the record does not have.
    fn lacks(record: &Record<Self>) -> Vec<&'static str>;
    /// What a list of plans shows of the data.
    fn summary(data: &Self::Data) -> Self::Summary;
    /// The name and the fields of an effect.
    fn effect_fields(effect: &Self::Effect) -> (&'static str, Object);
    /// The plan by its state.
    fn typed(plan: AnyPlan<Self>) -> Self::Typed;

    /// The name of a state, as the spec has it.
    fn state_name(state: Self::State) -> &'static str;
}

/// What becomes of the slot after an accepted event, and what the caller gets back.
#[doc(hidden)]
#[derive(Debug)]
pub struct After<L: Lifecycle> {
    /// What becomes of the slot.
    pub outcome: Move<L>,
    /// What the caller gets back.
    pub answer: Answer<L>,
}

/// What becomes of the slot.
#[doc(hidden)]
#[derive(Debug)]
pub enum Move<L: Lifecycle> {
    /// Nothing: `none` answered, or the record stays where it is held.
    Stays,
    /// A record starts.
    Starts(Box<Record<L>>),
    /// The record leaves.
    Released,
    /// The record leaves, and another takes its place.
    Succeeded(Box<Record<L>>),
}

impl<L: Lifecycle> After<L> {
    /// Whatever is held stays.
    #[inline]
    #[must_use]
    pub fn stays(answer: Answer<L>) -> Self {
        Self {
            outcome: Move::Stays,
            answer,
        }
    }

    /// A record starts.
    #[inline]
    #[must_use]
    pub fn starts(record: Box<Record<L>>, answer: Answer<L>) -> Self {
        Self {
            outcome: Move::Starts(record),
            answer,
        }
    }

    /// The record leaves.
    #[inline]
    #[must_use]
    pub fn released(answer: Answer<L>) -> Self {
        Self {
            outcome: Move::Released,
            answer,
        }
    }

    /// Another record takes its place.
    #[inline]
    #[must_use]
    pub fn succeeded(record: Box<Record<L>>, answer: Answer<L>) -> Self {
        Self {
            outcome: Move::Succeeded(record),
            answer,
        }
    }
}
