//! What generated code defines for a machine: its types, its tables, and how its events are read.

use std::fmt::Debug;

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};

use super::description::Description;
use super::host_tool::HostTool;
use super::value::{Problems, Value};

/// The types of a compiled machine. Only [`machine!`](crate::machine!) implements it.
pub trait MachineTypes: Sized + 'static {
    /// Its leaf states.
    type State: Copy + Eq + Debug + Send + Sync + 'static;
    /// The data of a record.
    type Data: Value + Clone + Debug + Send + Sync + 'static;
    /// The events.
    type Event: Clone + Debug + Send + 'static;
    /// The effects.
    type Effect: Value + Clone + Debug + PartialEq + Send + 'static;
    /// What the host sends with every event.
    type Context: Value + Clone + Debug + Send + 'static;
    /// What lists of plans show.
    type Summary: Value + Clone + Debug + Send + Sync + 'static;
    /// Proves that the machine's own module is calling: nothing else can create one.
    #[doc(hidden)]
    type Seal;

    /// The tables.
    const MACHINE: &'static Description;
    /// Everything that affects its meaning, as a spec in Rust's tokens. A program that does not use it does not
    /// contain it.
    const MEANING: &'static str;
    /// Some field is reviewed, so editions are counted.
    const REVIEWS: bool;
    /// Steps need the editions of the session: something is reviewed, or has a bound.
    const COUNTS: bool;
    /// Some reply lists the session's plans.
    const LISTS: bool;

    /// Returns the position of a state in the tables.
    fn state_index(state: Self::State) -> u16;
    /// Returns the state at a position in the tables.
    fn state_at(index: u16) -> Option<Self::State>;
    /// Returns the position of an event in the tables.
    fn event_index(event: &Self::Event) -> u16;
    /// Reads the event at a position in the tables.
    fn decode(
        index: u16,
        with: &Object,
        token: Token,
        problems: &mut Problems,
    ) -> Option<Self::Event>;
    /// Returns the payload of an event as JSON; a host tool has none.
    fn encode(event: &Self::Event) -> Option<Json>;
    /// Returns the call of a host tool, if the event is one.
    fn host_tool(event: &mut Self::Event) -> Option<&mut HostTool>;
    /// Returns the token that an event carries.
    fn token_of(event: &Self::Event) -> Option<Token>;
    /// Returns the event for a host tool.
    fn of_host_tool(call: HostTool) -> Self::Event;

    /// Returns what a list of plans shows of the data.
    fn summary(data: &Self::Data) -> Self::Summary;
    /// Returns the name and the fields of an effect.
    fn effect_fields(effect: &Self::Effect) -> (&'static str, Object);

    /// Returns the name of a state, as written in the spec.
    fn state_name(state: Self::State) -> &'static str;
}
