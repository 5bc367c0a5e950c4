//! Writes metrics in the format that Prometheus reads.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use super::series::{SeriesKind, Values};

/// Returns the text of all metrics.
pub(super) fn render(values: &Values) -> String {
    let mut text = String::new();
    let mut before = None;
    for (series, value) in values {
        let name = name(&series.name);
        if before != Some(&series.name) {
            let kind = match series.kind {
                SeriesKind::Counter => "counter",
                SeriesKind::Gauge => "gauge",
            };
            // Writing to a string never fails.
            let _ = writeln!(text, "# TYPE {name} {kind}");
        }
        before = Some(&series.name);
        text.push_str(&name);
        labels(&mut text, &series.labels);
        let bits = value.load(Ordering::Relaxed);
        let _ = match series.kind {
            SeriesKind::Counter => writeln!(text, " {bits}"),
            SeriesKind::Gauge => writeln!(text, " {}", f64::from_bits(bits)),
        };
    }
    text
}

/// Returns a name with the characters that Prometheus allows.
fn name(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':';
    let letters = name.chars();
    let letters = letters.map(|letter| if allowed(letter) { letter } else { '_' });
    letters.collect()
}

fn labels(text: &mut String, labels: &[(String, String)]) {
    if labels.is_empty() {
        return;
    }
    let labels = labels.iter().map(|(key, value)| {
        let value = value.replace('\\', "\\\\");
        let value = value.replace('"', "\\\"").replace('\n', "\\n");
        format!("{}=\"{value}\"", name(key))
    });
    let labels: Vec<String> = labels.collect();
    text.extend(["{", &labels.join(","), "}"]);
}
