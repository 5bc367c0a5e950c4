//! The time of proofs: how it grows with the number of states, fields and invariants, and how many
//! configurations are explored per second.

use std::hint::black_box;
use std::time::Duration;

use plan_machine_benches::{best_of, compiled, switches};

fn main() {
    println!(
        "{:>7} {:>7} {:>11} {:>9} {:>12} {:>16}",
        "states", "fields", "invariants", "explored", "time", "explored / s"
    );
    for (states, fields, invariants) in [
        (10, 2, 20),
        (50, 2, 20),
        (250, 2, 20),
        (50, 1, 20),
        (50, 4, 20),
        (50, 6, 20),
        (50, 2, 1),
        (50, 2, 100),
    ] {
        measure(states, fields, invariants);
    }
}

fn measure(states: usize, fields: usize, invariants: usize) {
    let text = switches(states, fields, invariants);
    let compilation = compiled(&text);
    assert!(compilation.is_ok(), "{:?}", compilation.diagnostics);
    let explored = compilation.report.map_or(0, |report| report.explored);
    let time = best_of(5, || {
        black_box(compiled(black_box(&text)));
    });
    println!(
        "{states:>7} {fields:>7} {invariants:>11} {explored:>9} {time:>12.2?} {:>16.0}",
        per_second(explored, time)
    );
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}
