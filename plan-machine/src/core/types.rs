//! The items that generated code defines for a machine: its types, its tables, and the decoding of its events.

use std::fmt::Debug;

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers::Timer;

use super::description::Description;
use super::host_tool::HostTool;
use super::value::{Problems, Value};

/// The timers that a record of a compiled machine has. Only [`machine!`](crate::machine!) implements this trait.
#[doc(hidden)]
pub trait HoldsTimers {
    /// The timers of a record, in the order of the tables. They take up no space if the machine has none.
    type Timers: TimerArray;
    /// Whether the machine has timers.
    const HAS_TIMERS: bool = !Self::Timers::IS_EMPTY;
}

/// An array of timers.
#[doc(hidden)]
pub trait TimerArray:
    Copy + Debug + AsRef<[Timer]> + AsMut<[Timer]> + Send + Sync + 'static
{
    /// The array in which no timer is running.
    const OFF: Self;
    /// Whether the array has no elements.
    const IS_EMPTY: bool;

    /// Returns the array with these timers.
    #[must_use]
    fn holding(timers: &[Timer]) -> Self {
        let mut array = Self::OFF;
        for (place, timer) in array.as_mut().iter_mut().zip(timers) {
            *place = *timer;
        }
        array
    }
}

impl<const N: usize> TimerArray for [Timer; N] {
    const OFF: Self = [Timer::Off; N];
    const IS_EMPTY: bool = N == 0;
}

/// The types of a compiled machine. Only [`machine!`](crate::machine!) implements this trait.
pub trait MachineTypes: HoldsTimers + Sized + 'static {
    /// The leaf states.
    type State: Copy + Eq + Debug + Send + Sync + 'static;
    /// The data of a record.
    type Data: Value + Clone + Debug + Send + Sync + 'static;
    /// The events.
    type Event: Clone + Debug + Send + 'static;
    /// The effects.
    type Effect: Value + Clone + Debug + PartialEq + Send + 'static;
    /// The context data that the host sends with every event.
    type Context: Value + Clone + Debug + Send + 'static;
    /// The fields of a plan that are shown in lists.
    type Summary: Value + Clone + Debug + Send + Sync + 'static;
    /// Proves that the machine's own module is the caller: no other code can create a value of this type.
    #[doc(hidden)]
    type Seal;

    /// The tables of the machine.
    const MACHINE: &'static Description;
    /// Everything that affects the machine's meaning, as a spec in Rust tokens. A program that does not use this
    /// constant does not contain it.
    const MEANING: &'static str;
    /// Whether any field is reviewed. If so, editions are counted.
    const REVIEWS: bool;
    /// Whether steps need the editions of the session. They do if a field is reviewed, or if a value is `json`: the
    /// editions also show whether entries of an earlier version of plan-machine are being replayed, to which the
    /// default bound of `json` values does not apply.
    const COUNTS: bool;
    /// Whether a reply lists the session's plans.
    const LISTS: bool;
    /// Whether the text for an unavailable event reads the context.
    const WORDING_READS_CONTEXT: bool = false;

    /// Returns the index of a state in the tables.
    fn state_index(state: Self::State) -> u16;
    /// Returns the state at an index in the tables.
    fn state_at(index: u16) -> Option<Self::State>;
    /// Returns the index of an event in the tables.
    fn event_index(event: &Self::Event) -> u16;
    /// Decodes the event at an index in the tables.
    fn decode(
        index: u16,
        with: &Object,
        token: Token,
        problems: &mut Problems,
    ) -> Option<Self::Event>;
    /// Returns the payload of an event as JSON; `None` for a call to a host tool.
    fn encode(event: &Self::Event) -> Option<Json>;
    /// Returns the call, if the event is a host tool.
    fn host_tool(event: &mut Self::Event) -> Option<&mut HostTool>;
    /// Returns the token that an event carries.
    fn token_of(event: &Self::Event) -> Option<Token>;
    /// Returns the event for a host tool.
    fn of_host_tool(call: HostTool) -> Self::Event;
    /// Drops an event that was applied. Dropping a call to a host tool takes the most code, so a separate function does
    /// it, and a step of any other event stays small enough to inline.
    fn discard(event: Self::Event);

    /// Returns the fields of the data that are shown in lists of plans.
    fn summary(data: &Self::Data) -> Self::Summary;
    /// Returns the name and the fields of an effect.
    fn effect_fields(effect: &Self::Effect) -> (&'static str, Object);

    /// Returns the name of a state, as written in the spec.
    fn state_name(state: Self::State) -> &'static str;
}
