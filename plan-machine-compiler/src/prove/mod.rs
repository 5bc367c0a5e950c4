//! What can be shown of a checked machine by running it.
//!
//! Scenarios are run here, each in a session of its own.

mod expect;
pub mod scenarios;
