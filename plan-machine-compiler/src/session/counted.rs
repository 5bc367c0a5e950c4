//! Calls to host tools for which alternatives choose what happens, decided as the gate of a running session decides them:
//! all machines are asked before any of them changes.

use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::{Disposition, Dispositions};

use super::sandbox::{SessionAnswer, SessionBatch, SessionSandbox, deciding, dispositions};
use crate::model::StateId;
use crate::semantics::{
    Call, Denial, Env, EventContext, HeldRecords, Outcome, ROOM, START_OF_TIME, batch_start, step,
};

impl SessionSandbox<'_> {
    /// Returns how each machine decides a call to a host tool; `None` if alternatives choose what happens to the call.
    pub(super) fn decided(&self, tool: &str) -> Option<Vec<Disposition>> {
        let all = 0..self.machines.len();
        let each: Vec<Dispositions> = all.map(|at| self.may(at, self.held(at), tool)).collect();
        Dispositions::decided(&each)
    }

    /// Returns how a machine with these records may decide a call to a host tool.
    fn may(&self, at: usize, held: &HeldRecords, tool: &str) -> Dispositions {
        let machine = self.machine(at);
        dispositions(machine, deciding(machine, held), tool)
    }

    /// Decides a call for which alternatives of at least one machine choose what happens.
    pub(super) fn choose(
        &mut self,
        batch: &SessionBatch,
        tool: &str,
        call: Call,
        around: &EventContext,
    ) -> SessionAnswer {
        let mut each = Vec::with_capacity(self.machines.len());
        for at in 0..self.machines.len() {
            match self.ask(at, tool, &call, around) {
                Ok(disposition) => each.push(disposition),
                Err(denial) => return SessionAnswer::Machine(at, Outcome::Denied(denial)),
            }
        }
        if let Some(at) = Disposition::decider(&each) {
            return SessionAnswer::Machine(at, self.send(at, &call, around));
        }
        for at in 0..self.machines.len() {
            if let Some(denial) = self.too_early_to_run(at, batch, tool, &call, around) {
                return SessionAnswer::Machine(at, Outcome::Denied(denial));
            }
        }
        let mut counted = Vec::new();
        let counts = |at: &usize| each[*at] == Disposition::Count;
        for at in (0..each.len()).filter(counts) {
            let outcome = self.send(at, &call, around);
            if matches!(outcome, Outcome::Denied(_)) {
                return SessionAnswer::Machine(at, outcome);
            }
            counted.push((at, outcome));
        }
        SessionAnswer::Run { counted }
    }

    /// Returns what a machine would do with a call now, or its denial.
    fn ask(
        &self,
        at: usize,
        tool: &str,
        call: &Call,
        around: &EventContext,
    ) -> Result<Disposition, Denial> {
        if self.may(at, self.held(at), tool).is(Disposition::Record) {
            // The step itself decides whether the call can be recorded.
            return Ok(Disposition::Record);
        }
        match self.preview(at, self.held(at), call, around) {
            Outcome::Denied(denial) => Err(denial),
            Outcome::Run { .. } => Ok(Disposition::Run),
            Outcome::Accepted(accepted) if accepted.runs.is_some() => Ok(Disposition::Count),
            Outcome::Accepted(_) => Ok(Disposition::Record),
        }
    }

    /// Returns a denial if a call could not have run when its batch started: in the state of that time, or with the
    /// data of that time.
    fn too_early_to_run(
        &self,
        at: usize,
        batch: &SessionBatch,
        tool: &str,
        call: &Call,
        around: &EventContext,
    ) -> Option<Denial> {
        let machine = self.machine(at);
        let before = &batch.0[at];
        let mut call = call.clone();
        call.batch = Some(batch_start(machine, before));
        if let Outcome::Denied(denial) = self.preview(at, self.held(at), &call, around) {
            return Some(denial);
        }
        if self.may(at, before, tool).only().is_some() {
            return None;
        }
        let runs = match self.preview(at, before, &call, around) {
            Outcome::Run { .. } => true,
            Outcome::Accepted(accepted) => accepted.runs.is_some(),
            Outcome::Denied(_) => false,
        };
        let began: StateId = deciding(machine, before);
        (!runs).then(|| {
            let message = messages::not_in_this_batch(tool, &machine.state(began).name);
            Denial::new(DenialKind::NotAllowed, began, message)
        })
    }

    /// Returns the result that a call would have for these records of a machine. Nothing changes.
    fn preview(
        &self,
        at: usize,
        held: &HeldRecords,
        call: &Call,
        around: &EventContext,
    ) -> Outcome {
        let context = self.context(at, &around.context);
        let mut env = Env {
            room: Cell::new(self.machines[at].room().min(ROOM)),
            now: around.at.unwrap_or(START_OF_TIME),
            new_id: &mut || Arc::from("the-next-plan"),
            context: &context,
            host_tools: None,
        };
        step(self.machine(at), &mut held.clone(), call, &mut env)
    }
}
