//! The terminal: a person at a pseudo-terminal, programs at a pipe, and the layout of output.

mod data;
mod escalation;
mod forged;
mod interrupts;
mod kills;
mod meanwhile;
mod pipe;
mod private;
mod prompt;
mod render;
mod runs;
mod seat;
mod steps;
mod turns;
mod work;
