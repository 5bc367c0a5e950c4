//! What generated code says of a machine by itself: its types, its tables, and how its events are read.

use std::fmt::Debug;

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};

use super::description::Description;
use super::host_tool::HostTool;
use super::value::{Problems, Value};

/// The types of a compiled machine. Only [`machine!`](crate::machine!) implements it.
pub trait MachineTypes: Sized + 'static {
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
    /// Steps need the editions of the session: something is reviewed, or has a bound.
    const COUNTS: bool;
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
    /// The payload of an event as JSON; none of a host tool.
    fn encode(event: &Self::Event) -> Option<Json>;
    /// The call of a host tool, if the event is one.
    fn host_tool(event: &mut Self::Event) -> Option<&mut HostTool>;
    /// The token that an event carries.
    fn token_of(event: &Self::Event) -> Option<Token>;
    /// The event of a host's tool.
    fn of_host_tool(call: HostTool) -> Self::Event;

    /// What a list of plans shows of the data.
    fn summary(data: &Self::Data) -> Self::Summary;
    /// The name and the fields of an effect.
    fn effect_fields(effect: &Self::Effect) -> (&'static str, Object);

    /// The name of a state, as the spec has it.
    fn state_name(state: Self::State) -> &'static str;
}
