//! `check` with 10, 100 and 1,000 states: total time, time per state, and the ratio to the smallest spec.

use std::hint::black_box;

use plan_machine_benches::{best_of, chain, compiled};

fn main() {
    println!(
        "{:>7} {:>12} {:>10} {:>14} {:>16}",
        "states", "transitions", "bytes", "time", "per state"
    );
    for states in [10, 100, 1_000] {
        let text = chain(states);
        let compilation = compiled(&text);
        assert!(compilation.is_ok(), "{:?}", compilation.diagnostics);
        let transitions = compilation
            .machine
            .map_or(0, |machine| machine.transitions.len());
        let runs = if states < 1_000 { 50 } else { 10 };
        let time = best_of(runs, || {
            black_box(compiled(black_box(&text)));
        });
        let each = time / u32::try_from(states).unwrap_or(1);
        println!(
            "{states:>7} {transitions:>12} {:>10} {time:>14.2?} {each:>16.2?}",
            text.len()
        );
    }
}
