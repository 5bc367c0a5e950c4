//! Time series and their values.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The kind of a time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SeriesKind {
    Counter,
    Gauge,
}

/// A time series: its name and its labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) kind: SeriesKind,
    pub(super) labels: Vec<(String, String)>,
}

/// The values of the time series. A gauge is stored as the bits of its number.
pub(super) type Values = BTreeMap<Series, Arc<AtomicU64>>;
