//! A breadth-first search over concrete sessions: one session per configuration, or one session per exact record. A run
//! is replaced only by a shorter one.

use std::collections::HashSet;

use super::super::conditions::conditions_of;
use super::super::trace::TraceStep;
use super::breaks::RunStep;
use super::search::{Search, SearchTarget};
use crate::model::EventId;
use crate::model::machine::Property;
use crate::model::value::Value;
use crate::semantics::{Acceptance, Call, EventContext, HeldRecords, Outcome, Sandbox};

/// The maximum length of a run if records are distinguished by their exact data.
const MAX_EXACT_LENGTH: usize = 64;

/// The maximum number of examined expression parts and record fields.
const MAX_WORK: usize = 50_000_000;
/// The maximum number of stored fields.
const MAX_ROOM: usize = 4_000_000;
/// The maximum number of bytes that the steps of one run may build.
const MAX_MADE: usize = 4 << 20;

/// Sessions with longer keys are not explored, because data that keeps growing would exhaust memory.
const MAX_KEY: usize = 2_000;
/// Sessions with larger records are not explored, because data that keeps growing would exhaust memory.
const MAX_RECORD: usize = 16 << 10;

/// A session that was reached, and the step that led to it.
struct Visit<'m> {
    sandbox: Sandbox<'m>,
    /// The number of steps that led to this session.
    length: usize,
    before: Option<usize>,
    step: Option<TraceStep>,
}

/// The visited sessions, and the runs found so far.
pub(super) struct Visits<'v, 'm> {
    search: &'v Search<'m>,
    wanted: &'v [SearchTarget<'v>],
    found: &'v mut [Option<Vec<TraceStep>>],
    /// Whether records are distinguished by their exact data.
    exact: bool,
    places: Vec<Visit<'m>>,
    seen: HashSet<String>,
    /// For each invariant: the amount of work needed to check it.
    sizes: Vec<usize>,
    work: usize,
    room: usize,
}

impl<'v, 'm> Visits<'v, 'm> {
    /// Starts with an empty session.
    pub(super) fn new(
        search: &'v Search<'m>,
        wanted: &'v [SearchTarget<'v>],
        found: &'v mut [Option<Vec<TraceStep>>],
        exact: bool,
    ) -> Self {
        let empty = Visit {
            sandbox: Sandbox::new(search.machine).with_budget(MAX_MADE),
            length: 0,
            before: None,
            step: None,
        };
        Self {
            search,
            wanted,
            found,
            exact,
            places: vec![empty],
            seen: HashSet::new(),
            sizes: wanted.iter().map(|one| size_of(one.property)).collect(),
            work: MAX_WORK,
            room: MAX_ROOM,
        }
    }

    /// Visits one session after another, until every wanted run is found or a limit is reached.
    pub(super) fn search(mut self, mut steps: usize) {
        let calls = self.search.calls();
        let contexts = self.search.contexts();
        let mut next = 0;
        while next < self.places.len() {
            let length = self.places[next].length + 1;
            let open = self.open(length);
            if open.is_empty() || (self.exact && length > MAX_EXACT_LENGTH) {
                return;
            }
            for (event, call) in &calls {
                let held = self.places[next].sandbox.held();
                let Some(call) = self.search.addressed(held, *event, call) else {
                    continue;
                };
                for around in contexts.of(*event) {
                    if steps == 0 || self.work == 0 || self.room == 0 {
                        return;
                    }
                    steps -= 1;
                    self.step(next, *event, &call, around, &open);
                }
            }
            next += 1;
        }
    }

    /// Returns the invariants for which no run has been found yet, or only a run that is longer than `length`.
    fn open(&self, length: usize) -> Vec<usize> {
        let wanted = self.wanted.iter().enumerate();
        wanted
            .filter(|(at, wanted)| wanted.can_be_found() && self.is_news(*at, length))
            .map(|(at, _)| at)
            .collect()
    }

    fn is_news(&self, at: usize, length: usize) -> bool {
        let known = self.found[at].as_ref();
        known.is_none_or(|run| run.len() > length)
    }

    /// Tries one call in a session.
    fn step(
        &mut self,
        from: usize,
        event: EventId,
        call: &Call,
        around: &EventContext,
        open: &[usize],
    ) {
        let mut sandbox = self.places[from].sandbox.clone();
        if around.at.is_some_and(|at| sandbox.is_due(at)) {
            // The timers would fire before the event. Each of them is a step of its own, which is tried separately.
            return;
        }
        let outcome = sandbox.step(call, around);
        self.spend(from, &sandbox, open);
        match outcome {
            Outcome::Accepted(accepted) => {
                let ended = accepted.ended;
                let machine = self.search.machine;
                let step = TraceStep {
                    runs: accepted.runs.is_some(),
                    wait: machine
                        .timer(event)
                        .and_then(|_| sandbox.waited_since(&self.places[from].sandbox)),
                    ..TraceStep::of(machine, call, around, ended, sandbox.held())
                };
                // A timer for which there is nothing to do is spent; the machine takes no step.
                if !accepted.taken.is_empty() {
                    self.note_broken(from, event, &accepted, &sandbox, &step, open);
                }
                self.visit(from, sandbox, step);
            }
            Outcome::Run { .. } => self.note_running(from, event, call, around, open),
            Outcome::Denied(_) => {}
        }
    }

    /// Counts the work of a step and of its checks, and the bytes that the step builds.
    fn spend(&mut self, from: usize, after: &Sandbox<'_>, open: &[usize]) {
        let before = &self.places[from].sandbox;
        let judging: usize = open.iter().map(|at| self.sizes[*at]).sum();
        let price = before.held().records.len() * self.fields() + judging;
        let made = before.budget() - after.budget();
        self.work = self.work.saturating_sub(price + made / 16);
    }

    /// Returns the amount of work that is counted for each record of a session.
    fn fields(&self) -> usize {
        self.search.machine.data.len() + 4
    }

    /// Records the invariants that an accepted step breaks.
    fn note_broken(
        &mut self,
        from: usize,
        event: EventId,
        accepted: &Acceptance,
        after: &Sandbox<'_>,
        step: &TraceStep,
        open: &[usize],
    ) {
        let length = self.places[from].length + 1;
        let is_reach = |at: &usize| matches!(self.wanted[*at].property, Property::CanReach(..));
        let mut nodes = Vec::new();
        if open.iter().any(is_reach) {
            nodes = self.search.nodes_of(after.held());
            self.work = self.work.saturating_sub(self.search.vague.len() / 4);
        }
        for at in open.iter().copied() {
            let stepped = RunStep {
                before: self.places[from].sandbox.held(),
                event,
                accepted,
                after: after.held(),
                nodes: &nodes,
            };
            let wanted = &self.wanted[at];
            if self.is_news(at, length) && self.search.breaks(wanted, &stepped) {
                let last = TraceStep {
                    judged: self.search.judged_in(wanted.property, &stepped),
                    ..step.clone()
                };
                self.found[at] = Some(self.trace(from, last));
            }
        }
    }

    /// Records the invariants that a host tool breaks by running.
    fn note_running(
        &mut self,
        from: usize,
        event: EventId,
        call: &Call,
        around: &EventContext,
        open: &[usize],
    ) {
        let length = self.places[from].length + 1;
        for at in open.iter().copied() {
            let held = self.places[from].sandbox.held();
            let property = self.wanted[at].property;
            if self.is_news(at, length) && self.search.running_breaks(property, held, event) {
                let step = TraceStep::of(self.search.machine, call, around, None, held);
                let last = TraceStep { runs: true, ..step };
                self.found[at] = Some(self.trace(from, last));
            }
        }
    }

    /// Continues from a session, unless an equal one has already been visited.
    fn visit(&mut self, from: usize, sandbox: Sandbox<'m>, step: TraceStep) {
        let key = self.search.timed_key(&sandbox, self.exact);
        if key.len() <= MAX_KEY && is_small(sandbox.held()) && self.seen.insert(key) {
            let records = sandbox.held().records.len();
            self.room = self.room.saturating_sub(records * self.fields());
            self.places.push(Visit {
                sandbox,
                length: self.places[from].length + 1,
                before: Some(from),
                step: Some(step),
            });
        }
    }

    /// Returns the steps that led to a session, and one more step.
    fn trace(&self, to: usize, last: TraceStep) -> Vec<TraceStep> {
        let mut steps = vec![last];
        let mut at = Some(to);
        while let Some(index) = at {
            steps.extend(self.places[index].step.clone());
            at = self.places[index].before;
        }
        steps.reverse();
        steps
    }
}

/// Returns the amount of work needed to check a property.
fn size_of(property: &Property) -> usize {
    let mut size = 2;
    for condition in conditions_of(property) {
        condition.walk(&mut |_| size += 1);
    }
    size
}

/// Returns whether the records of a session are small enough to continue from it.
fn is_small(held: &HeldRecords) -> bool {
    let data = held.records.iter().flat_map(|record| &record.data);
    data.map(Value::weight).sum::<usize>() <= MAX_RECORD
}
