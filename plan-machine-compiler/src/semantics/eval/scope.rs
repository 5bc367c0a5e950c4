//! The environment of an expression, and the budget of the step.

use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::time::Instant;

use crate::model::value::Value;
use crate::model::{Machine, StateId};
use crate::semantics::record::Record;

/// The reason why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::semantics) enum Fault {
    /// An optional that the expression needs is unset. In a step of a checked spec, this happens only in requirements
    /// that follow a failed requirement, and in their messages.
    Unset,
    /// A number overflowed.
    Overflow,
    /// A value that was built for storage became too large.
    TooLarge,
    /// A value that was built for storage is nested too deep.
    TooDeep,
    /// The step has built too many bytes, or the scenarios have evaluated too much.
    TooMuchWork,
}

pub(super) type Evaluated = Result<Value, Fault>;

/// The environment of an expression.
#[derive(Clone, Copy)]
pub(in crate::semantics) struct Scope<'a> {
    pub(in crate::semantics) machine: &'a Machine,
    /// The record; `None` if there is no plan.
    pub(in crate::semantics) record: Option<&'a Record>,
    /// The id of the record that this step creates.
    pub(in crate::semantics) new_id: Option<&'a Arc<str>>,
    /// The payload.
    pub(in crate::semantics) event: &'a [Value],
    pub(in crate::semantics) context: &'a [Value],
    pub(in crate::semantics) now: Instant,
    /// The item that is being examined, and its position.
    pub(in crate::semantics) item: Option<(&'a Value, i64)>,
    /// The records of the session after the step, in the order of creation.
    pub(in crate::semantics) plans: &'a [&'a Record],
    /// The record that `plans where` is examining.
    pub(in crate::semantics) listed: Option<&'a Record>,
    /// Whether built values are stored in the record; stored values must not grow without limit.
    pub(in crate::semantics) stores: bool,
    /// The number of bytes that the step may still build, if there is a limit.
    pub(in crate::semantics) budget: Option<&'a Cell<usize>>,
    /// The number of parts of expressions that the step may still evaluate, if there is a limit.
    pub(in crate::semantics) evaluations: Option<&'a Cell<usize>>,
}

impl<'a> Scope<'a> {
    /// Returns the record that state conditions and `final` refer to.
    fn subject(&self) -> Option<&'a Record> {
        self.listed.or(self.record)
    }

    pub(super) fn leaf(&self) -> StateId {
        self.subject().map_or(StateId::NONE, Record::leaf)
    }

    /// Subtracts bytes from the budget of the step.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), Fault> {
        let Some(budget) = self.budget else {
            return Ok(());
        };
        let left = budget.get().checked_sub(bytes);
        budget.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Fault::TooMuchWork)
    }

    /// Counts the evaluation of one part of an expression.
    pub(super) fn count_evaluation(&self) -> Result<(), Fault> {
        let Some(evaluations) = self.evaluations else {
            return Ok(());
        };
        let left = evaluations.get().checked_sub(1);
        evaluations.set(left.ok_or(Fault::TooMuchWork)?);
        Ok(())
    }

    /// Refuses to build a value of this size if the budget of the step is too small for it.
    pub(super) fn refuse_beyond_budget(&self, bytes: usize) -> Result<(), Fault> {
        match self.budget {
            Some(budget) if budget.get() < bytes => Err(Fault::TooMuchWork),
            _ => Ok(()),
        }
    }
}

/// Returns a scope without a record and without a context.
pub(in crate::semantics) fn of_nothing<'a>(
    machine: &'a Machine,
    event: &'a [Value],
    now: Instant,
) -> Scope<'a> {
    Scope {
        machine,
        record: None,
        new_id: None,
        event,
        context: &[],
        now,
        item: None,
        plans: &[],
        listed: None,
        stores: false,
        budget: None,
        evaluations: None,
    }
}
