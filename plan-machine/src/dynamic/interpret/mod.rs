//! Specs that are read at run time: an [`InterpretedMachine`] implements the trait
//! [`Machine`](crate::Machine), as a compiled machine does.
//!
//! ```
//! use plan_machine::interpret::InterpretedMachine;
//! use plan_machine::Machine;
//!
//! let spec = "
//! machine: Note
//! commands: { begin: /note, end: /done }
//! states:
//!   none: { on: { begin: OPEN } }
//!   OPEN: { on: { end: { to: CLOSED, next: none } } }
//!   CLOSED: { final: true }
//! ";
//! let note = InterpretedMachine::read("note.yaml", spec)?;
//! assert_eq!(note.description().name, "Note");
//! # Ok::<(), plan_machine::interpret::SpecErrors>(())
//! ```

mod outcome;
mod spec;
mod step;
mod tables;

pub use spec::{InterpretedMachine, SpecErrors};
