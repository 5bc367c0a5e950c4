//! If an invariant of a session is proved, it holds in every run of the real gate; if it is
//! reported as broken, a run of the real gate breaks it. The runs are random; small sessions are also explored
//! completely, as far as their number of configurations allows.
//!
//! Conditions are evaluated as at the beginning of a turn, which is what they mean. Inside a turn or a batch, the gate
//! only denies more: whatever runs there could also run without them.

use plan_machine::gate::{Batch, Decision, EventContext, Gate, GateEvent, ToolCall, TurnId};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine_compiler::Verdict;
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;
use plan_machine_tests::dice::Dice;

use super::claims::{Claim, Done, Kind};
use super::exhaustive::Explored;
use super::made::{Made, gate};
use super::tried::{Asked, CLASSES, TOOLS, class_of, has_classes, other_arguments, with_class};

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

/// A run of the real gate, with a clock.
pub(super) struct Run {
    pub(super) gate: Gate,
    kind: Kind,
    pub(super) now: Instant,
    turns: usize,
    /// The batch whose calls are being decided, and the number of calls that are left.
    batch: Option<(Batch, usize)>,
    seen: Seen,
}

/// What random runs did.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The calls to host tools that ran in a turn or a batch.
    ran: usize,
    /// The calls to host tools that were denied although they could run at the beginning of a turn.
    held_back: usize,
}

/// The host tool that ran or was recorded, and the class of the call.
pub(super) type Called = Option<(String, Option<&'static str>)>;

impl Run {
    fn new(gate: Gate, kind: Kind) -> Self {
        Self::from(gate, kind, START_OF_TIME)
    }

    /// Continues a run.
    pub(super) fn from(gate: Gate, kind: Kind, now: Instant) -> Self {
        let mut run = Self {
            gate,
            kind,
            now,
            turns: 0,
            batch: None,
            seen: Seen::default(),
        };
        run.gate.record();
        run
    }

    /// Evaluates a function of the gate as at the beginning of a turn.
    fn outside_turns<T>(&mut self, evaluate: impl FnOnce(&Gate) -> T) -> T {
        let turn = self.gate.turn().cloned();
        self.gate.set_turn(None);
        let value = evaluate(&self.gate);
        self.gate.set_turn(turn);
        value
    }

    /// Performs an action on the gate, and returns what happened.
    fn watch(&mut self, claim: &Claim, act: impl FnOnce(&mut Self) -> Called) -> Done {
        let was_true = self.outside_turns(|gate| claim.is_true(gate));
        let (taken, called) = self.observe(act);
        Done {
            was_true,
            taken,
            called,
            is_true: self.outside_turns(|gate| claim.is_true(gate)),
        }
    }

    /// Performs an action on the gate; returns the machines and events that took steps, and the call that was decided.
    pub(super) fn observe(
        &mut self,
        act: impl FnOnce(&mut Self) -> Called,
    ) -> (Vec<(usize, String)>, Called) {
        self.gate.happened();
        self.gate.record();
        let called = act(self);
        let happened = self.gate.happened().into_iter();
        let taken = happened.filter_map(|happened| match happened {
            GateEvent::Taken(step) => {
                let (CallKind::Event(name) | CallKind::HostTool(name)) = &step.call.what;
                let machine = step.machine.strip_prefix('M')?.parse().ok()?;
                Some((machine, name.to_string()))
            }
            _ => None,
        });
        (taken.collect(), called)
    }

    fn wait(&mut self, period: Period) {
        self.now = period.after(self.now);
        self.gate.catch_up(self.now);
    }

    /// Begins a turn with a message of a person.
    fn begin_turn(&mut self) {
        self.turns += 1;
        let turn = TurnId::new(format!("message-{}", self.turns));
        let begun = self
            .gate
            .begin_turn(&turn, &EventContext::at(self.now))
            .expect("a short id");
        assert!(begun);
    }

    /// Makes a call, as part of the current batch if there is one. What runs in a turn or a batch also runs without
    /// them.
    fn call(&mut self, call: ToolCall, around: &EventContext) -> Called {
        let (tool, class) = (call.name.clone(), self.class_of(&call));
        if tool.starts_with('t') {
            self.decide(call, around);
            return None;
        }
        let is_confined = self.batch.is_some() || self.gate.turn().is_some();
        let could_run = is_confined && Asked::of_first(&self.gate, &call, around) == Asked::Runs;
        let made = Asked::of(&self.decide(call, around));
        if is_confined {
            let runs = made == Asked::Runs;
            assert!(could_run || !runs, "{tool} {class:?} runs");
            self.seen.ran += usize::from(runs);
            self.seen.held_back += usize::from(could_run && made == Asked::Denies);
        }
        (made != Asked::Denies).then_some((tool, class))
    }

    fn decide(&mut self, call: ToolCall, around: &EventContext) -> Decision {
        match self.batch.take() {
            Some((batch, left)) => {
                let decision = self.gate.decide_in(&batch, &call, around);
                self.batch = (left > 1).then_some((batch, left - 1));
                decision
            }
            None => self.gate.decide(&[call], around).remove(0),
        }
    }

    fn class_of(&self, call: &ToolCall) -> Option<&'static str> {
        has_classes(&self.gate).then(|| class_of(&call.name, &call.args))
    }
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

/// Sends a step of a trace.
pub(super) fn replay(run: &mut Run, step: &Json) -> Called {
    let step = step.as_object().expect("a step");
    if let Some(period) = step.get("wait").and_then(Json::as_text) {
        run.wait(period.parse().expect("a period"));
        return None;
    }
    let context = step.get("context").and_then(Json::as_object);
    let context = context.into_iter().flat_map(Object::iter);
    let around = context.fold(EventContext::at(run.now), |around, (name, value)| {
        around.with(name.to_owned(), value.clone())
    });
    let with = step.get("with").and_then(Json::as_object);
    let mut with = with.cloned().unwrap_or_default();
    let plan_id = step.get("plan_id").and_then(Json::as_text);
    if let Some(tool) = step.get("tool").and_then(Json::as_text) {
        if let Some(id) = plan_id {
            with.insert("plan_id", id);
        }
        let class = step.get("class").and_then(Json::as_text);
        if let Some(class) = CLASSES.iter().position(|name| Some(*name) == class) {
            with = with_class(with, class);
        }
        return run.call(ToolCall::new(tool, with), &around);
    }
    let name = step.get("do").and_then(Json::as_text).expect("an event");
    let (machine, event) = name.split_once('.').expect("an event of a machine");
    let mut call = Call::new(CallKind::Event(event.to_owned().into()));
    call.with = with;
    call.plan_id = plan_id.map(str::to_owned);
    call.token = ShownToken::Current;
    let machine = machine.replace('m', "M");
    let sent = run.gate.send(&machine, &call, &around);
    sent.expect("a known event");
    None
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
