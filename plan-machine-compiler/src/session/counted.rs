//! Calls to host tools for which the alternatives of a handler determine what happens. As in the gate of a running
//! session, all machines are asked before any of them changes.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::{Disposition, Dispositions};

use super::called::CalledTool;
use super::sandbox::{SessionAnswer, SessionBatch, SessionSandbox, deciding};
use crate::model::{Machine, StateId};
use crate::semantics::{
    Call, Denial, Env, EventContext, HeldRecords, Outcome, STEP_BUDGET, batch_start, step,
};

impl SessionSandbox<'_> {
    /// Returns what each machine does with a call to a host tool; `None` if alternatives determine what happens to the
    /// call.
    pub(super) fn decided(&self, called: &CalledTool) -> Option<Vec<Disposition>> {
        let all = 0..self.machines.len();
        let each: Vec<Dispositions> = all.map(|at| self.may(at, self.held(at), called)).collect();
        Dispositions::decided(&each)
    }

    /// Returns what a machine with these records may do with a call to a host tool.
    fn may(&self, at: usize, held: &HeldRecords, called: &CalledTool) -> Dispositions {
        let machine = self.machine(at);
        called.dispositions(machine, deciding(machine, held))
    }

    /// Answers a call for which alternatives of at least one machine determine what happens.
    pub(super) fn choose(
        &mut self,
        batch: &SessionBatch,
        called: &CalledTool,
        call: &Call,
        around: &EventContext,
    ) -> SessionAnswer {
        let sent = (0..self.machines.len()).map(|at| {
            let mut call = call.clone();
            call.class = self.class_for(at, called);
            call
        });
        let sent: Vec<Call> = sent.collect();
        let mut each = Vec::with_capacity(self.machines.len());
        for (at, call) in sent.iter().enumerate() {
            match self.ask(at, called, call, around) {
                Ok(disposition) => each.push(disposition),
                Err(denial) => return SessionAnswer::Machine(at, Outcome::Denied(denial)),
            }
        }
        if let Some(at) = Disposition::decider(&each) {
            return SessionAnswer::Machine(at, self.send(at, &sent[at], around));
        }
        let closed = self.held_back(called, None);
        if let Some((at, denial)) = closed.or_else(|| self.closed_at_start(batch, called)) {
            return SessionAnswer::Machine(at, Outcome::Denied(denial));
        }
        for (at, call) in sent.iter().enumerate() {
            if let Some(denial) = self.too_early_to_run(at, batch, call, around) {
                return SessionAnswer::Machine(at, Outcome::Denied(denial));
            }
        }
        if let Some((at, denial)) = self.denied_at_start(batch, called, call, around) {
            return SessionAnswer::Machine(at, Outcome::Denied(denial));
        }
        let mut counted = Vec::new();
        let counts = |at: &usize| each[*at] == Disposition::Count;
        for at in (0..each.len()).filter(counts) {
            let outcome = self.send(at, &sent[at], around);
            if matches!(outcome, Outcome::Denied(_)) {
                return SessionAnswer::Machine(at, outcome);
            }
            counted.push((at, outcome));
        }
        SessionAnswer::Run { counted }
    }

    /// Returns what a machine would do with a call now, or its denial.
    fn ask(
        &mut self,
        at: usize,
        called: &CalledTool,
        call: &Call,
        around: &EventContext,
    ) -> Result<Disposition, Denial> {
        if self.may(at, self.held(at), called).is(Disposition::Record) {
            // The step itself decides whether the call can be recorded.
            return Ok(Disposition::Record);
        }
        match self.preview(at, self.held(at).clone(), call, around) {
            Outcome::Denied(denial) => Err(denial),
            Outcome::Run { .. } => Ok(Disposition::Run),
            Outcome::Accepted(accepted) if accepted.runs.is_some() => Ok(Disposition::Count),
            Outcome::Accepted(_) => Ok(Disposition::Record),
        }
    }

    /// Returns a denial if a call could not have run in the state in which its batch started.
    fn too_early_to_run(
        &mut self,
        at: usize,
        batch: &SessionBatch,
        call: &Call,
        around: &EventContext,
    ) -> Option<Denial> {
        let mut call = call.clone();
        call.batch = Some(batch_start(self.machine(at), &batch.0[at]));
        match self.preview(at, self.held(at).clone(), &call, around) {
            Outcome::Denied(denial) => Some(denial),
            _ => None,
        }
    }

    /// Returns a machine that would not have let a call run with the machine's data at the start of
    /// the batch, and the denial.
    pub(super) fn denied_at_start(
        &mut self,
        batch: &SessionBatch,
        called: &CalledTool,
        call: &Call,
        around: &EventContext,
    ) -> Option<(usize, Denial)> {
        (0..self.machines.len()).find_map(|at| {
            let (machine, before) = (self.machine(at), &batch.0[at]);
            if self.may(at, before, called).only().is_some() {
                return None;
            }
            let began: StateId = deciding(machine, before);
            let class = called.deciding_class(machine, began);
            let mut call = call.clone();
            call.class = class.map(|class| class.to_owned().into());
            let runs = match self.preview(at, before.clone(), &call, around) {
                Outcome::Run { .. } => true,
                Outcome::Accepted(accepted) => accepted.runs.is_some(),
                Outcome::Denied(_) => false,
            };
            (!runs).then(|| (at, too_early(&called.tool, machine, began)))
        })
    }

    /// Returns a denial if the entry for the tool or for the class of a call would not have let it run in the state in
    /// which its batch started.
    pub(super) fn closed_at_start(
        &self,
        batch: &SessionBatch,
        called: &CalledTool,
    ) -> Option<(usize, Denial)> {
        called.class.as_ref()?;
        (0..self.machines.len()).find_map(|at| {
            let machine = self.machine(at);
            let began = deciding(machine, &batch.0[at]);
            let (one, other) = called.entries(machine);
            let mut entries = std::iter::once(one).chain(other);
            let open = entries.all(|event| machine.decision(began, event).may_run());
            (!open).then(|| (at, too_early(&called.tool, machine, began)))
        })
    }

    /// Returns the class whose entry decides what a machine does with a call.
    pub(super) fn class_for(&self, at: usize, called: &CalledTool) -> Option<Cow<'static, str>> {
        let machine = self.machine(at);
        let class = called.deciding_class(machine, deciding(machine, self.held(at)));
        class.map(|class| class.to_owned().into())
    }

    /// Returns the result that a call would have for these records of a machine. The call changes nothing, but its work
    /// is counted.
    fn preview(
        &mut self,
        at: usize,
        mut held: HeldRecords,
        call: &Call,
        around: &EventContext,
    ) -> Outcome {
        let context = self.context(at, &around.context);
        let now = self.now(around.at);
        let mut env = Env {
            budget: Cell::new(self.machines[at].budget().min(STEP_BUDGET)),
            evaluations: Cell::new(self.allowance.evaluations()),
            now,
            new_id: &mut || Arc::from("the-next-plan"),
            late: None,
            context: &context,
            host_tools: None,
        };
        let outcome = step(self.machine(at), &mut held, call, &mut env);
        self.allowance.set_evaluations(env.evaluations.get());
        outcome
    }
}

/// Returns the denial of a call that could not have run in the state in which its batch started.
fn too_early(tool: &str, machine: &Machine, began: StateId) -> Denial {
    let message = messages::not_in_this_batch(tool, &machine.state(began).name);
    Denial::new(DenialKind::NotAllowed, began, message)
}
