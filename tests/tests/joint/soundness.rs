//! If an invariant of a session is proved, it holds in every run of the real gate; if it is
//! reported as broken, a run of the real gate breaks it. The runs are random; small sessions are also explored
//! completely, as far as their number of configurations allows.
//!
//! Conditions are evaluated as at the beginning of a turn, which is what they mean. Inside a turn or a batch, the gate
//! only denies more: whatever runs there could also run without them.

use plan_machine::gate::{EventContext, ToolCall};
use plan_machine::machine::{Call, CallKind};
use plan_machine_compiler::Verdict;
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers::Period;
use plan_machine_tests::dice::Dice;

use super::claims::{Claim, Kind};
use super::exhaustive::Explored;
use super::made::{Made, gate};
use super::run::{Called, Run, Seen, replay};
use super::tried::{TOOLS, has_classes, other_arguments, with_class};

/// The numbers of generated sessions, of runs of each session, and of events of each run.
const SESSIONS: u64 = 150;
/// Deciding what happens to counted calls means making them, so there are fewer such sessions.
const COUNTING_SESSIONS: u64 = 60;
const CLASSES_SESSIONS: u64 = 60;
const RUNS: u64 = 12;
const EVENTS: usize = 60;
/// One of so many sessions is also explored, configuration by configuration, up to a maximum number of configurations.
const EXPLORED: u64 = 8;
const CONFIGURATIONS: usize = 200;

/// Returns the seeds of the generated sessions. `PLAN_MACHINE_CASES` sets how many sessions are generated.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("PLAN_MACHINE_CASES").ok();
    let asked = asked.and_then(|asked| asked.parse().ok());
    0..asked.unwrap_or(usual)
}

/// Sends a random event, begins a batch or a turn, or waits.
fn send(run: &mut Run, dice: &mut Dice, machines: usize) -> Called {
    let around = EventContext::at(run.now);
    let machine = dice.below(machines);
    if run.batch.is_some() && dice.below(4) > 0 {
        return call(run, dice, machine);
    }
    match dice.below(10) {
        0 if run.batch.is_none() => {
            run.begin_turn();
            None
        }
        1 | 2 => {
            run.batch = Some((run.gate.begin_batch(), 2 + dice.below(2)));
            call(run, dice, machine)
        }
        3 => call(run, dice, machine),
        4 | 5 => {
            let seconds = 1 + dice.below(4);
            let period = Period::of_seconds(seconds as u64).expect("a few seconds");
            run.wait(period);
            None
        }
        6 if run.kind != Kind::Plain => call(run, dice, machine),
        _ => {
            let gate = &mut run.gate;
            let mut call = Call::new(CallKind::Event(format!("c{}", dice.below(3)).into()));
            let plans = gate.machines()[machine].plans();
            if gate.machines()[machine].description().is_many() && !plans.is_empty() {
                call.plan_id = (dice.below(3) > 0).then(|| dice.pick(&plans).id.to_string());
            }
            let name = gate.machines()[machine].description().name;
            gate.send(name, &call, &around).expect("a known event");
            None
        }
    }
}

/// Makes a random call.
fn call(run: &mut Run, dice: &mut Dice, machine: usize) -> Called {
    if dice.below(4) == 0 {
        let own = ToolCall::new(format!("t{machine}"), Object::new());
        return run.call(own, &EventContext::at(run.now));
    }
    let around = EventContext::at(run.now);
    let contexts = [around.clone(), around.with("safe", true)];
    let mut args = dice.pick(&[Object::new(), other_arguments()]).clone();
    let (tool, classes) = *dice.pick(&TOOLS);
    if has_classes(&run.gate) {
        args = with_class(args, *dice.pick(classes));
    }
    run.call(ToolCall::new(tool, args), dice.pick(&contexts))
}

/// Runs a session at random; fails if a run breaks the claim. Returns what the run did.
fn hold(claim: &Claim, mut run: Run, dice: &mut Dice, machines: usize, told: &str) -> Seen {
    assert!(!claim.is_broken_in(&run.gate), "{told} was proved");
    for _ in 0..EVENTS {
        let done = run.watch(claim, |run| send(run, dice, machines));
        let taken = &done.taken;
        assert_ne!(
            done.breaks(claim, &run.gate),
            Some(true),
            "{told} was proved: {taken:?}"
        );
    }
    run.seen
}

/// Returns whether the last step of a trace breaks the claim.
fn is_broken_by(claim: &Claim, mut run: Run, trace: &[Json]) -> bool {
    let Some((last, first)) = trace.split_last() else {
        return claim.is_broken_in(&run.gate);
    };
    for step in first {
        replay(&mut run, step);
    }
    let done = run.watch(claim, |run| replay(run, last));
    done.breaks(claim, &run.gate) == Some(true)
}

fn shown(trace: &[Json]) -> String {
    let steps: Vec<String> = trace.iter().map(ToString::to_string).collect();
    steps.join("\n")
}

/// What the prover decided about generated sessions.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    broken: usize,
    unknown: usize,
    /// How many decided invariants are about timers.
    of_timers: usize,
    /// How many invariants could not be tried, because a generated machine has an error.
    skipped: usize,
    /// The sessions of which every configuration was followed.
    explored: usize,
    /// The calls to host tools that ran in a turn or a batch.
    ran: usize,
    /// The calls to host tools that were denied although they could run at the beginning of a turn.
    held_back: usize,
}

impl Tally {
    fn decided(&self) -> usize {
        self.proved + self.broken
    }

    /// Generates a session, and compares the verdict on each of its invariants with runs of the real gate.
    fn examine(&mut self, seed: u64, kind: Kind) {
        let mut dice = Dice::new(seed);
        let machines = 2 + dice.below(2);
        let mut made = match kind {
            Kind::Plain => Made::machines(&mut dice, machines),
            Kind::Counting => Made::counting(&mut dice, machines),
            Kind::Classes => Made::classes(&mut dice, machines),
        };
        let claims = (0..8).map(|_| Claim::random(&mut dice, &made, kind));
        let claims: Vec<Claim> = claims.collect();
        let texts: Vec<String> = claims.iter().map(Claim::text).collect();
        let mut sources = SourceMap::default();
        let file = sources.add("made.yaml", made.document(&texts));
        let compilation = compile_session(&mut sources, file, &mut made);
        let all = &compilation.diagnostics;
        let Some(session) = compilation.session.as_ref() else {
            assert_ne!(kind, Kind::Plain, "seed {seed}: {all:?}");
            self.skipped += claims.len();
            return;
        };
        let reports = &compilation.report.invariants;
        assert_eq!(reports.len(), claims.len(), "seed {seed}: {all:?}");
        if seed.is_multiple_of(EXPLORED) {
            let explored = Explored::of(gate(session), kind, &claims, CONFIGURATIONS);
            self.explored += usize::from(explored.is_complete);
            let verdicts = reports.iter().map(|report| report.verdict);
            for ((verdict, claim), run) in verdicts.zip(&claims).zip(&explored.broken) {
                let told = format!("seed {seed}: {}", claim.text());
                match (verdict, run) {
                    (Verdict::Proved, Some(run)) => panic!("{told} was proved:\n{}", shown(run)),
                    (Verdict::Broken, None) if explored.is_complete => {
                        panic!("{told} was reported as broken, but no configuration breaks it")
                    }
                    _ => {}
                }
            }
        }
        for (at, (report, claim)) in reports.iter().zip(&claims).enumerate() {
            let told = format!("seed {seed}: {}", claim.text());
            let is_decided = report.verdict != Verdict::Unknown;
            self.of_timers += usize::from(is_decided && told.contains(".timer"));
            match report.verdict {
                Verdict::Proved => {
                    self.proved += 1;
                    for number in 0..RUNS {
                        let mut dice = Dice::new(seed * 1_000 + number);
                        let run = Run::new(gate(session), kind);
                        let checked = hold(claim, run, &mut dice, machines, &told);
                        self.ran += checked.ran;
                        self.held_back += checked.held_back;
                    }
                }
                Verdict::Broken => {
                    self.broken += 1;
                    let message = format!("the invariant `i{at}` is broken");
                    let found = all.iter().find(|found| found.message == message);
                    let trace = &found.expect("a counterexample").trace;
                    assert!(
                        is_broken_by(claim, Run::new(gate(session), kind), trace),
                        "{told} was reported as broken by\n{}",
                        shown(trace)
                    );
                }
                Verdict::Unknown => self.unknown += 1,
            }
        }
    }
}

#[test]
fn verdicts_on_generated_sessions_are_true_of_the_real_gate() {
    let mut tally = Tally::default();
    for seed in seeds(SESSIONS) {
        tally.examine(seed, Kind::Plain);
    }
    println!("{tally:?}");
    assert!(tally.explored > 2, "{tally:?}");
    assert!(tally.proved > 100 && tally.broken > 100, "{tally:?}");
    assert!(tally.of_timers > 100, "{tally:?}");
    assert!(tally.ran > 1_000 && tally.held_back > 100, "{tally:?}");
    assert!(tally.unknown * 20 < tally.decided(), "{tally:?}");
}

#[test]
fn verdicts_on_sessions_that_count_calls_are_true_of_the_real_gate() {
    let mut tally = Tally::default();
    for seed in seeds(COUNTING_SESSIONS) {
        tally.examine(seed, Kind::Counting);
    }
    println!("{tally:?}");
    assert!(tally.proved > 50 && tally.broken > 100, "{tally:?}");
    assert!(tally.unknown * 20 < tally.decided(), "{tally:?}");
}

#[test]
fn verdicts_on_sessions_with_classes_of_calls_are_true_of_the_real_gate() {
    let mut tally = Tally::default();
    for seed in seeds(CLASSES_SESSIONS) {
        tally.examine(seed, Kind::Classes);
    }
    println!("{tally:?}");
    assert!(tally.proved > 50 && tally.broken > 100, "{tally:?}");
    assert!(tally.ran > 1_000 && tally.held_back > 100, "{tally:?}");
    assert!(tally.unknown * 20 < tally.decided(), "{tally:?}");
}
