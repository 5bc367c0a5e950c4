//! The gate: every tool call of a model and every command of a user is decided here, in one place.
//!
//! A session puts its machines together once, which tells what cannot live side by side. From then
//! on one table decides both what the model is shown and what it may do, so the two cannot drift
//! apart.
//!
//! ```
//! use plan_machine::gate::{Decision, Gate, Surroundings, ToolCall};
//! use plan_machine::{HostTool, Object};
//!
//! plan_machine::machine! {
//!     machine Note;
//!     command begin = "/note";
//!     command end = "/done";
//!     state none { other_tools deny; on begin => OPEN; }
//!     state OPEN { on end => CLOSED next none; }
//!     final state CLOSED;
//! }
//!
//! let mut gate = Gate::new().with(note::Machine).host_tool("shell", "Runs a command.", Object::new()).open()?;
//! let around = Surroundings::default();
//! let call = [ToolCall::new("shell", Object::new())];
//! assert!(matches!(gate.decide(&call, &around)[0], Decision::Denied(_)));
//! gate.command("/note", &around)?;
//! assert!(matches!(gate.decide(&call, &around)[0], Decision::Run(HostTool { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advertise;
mod assemble;
mod command;
mod decide;

use std::collections::BTreeSet;
use std::fmt;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

pub use advertise::Shape;
pub use assemble::{Assembly, Conflict};
pub use command::{Answer, NoCommand};
pub use decide::{Decision, ToolCall};

use crate::id::Id;
use crate::running::Running;
use crate::scenario::START_OF_TIME;

/// The machines of a session and the tools of its host, put together.
pub struct Gate {
    machines: Vec<Box<dyn Running>>,
    host_tools: Vec<HostToolInfo>,
    known: BTreeSet<String>,
    ids: Option<Ids>,
}

/// Makes ids that no plan has.
type Ids = Box<dyn FnMut() -> Id + Send>;

/// A tool that the host has.
#[derive(Clone, Debug, PartialEq)]
pub struct HostToolInfo {
    /// Its name.
    pub name: String,
    /// What the model is told of it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Object,
}

/// What surrounds one event: the time, and what the host knows.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The time.
    pub now: Instant,
    /// What the host knows.
    pub context: Object,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            now: START_OF_TIME,
            context: Object::new(),
        }
    }
}

impl Gate {
    /// Begins to put a session together.
    #[must_use]
    #[expect(
        clippy::new_ret_no_self,
        reason = "a gate opens once everything is put together"
    )]
    pub fn new() -> Assembly {
        Assembly::default()
    }

    /// The machines, in the order in which they were added.
    #[must_use]
    pub fn machines(&self) -> &[Box<dyn Running>] {
        &self.machines
    }

    /// A machine by its name, to restore it or to send it a signal.
    pub fn machine(&mut self, name: &str) -> Option<&mut (dyn Running + 'static)> {
        let found = self
            .machines
            .iter_mut()
            .find(|machine| machine.description().name == name);
        found.map(|machine| &mut **machine)
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .machines
            .iter()
            .map(|machine| machine.description().name);
        f.debug_struct("Gate")
            .field("machines", &names.collect::<Vec<_>>())
            .field("host_tools", &self.known)
            .finish_non_exhaustive()
    }
}
