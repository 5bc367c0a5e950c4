//! The inbox of plan-machine.

#![allow(missing_docs, unreachable_pub, dead_code, unused_imports)]

mod api;
mod app;
pub mod auth;
mod content;
mod http;
mod inbox;
mod live;
pub mod memory;
mod metrics;
pub mod problem;
pub mod project;
mod server;
mod views;

pub use app::{Limits, ShowLink};
pub use http::{Bucket, ConnectionLimits};
pub use server::{Server, ServerOptions, ServerStop};
