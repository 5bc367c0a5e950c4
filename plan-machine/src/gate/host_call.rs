//! Decides on a call to a host tool when alternatives determine what happens to it. All machines of the session are
//! asked before any of them changes: a denial takes precedence over recording, recording over counting, and counting
//! over running.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::Disposition;

use super::called_tool::CalledTool;
use super::classes::{ClassOfCall, deciding_class};
use super::confirm::CountedCall;
use super::decide::Batch;
use super::decision::Decision;
use super::early::ChoosingPlans;
use super::event_context::EventContext;
use super::limits;
use super::state::Gate;
use super::step::undefined;
use super::tool_call::ToolCall;
use crate::core::description::Handling;
use crate::core::id::Id;
use crate::dynamic::machine::{Call, Denial, Env, Outcome, StoredPlans};

impl Gate {
    /// Returns the plans of the machines in whose current state alternatives determine what happens to calls; most
    /// gates have no such machine.
    pub(super) fn choosing_plans(&self) -> ChoosingPlans {
        let all = self.machines.iter().enumerate();
        let choosing = all.filter(|(_, machine)| {
            let state = machine.description().state(machine.batch_start().place());
            state.handling.iter().any(|handling| handling.is_chosen())
        });
        choosing
            .map(|(at, machine)| (at, machine.stored()))
            .collect()
    }

    /// Decides on a call if alternatives of at least one machine determine what happens to it.
    pub(super) fn choose(
        &mut self,
        batch: &Batch,
        call: &ToolCall,
        class: &ClassOfCall,
        around: &EventContext,
    ) -> Decision {
        let name = class.of(&call.name);
        let all = 0..self.machines.len();
        let sent: Vec<Call> = all.map(|at| self.sent(at, call, name)).collect();
        let mut each = Vec::with_capacity(self.machines.len());
        for (at, sent) in sent.iter().enumerate() {
            match self.ask(at, sent, name, around) {
                Ok(disposition) => each.push(disposition),
                Err(denial) => return Decision::Denied(denial),
            }
        }
        if let Some(at) = Disposition::decider(&each) {
            return match self.step(at, &sent[at], around) {
                Outcome::Accepted(acceptance) => Decision::Recorded {
                    machine: self.machines[at].description().name.into(),
                    acceptance: *acceptance,
                },
                Outcome::Denied(denial) => Decision::Denied(denial),
                Outcome::Run { tool, state } => Decision::Denied(differs(&tool, &state)),
            };
        }
        let closed = self.held_back(name, None);
        if let Some(denial) = closed.or_else(|| self.closed_at_start(batch, name)) {
            return Decision::Denied(denial);
        }
        for (at, sent) in sent.iter().enumerate() {
            if let Some(denial) = self.too_early_to_run(at, batch, sent, around) {
                return Decision::Denied(denial);
            }
        }
        if let Some(denial) = self.denied_at_start(batch, call, name, around) {
            return Decision::Denied(denial);
        }
        let mut allowed = self.allow(call, class);
        let counts = |at: &usize| each[*at] == Disposition::Count;
        for at in (0..each.len()).filter(counts) {
            let machine = self.machines[at].description().name;
            match self.step(at, &sent[at], around) {
                Outcome::Accepted(acceptance) => allowed.count(CountedCall {
                    machine,
                    acceptance: *acceptance,
                }),
                Outcome::Denied(denial) => return Decision::Denied(denial),
                Outcome::Run { tool, state } => return Decision::Denied(differs(&tool, &state)),
            }
        }
        self.allow_from_here(&mut allowed);
        allowed.ask_again_in(around);
        Decision::Run(allowed)
    }

    /// Returns what a machine would do with a call now, or its denial.
    fn ask(
        &self,
        at: usize,
        sent: &Call,
        name: CalledTool<'_>,
        around: &EventContext,
    ) -> Result<Disposition, Denial> {
        if self.handling(at, name) == Handling::Takes {
            // The step itself decides whether the call can be recorded.
            return Ok(Disposition::Record);
        }
        match self.preview(at, &self.machines[at].stored(), sent, around) {
            Outcome::Denied(denial) => Err(denial),
            Outcome::Run { .. } => Ok(Disposition::Run),
            Outcome::Accepted(acceptance) if acceptance.runs.is_some() => Ok(Disposition::Count),
            Outcome::Accepted(_) => Ok(Disposition::Record),
        }
    }

    /// Returns whether a machine would let a call run now, without counting it.
    pub(super) fn would_run(
        &self,
        at: usize,
        call: &ToolCall,
        name: CalledTool<'_>,
        around: &EventContext,
    ) -> bool {
        let sent = self.sent(at, call, name);
        matches!(self.ask(at, &sent, name, around), Ok(Disposition::Run))
    }

    /// Returns a denial if the entry for the tool or for the class of a call would not have let the call run in the
    /// state in which its batch started. The machine itself checks only the entry by which it decides on the call.
    pub(super) fn closed_at_start(&self, batch: &Batch, call: CalledTool<'_>) -> Option<Denial> {
        call.class?;
        (0..self.machines.len()).find_map(|at| {
            let tables = self.machines[at].description();
            let began = batch.start_of(at).place();
            let mut entries = call.entries(tables);
            let open = entries.all(|entry| tables.handling(began, entry).may_run());
            (!open).then(|| too_early(call.tool, tables.state(began).name))
        })
    }

    /// Returns a denial if a call could not have run in the state in which its batch started.
    fn too_early_to_run(
        &self,
        at: usize,
        batch: &Batch,
        sent: &Call,
        around: &EventContext,
    ) -> Option<Denial> {
        let mut sent = sent.clone();
        sent.batch = Some(batch.start_of(at));
        match self.preview(at, &self.machines[at].stored(), &sent, around) {
            Outcome::Denied(denial) => Some(denial),
            _ => None,
        }
    }

    /// Returns a denial if a machine would not have let a call run with the data that it had when the batch started.
    pub(super) fn denied_at_start(
        &self,
        batch: &Batch,
        call: &ToolCall,
        name: CalledTool<'_>,
        around: &EventContext,
    ) -> Option<Denial> {
        (0..self.machines.len()).find_map(|at| {
            let plans = batch.plans_of(at)?;
            let tables = self.machines[at].description();
            let began = batch.start_of(at).place();
            let mut sent = self.sent(at, call, name);
            sent.class = deciding_class(tables, began, name);
            let runs = self.preview(at, plans, &sent, around).runs().is_some();
            (!runs).then(|| too_early(&call.name, tables.state(began).name))
        })
    }

    /// Returns the result that a call to a host tool would have for these plans of a machine. Nothing changes.
    fn preview(
        &self,
        at: usize,
        plans: &StoredPlans,
        sent: &Call,
        around: &EventContext,
    ) -> Outcome {
        if let Err(invalid) = limits::event(sent, &around.context) {
            return Outcome::Denied(invalid.denial("none"));
        }
        if let Some(denial) = self.denial(at, sent) {
            return Outcome::Denied(denial);
        }
        let context = self.machine_set.context(at, around);
        let mut env = Env {
            now: self.not_before(around.now),
            new_id: Id::from("the-next-plan"),
            context: &context,
            host_tools: self.machine_set.known(),
        };
        let outcome = self.machines[at].preview(plans, sent, &mut env);
        outcome.unwrap_or_else(|unknown| Outcome::Denied(undefined(&unknown)))
    }
}

/// Returns the denial of a call that could not have run in the state in which its batch started.
fn too_early(tool: &str, began: &str) -> Denial {
    let message = messages::not_in_this_batch(tool, began);
    Denial::new(DenialKind::NotAllowed, message, began)
}

/// Returns the denial of a call for which a step did something other than expected.
fn differs(tool: &str, state: &str) -> Denial {
    Denial::new(
        DenialKind::NotAllowed,
        messages::undecided(tool, state),
        state,
    )
}
