//! Concrete runs of the interpreter, breadth first and at random. They cover everything that is reachable with a small
//! set of payloads and contexts, up to a number of steps.

mod reach;

use std::collections::HashMap;
use std::sync::Arc;

use plan_machine_compiler::model::{Checked, EventId, Machine};
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::semantics::{
    Acceptance, Call, CallKind, EventContext, HeldRecords, Outcome, Record, Sandbox,
};
use plan_machine_kernel::timers::Period;

use crate::choices::{calls, calls_with_some_lists, contexts};
use crate::meaning::{Part, Step, is_broken_at_the_start, running_breaks};
use crate::waits::{Fired, remaining, wait, waits};
pub(crate) use reach::Host;

/// A run that breaks an invariant.
pub(crate) struct Run {
    pub steps: usize,
    pub told: String,
}

/// What can be seen after a step: the record that took it, the record that it started, and all records.
struct Seen {
    touched: Vec<Record>,
    after: HeldRecords,
}

impl Seen {
    fn of(accepted: &Acceptance, after: &HeldRecords) -> Self {
        let all = accepted.records.iter().copied().chain(accepted.ended);
        Self {
            touched: all.map(|at| after.records[at].clone()).collect(),
            after: after.clone(),
        }
    }
}

/// The result of one call in one context, or of a wait; several timers may fire during a wait.
struct Went {
    to: usize,
    seen: Vec<Seen>,
}

/// A call that can be sent in a configuration, or a wait, and its result in each context.
struct Sent {
    /// The events that cause the steps, under all their names: at most one, except during a wait.
    by: Vec<Vec<EventId>>,
    /// The name of the host tool, if the spec does not declare the tool.
    undeclared: Option<Arc<str>>,
    went: Vec<Option<Went>>,
}

struct Visit<'m> {
    sandbox: Sandbox<'m>,
    steps: usize,
    from: Option<(usize, String)>,
    sent: Vec<Sent>,
}

/// All runs of a machine, from breadth-first search.
pub(crate) struct Search<'m> {
    machine: &'m Checked<Machine>,
    visits: Vec<Visit<'m>>,
    places: HashMap<String, usize>,
    /// Whether the search is complete: every configuration was followed with every payload of the set.
    pub closed: bool,
    /// Whether the set of payloads and contexts is complete, except for lists.
    pub all_but_lists: bool,
    /// The number of configurations that were followed with every payload of the set; they come first.
    followed: usize,
    /// For each invariant, the shortest run that breaks it.
    pub broken: Vec<Option<Run>>,
}

fn place(session: &Sandbox<'_>) -> String {
    let record = session.held().in_slot();
    record.map_or("none".to_owned(), |record| {
        let succeeds = record.previous.is_some();
        let timers = remaining(record, session.clock());
        format!("{:?} {succeeds} {:?}{timers}", record.leaf(), record.data)
    })
}

impl<'m> Search<'m> {
    /// Runs a machine breadth first; fails if a run leaves the explored space.
    pub(crate) fn of(
        machine: &'m Checked<Machine>,
        explored: &Explored<'_>,
        budget: usize,
    ) -> Result<Self, String> {
        let (_, all_calls) = calls(machine);
        let (calls, all_but_lists) = calls_with_some_lists(machine);
        let (contexts, all_contexts) = contexts(machine);
        let waits = waits(machine);
        let start = Visit {
            sandbox: Sandbox::new(machine),
            steps: 0,
            from: None,
            sent: Vec::new(),
        };
        let mut search = Self {
            machine,
            places: HashMap::from([(place(&start.sandbox), 0)]),
            visits: vec![start],
            closed: all_calls && all_contexts,
            all_but_lists: all_but_lists && all_contexts,
            followed: 0,
            broken: machine
                .invariants
                .iter()
                .map(|invariant| {
                    is_broken_at_the_start(machine, &invariant.property).then(|| Run {
                        steps: 0,
                        told: "before the first event".to_owned(),
                    })
                })
                .collect(),
        };
        let mut left = budget;
        while search.followed < search.visits.len() {
            let next = search.followed;
            for call in &calls {
                if left < contexts.len() {
                    search.closed = false;
                    return Ok(search);
                }
                left -= contexts.len();
                search.send(next, call, &contexts, explored)?;
            }
            for period in &waits {
                left = left.saturating_sub(1);
                search.wait(next, *period, explored)?;
            }
            search.followed += 1;
        }
        Ok(search)
    }

    fn send(
        &mut self,
        from: usize,
        call: &Call,
        contexts: &[EventContext],
        explored: &Explored<'_>,
    ) -> Result<(), String> {
        let leaf = self.visits[from].sandbox.held().leaf();
        if let CallKind::Event(event) = call.what
            && self.machine.alternatives(leaf, event).is_none()
        {
            // The event is denied in every context.
            return Ok(());
        }
        let mut sent: Option<Sent> = None;
        let mut went = Vec::new();
        for around in contexts {
            let mut sandbox = self.visits[from].sandbox.clone();
            let outcome = sandbox.step(call, around);
            let Outcome::Accepted(accepted) = outcome else {
                went.push(None);
                if matches!(outcome, Outcome::Run { .. }) {
                    self.note_running(from, call, around);
                }
                continue;
            };
            let before = self.visits[from].sandbox.held();
            let step = Step {
                machine: self.machine,
                before,
                accepted: &accepted,
                after: sandbox.held(),
            };
            let machine = self.machine;
            let told = |after: &HeldRecords| told(machine, call, around, after);
            let seen = vec![Seen::of(&accepted, sandbox.held())];
            let steps = self.visits[from].steps + 1;
            sent.get_or_insert(Sent {
                by: vec![names(self.machine, &accepted)],
                undeclared: undeclared(self.machine, call),
                went: Vec::new(),
            });
            let broken = broken_by(&step);
            let inside = check_inside(&step, explored);
            self.note(from, steps, || told(sandbox.held()), &broken, inside)?;
            let to = self.arrive(from, sandbox, steps, told);
            went.push(Some(Went { to, seen }));
        }
        if let Some(mut sent) = sent {
            sent.went = went;
            self.visits[from].sent.push(sent);
        }
        Ok(())
    }

    /// Lets time pass. Each timer that fires takes a step.
    fn wait(&mut self, from: usize, period: Period, explored: &Explored<'_>) -> Result<(), String> {
        let mut sandbox = self.visits[from].sandbox.clone();
        let (mut by, mut seen, mut steps) = (Vec::new(), Vec::new(), self.visits[from].steps);
        let mut lines = vec![format!("wait {period}")];
        for fired in wait(&mut sandbox, period) {
            let step = Step {
                machine: self.machine,
                before: &fired.before,
                accepted: &fired.accepted,
                after: &fired.after,
            };
            steps += 1;
            let call = Call::new(CallKind::Event(fired.accepted.event));
            let around = EventContext::default();
            lines.push(told(self.machine, &call, &around, &fired.after));
            let inside = check_inside(&step, explored);
            self.note(from, steps, || lines.join("\n"), &broken_by(&step), inside)?;
            by.push(names(self.machine, &fired.accepted));
            seen.push(Seen::of(&fired.accepted, &fired.after));
        }
        let to = self.arrive(from, sandbox, steps, |_| lines.join("\n"));
        self.visits[from].sent.push(Sent {
            by,
            undeclared: None,
            went: vec![Some(Went { to, seen })],
        });
        Ok(())
    }

    /// Records the invariants that a step breaks; fails if the step leaves the explored space.
    fn note(
        &mut self,
        from: usize,
        steps: usize,
        told: impl Fn() -> String,
        broken: &[usize],
        inside: Result<(), String>,
    ) -> Result<(), String> {
        inside.map_err(|problem| format!("{problem}\nafter {}\n{}", self.way(from), told()))?;
        for at in broken {
            if self.broken[*at].is_none() {
                self.broken[*at] = Some(Run {
                    steps,
                    told: format!("{}\n{}", self.way(from), told()),
                });
            }
        }
        Ok(())
    }

    /// Returns the configuration of a session, which is visited if it is new.
    fn arrive(
        &mut self,
        from: usize,
        sandbox: Sandbox<'m>,
        steps: usize,
        told: impl FnOnce(&HeldRecords) -> String,
    ) -> usize {
        let next = self.visits.len();
        let to = *self.places.entry(place(&sandbox)).or_insert(next);
        if to == next {
            let told = told(sandbox.held());
            self.visits.push(Visit {
                sandbox,
                steps,
                from: Some((from, told)),
                sent: Vec::new(),
            });
        }
        to
    }

    /// Records the invariants that a running call breaks: an invariant may forbid the call to run
    /// in a state.
    fn note_running(&mut self, from: usize, call: &Call, around: &EventContext) {
        let held = self.visits[from].sandbox.held();
        let tool = host_tool(self.machine, call);
        for (at, invariant) in self.machine.invariants.iter().enumerate() {
            if self.broken[at].is_none()
                && running_breaks(self.machine, held, tool, &invariant.property)
            {
                let told = told(self.machine, call, around, held);
                self.broken[at] = Some(Run {
                    steps: self.visits[from].steps + 1,
                    told: format!("{}\n{told} (runs)", self.way(from)),
                });
            }
        }
    }

    fn way(&self, to: usize) -> String {
        let mut lines = Vec::new();
        let mut at = to;
        while let Some((from, told)) = &self.visits[at].from {
            lines.push(told.clone());
            at = *from;
        }
        lines.reverse();
        lines.join("\n")
    }

    /// Returns whether some step with this event leaves a field unset in a state.
    pub(crate) fn leaves_unset(&self, event: &str, state: &str, field: &str) -> bool {
        let mut fields = self.machine.data.iter();
        let Some(field) = fields.position(|known| known.name == field) else {
            return false;
        };
        let is_so = |record: &Record| {
            self.machine.state(record.leaf()).name == state && !record.data[field].is_set()
        };
        let sent = self.visits.iter().flat_map(|visit| &visit.sent);
        let is_by = |names: &Vec<EventId>| self.machine.event(names[0]).name == event;
        sent.filter(|sent| sent.by.iter().all(is_by))
            .flat_map(|sent| sent.went.iter().flatten())
            .flat_map(|went| &went.seen)
            .any(|seen| seen.touched.iter().any(is_so))
    }
}

/// Returns the name of a host tool that the spec does not declare.
fn undeclared(machine: &Machine, call: &Call) -> Option<Arc<str>> {
    match &call.what {
        CallKind::HostTool(name) if machine.event_named(name).is_none() => Some(Arc::from(&**name)),
        _ => None,
    }
}

/// Returns the event of a host tool: its own event if the spec names the tool, and the event of all other tools
/// otherwise.
pub(crate) fn host_tool(machine: &Machine, call: &Call) -> EventId {
    let named = match &call.what {
        CallKind::Event(event) => Some(*event),
        CallKind::HostTool(name) => machine.event_named(name),
    };
    named
        .filter(|event| machine.is_host_tool(*event))
        .unwrap_or_else(|| machine.other_tools())
}

/// Returns the events that a step counts as: the event that was sent, and the event whose entry applied to it.
fn names(machine: &Machine, accepted: &Acceptance) -> Vec<EventId> {
    let entry = machine.transition(accepted.transitions[0]).handler;
    vec![accepted.event, machine.handler(entry).event]
}

/// Returns the indices of the invariants that a step breaks.
pub(crate) fn broken_by(step: &Step<'_>) -> Vec<usize> {
    let all = step.machine.invariants.iter().enumerate();
    all.filter(|(_, invariant)| step.breaks(&invariant.property))
        .map(|(at, _)| at)
        .collect()
}

/// Checks that a step and its result are within the explored space.
pub(crate) fn check_inside(step: &Step<'_>, explored: &Explored<'_>) -> Result<(), String> {
    if !explored.is_complete() {
        return Ok(());
    }
    if let Some(record) = step
        .after
        .records
        .iter()
        .find(|record| !explored.holds(record))
    {
        return Err(format!("outside the explored space: {record:?}"));
    }
    let explored =
        |part: &Part<'_>| explored.has_step(part.before, part.taken, part.after, part.created);
    if step.parts().iter().all(explored) {
        Ok(())
    } else {
        Err("a step that was not explored".to_owned())
    }
}

/// Sends random events; fails if a run leaves the explored space or breaks a proved invariant.
pub(crate) fn walk(
    machine: &Checked<Machine>,
    explored: &Explored<'_>,
    is_proved: &[bool],
    mut seed: u64,
    walks: usize,
) -> Result<(), String> {
    const STEPS: usize = 14;
    let (calls, _) = calls(machine);
    let (contexts, _) = contexts(machine);
    let waits = waits(machine);
    let mut roll = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap_or(0)
    };
    for _ in 0..walks {
        let mut sandbox = Sandbox::new(machine);
        let mut lines = Vec::new();
        for _ in 0..STEPS * 3 {
            let before = sandbox.held().clone();
            let mut taken = Vec::new();
            if !waits.is_empty() && roll(3) == 0 {
                let period = waits[roll(waits.len())];
                lines.push(format!("wait {period}"));
                taken = wait(&mut sandbox, period);
            } else {
                let (call, around) = (&calls[roll(calls.len())], &contexts[roll(contexts.len())]);
                if let Outcome::Accepted(accepted) = sandbox.step(call, around) {
                    lines.push(told(machine, call, around, sandbox.held()));
                    let after = sandbox.held().clone();
                    taken.push(Fired {
                        before,
                        accepted,
                        after,
                    });
                }
            }
            for one in &taken {
                let step = Step {
                    machine,
                    before: &one.before,
                    accepted: &one.accepted,
                    after: &one.after,
                };
                check_inside(&step, explored)
                    .map_err(|problem| format!("{problem}\nafter {}", lines.join("\n")))?;
                for (invariant, proved) in machine.invariants.iter().zip(is_proved) {
                    if *proved && step.breaks(&invariant.property) {
                        let text = &invariant.text;
                        return Err(format!("`{text}` is proved, but:\n{}", lines.join("\n")));
                    }
                }
            }
            if lines.len() >= STEPS {
                break;
            }
        }
    }
    Ok(())
}

/// Formats a step for the message of a failing test.
pub(crate) fn told(
    machine: &Machine,
    call: &Call,
    around: &EventContext,
    after: &HeldRecords,
) -> String {
    let name = match &call.what {
        CallKind::Event(event) => machine.event(*event).name.as_str(),
        CallKind::HostTool(name) => &**name,
    };
    let state = &machine.state(after.leaf()).name;
    let data = after.in_slot().map_or(String::new(), |record| {
        plan_machine_compiler::semantics::data_json(machine, record).to_string()
    });
    format!(
        "{name} {} in {} → {state} {data}",
        call.with, around.context
    )
}
