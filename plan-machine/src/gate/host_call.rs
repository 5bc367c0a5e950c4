//! Decides a call to a host tool when alternatives choose what happens to it. All machines of the session are asked
//! before any of them changes: a denial takes precedence over recording, recording over counting, and counting over
//! running.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::Disposition;

use super::confirm::CountedCall;
use super::decide::Batch;
use super::decision::Decision;
use super::early::ChoosingPlans;
use super::event_context::EventContext;
use super::limits;
use super::state::Gate;
use super::tool_call::ToolCall;
use crate::core::description::Handling;
use crate::core::id::Id;
use crate::dynamic::machine::{Call, CallKind, Denial, Env, Outcome, StoredPlans};

impl Gate {
    /// Returns the plans of the machines in whose current state alternatives choose what happens to calls; most gates
    /// have no such machine.
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

    /// Decides a call that at least one machine may count.
    pub(super) fn choose(
        &mut self,
        batch: &Batch,
        call: &ToolCall,
        around: &EventContext,
    ) -> Decision {
        let mut sent = Call::new(CallKind::HostTool(call.name.clone().into()));
        sent.with = call.args.clone();
        let mut each = Vec::with_capacity(self.machines.len());
        for at in 0..self.machines.len() {
            match self.ask(at, &sent, around) {
                Ok(disposition) => each.push(disposition),
                Err(denial) => return Decision::Denied(denial),
            }
        }
        if let Some(at) = Disposition::decider(&each) {
            return match self.step(at, &sent, around) {
                Outcome::Accepted(taken) => Decision::Recorded {
                    machine: self.machines[at].description().name.into(),
                    taken: *taken,
                },
                Outcome::Denied(denial) => Decision::Denied(denial),
                Outcome::Run { tool, state } => Decision::Denied(differs(&tool, &state)),
            };
        }
        if let Some(denial) = self.held_back(&call.name, None) {
            return Decision::Denied(denial);
        }
        for at in 0..self.machines.len() {
            if let Some(denial) = self.too_early_to_run(at, batch, &sent, around) {
                return Decision::Denied(denial);
            }
        }
        let mut allowed = self.allow(&call.name, call.args.clone());
        let counts = |at: &usize| each[*at] == Disposition::Count;
        for at in (0..each.len()).filter(counts) {
            let machine = self.machines[at].description().name;
            match self.step(at, &sent, around) {
                Outcome::Accepted(taken) => allowed.count(CountedCall {
                    machine,
                    taken: *taken,
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
    fn ask(&self, at: usize, sent: &Call, around: &EventContext) -> Result<Disposition, Denial> {
        let CallKind::HostTool(tool) = &sent.what else {
            return Ok(Disposition::Run);
        };
        if self.handling(at, tool) == Handling::Takes {
            // The step itself decides whether the call can be recorded.
            return Ok(Disposition::Record);
        }
        match self.preview(at, &self.machines[at].stored(), sent, around) {
            Outcome::Denied(denial) => Err(denial),
            Outcome::Run { .. } => Ok(Disposition::Run),
            Outcome::Accepted(taken) if taken.runs.is_some() => Ok(Disposition::Count),
            Outcome::Accepted(_) => Ok(Disposition::Record),
        }
    }

    /// Returns whether a machine would let a call run now, without counting it.
    pub(super) fn would_run(&self, at: usize, sent: &Call, around: &EventContext) -> bool {
        matches!(self.ask(at, sent, around), Ok(Disposition::Run))
    }

    /// Returns a denial if a call could not have run when its batch started: in the state of that time, or with the
    /// data of that time.
    fn too_early_to_run(
        &self,
        at: usize,
        batch: &Batch,
        sent: &Call,
        around: &EventContext,
    ) -> Option<Denial> {
        let mut sent = sent.clone();
        sent.batch = Some(batch.start_of(at));
        if let Outcome::Denied(denial) =
            self.preview(at, &self.machines[at].stored(), &sent, around)
        {
            return Some(denial);
        }
        let plans = batch.plans_of(at)?;
        if self.preview(at, plans, &sent, around).runs().is_some() {
            return None;
        }
        let CallKind::HostTool(tool) = &sent.what else {
            return None;
        };
        let began = self.machines[at]
            .description()
            .state(batch.start_of(at).place());
        Some(Denial {
            kind: DenialKind::NotAllowed,
            messages: vec![messages::not_in_this_batch(tool, began.name)],
            state: began.name.to_owned(),
            allowed_in: Vec::new(),
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
            now: around.now,
            new_id: Id::from("the-next-plan"),
            context: &context,
            host_tools: self.machine_set.known(),
        };
        let outcome = self.machines[at].preview(plans, sent, &mut env);
        outcome.unwrap_or_else(|unknown| Outcome::Denied(unknown.into_denial()))
    }
}

/// Returns the denial of a call for which a step did something else than it was expected to do.
fn differs(tool: &str, state: &str) -> Denial {
    Denial {
        kind: DenialKind::NotAllowed,
        messages: vec![format!("`{tool}` cannot be decided in {state}")],
        state: state.to_owned(),
        allowed_in: Vec::new(),
    }
}
