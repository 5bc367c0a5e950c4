//! Machines with many plans, run with up to two plans at a time: every event is sent to every plan.

use std::collections::HashMap;

use plan_machine_compiler::model::machine::{EventKind, Instances, Property};
use plan_machine_compiler::model::{Checked, EventId, Machine};
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::semantics::{
    Call, CallKind, EventContext, HeldRecords, Outcome, Record, Sandbox, ShownToken,
};
use plan_machine_compiler::{Compilation, Report, Verdict};

use crate::brute::{check_inside, host_tool, told};
use crate::calls::is_decided;
use crate::choices::{calls, contexts};
use crate::examine::{Examined, Fault, Judged, trace_of};
use crate::meaning::{Step, is_broken_at_the_start, running_breaks, target_of, truth};
use crate::replay::{Last, followed, replay};

/// The maximum number of plans in a session; sessions with more plans are not followed.
const PLANS: usize = 2;

/// The result of a call in one context: the configuration that it led to, if that configuration is followed, and the
/// records after the call.
struct Went {
    to: Option<usize>,
    touched: Vec<usize>,
    after: HeldRecords,
}

/// A call, and its result in each context.
struct Sent {
    event: EventId,
    plan_id: Option<String>,
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

fn place(held: &HeldRecords) -> String {
    let records = held.records.iter();
    let shown = records.map(|record| format!("{:?} {:?}", record.leaf(), record.data));
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
        let at_once = |property| is_broken_at_the_start(machine, property);
        let mut search = Self {
            machine,
            places: HashMap::from([(place(&HeldRecords::default()), 0)]),
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
            check_inside(&step, explored).map_err(|problem| format!("{problem}\nafter {told}"))?;
            for (at, invariant) in self.machine.invariants.iter().enumerate() {
                if self.broken[at].is_none() && step.breaks(&invariant.property) {
                    self.broken[at] = Some(told.clone());
                }
            }
            let after = sandbox.held().clone();
            went.push(Some(Went {
                to: self.place(sandbox, told),
                touched: accepted.records.clone(),
                after,
            }));
        }
        if let CallKind::Event(event) = call.what {
            self.visits[from].sent.push(Sent {
                event,
                plan_id: call.plan_id.clone(),
                went,
            });
        }
        Ok(())
    }

    /// Returns the configuration of a session, if it is followed.
    fn place(&mut self, sandbox: Sandbox<'m>, told: String) -> Option<usize> {
        if sandbox.held().records.len() > PLANS {
            return None;
        }
        let next = self.visits.len();
        let to = *self.places.entry(place(sandbox.held())).or_insert(next);
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

    /// Returns whether an event finds its plan, regardless of the number of plans.
    fn counts(&self, sent: &Sent) -> bool {
        let EventKind::Command(command) = &self.machine.event(sent.event).kind else {
            return sent.plan_id.is_some();
        };
        let mut arguments = command.pattern.arguments();
        if sent.plan_id.is_some() {
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
                    let leads = |went: &Option<Went>| {
                        went.as_ref().is_some_and(|went| {
                            let on = went.to.is_some_and(|to| reached[to][at]);
                            went.touched.contains(&at) && (on || is_true(&went.after, at))
                        })
                    };
                    let mut sent = self.visits[from].sent.iter().filter(|sent| {
                        (by.is_empty() || by.contains(&sent.event)) && self.counts(sent)
                    });
                    if !reached[from][at] && sent.any(|sent| sent.went.iter().all(leads)) {
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
        held: &HeldRecords,
        record: &Record,
        property: &Property,
    ) -> Option<bool> {
        let visit = *self.places.get(&place(held))?;
        let at = held.position(&record.id)?;
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
    for (at, (invariant, report)) in machine
        .invariants
        .iter()
        .zip(&report.invariants)
        .enumerate()
    {
        if !is_decided(machine, &invariant.property) {
            continue;
        }
        examined.judged += 1;
        let judged = match report.verdict {
            Verdict::Proved => judge_proved(&search, at),
            Verdict::Broken => judge_broken(compilation, &search, at, &report.name),
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
        let record = followed(machine, &replayed.after, &last);
        let alive = |record: &&Record| !machine.is_final(record.leaf());
        let Some(record) = record.filter(alive) else {
            return Err(empty(format!(
                "reported as broken where no plan is alive:\n{told}"
            )));
        };
        let target = target_of(machine, target);
        if truth(machine, &replayed.after, Some(record), &target) == Some(true) {
            return Err(empty(format!("the target is reached at the end:\n{told}")));
        }
        if search.closed && search.reaches_from(&replayed.after, record, property) == Some(true) {
            let told = format!("broken, but the target can be reached after:\n{told}");
            return Err((Fault::WrongBroken, told));
        }
        return Ok(());
    }
    let breaks = match &replayed.last {
        Last::Nothing => is_broken_at_the_start(machine, property),
        Last::Ran(call) => {
            running_breaks(machine, &replayed.after, host_tool(machine, call), property)
        }
        Last::Accepted(accepted) => Step {
            machine,
            before: &replayed.before,
            accepted,
            after: &replayed.after,
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
