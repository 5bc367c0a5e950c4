//! Concrete runs: a suspicion becomes a broken invariant only by a run of the interpreter that
//! breaks it.

use std::collections::HashSet;

use plan_machine_kernel::json::Object;

use super::abstraction::{Abs, of_value};
use super::candidates::{Candidates, object};
use super::judge::{reads_data, writes_path};
use super::relevance::Relevant;
use super::trace::TraceStep;
use super::ways::Config;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{EventKind, Machine, Property};
use crate::model::types::Field;
use crate::model::{Checked, EventId, StateId};
use crate::semantics::{
    Accepted, Call, Held, Outcome, Record, START_OF_TIME, Sandbox, Surroundings, Token, What, holds,
};

/// How many steps are tried while one run for each abstract place is enough.
const MAX_STEPS: usize = 200_000;
/// How many are tried when numbers and texts are told apart.
const MAX_EXACT_STEPS: usize = 20_000;

/// Records with more to tell apart are not followed: data that grows would fill the memory.
const MAX_KEY: usize = 2_000;

/// An invariant that a run is looked for.
pub(super) struct Wanted<'a> {
    pub(super) property: &'a Property,
    /// No run is shorter than this.
    pub(super) least: usize,
    /// The configurations from which the target of a reachability cannot be reached.
    pub(super) stuck: HashSet<Config>,
}

/// One accepted step of a run.
struct Stepped<'a> {
    before: &'a Held,
    event: EventId,
    also: Option<EventId>,
    accepted: &'a Accepted,
    after: &'a Held,
}

/// Looks for runs.
pub(super) struct Search<'a> {
    pub(super) machine: &'a Checked<Machine>,
    pub(super) relevant: &'a Relevant,
    pub(super) candidates: &'a Candidates,
}

/// A place that was reached, and how.
struct Visit<'m> {
    sandbox: Sandbox<'m>,
    before: Option<usize>,
    step: Option<TraceStep>,
}

impl Search<'_> {
    /// A shortest run that breaks each of the wanted properties, where one is found.
    pub(super) fn runs(&self, wanted: &[Wanted<'_>]) -> Vec<Option<Vec<TraceStep>>> {
        let mut found: Vec<Option<Vec<TraceStep>>> = wanted.iter().map(|_| None).collect();
        for (at, one) in wanted.iter().enumerate() {
            if self.broken_at_once(one.property) {
                found[at] = Some(Vec::new());
            }
        }
        self.search(wanted, &mut found, false, MAX_STEPS);
        // One run for each abstract place may have missed a shorter one.
        let mut exact: Vec<Option<Vec<TraceStep>>> = found
            .iter()
            .zip(wanted)
            .map(|(run, one)| run.clone().filter(|run| run.len() <= one.least))
            .collect();
        self.search(wanted, &mut exact, true, MAX_EXACT_STEPS);
        let both = found.into_iter().zip(exact);
        both.map(|(found, exact)| match (found, exact) {
            (Some(found), Some(exact)) if exact.len() < found.len() => Some(exact),
            (found, exact) => found.or(exact),
        })
        .collect()
    }

    /// Breadth first over concrete sessions, one for each abstract place, or for each exact one.
    fn search(
        &self,
        wanted: &[Wanted<'_>],
        found: &mut [Option<Vec<TraceStep>>],
        exact: bool,
        mut steps: usize,
    ) {
        let calls = self.calls();
        let around = self.surroundings();
        let mut visits = vec![Visit {
            sandbox: Sandbox::new(self.machine),
            before: None,
            step: None,
        }];
        let mut seen: HashSet<String> = HashSet::new();
        let mut next = 0;
        while next < visits.len() && found.iter().any(Option::is_none) {
            for (event, call) in &calls {
                let Some(call) = self.addressed(visits[next].sandbox.held(), *event, call) else {
                    continue;
                };
                for around in &around {
                    if steps == 0 {
                        return;
                    }
                    steps -= 1;
                    let mut sandbox = visits[next].sandbox.clone();
                    let Outcome::Accepted(accepted) = sandbox.step(&call, around) else {
                        continue;
                    };
                    let stepped = Stepped {
                        before: visits[next].sandbox.held(),
                        event: *event,
                        also: self.also(visits[next].sandbox.held(), *event),
                        accepted: &accepted,
                        after: sandbox.held(),
                    };
                    let broken: Vec<usize> = (0..wanted.len())
                        .filter(|at| found[*at].is_none() && self.breaks(&wanted[*at], &stepped))
                        .collect();
                    let step =
                        TraceStep::of(self.machine, &call, around, &accepted, sandbox.held());
                    for at in broken {
                        found[at] = Some(trace(&visits, next, step.clone()));
                    }
                    let key = self.key(sandbox.held(), exact);
                    if key.len() <= MAX_KEY && seen.insert(key) {
                        visits.push(Visit {
                            sandbox,
                            before: Some(next),
                            step: Some(step),
                        });
                    }
                }
            }
            next += 1;
        }
    }

    /// Every event with every payload to try.
    fn calls(&self) -> Vec<(EventId, Call)> {
        let mut all = Vec::new();
        for event in self.machine.event_ids() {
            let declared = self.machine.event(event);
            let what = match declared.kind {
                EventKind::External => What::HostTool(declared.name.clone()),
                EventKind::Other => What::HostTool(self.some_other_tool()),
                _ => What::Event(event),
            };
            let fields: &[Field] = match what {
                What::Event(_) => &declared.input,
                What::HostTool(_) => &[],
            };
            for payload in self.candidates.payloads(self.machine, fields) {
                let mut call = Call::new(what.clone());
                call.with = object(self.machine, fields, &payload);
                call.token = Token::Current;
                all.push((event, call));
            }
        }
        all
    }

    /// A tool of the host that no state names: one that the spec lists, where there is one.
    fn some_other_tool(&self) -> String {
        let named = |event: EventId| {
            self.machine
                .handlers
                .iter()
                .any(|handler| handler.event == event)
        };
        let unnamed = self.machine.event_ids().find(|event| {
            matches!(self.machine.event(*event).kind, EventKind::External) && !named(*event)
        });
        unnamed.map_or("some_tool".to_owned(), |event| {
            self.machine.event(event).name.clone()
        })
    }

    /// The call for the record that is followed; none where it makes no sense there.
    fn addressed(&self, held: &Held, event: EventId, call: &Call) -> Option<Call> {
        let leaf = if self.machine.is_many() {
            held.records.last().map_or(StateId::NONE, Record::leaf)
        } else {
            held.leaf()
        };
        if self.machine.is_host_tool(event) {
            let leaf = if self.machine.is_many() {
                StateId::NONE
            } else {
                leaf
            };
            self.machine.taken_by(leaf, event)?;
            return Some(call.clone());
        }
        self.machine.alternatives(leaf, event)?;
        let mut call = call.clone();
        if let Some(record) = held.records.last().filter(|_| self.machine.is_many()) {
            call.plan_id = Some(record.id.to_string());
        }
        Some(call)
    }

    /// What an event is besides, where it is taken.
    fn also(&self, held: &Held, event: EventId) -> Option<EventId> {
        let leaf = if self.machine.is_many() {
            StateId::NONE
        } else {
            held.leaf()
        };
        self.machine
            .taken_by(leaf, event)
            .and_then(|(_, also)| also)
    }

    /// What the host may know, and when: only where it matters.
    fn surroundings(&self) -> Vec<Surroundings> {
        let fields = &self.machine.context;
        let contexts = self.candidates.payloads(self.machine, fields);
        let tells_time = self.machine.transitions.iter().any(|transition| {
            let mut all = transition.when.iter().map(|when| &when.expr);
            all.any(mentions_now)
                || transition
                    .require
                    .iter()
                    .any(|require| mentions_now(&require.that.expr))
        });
        let later = if tells_time {
            self.candidates.instants()
        } else {
            Vec::new()
        };
        let mut all = Vec::new();
        for context in contexts.into_iter().take(8) {
            let context: Object = object(self.machine, fields, &context);
            all.push(Surroundings {
                context: context.clone(),
                at: None,
            });
            all.extend(later.iter().map(|at| Surroundings {
                context: context.clone(),
                at: Some(*at),
            }));
        }
        all
    }

    /// What makes two sessions the same place.
    fn key(&self, held: &Held, exact: bool) -> String {
        let record = if self.machine.is_many() {
            held.records.last()
        } else {
            held.in_slot()
        };
        let Some(record) = record else {
            return String::new();
        };
        if exact {
            return format!("{:?} {:?}", record.leaf(), record.data);
        }
        format!("{:?}", self.abstracted(record))
    }

    /// The configuration that a record belongs to.
    fn abstracted(&self, record: &Record) -> Config {
        let fields = self
            .machine
            .data
            .iter()
            .zip(&record.data)
            .zip(&self.relevant.data);
        let data = fields.map(|((field, value), relevant)| {
            if *relevant {
                of_value(self.machine, value, &field.ty)
            } else {
                Abs::Anything
            }
        });
        let previous = match &record.previous {
            _ if !self.relevant.previous => Abs::Anything,
            Some(_) => Abs::Something,
            None => Abs::Unset,
        };
        Config {
            leaf: record.leaf(),
            data: data.collect(),
            previous,
        }
    }

    fn holds(&self, record: Option<&Record>, expr: &Expr) -> Option<bool> {
        if record.is_none() && reads_data(expr) {
            return None;
        }
        holds(self.machine, record, expr, START_OF_TIME)
    }

    /// Whether a session without a plan breaks it before anything has happened.
    fn broken_at_once(&self, property: &Property) -> bool {
        match property {
            Property::Always(expr) => self.holds(None, expr) == Some(false),
            Property::Never(expr) => self.holds(None, expr) == Some(true),
            _ => false,
        }
    }

    /// Whether a concrete step breaks a property.
    fn breaks(&self, wanted: &Wanted<'_>, step: &Stepped<'_>) -> bool {
        let holds = |record: Option<&Record>, expr| self.holds(record, expr);
        let taken = step.accepted.taken.first().copied();
        let changes =
            |path: Option<&_>| taken.is_some_and(|id| writes_path(self.machine, id, path));
        let before = step.source();
        match wanted.property {
            Property::Always(expr) => step.seen().any(|seen| holds(seen, expr) == Some(false)),
            Property::Never(expr) => step.seen().any(|seen| holds(seen, expr) == Some(true)),
            Property::CanReach(..) => {
                let held = step.after.in_slot().or(step.after.records.last());
                held.is_some_and(|record| wanted.stuck.contains(&self.abstracted(record)))
            }
            Property::OnlyBy(expr, by) => !step.is_any(by) && self.made_true(step, expr),
            Property::OnlyIn(event, expr) => step.is(*event) && holds(before, expr) == Some(false),
            Property::ChangesOnlyIn(path, expr) => {
                changes(path.as_ref()) && holds(before, expr) == Some(false)
            }
            Property::ChangesOnlyBy(path, by) => changes(path.as_ref()) && !step.is_any(by),
            Property::After(event, expr) => {
                step.is(*event) && holds(step.target(self.machine), expr) == Some(false)
            }
            Property::EmittedOnlyBy(effect, by) => !step.is_any(by) && step.emits(*effect),
            Property::EmittedOnlyIn(effect, expr) => {
                let emitted = step
                    .accepted
                    .effects
                    .iter()
                    .filter(|found| found.effect == *effect);
                let mut about = emitted.map(|found| {
                    let id = found.plan.as_ref()?;
                    step.after.position(id).map(|at| &step.after.records[at])
                });
                about.any(|record| holds(record, expr) == Some(false))
            }
            Property::NeverEmits(event, effect) => step.is(*event) && step.emits(*effect),
        }
    }

    fn made_true(&self, step: &Stepped<'_>, expr: &Expr) -> bool {
        let was = |record: Option<&Record>| self.holds(record, expr) == Some(true);
        let records = step.touched().any(|at| {
            let before = step.before.records.get(at);
            let before = before.is_some_and(|record| was(Some(record)));
            !before && was(Some(&step.after.records[at]))
        });
        let released = step.before.slot.is_some() && step.after.slot.is_none();
        records || (released && !was(step.before.in_slot()) && was(None))
    }
}

impl Stepped<'_> {
    fn is(&self, event: EventId) -> bool {
        self.event == event || self.also == Some(event)
    }

    fn is_any(&self, events: &[EventId]) -> bool {
        events.iter().any(|event| self.is(*event))
    }

    /// The records that the step had to do with, by their place.
    fn touched(&self) -> impl Iterator<Item = usize> {
        let records = self.accepted.records.iter().copied();
        records.chain(self.accepted.ended)
    }

    /// What is judged after the step: the records it had to do with, and the empty slot.
    fn seen(&self) -> impl Iterator<Item = Option<&Record>> {
        let records = self.touched().map(|at| Some(&self.after.records[at]));
        let empty = self.after.slot.is_none();
        records.chain(empty.then_some(None))
    }

    /// The record that took the step, before it.
    fn source(&self) -> Option<&Record> {
        let taker = self
            .accepted
            .ended
            .or(self.accepted.records.first().copied());
        taker.and_then(|at| self.before.records.get(at))
    }

    /// What is held after the step.
    fn target(&self, machine: &Machine) -> Option<&Record> {
        if machine.is_many() {
            return self
                .accepted
                .records
                .last()
                .map(|at| &self.after.records[*at]);
        }
        self.after.in_slot()
    }

    fn emits(&self, effect: crate::model::EffectId) -> bool {
        self.accepted
            .effects
            .iter()
            .any(|found| found.effect == effect)
    }
}

fn mentions_now(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= inner.kind == ExprKind::Now);
    found
}

fn trace(visits: &[Visit<'_>], last: usize, step: TraceStep) -> Vec<TraceStep> {
    let mut steps = vec![step];
    let mut at = Some(last);
    while let Some(index) = at {
        steps.extend(visits[index].step.clone());
        at = visits[index].before;
    }
    steps.reverse();
    steps
}
