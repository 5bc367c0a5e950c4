//! The inbox of plan-machine.

#![allow(missing_docs, unreachable_pub, dead_code, unused_imports)]

pub mod auth;
mod content;
mod http;
mod inbox;
mod live;
mod views;
mod metrics;
pub mod problem;
pub mod project;
