//! Machines with many plans, run with up to two plans at a time: every event is sent to every plan.

use std::collections::HashMap;

use plan_machine_compiler::model::machine::{EventKind, Instances, Property};
use plan_machine_compiler::model::{Checked, EventId, Machine};
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::semantics::{
    Call, CallKind, EventContext, HeldRecords, Outcome, Record, Sandbox, ShownToken,
};
use plan_machine_compiler::{Compilation, Report, Verdict};
use plan_machine_kernel::timers::Period;

use crate::brute::{broken_by, check_inside, host_tool, told};
use crate::calls::is_decided;
use crate::choices::{calls, contexts};
use crate::examine::{Examined, Fault, Judged, is_told, trace_of};
use crate::meaning::{Step, is_broken_at_the_start, running_breaks, target_of, truth};
use crate::replay::{Last, followed, replay};
use crate::waits::{remaining, wait, waits};

/// The maximum number of plans in a session; sessions with more plans are not followed.
const PLANS: usize = 2;

/// The result of a call in one context, or of a wait: the configuration that it led to, if that configuration is
/// followed, and the records that each step touched, with all records after the step.
struct Went {
    to: Option<usize>,
    seen: Vec<(Vec<usize>, HeldRecords)>,
}

/// A call or a wait, and its result in each context.
struct Sent {
    /// The event that is sent, and the plan that it is sent to; nothing is sent during a wait.
    call: Option<(EventId, Option<String>)>,
    went: Vec<Option<Went>>,
}

struct Visit<'m> {
    sandbox: Sandbox<'m>,
    told: String,
    sent: Vec<Sent>,
}

struct Search<'m> {
    machine: &'m Checked<Machine>,
    visits: Vec<Visit<'m>>,
    places: HashMap<String, usize>,
    /// Whether every configuration was followed with every payload of the set.
    closed: bool,
    /// For each invariant, the first run that breaks it.
    broken: Vec<Option<String>>,
}

fn place(session: &Sandbox<'_>) -> String {
    let records = session.held().records.iter();
    let shown = records.map(|record| {
        let timers = remaining(record, session.clock());
        format!("{:?} {:?}{timers}", record.leaf(), record.data)
    });
    shown.collect::<Vec<String>>().join("; ")
}

impl<'m> Search<'m> {
    fn of(
        machine: &'m Checked<Machine>,
        explored: &Explored<'_>,
        budget: usize,
    ) -> Result<Self, String> {
        let (calls, all_calls) = calls(machine);
        let (contexts, all_contexts) = contexts(machine);
        let waits = waits(machine);
        let at_once = |property| is_broken_at_the_start(machine, property);
        let mut search = Self {
            machine,
            places: HashMap::from([(place(&Sandbox::new(machine)), 0)]),
            visits: vec![Visit {
                sandbox: Sandbox::new(machine),
                told: String::new(),
                sent: Vec::new(),
            }],
            closed: all_calls && all_contexts,
            broken: machine
                .invariants
                .iter()
                .map(|known| at_once(&known.property).then(|| "before the first event".to_owned()))
                .collect(),
        };
        let mut left = budget;
        let mut next = 0;
        while next < search.visits.len() {
            let records = search.visits[next].sandbox.held().records.iter();
            let ids: Vec<String> = records.map(|record| record.id.to_string()).collect();
            for call in &calls {
                let named = ids.iter().cloned().map(Some);
                for plan_id in std::iter::once(None).chain(named) {
                    if left < contexts.len() {
                        search.closed = false;
                        return Ok(search);
                    }
                    left -= contexts.len();
                    let call = Call {
                        plan_id,
                        ..call.clone()
                    };
                    search.send(next, &call, &contexts, explored)?;
                }
            }
            for period in &waits {
                left = left.saturating_sub(1);
                search.wait(next, *period, explored)?;
            }
            next += 1;
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
        let mut went = Vec::new();
        for around in contexts {
            let mut sandbox = self.visits[from].sandbox.clone();
            let outcome = sandbox.step(call, around);
            let told = format!(
                "{}\n{}, for {:?}",
                self.visits[from].told,
                told(self.machine, call, around, sandbox.held()),
                call.plan_id
            );
            let Outcome::Accepted(accepted) = outcome else {
                went.push(None);
                if matches!(outcome, Outcome::Run { .. }) {
                    self.note_running(from, call, &told);
                }
                continue;
            };
            let step = Step {
                machine: self.machine,
                before: self.visits[from].sandbox.held(),
                accepted: &accepted,
                after: sandbox.held(),
            };
            let broken = broken_by(&step);
            check_inside(&step, explored).map_err(|problem| format!("{problem}\nafter {told}"))?;
            self.note(&broken, &told);
            let seen = vec![(accepted.records.clone(), sandbox.held().clone())];
            let to = self.place(sandbox, told);
            went.push(Some(Went { to, seen }));
        }
        if let CallKind::Event(event) = call.what {
            self.visits[from].sent.push(Sent {
                call: Some((event, call.plan_id.clone())),
                went,
            });
        }
        Ok(())
    }

    /// Lets time pass. Each timer that fires takes a step.
    fn wait(&mut self, from: usize, period: Period, explored: &Explored<'_>) -> Result<(), String> {
        let mut sandbox = self.visits[from].sandbox.clone();
        let mut line = format!("{}\nwait {period}", self.visits[from].told);
        let mut seen = Vec::new();
        for fired in wait(&mut sandbox, period) {
            let step = Step {
                machine: self.machine,
                before: &fired.before,
                accepted: &fired.accepted,
                after: &fired.after,
            };
            let name = &self.machine.event(fired.accepted.event).name;
            line = format!("{line}\n{name} for {:?}", fired.accepted.records);
            check_inside(&step, explored).map_err(|problem| format!("{problem}\nafter {line}"))?;
            self.note(&broken_by(&step), &line);
            seen.push((fired.accepted.records, fired.after));
        }
        let to = self.place(sandbox, line);
        self.visits[from].sent.push(Sent {
            call: None,
            went: vec![Some(Went { to, seen })],
        });
        Ok(())
    }

    /// Records the invariants that a step breaks.
    fn note(&mut self, broken: &[usize], told: &str) {
        for at in broken {
            self.broken[*at].get_or_insert_with(|| told.to_owned());
        }
    }

    /// Returns the configuration of a session, if it is followed.
    fn place(&mut self, sandbox: Sandbox<'m>, told: String) -> Option<usize> {
        if sandbox.held().records.len() > PLANS {
            return None;
        }
        let next = self.visits.len();
        let to = *self.places.entry(place(&sandbox)).or_insert(next);
        if to == next {
            self.visits.push(Visit {
                sandbox,
                told,
                sent: Vec::new(),
            });
        }
        Some(to)
    }

    fn note_running(&mut self, from: usize, call: &Call, told: &str) {
        let held = self.visits[from].sandbox.held();
        let tool = host_tool(self.machine, call);
        for (at, invariant) in self.machine.invariants.iter().enumerate() {
            if self.broken[at].is_none()
                && running_breaks(self.machine, held, tool, &invariant.property)
            {
                self.broken[at] = Some(format!("{told} (runs)"));
            }
        }
    }

    /// Returns whether a step to a target may be one of these events, and whether the event finds its plan, regardless
    /// of the number of plans.
    fn counts(&self, sent: &Sent, by: &[EventId]) -> bool {
        let Some((event, plan_id)) = &sent.call else {
            let is_timer = |event: &EventId| self.machine.timer(*event).is_some();
            let mut went = sent.went.iter().flatten();
            // `timer` means all timers.
            return by.is_empty()
                || by.iter().any(is_timer)
                || went.all(|went| went.seen.is_empty());
        };
        if !by.is_empty() && !by.contains(event) {
            return false;
        }
        let EventKind::Command(command) = &self.machine.event(*event).kind else {
            return plan_id.is_some();
        };
        let mut arguments = command.pattern.arguments();
        if plan_id.is_some() {
            return arguments.any(|(name, _)| name == "plan_id");
        }
        let one = Instances::Many { max_live: Some(1) };
        command.each || self.machine.instances == one
    }

    /// Returns, for each configuration and plan, whether a target can be reached in every context.
    fn reaching(&self, property: &Property) -> Vec<Vec<bool>> {
        let Property::CanReach(target, by) = property else {
            return Vec::new();
        };
        let target = target_of(self.machine, target);
        let is_true = |held: &HeldRecords, at: usize| {
            truth(self.machine, held, held.records.get(at), &target) == Some(true)
        };
        let visits = self.visits.iter();
        let mut reached: Vec<Vec<bool>> = visits
            .map(|visit| {
                let held = visit.sandbox.held();
                (0..held.records.len())
                    .map(|at| is_true(held, at))
                    .collect()
            })
            .collect();
        let mut grew = true;
        while grew {
            grew = false;
            for from in 0..self.visits.len() {
                for at in 0..reached[from].len() {
                    let leads = |sent: &Sent, went: &Option<Went>| {
                        went.as_ref().is_some_and(|went| {
                            let on = went.to.is_some_and(|to| reached[to][at]);
                            let own = || went.seen.iter().filter(|seen| seen.0.contains(&at));
                            let is_own = sent.call.is_none() || own().next().is_some();
                            is_own && (on || own().any(|(_, after)| is_true(after, at)))
                        })
                    };
                    let sent = self.visits[from].sent.iter();
                    let mut sent = sent.filter(|sent| self.counts(sent, by));
                    let mut leads_on =
                        || sent.any(|sent| sent.went.iter().all(|went| leads(sent, went)));
                    if !reached[from][at] && leads_on() {
                        reached[from][at] = true;
                        grew = true;
                    }
                }
            }
        }
        reached
    }

    /// Returns a live plan from which a target cannot be reached.
    fn stuck(&self, property: &Property) -> Option<String> {
        let reached = self.reaching(property);
        for (visit, reached) in self.visits.iter().zip(&reached) {
            let records = &visit.sandbox.held().records;
            for (record, reached) in records.iter().zip(reached) {
                if !reached && !self.machine.is_final(record.leaf()) {
                    return Some(format!("{} after {}", record.id, visit.told));
                }
            }
        }
        None
    }

    /// Returns whether a target can be reached from one plan; `None` if the configuration was not followed.
    fn reaches_from(
        &self,
        session: &Sandbox<'_>,
        record: &Record,
        property: &Property,
    ) -> Option<bool> {
        let visit = *self.places.get(&place(session))?;
        let at = session.held().position(&record.id)?;
        Some(self.reaching(property)[visit][at])
    }
}

/// Compares every verdict on a machine that has many plans with runs of the machine.
pub(crate) fn examine_many(
    compilation: &Compilation,
    machine: &Checked<Machine>,
    report: &Report,
    explored: &Explored<'_>,
    budget: usize,
) -> Examined {
    let mut examined = Examined::default();
    let search = match Search::of(machine, explored, budget) {
        Ok(search) => search,
        Err(problem) => {
            examined.faults.push((Fault::Unexplored, problem));
            return examined;
        }
    };
    examined.is_complete = search.closed;
    for (at, (invariant, one)) in machine
        .invariants
        .iter()
        .zip(&report.invariants)
        .enumerate()
    {
        if !is_decided(machine, &invariant.property) || is_told(report, at) {
            continue;
        }
        examined.judged += 1;
        let judged = match one.verdict {
            Verdict::Proved => {
                examined.proved += 1;
                judge_proved(&search, at)
            }
            Verdict::Broken => judge_broken(compilation, &search, at, &one.name),
            Verdict::Unknown => {
                examined.unknown += 1;
                Ok(())
            }
        };
        if let Err((fault, problem)) = judged {
            let told = format!("`{}`: {problem}", invariant.text);
            examined.faults.push((fault, told));
        }
    }
    examined
}

fn judge_proved(search: &Search<'_>, at: usize) -> Judged {
    let wrong = |problem: String| Err((Fault::WrongProved, problem));
    if let Some(run) = &search.broken[at] {
        return wrong(format!("proved, but this run breaks it:\n{run}"));
    }
    let property = &search.machine.invariants[at].property;
    if let (Property::CanReach(..), true) = (property, search.closed)
        && let Some(run) = search.stuck(property)
    {
        return wrong(format!(
            "proved, but the target cannot be reached for {run}"
        ));
    }
    Ok(())
}

fn judge_broken(compilation: &Compilation, search: &Search<'_>, at: usize, name: &str) -> Judged {
    let machine = search.machine;
    let empty = |problem: String| (Fault::EmptyCounterexample, problem);
    let Some((trace, _)) = trace_of(compilation, name) else {
        return Err(empty("broken, but there is no counterexample".to_owned()));
    };
    let property = &machine.invariants[at].property;
    let replayed = replay(machine, trace).map_err(empty)?;
    let told: Vec<String> = trace.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    if let Property::CanReach(target, _) = property {
        let last = Call {
            token: ShownToken::Current,
            ..Call::new(CallKind::HostTool("".into()))
        };
        let record = followed(machine, replayed.session.held(), &last);
        let alive = |record: &&Record| !machine.is_final(record.leaf());
        let Some(record) = record.filter(alive) else {
            return Err(empty(format!(
                "reported as broken where no plan is alive:\n{told}"
            )));
        };
        let target = target_of(machine, target);
        if truth(machine, replayed.session.held(), Some(record), &target) == Some(true) {
            return Err(empty(format!("the target is reached at the end:\n{told}")));
        }
        if search.closed && search.reaches_from(&replayed.session, record, property) == Some(true) {
            let told = format!("broken, but the target can be reached after:\n{told}");
            return Err((Fault::WrongBroken, told));
        }
        return Ok(());
    }
    let breaks = match &replayed.last {
        Last::Nothing => is_broken_at_the_start(machine, property),
        Last::Ran(call) => running_breaks(
            machine,
            replayed.session.held(),
            host_tool(machine, call),
            property,
        ),
        Last::Accepted(accepted) => Step {
            machine,
            before: &replayed.before,
            accepted,
            after: replayed.session.held(),
        }
        .breaks(property),
    };
    if breaks {
        return Ok(());
    }
    Err(empty(format!(
        "broken, but this run does not break it:\n{told}"
    )))
}
