//! Metrics in the text format of Prometheus.

pub(crate) mod names;
mod recorder;
mod render;

pub(crate) use recorder::Metrics;
