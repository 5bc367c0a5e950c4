//! Concrete runs: a suspicion becomes a broken invariant only by a run of the interpreter that
//! breaks it.

use std::collections::HashSet;

use plan_machine_kernel::json::Object;

use super::absent::without_plan;
use super::candidates::{Candidates, object};
use super::config::Config;
use super::gating::{asks_about_tools, outside_slot};
use super::judge::writes_path;
use super::relevance::{Relevant, conditions_of};
use super::tools;
use super::trace::TraceStep;
use super::truth::Truth;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{Machine, Property};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{Checked, Decision, EventId, StateId};
use crate::semantics::{
    Accepted, Call, Held, Outcome, Record, START_OF_TIME, Sandbox, Surroundings, Token, What, holds,
};

/// How many steps are tried while one run for each abstract place is enough.
const MAX_STEPS: usize = 200_000;
/// How many are tried when numbers and texts are told apart, and how long such a run may be.
const MAX_EXACT_STEPS: usize = 20_000;
const MAX_EXACT_LENGTH: usize = 64;
/// How many contexts are tried.
const MAX_CONTEXTS: usize = 64;

/// How many parts of expressions and fields of records are looked at, and how many fields are kept.
const MAX_WORK: usize = 50_000_000;
const MAX_ROOM: usize = 4_000_000;
/// How many bytes the steps of one run may put together.
const MAX_MADE: usize = 4 << 20;
/// Larger records are not followed, for the same reason.
const MAX_RECORD: usize = 16 << 10;

/// Records with more to tell apart are not followed: data that grows would fill the memory.
const MAX_KEY: usize = 2_000;

/// An invariant that a run is looked for.
pub(super) struct Wanted<'a> {
    pub(super) property: &'a Property,
    /// The configurations from which the target of a reachability cannot be reached.
    pub(super) stuck: HashSet<Config>,
}

impl Wanted<'_> {
    /// A reachability that is only in doubt has no run that breaks it.
    fn can_be_found(&self) -> bool {
        !matches!(self.property, Property::CanReach(..)) || !self.stuck.is_empty()
    }
}

/// One accepted step of a run.
struct Stepped<'a> {
    before: &'a Held,
    event: EventId,
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
    /// How many steps led here.
    length: usize,
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
        if !self.tells_all() {
            self.search(wanted, &mut found, true, MAX_EXACT_STEPS);
        }
        found
    }

    /// Whether records of one abstract place go the same ways: then one run for each is enough, and
    /// a shortest one is a shortest of all.
    fn tells_all(&self) -> bool {
        let told = |ty: &Type| matches!(ty.required(), Type::Bool | Type::Enum(_));
        let fields = self.machine.data.iter().zip(&self.relevant.data);
        fields
            .filter(|(_, relevant)| **relevant)
            .all(|(field, _)| told(&field.ty))
    }

    /// Breadth first over concrete sessions, one for each abstract place, or for each exact one:
    /// only a shorter run takes the place of one that was found before.
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
            sandbox: Sandbox::new(self.machine).with_room(MAX_MADE),
            length: 0,
            before: None,
            step: None,
        }];
        let mut seen: HashSet<String> = HashSet::new();
        let sizes: Vec<usize> = wanted.iter().map(|one| size_of(one.property)).collect();
        let (mut work, mut room) = (MAX_WORK, MAX_ROOM);
        let mut next = 0;
        while next < visits.len() {
            let length = visits[next].length + 1;
            let open: Vec<usize> = (0..wanted.len())
                .filter(|at| {
                    let known = found[*at].as_ref();
                    wanted[*at].can_be_found() && known.is_none_or(|run| run.len() > length)
                })
                .collect();
            if open.is_empty() || (exact && length > MAX_EXACT_LENGTH) {
                return;
            }
            let judging: usize = open.iter().map(|at| sizes[*at]).sum();
            for (event, call) in &calls {
                let Some(call) = self.addressed(visits[next].sandbox.held(), *event, call) else {
                    continue;
                };
                for around in &around {
                    if steps == 0 || work == 0 || room == 0 {
                        return;
                    }
                    steps -= 1;
                    let held = visits[next].sandbox.held();
                    let price = held.records.len() * (self.machine.data.len() + 4) + judging;
                    work = work.saturating_sub(price);
                    let mut sandbox = visits[next].sandbox.clone();
                    let outcome = sandbox.step(&call, around);
                    let made = visits[next].sandbox.room() - sandbox.room();
                    work = work.saturating_sub(made / 16);
                    let accepted = match outcome {
                        Outcome::Accepted(accepted) => accepted,
                        Outcome::Run { .. } => {
                            let held = sandbox.held();
                            for at in &open {
                                let known = found[*at].as_ref();
                                if known.is_none_or(|run| run.len() > length)
                                    && self.running_breaks(wanted[*at].property, held, *event)
                                {
                                    let mut step =
                                        TraceStep::of(self.machine, &call, around, None, held);
                                    step.runs = true;
                                    found[*at] = Some(trace(&visits, next, step));
                                }
                            }
                            continue;
                        }
                        Outcome::Denied(_) => continue,
                    };
                    let stepped = Stepped {
                        before: visits[next].sandbox.held(),
                        event: *event,
                        accepted: &accepted,
                        after: sandbox.held(),
                    };
                    let broken: Vec<usize> = open
                        .iter()
                        .copied()
                        .filter(|at| found[*at].as_ref().is_none_or(|run| run.len() > length))
                        .filter(|at| self.breaks(&wanted[*at], &stepped))
                        .collect();
                    let ended = accepted.ended;
                    let step = TraceStep::of(self.machine, &call, around, ended, sandbox.held());
                    for at in broken {
                        let last = TraceStep {
                            judged: self.judged_in(wanted[at].property, &stepped),
                            ..step.clone()
                        };
                        found[at] = Some(trace(&visits, next, last));
                    }
                    let key = self.key(sandbox.held(), exact);
                    if key.len() <= MAX_KEY && is_small(sandbox.held()) && seen.insert(key) {
                        let records = sandbox.held().records.len();
                        room = room.saturating_sub(records * (self.machine.data.len() + 4));
                        visits.push(Visit {
                            sandbox,
                            length,
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
            if self.machine.is_host_tool(event) {
                all.extend(self.host_calls(event).map(|call| (event, call)));
                continue;
            }
            let fields = &self.machine.event(event).input;
            let relevant = &self.relevant.event[event.index()];
            for payload in self.candidates.payloads(self.machine, fields, relevant) {
                let mut call = Call::new(What::Event(event));
                call.with = object(self.machine, fields, &payload);
                call.token = Token::Current;
                all.push((event, call));
            }
        }
        all
    }

    /// A tool of the host, under every name that makes a difference.
    fn host_calls(&self, tool: EventId) -> impl Iterator<Item = Call> {
        let relevant = &self.relevant.event[tool.index()];
        let payloads = tools::payloads(self.machine, tool, self.candidates, relevant);
        let told_apart = relevant.contains(&true);
        let tried = if told_apart { payloads.len() } else { 1 };
        payloads.into_iter().take(tried).filter_map(|payload| {
            let [Value::Text(name), arguments] = &payload[..] else {
                return None;
            };
            let mut call = Call::new(What::HostTool(name.to_string()));
            if let Value::Json(json) = arguments {
                call.with = json.as_object().cloned().unwrap_or_default();
            }
            Some(call)
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
            let denied = self.machine.decision(leaf, event) == Decision::Deny;
            return (!denied).then(|| call.clone());
        }
        self.machine.alternatives(leaf, event)?;
        let mut call = call.clone();
        if let Some(record) = held.records.last().filter(|_| self.machine.is_many()) {
            call.plan_id = Some(record.id.to_string());
        }
        Some(call)
    }

    /// What the host may know, and when: only where it matters.
    fn surroundings(&self) -> Vec<Surroundings> {
        let fields = &self.machine.context;
        let relevant = &self.relevant.context;
        let contexts = self.candidates.contexts(self.machine, fields, relevant);
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
        for context in contexts.into_iter().take(MAX_CONTEXTS) {
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
            let succeeds = record.previous.is_some();
            return format!("{:?} {succeeds} {:?}", record.leaf(), record.data);
        }
        format!("{:?}", self.abstracted(record))
    }

    /// The configuration that a record belongs to.
    fn abstracted(&self, record: &Record) -> Config {
        Config::of(self.machine, self.relevant, record)
    }

    /// Whether a condition holds of a record, or where there is no plan; `None` where it depends
    /// on data that is not there, or on what a record outside the slot gates.
    fn holds(&self, held: &Held, record: Option<&Record>, expr: &Expr) -> Option<bool> {
        let truth = match record {
            None => without_plan(self.machine, expr)?,
            Some(_) if self.gates(held, record) || !asks_about_tools(expr) => {
                return holds(self.machine, record, expr, START_OF_TIME);
            }
            Some(_) => {
                let part = |part: &Expr| {
                    let truth = holds(self.machine, record, part, START_OF_TIME);
                    truth.map_or(Truth::Unknown, Truth::from)
                };
                outside_slot(expr, &part).truth()?
            }
        };
        match truth {
            Truth::Yes => Some(true),
            Truth::No => Some(false),
            Truth::Unknown => None,
        }
    }

    /// Whether tools are gated by a record: by one that the slot holds, and by each of many.
    fn gates(&self, held: &Held, record: Option<&Record>) -> bool {
        let in_slot = held.in_slot().map(|record| &record.id);
        self.machine.is_many() || record.map(|record| &record.id) == in_slot
    }

    /// Whether a condition that must hold does not: what depends on data, or on gating, that is not
    /// there does not hold.
    fn fails(&self, held: &Held, record: Option<&Record>, expr: &Expr) -> bool {
        match self.holds(held, record, expr) {
            Some(holds) => !holds,
            None => record.is_none() || (asks_about_tools(expr) && !self.gates(held, record)),
        }
    }

    /// The state of a record, or `none`, in which a condition is as it must not be.
    fn judged_in(&self, property: &Property, step: &Stepped<'_>) -> Option<String> {
        let (expr, wrong) = match property {
            Property::Always(expr) => (expr, false),
            Property::Never(expr) => (expr, true),
            _ => return None,
        };
        let mut seen = step.seen();
        let found = seen.find(|seen| self.holds(step.after, *seen, expr) == Some(wrong))?;
        let leaf = found.map_or(StateId::NONE, Record::leaf);
        Some(self.machine.state(leaf).name.clone())
    }

    /// Whether a tool of the host that runs breaks a property: it changes nothing.
    fn running_breaks(&self, property: &Property, held: &Held, tool: EventId) -> bool {
        let (Property::OnlyIn(name, expr) | Property::After(name, expr)) = property else {
            return false;
        };
        let leaf = held.leaf();
        let unnamed = self.machine.entry(leaf, tool).is_none();
        let is_by = tool == *name || (unnamed && *name == self.machine.other_tools());
        is_by && self.fails(held, held.in_slot(), expr)
    }

    /// Whether a session without a plan breaks it before anything has happened.
    fn broken_at_once(&self, property: &Property) -> bool {
        let empty = Held::default();
        match property {
            Property::Always(expr) => self.holds(&empty, None, expr) == Some(false),
            Property::Never(expr) => self.holds(&empty, None, expr) == Some(true),
            _ => false,
        }
    }

    /// Whether a concrete step breaks a property.
    fn breaks(&self, wanted: &Wanted<'_>, step: &Stepped<'_>) -> bool {
        let holds = |record: Option<&Record>, expr| self.holds(step.after, record, expr);
        let taken = step.accepted.taken.first().copied();
        let changes =
            |path: Option<&_>| taken.is_some_and(|id| writes_path(self.machine, id, path));
        let before = step.source();
        let is_by = |events: &[EventId]| {
            let goes_by = |name: &EventId| {
                taken.map_or(step.event == *name, |id| {
                    self.machine.goes_by(step.event, id, *name)
                })
            };
            events.iter().any(goes_by)
        };
        match wanted.property {
            Property::Always(expr) => step.seen().any(|seen| holds(seen, expr) == Some(false)),
            Property::Never(expr) => step.seen().any(|seen| holds(seen, expr) == Some(true)),
            Property::CanReach(..) => {
                let held = if self.machine.is_many() {
                    step.after.records.last()
                } else {
                    step.after.in_slot()
                };
                held.is_some_and(|record| {
                    let record = self.abstracted(record);
                    wanted.stuck.iter().any(|stuck| stuck.stands_for(&record))
                })
            }
            Property::OnlyBy(expr, by) => !is_by(by) && self.made_true(step, expr),
            Property::OnlyIn(event, expr) => {
                is_by(&[*event]) && self.fails(step.before, before, expr)
            }
            Property::ChangesOnlyIn(path, expr) => {
                changes(path.as_ref()) && self.fails(step.before, before, expr)
            }
            Property::ChangesOnlyBy(path, by) => changes(path.as_ref()) && !is_by(by),
            Property::After(event, expr) => {
                is_by(&[*event]) && self.fails(step.after, step.target(self.machine), expr)
            }
            Property::EmittedOnlyBy(effect, by) => !is_by(by) && step.emits(*effect),
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
                about.any(|record| self.fails(step.after, record, expr))
            }
            Property::NeverEmits(event, effect) => is_by(&[*event]) && step.emits(*effect),
        }
    }

    fn made_true(&self, step: &Stepped<'_>, expr: &Expr) -> bool {
        let is_true =
            |held: &Held, record: Option<&Record>| self.holds(held, record, expr) == Some(true);
        let records = step.touched().any(|at| {
            let before = step.before.records.get(at);
            let before = before.is_some_and(|record| is_true(step.before, Some(record)));
            !before && is_true(step.after, Some(&step.after.records[at]))
        });
        let released = step.before.slot.is_some() && step.after.slot.is_none();
        let was = || is_true(step.before, step.before.in_slot());
        records || (released && !was() && is_true(step.after, None))
    }
}

impl Stepped<'_> {
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

/// How much there is to look at where a property is judged.
fn size_of(property: &Property) -> usize {
    let mut size = 2;
    for condition in conditions_of(property) {
        condition.walk(&mut |_| size += 1);
    }
    size
}

/// Whether what the session holds is small enough to go on from there.
fn is_small(held: &Held) -> bool {
    let data = held.records.iter().flat_map(|record| &record.data);
    data.map(Value::weight).sum::<usize>() <= MAX_RECORD
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
