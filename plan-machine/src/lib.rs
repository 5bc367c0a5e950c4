//! Typed state machines for the life of an AI agent's plan, compiled from specs.

pub mod scope;
