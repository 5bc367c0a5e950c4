//! Tests of the hook: with events of each agent's published shape, and with a real process.

mod approvals;
mod bench;
mod closed;
mod days;
mod kills;
mod replay;
mod shapes;
mod shared;
mod unproven;
mod wrapper;
