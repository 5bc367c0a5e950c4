//! Metrics in the text format of Prometheus.

pub(crate) mod names;
mod recorder;
mod render;
mod series;

pub(crate) use recorder::Metrics;
