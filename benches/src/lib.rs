//! Specs of any size, one machine in two implementations, and functions that time them.
//!
//! ```
//! let spec = plan_machine_benches::chain(10);
//! assert!(plan_machine_benches::compiled(&spec).is_ok());
//! ```

pub mod by_hand;
pub mod script;
pub mod work;

plan_machine::machine!("../tests/corpus/valid/work_by_plan.yaml");

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{Compilation, compile};

/// Returns a spec with this many states, not counting composite states, and about five times as many transitions. Each
/// composite state contains ten states. Each state handles two tools and three commands: one leads to the next state,
/// one to the previous state, and one to the end.
#[must_use]
pub fn chain(states: usize) -> String {
    let mut text = String::from(
        "machine: Chain\ndata:\n  note: string?\n  total: { type: int, default: 0 }\n\
         commands: { begin: /begin, forward: /forward, back: /back, stop: /stop }\n\
         tools:\n  write_note: { input: { text: { type: string, max: 1000 } } }\n  read_note: { read: true }\n\
         states:\n  none: { on: { begin: s0 } }\n",
    );
    let leaves = states.saturating_sub(2).max(2);
    for leaf in 0..leaves {
        if leaf % 10 == 0 {
            let _ = writeln!(
                text,
                "  group{}:\n    prompt: Use `write_note` here.\n    states:",
                leaf / 10
            );
        }
        let forward = (leaf + 1) % leaves;
        let back = leaf.saturating_sub(1);
        let _ = writeln!(
            text,
            "      s{leaf}:\n        on:\n          forward: {{ to: s{forward}, set: {{ total: total + 1 }} }}\n          \
             back: {{ to: s{back} }}\n          write_note: {{ set: {{ note: event.text }} }}\n          \
             read_note:\n            require: [{{ that: note is set, else: there is no note }}]\n            reply: note\n          \
             stop: {{ to: ended, next: none }}"
        );
    }
    text.push_str("  ended: { final: true }\n");
    text
}

/// Returns a spec with this many states, boolean fields that tools toggle, and invariants. With `fields` booleans,
/// every state has 2^`fields` configurations.
#[must_use]
pub fn switches(states: usize, fields: usize, invariants: usize) -> String {
    let mut text = String::from("machine: Switches\ndata:\n");
    for field in 0..fields {
        let _ = writeln!(text, "  f{field}: {{ type: bool, default: false }}");
    }
    text.push_str("commands: { begin: /begin, forward: /forward, stop: /stop }\ntools:\n");
    for field in 0..fields {
        let _ = writeln!(text, "  switch{field}: {{ input: {{ on: bool }} }}");
    }
    text.push_str("states:\n  none: { on: { begin: s0 } }\n  open:\n    on:\n      stop: { to: ended, next: none }\n");
    for field in 0..fields {
        let _ = writeln!(
            text,
            "      switch{field}: {{ set: {{ f{field}: event.on }} }}"
        );
    }
    text.push_str("    states:\n");
    for state in 0..states {
        let next = (state + 1) % states;
        let _ = writeln!(text, "      s{state}: {{ on: {{ forward: s{next} }} }}");
    }
    text.push_str("  ended: { final: true }\ninvariants:\n");
    for invariant in 0..invariants {
        let (state, field) = (invariant % states, invariant % fields.max(1));
        let _ = match invariant % 4 {
            0 => writeln!(
                text,
                "  i{invariant}: always (s{state} implies (f{field} or not f{field} or s{state}))"
            ),
            1 => writeln!(text, "  i{invariant}: f{field} only by switch{field}"),
            2 => writeln!(text, "  i{invariant}: can always reach none by stop"),
            _ => writeln!(text, "  i{invariant}: f{field} changes only in open"),
        };
    }
    text
}

/// Compiles a spec.
#[must_use]
pub fn compiled(text: &str) -> Compilation {
    let mut sources = SourceMap::default();
    let file = sources.add("chain.yaml", text);
    compile(&sources, file)
}

/// Returns the minimum time of several runs, which is the cost of the work without interference
/// from other processes.
pub fn best_of(runs: usize, mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

/// Returns the events per second of each side, from turns in which all sides were measured: the rate of the median
/// turn, because a disk is not always equally fast.
#[must_use]
pub fn rates<const SIDES: usize>(turns: &[[Duration; SIDES]], events: u32) -> [f64; SIDES] {
    std::array::from_fn(|side| {
        let mut times: Vec<Duration> = turns.iter().map(|turn| turn[side]).collect();
        times.sort();
        f64::from(events) / times[times.len() / 2].as_secs_f64()
    })
}

/// Returns a note for a figure that is above its limit. Times depend on the computer, so a figure above its limit is
/// not a failure.
#[must_use]
pub fn above(time: Duration, limit: Duration) -> String {
    let note = || format!("  above the limit of {limit:?}");
    (time > limit).then(note).unwrap_or_default()
}
