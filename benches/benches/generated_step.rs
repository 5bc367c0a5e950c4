//! The dynamic step of generated code, compared with a handwritten `match`.
//!
//! Without arguments, both sides are timed in one run. `instructions SIDE STEP TIMES` runs the
//! script `TIMES` times on one side. It sends the steps with the name `STEP` (`all`: every step,
//! `plain`: all steps without a digest) through the function `counted`, so that an instruction
//! profiler can measure that function alone, as `scripts/bench` does. `steps` prints the names of
//! the steps in the script.

use std::hint::black_box;
use std::time::Duration;

use plan_machine_benches::best_of;
use plan_machine_benches::script::{ByHand, Generated, Machine, SCRIPT, Step};

const ROUNDS: usize = 2_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["instructions", side, steps, times] => {
            let times = times.parse().expect("a number of rounds");
            let run = match side {
                "generated" => run::<Generated>,
                "by-hand" => run::<ByHand>,
                _ => panic!("the side must be `generated` or `by-hand`"),
            };
            println!("{}", run(times, |step| is_of(step, steps)));
        }
        ["steps"] => {
            let sent = Step::ALL.iter().filter(|step| SCRIPT.contains(step));
            sent.for_each(|step| println!("{}", step.name()));
        }
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

/// Runs the script and returns the number of steps that were counted.
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

/// The step that a profiler measures.
#[inline(never)]
fn counted<M: Machine>(machine: &mut M, event: M::Event) {
    machine.step(event);
}

/// The same step in a function that the profiler does not measure; the extra value keeps the compiler from merging the
/// two functions.
#[inline(never)]
fn passed_by<M: Machine>(machine: &mut M, event: M::Event) {
    machine.step(event);
    black_box(1);
}

/// Times both sides. Both create events and collect effects in the same way.
fn compare() {
    let (generated, by_hand) = (time::<Generated>(), time::<ByHand>());
    let ratio = generated.as_secs_f64() / by_hand.as_secs_f64();
    println!("{:<12} {:>12}", "machine", "a step");
    println!("{:<12} {generated:>12.1?}", Generated::NAME);
    println!("{:<12} {by_hand:>12.1?}", ByHand::NAME);
    println!("{:<12} {ratio:>11.2}x", "ratio");
}

fn time<M: Machine>() -> Duration {
    let steps = u32::try_from(ROUNDS * SCRIPT.len()).unwrap_or(u32::MAX);
    let time = best_of(20, || {
        black_box(run::<M>(ROUNDS, |_| true));
    });
    time / steps
}
