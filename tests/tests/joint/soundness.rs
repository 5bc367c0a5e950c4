//! If an invariant of a session is proved, it holds in every run of the real gate; if it is
//! reported as broken, a run of the real gate breaks it.
//!
//! This file evaluates the invariants with separate code, which reads only what the gate itself
//! shows.

use plan_machine::gate::{EventContext, Gate, GateEvent, ToolCall};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine_compiler::Verdict;
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;
use plan_machine_tests::dice::Dice;

use super::made::{Made, STATES, gate};
use super::tried::{Asked, other_arguments};

/// The numbers of generated sessions, of runs of each session, and of events of each run.
const SESSIONS: u64 = 150;
/// Deciding what happens to counted calls means making them, so there are fewer such sessions.
const COUNTING_SESSIONS: u64 = 60;
const RUNS: u64 = 12;
const EVENTS: usize = 60;

/// Returns the seeds of the generated sessions. `PLAN_MACHINE_CASES` sets how many sessions are generated.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("PLAN_MACHINE_CASES").ok();
    let asked = asked.and_then(|asked| asked.parse().ok());
    0..asked.unwrap_or(usual)
}

/// The kind of generated sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The states of the machines decide what happens to calls.
    Plain,
    /// The machines also have alternatives for host tools.
    Counting,
}

/// A part of a condition.
#[derive(Clone, Debug)]
enum Part {
    State(usize, String),
    /// The number `n` of a machine is at least this.
    Number(usize, i64),
    Tool(Asked, String),
}

/// `a and b`, with parts that may be negated.
#[derive(Clone, Debug)]
struct Condition(Vec<(Part, bool)>);

impl Condition {
    fn random(dice: &mut Dice, machines: usize, kind: Kind) -> Self {
        let parts = (0..2 + dice.below(2)).map(|at| {
            let part = match kind {
                Kind::Counting if at == 0 => {
                    let tool = dice.pick(&["shell", "other_tools"]);
                    Part::Tool(*dice.pick(&Asked::ALL), (*tool).to_owned())
                }
                Kind::Counting if dice.below(2) == 0 => {
                    let least = i64::try_from(1 + dice.below(2)).expect("a small number");
                    Part::Number(dice.below(machines), least)
                }
                _ => Part::random(dice, machines),
            };
            (part, dice.below(4) == 0)
        });
        Self(parts.collect())
    }

    fn text(&self) -> String {
        let parts = self.0.iter().map(|(part, negated)| {
            let part = match part {
                Part::State(machine, state) => format!("m{machine}.{state}"),
                Part::Number(machine, least) => format!("(m{machine}.n >= {least})"),
                Part::Tool(asked, tool) => format!("{} {tool}", asked.word()),
            };
            if *negated {
                format!("not {part}")
            } else {
                part
            }
        });
        format!("({})", parts.collect::<Vec<_>>().join(" and "))
    }

    /// Returns whether all parts are true, according to what the gate itself shows. A condition that depends on the data
    /// of a missing plan is neither true nor false, and so is not true.
    fn is_true(&self, gate: &Gate) -> bool {
        self.0.iter().all(|(part, negated)| {
            let truth = match part {
                Part::State(machine, state) => Some(is_in(gate, *machine, state)),
                Part::Number(machine, least) => number(gate, *machine).map(|n| n >= *least),
                Part::Tool(asked, tool) => Some(asked.is_true(gate, tool)),
            };
            truth == Some(!*negated)
        })
    }
}

impl Part {
    fn random(dice: &mut Dice, machines: usize) -> Self {
        if dice.below(3) == 0 {
            let tools = ["shell", "other_tools", "t0", "t1", "t2"];
            return Self::Tool(Asked::Runs, (*dice.pick(&tools[..2 + machines])).to_owned());
        }
        let states = [STATES[0], STATES[1], STATES[2], "none"];
        let state = (*dice.pick(&states)).to_owned();
        Self::State(dice.below(machines), state)
    }
}

/// An event of a machine, or `timer`.
type Named = (usize, &'static str);

/// An invariant.
#[derive(Clone, Debug)]
enum Claim {
    Never(Condition),
    OnlyIn(Named, Condition),
    OnlyBy(Condition, Vec<Named>),
}

impl Claim {
    fn random(dice: &mut Dice, made: &Made, kind: Kind) -> Self {
        let machines = made.0.len();
        let condition = Condition::random(dice, machines, kind);
        let mut event = || {
            let machine = dice.below(machines);
            let timed = made.is_timed(machine) && dice.below(2) == 0;
            let event = if timed {
                "timer"
            } else {
                *dice.pick(&["c0", "c1", "c2"])
            };
            (machine, event)
        };
        let (one, other) = (event(), event());
        match dice.below(4) {
            0 => Self::OnlyIn(one, condition),
            1 => Self::OnlyBy(condition, vec![one, other]),
            _ => Self::Never(condition),
        }
    }

    fn text(&self) -> String {
        let shown = |(machine, event): &Named| format!("m{machine}.{event}");
        match self {
            Self::Never(condition) => format!("never {}", condition.text()),
            Self::OnlyIn(event, condition) => {
                format!("{} only in {}", shown(event), condition.text())
            }
            Self::OnlyBy(condition, by) => {
                let by: Vec<String> = by.iter().map(shown).collect();
                format!("{} only by {}", condition.text(), by.join(" or "))
            }
        }
    }

    fn condition(&self) -> &Condition {
        match self {
            Self::Never(condition) | Self::OnlyIn(_, condition) | Self::OnlyBy(condition, _) => {
                condition
            }
        }
    }
}

/// A run of the real gate, with a clock.
struct Run {
    gate: Gate,
    kind: Kind,
    now: Instant,
}

/// What happened in a step of a run.
struct Done {
    was_true: bool,
    is_true: bool,
    /// The machines and events that took steps.
    taken: Vec<(usize, String)>,
}

impl Done {
    /// Returns whether a step breaks a claim; `None` if several timers have fired, because nothing shows what was true
    /// between them. Several machines may count the same call, which is one step.
    fn breaks(&self, claim: &Claim) -> Option<bool> {
        let is_of = |named: &Named| {
            let mut taken = self.taken.iter();
            taken.any(|(machine, event)| {
                let is_meant = match named.1 {
                    "timer" => is_timer(event),
                    name => event == name,
                };
                *machine == named.0 && is_meant
            })
        };
        match claim {
            Claim::Never(_) => Some(self.is_true),
            _ if self.taken.len() > 1 && self.taken.iter().any(|(_, event)| is_timer(event)) => {
                None
            }
            Claim::OnlyIn(event, _) => Some(is_of(event) && !self.was_true),
            Claim::OnlyBy(_, by) => Some(!self.was_true && self.is_true && !by.iter().any(is_of)),
        }
    }
}

fn is_timer(event: &str) -> bool {
    event.contains(" after ")
}

impl Run {
    fn new(gate: Gate, kind: Kind) -> Self {
        let mut run = Self {
            gate,
            kind,
            now: START_OF_TIME,
        };
        run.gate.record();
        run
    }

    /// Does something with the gate, and shows what happened.
    fn watch(&mut self, claim: &Claim, act: impl FnOnce(&mut Self)) -> Done {
        let was_true = claim.condition().is_true(&self.gate);
        self.gate.happened();
        self.gate.record();
        act(self);
        let happened = self.gate.happened().into_iter();
        let taken = happened.filter_map(|happened| match happened {
            GateEvent::Taken(step) => {
                let (CallKind::Event(name) | CallKind::HostTool(name)) = &step.call.what;
                let machine = step.machine.strip_prefix('M')?.parse().ok()?;
                Some((machine, name.to_string()))
            }
            _ => None,
        });
        Done {
            was_true,
            taken: taken.collect(),
            is_true: claim.condition().is_true(&self.gate),
        }
    }

    fn wait(&mut self, period: Period) {
        self.now = period.after(self.now);
        self.gate.catch_up(self.now);
    }
}

fn is_in(gate: &Gate, machine: usize, state: &str) -> bool {
    let running = &gate.machines()[machine];
    let tables = running.description();
    if tables.is_many() {
        let plans = running.plans();
        let mut live = plans.iter().filter(|plan| &*plan.state != "END");
        return match state {
            "none" => live.next().is_none(),
            _ => live.any(|plan| &*plan.state == state),
        };
    }
    tables.state(running.batch_start().place()).name == state
}

/// Returns the number `n` of the plan in the slot of a machine.
fn number(gate: &Gate, machine: usize) -> Option<i64> {
    let stored = gate.machines()[machine].stored();
    let plan = &stored.plans[stored.slot?];
    plan.data.get("n").and_then(Json::as_int)
}

/// Sends a random event, or waits.
fn send(run: &mut Run, dice: &mut Dice, machines: usize) {
    let around = EventContext::at(run.now);
    let machine = dice.below(machines);
    let gate = &mut run.gate;
    match dice.below(5) {
        0 => {
            let tools = ["shell".to_owned(), "make".to_owned(), format!("t{machine}")];
            let call = ToolCall::new(dice.pick(&tools), Object::new());
            gate.decide(&[call], &around);
        }
        4 if run.kind == Kind::Counting => {
            let name = *dice.pick(&["shell", "make", "fetch"]);
            let args = [Object::new(), other_arguments()];
            let call = ToolCall::new(name, dice.pick(&args).clone());
            let contexts = [around.clone(), around.with("safe", true)];
            gate.decide(&[call], dice.pick(&contexts));
        }
        1 => {
            let seconds = 1 + dice.below(4);
            let period = Period::of_seconds(seconds as u64).expect("a few seconds");
            run.wait(period);
        }
        _ => {
            let mut call = Call::new(CallKind::Event(format!("c{}", dice.below(3)).into()));
            let plans = gate.machines()[machine].plans();
            if gate.machines()[machine].description().is_many() && !plans.is_empty() {
                call.plan_id = (dice.below(3) > 0).then(|| dice.pick(&plans).id.to_string());
            }
            let name = gate.machines()[machine].description().name;
            gate.send(name, &call, &around).expect("a known event");
        }
    }
}

/// Sends a step of a trace.
fn replay(run: &mut Run, step: &Json) {
    let step = step.as_object().expect("a step");
    if let Some(period) = step.get("wait").and_then(Json::as_text) {
        run.wait(period.parse().expect("a period"));
        return;
    }
    let context = step.get("context").and_then(Json::as_object);
    let context = context.into_iter().flat_map(Object::iter);
    let around = context.fold(EventContext::at(run.now), |around, (name, value)| {
        around.with(name.to_owned(), value.clone())
    });
    let gate = &mut run.gate;
    let with = step.get("with").and_then(Json::as_object);
    let mut with = with.cloned().unwrap_or_default();
    let plan_id = step.get("plan_id").and_then(Json::as_text);
    if let Some(tool) = step.get("tool").and_then(Json::as_text) {
        if let Some(id) = plan_id {
            with.insert("plan_id", id);
        }
        gate.decide(&[ToolCall::new(tool, with)], &around);
        return;
    }
    let name = step.get("do").and_then(Json::as_text).expect("an event");
    let (machine, event) = name.split_once('.').expect("an event of a machine");
    let mut call = Call::new(CallKind::Event(event.to_owned().into()));
    call.with = with;
    call.plan_id = plan_id.map(str::to_owned);
    call.token = ShownToken::Current;
    let machine = machine.replace('m', "M");
    gate.send(&machine, &call, &around).expect("a known event");
}

/// Runs a session at random; fails if a run breaks the claim.
fn hold(claim: &Claim, mut run: Run, dice: &mut Dice, machines: usize, told: &str) {
    let at_once = matches!(claim, Claim::Never(_)) && claim.condition().is_true(&run.gate);
    assert!(!at_once, "{told} was proved");
    for _ in 0..EVENTS {
        let done = run.watch(claim, |run| send(run, dice, machines));
        let taken = &done.taken;
        assert_ne!(
            done.breaks(claim),
            Some(true),
            "{told} was proved: {taken:?}"
        );
    }
}

/// Returns whether the last step of a trace breaks the claim.
fn is_broken_by(claim: &Claim, mut run: Run, trace: &[Json]) -> bool {
    let Some((last, first)) = trace.split_last() else {
        return matches!(claim, Claim::Never(_)) && claim.condition().is_true(&run.gate);
    };
    for step in first {
        replay(&mut run, step);
    }
    let done = run.watch(claim, |run| replay(run, last));
    done.breaks(claim) == Some(true)
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
        };
        let claims = (0..8).map(|_| Claim::random(&mut dice, &made, kind));
        let claims: Vec<Claim> = claims.collect();
        let texts: Vec<String> = claims.iter().map(Claim::text).collect();
        let mut sources = SourceMap::default();
        let file = sources.add("made.yaml", made.document(&texts));
        let compilation = compile_session(&mut sources, file, &mut made);
        let all = &compilation.diagnostics;
        let Some(session) = compilation.session.as_ref() else {
            assert_eq!(kind, Kind::Counting, "seed {seed}: {all:?}");
            self.skipped += claims.len();
            return;
        };
        let reports = &compilation.report.invariants;
        assert_eq!(reports.len(), claims.len(), "seed {seed}: {all:?}");
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
                        hold(claim, run, &mut dice, machines, &told);
                    }
                }
                Verdict::Broken => {
                    self.broken += 1;
                    let message = format!("the invariant `i{at}` is broken");
                    let found = all.iter().find(|found| found.message == message);
                    let trace = &found.expect("a counterexample").trace;
                    let shown: Vec<String> = trace.iter().map(ToString::to_string).collect();
                    assert!(
                        is_broken_by(claim, Run::new(gate(session), kind), trace),
                        "{told} was reported as broken by\n{}",
                        shown.join("\n")
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
    assert!(tally.proved > 100 && tally.broken > 100, "{tally:?}");
    assert!(tally.of_timers > 100, "{tally:?}");
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
