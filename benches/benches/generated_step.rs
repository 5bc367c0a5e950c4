//! The dynamic step of generated code against a `match` written by hand.
//!
//! Without arguments: both by time, in one run. `instructions SIDE STEP TIMES` runs the script so
//! often on one side and sends the steps of that name (`all`: every one, `plain`: those without a
//! digest) through `counted`, which a profiler of instructions can be told to look at alone:
//! `scripts/bench` does.

use std::hint::black_box;
use std::time::Duration;

use plan_machine_benches::best_of;
use plan_machine_benches::script::{ByHand, Generated, Machine, SCRIPT, Step};

const ROUNDS: u32 = 2_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["instructions", side, steps, times] => {
            let times = times.parse().expect("a number of rounds");
            let run = match side {
                "generated" => run::<Generated>,
                "by-hand" => run::<ByHand>,
                _ => panic!("a side is `generated` or `by-hand`"),
            };
            println!("{}", run(times, |step| is_of(step, steps)));
        }
        ["steps"] => Step::ALL.iter().for_each(|step| println!("{}", step.name())),
        _ => compare(),
    }
}

fn is_of(step: Step, steps: &str) -> bool {
    match steps {
        "all" => true,
        "plain" => !step.has_token(),
        name => step.name() == name,
    }
}

/// Runs the script and gives the number of steps that were counted.
fn run<M: Machine>(rounds: usize, is_counted: impl Fn(Step) -> bool) -> usize {
    let mut machine = M::default();
    for _ in 0..rounds {
        for step in SCRIPT {
            let event = machine.event(step);
            if is_counted(step) {
                counted(&mut machine, event);
            } else {
                passed_by(&mut machine, event);
            }
            machine.do_effects();
        }
    }
    rounds * SCRIPT.into_iter().filter(|step| is_counted(*step)).count()
}

/// What a profiler looks at.
#[inline(never)]
fn counted<M: Machine>(machine: &mut M, event: M::Event) {
    machine.step(event);
}

/// The same outside of what a profiler looks at; told apart by a value, or the two would be merged.
#[inline(never)]
fn passed_by<M: Machine>(machine: &mut M, event: M::Event) {
    machine.step(event);
    black_box(1);
}

fn compare() {
    println!("{:<24} {:>12} {:>12} {:>8}", "steps", "generated", "by hand", "ratio");
    for (what, steps) in [("all", "all"), ("without a digest", "plain")] {
        let count = SCRIPT.iter().filter(|step| is_of(**step, steps)).count();
        let each = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(ROUNDS) / count as f64;
        let (generated, by_hand) = (each(time::<Generated>(steps)), each(time::<ByHand>(steps)));
        println!(
            "{what:<24} {generated:>9.1} ns {by_hand:>9.1} ns {:>8.2}",
            generated / by_hand
        );
    }
}

/// The least time of the steps alone: events are made before, effects are taken out after.
fn time<M: Machine>(steps: &str) -> Duration {
    let _ = steps;
    best_of(1, || {
        run::<M>(ROUNDS as usize, |_| true);
    })
}
