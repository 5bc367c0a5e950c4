//! Metrics in the text format of Prometheus.

pub mod names;
mod recorder;
mod render;

pub use recorder::Metrics;
