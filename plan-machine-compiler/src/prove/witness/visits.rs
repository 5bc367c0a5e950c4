//! A breadth-first search over concrete sessions: one session per configuration, or one session per exact record. A run
//! is replaced only by a shorter run.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::conditions::conditions_of;
use super::super::trace::TraceStep;
use super::breaks::RunStep;
use super::calls::Contexts;
use super::keys::Key;
use super::search::{Search, SearchTarget};
use crate::model::EventId;
use crate::model::machine::Property;
use crate::model::value::Value;
use crate::semantics::{Acceptance, Call, EventContext, HeldRecords, Outcome, Sandbox};

/// The maximum length of a run if records are distinguished by their exact data.
const MAX_EXACT_LENGTH: usize = 1_000;

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

/// The calls that a search tries, and the contexts in which it tries them.
pub(super) struct TriedCalls {
    pub(super) calls: Vec<(EventId, Call)>,
    pub(super) contexts: Contexts,
}

/// A call in a context.
#[derive(Clone)]
struct Sent<'v> {
    event: EventId,
    call: Cow<'v, Call>,
    around: &'v EventContext,
}

/// A session that was reached.
struct Visit<'v, 'm> {
    sandbox: Sandbox<'m>,
    /// The number of steps that led to this session.
    length: usize,
    /// The session before the last step, and the call that caused the step. The step of a trace is built from them only
    /// if a run is found, because building it takes longer than taking the step.
    from: Option<(usize, Sent<'v>)>,
}

/// The visited sessions, and the runs found so far.
pub(super) struct Visits<'v, 'm> {
    search: &'v Search<'m>,
    wanted: &'v [SearchTarget<'v>],
    found: &'v mut [Option<Vec<TraceStep>>],
    /// Whether records are distinguished by their exact data.
    exact: bool,
    /// For each field: whether it can affect whether a run breaks a wanted invariant.
    influential: &'v [bool],
    places: Vec<Visit<'v, 'm>>,
    seen: HashSet<Key>,
    /// A copy of the session from which calls are tried, if the last call has not changed it.
    spare: Option<Sandbox<'m>>,
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
        influential: &'v [bool],
        found: &'v mut [Option<Vec<TraceStep>>],
        exact: bool,
    ) -> Self {
        let empty = Visit {
            sandbox: Sandbox::new(search.machine).with_budget(MAX_MADE),
            length: 0,
            from: None,
        };
        Self {
            search,
            wanted,
            found,
            exact,
            influential,
            places: vec![empty],
            seen: HashSet::new(),
            spare: None,
            sizes: wanted.iter().map(|one| size_of(one.property)).collect(),
            work: MAX_WORK,
            room: MAX_ROOM,
        }
    }

    /// Visits one session after another, until every wanted run is found or a limit is reached.
    pub(super) fn search(mut self, tried: &'v TriedCalls, mut steps: usize) {
        let mut next = 0;
        while next < self.places.len() {
            let length = self.places[next].length + 1;
            let open = self.open(length);
            if open.is_empty() || (self.exact && length > MAX_EXACT_LENGTH) {
                return;
            }
            self.spare = None;
            for (event, call) in &tried.calls {
                let held = self.places[next].sandbox.held();
                let Some(call) = self.search.addressed(held, *event, call) else {
                    continue;
                };
                for around in tried.contexts.of(*event) {
                    if steps == 0 || self.work == 0 || self.room == 0 {
                        return;
                    }
                    steps -= 1;
                    let sent = Sent {
                        event: *event,
                        call: call.clone(),
                        around,
                    };
                    self.step(next, sent, &open);
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
    fn step(&mut self, from: usize, sent: Sent<'v>, open: &[usize]) {
        let before = &self.places[from].sandbox;
        if sent.around.at.is_some_and(|at| before.is_due(at)) {
            // The timers would fire before the event. Each of them is a step of its own, which is tried separately.
            return;
        }
        let spare = self.spare.take();
        let mut sandbox = spare.unwrap_or_else(|| before.clone());
        let outcome = sandbox.step(&sent.call, sent.around);
        self.spend(from, &sandbox, open);
        match outcome {
            Outcome::Accepted(accepted) => {
                // A timer without a transition to take is marked as spent, and the machine takes no step.
                if !accepted.transitions.is_empty() {
                    self.note_broken(from, &sent, &accepted, &sandbox, open);
                }
                self.visit(from, sandbox, sent);
            }
            Outcome::Run { .. } => self.note_running(from, &sent, open),
            Outcome::Denied(_) => self.keep_spare(from, sandbox),
        }
    }

    /// Keeps a session that has denied a call, so that it need not be copied again for the next call. A denied call may
    /// still let time pass, and it may have built something.
    fn keep_spare(&mut self, from: usize, denied: Sandbox<'m>) {
        let before = &self.places[from].sandbox;
        if denied.clock() == before.clock() {
            self.spare = Some(denied.with_budget(before.budget()));
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
        sent: &Sent<'v>,
        accepted: &Acceptance,
        after: &Sandbox<'m>,
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
                event: sent.event,
                accepted,
                after: after.held(),
                nodes: &nodes,
            };
            let wanted = &self.wanted[at];
            if self.is_news(at, length) && self.search.breaks(wanted, &stepped) {
                let last = TraceStep {
                    judged: self.search.judged_in(wanted.property, &stepped),
                    ..self.described(from, sent, accepted, after)
                };
                self.found[at] = Some(self.trace(from, last));
            }
        }
    }

    /// Records the invariants that a host tool breaks by running.
    fn note_running(&mut self, from: usize, sent: &Sent<'v>, open: &[usize]) {
        let length = self.places[from].length + 1;
        for at in open.iter().copied() {
            let held = self.places[from].sandbox.held();
            let property = self.wanted[at].property;
            if self.is_news(at, length) && self.search.running_breaks(property, held, sent.event) {
                let machine = self.search.machine;
                let last = TraceStep {
                    runs: true,
                    ..TraceStep::of(machine, &sent.call, sent.around, None, held)
                };
                self.found[at] = Some(self.trace(from, last));
            }
        }
    }

    /// Continues from a session, unless an equal session has already been visited.
    fn visit(&mut self, from: usize, sandbox: Sandbox<'m>, sent: Sent<'v>) {
        let key = self.search.key(&sandbox, self.influential, self.exact);
        if key.size() <= MAX_KEY && is_small(sandbox.held()) && self.seen.insert(key) {
            let records = sandbox.held().records.len();
            self.room = self.room.saturating_sub(records * self.fields());
            self.places.push(Visit {
                sandbox,
                length: self.places[from].length + 1,
                from: Some((from, sent)),
            });
        }
    }

    /// Returns the steps that led to a session, and one more step.
    fn trace(&self, to: usize, last: TraceStep) -> Vec<TraceStep> {
        let mut steps = vec![last];
        let mut at = to;
        while let Some((from, step)) = self.step_to(at) {
            steps.push(step);
            at = from;
        }
        steps.reverse();
        steps
    }

    /// Returns the last step that led to a session, and the session before that step.
    fn step_to(&self, to: usize) -> Option<(usize, TraceStep)> {
        let Visit { sandbox, from, .. } = &self.places[to];
        let (from, sent) = from.as_ref()?;
        // The same call has been accepted before, so it is accepted again.
        let mut again = self.places[*from].sandbox.clone();
        match again.step(&sent.call, sent.around) {
            Outcome::Accepted(accepted) => {
                Some((*from, self.described(*from, sent, &accepted, sandbox)))
            }
            Outcome::Run { .. } | Outcome::Denied(_) => None,
        }
    }

    /// Returns the step of a trace for a call that has been accepted.
    fn described(
        &self,
        from: usize,
        sent: &Sent<'v>,
        accepted: &Acceptance,
        after: &Sandbox<'m>,
    ) -> TraceStep {
        let machine = self.search.machine;
        let is_timer = machine.timer(sent.event).is_some();
        let waited = || after.waited_since(&self.places[from].sandbox);
        TraceStep {
            runs: accepted.runs.is_some(),
            wait: is_timer.then(waited).flatten(),
            ..TraceStep::of(
                machine,
                &sent.call,
                sent.around,
                accepted.ended,
                after.held(),
            )
        }
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
