//! Metrics in a file, for a person to read: one metric per line, `name{label="value"} number`. The file is rewritten
//! while the host is running.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::disk;
use crate::error::HostError;
use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    set_global_recorder,
};

/// Counters and gauges, by their names and labels.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<BTreeMap<String, Value>>>);

#[derive(Clone, Debug)]
enum Value {
    Counter(Arc<AtomicU64>),
    /// The bits of a floating-point number.
    Gauge(Arc<AtomicU64>),
}

impl Metrics {
    /// Installs a recorder that counts events from now on.
    ///
    /// # Errors
    ///
    /// If this process already has another metrics recorder.
    pub fn install() -> Result<Self, HostError> {
        let metrics = Self::default();
        let set = set_global_recorder(metrics.clone());
        set.map_err(|error| HostError::Input(error.to_string()))?;
        Ok(metrics)
    }

    /// Formats all metrics, one per line.
    #[must_use]
    pub fn text(&self) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (name, value) in all.iter() {
            // Writing to a string cannot fail.
            let _ = match value {
                Value::Counter(count) => writeln!(text, "{name} {}", count.load(Ordering::Relaxed)),
                Value::Gauge(bits) => {
                    let number = f64::from_bits(bits.load(Ordering::Relaxed));
                    writeln!(text, "{name} {number}")
                }
            };
        }
        text
    }

    /// Writes all metrics to a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), HostError> {
        disk::write(file, &self.text())
    }

    /// Rewrites the metrics whenever they have changed; returns only on an error.
    pub async fn keep_written(&self, file: &Path) -> HostError {
        let mut ticks = tokio::time::interval(Duration::from_secs(1));
        let mut written = String::new();
        loop {
            ticks.tick().await;
            let text = self.text();
            if text != written
                && let Err(error) = self.write(file)
            {
                return error;
            }
            written = text;
        }
    }

    /// Returns the value of a metric; a new metric starts at zero.
    fn number(&self, key: &Key, kind: fn(Arc<AtomicU64>) -> Value) -> Arc<AtomicU64> {
        let labels = key.labels();
        let labels = labels.map(|label| format!("{}={:?}", label.key(), label.value()));
        let labels: Vec<String> = labels.collect();
        let mut name = key.name().to_owned();
        if !labels.is_empty() {
            name = format!("{name}{{{}}}", labels.join(","));
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (Value::Counter(number) | Value::Gauge(number)) =
            all.entry(name).or_insert_with(|| kind(Arc::default()));
        Arc::clone(number)
    }
}

impl Recorder for Metrics {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.number(key, Value::Counter))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.number(key, Value::Gauge))
    }

    /// A host has no histograms.
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
