//! Keeps counters and gauges. The number of time series is bounded, because labels may contain names from untrusted
//! input.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    set_global_recorder,
};

use super::render::render;
use super::series::{Series, SeriesKind, Values};

/// The maximum number of time series. Further ones are not recorded.
const MOST: usize = 10_000;

/// The metrics of this process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metrics(Arc<RwLock<Values>>);

impl Metrics {
    /// Returns the metrics of this process, which are recorded starting with the first call. If the process already
    /// records its metrics elsewhere, nothing is recorded here.
    #[must_use]
    pub(crate) fn of_process() -> Self {
        static INSTALLED: OnceLock<Metrics> = OnceLock::new();
        let installed = INSTALLED.get_or_init(|| {
            let metrics = Self::default();
            // A process has only one recorder. If another recorder is already set, these metrics stay empty.
            let _ = set_global_recorder(metrics.clone());
            metrics
        });
        installed.clone()
    }

    /// Returns all metrics in the text format of Prometheus.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        render(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn value(&self, key: &Key, kind: SeriesKind) -> Option<Arc<AtomicU64>> {
        let labels = key.labels();
        let labels = labels.map(|label| (label.key().to_owned(), label.value().to_owned()));
        let series = Series {
            name: key.name().to_owned(),
            kind,
            labels: labels.collect(),
        };
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known.get(&series) {
            return Some(Arc::clone(value));
        }
        drop(known);
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST && !all.contains_key(&series) {
            return None;
        }
        Some(Arc::clone(all.entry(series).or_default()))
    }
}

impl Recorder for Metrics {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let value = self.value(key, SeriesKind::Counter);
        value.map_or_else(Counter::noop, Counter::from_arc)
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        let value = self.value(key, SeriesKind::Gauge);
        value.map_or_else(Gauge::noop, Gauge::from_arc)
    }

    /// Returns a histogram that records nothing: the server measures no durations, and a host that does needs its own
    /// recorder.
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_gauges_are_written_with_their_labels() {
        let metrics = Metrics::default();
        metrics::with_local_recorder(&metrics, || {
            metrics::counter!("plan.event.count", "event" => "a\"b\\\n").increment(2);
            metrics::counter!("plan.event.count", "event" => "c").increment(1);
            metrics::gauge!("plan.inbox.waiting").set(1.5);
        });
        assert_eq!(
            metrics.text(),
            "# TYPE plan_event_count counter\n\
             plan_event_count{event=\"a\\\"b\\\\\\n\"} 2\n\
             plan_event_count{event=\"c\"} 1\n\
             # TYPE plan_inbox_waiting gauge\n\
             plan_inbox_waiting 1.5\n"
        );
    }

    #[test]
    fn the_number_of_series_is_bounded() {
        let metrics = Metrics::default();
        metrics::with_local_recorder(&metrics, || {
            for name in 0..MOST + 10 {
                metrics::counter!("many", "name" => name.to_string()).increment(1);
            }
        });
        assert_eq!(metrics.text().lines().count(), MOST + 1);
    }
}
