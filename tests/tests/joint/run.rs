//! Runs of the real gate: random ones, those of traces, and those that follow every event.

use plan_machine::gate::{Batch, Decision, EventContext, Gate, GateEvent, ToolCall, TurnId};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use super::claims::{Claim, Done, Kind};
use super::tried::{Asked, CLASSES, class_of, has_classes, with_class};

/// A run of the real gate, with a clock.
pub(super) struct Run {
    pub(super) gate: Gate,
    pub(super) kind: Kind,
    pub(super) now: Instant,
    turns: usize,
    /// The batch whose calls are being decided, and the number of calls that are left.
    pub(super) batch: Option<(Batch, usize)>,
    pub(super) seen: Seen,
}

/// What random runs did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The calls to host tools that ran in a turn or a batch.
    pub(super) ran: usize,
    /// The calls to host tools that were denied although they could run at the beginning of a turn.
    pub(super) held_back: usize,
}

/// The host tool that ran or was recorded, and the class of the call.
pub(super) type Called = Option<(String, Option<&'static str>)>;

impl Run {
    pub(super) fn new(gate: Gate, kind: Kind) -> Self {
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
    pub(super) fn watch(&mut self, claim: &Claim, act: impl FnOnce(&mut Self) -> Called) -> Done {
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

    pub(super) fn wait(&mut self, period: Period) {
        self.now = period.after(self.now);
        self.gate.catch_up(self.now);
    }

    /// Begins a turn with a message of a person.
    pub(super) fn begin_turn(&mut self) {
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
    pub(super) fn call(&mut self, call: ToolCall, around: &EventContext) -> Called {
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
