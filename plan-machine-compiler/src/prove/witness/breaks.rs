//! Determines whether a concrete step breaks an invariant.

use super::super::absent::without_plan;
use super::super::calls::{claims_calls, settled};
use super::super::explore::Node;
use super::super::gating::{asks_about_tools, outside_slot};
use super::super::judge::writes_path;
use super::super::truth::Truth;
use super::search::{Search, SearchTarget};
use crate::model::expr::Expr;
use crate::model::machine::{Machine, Property};
use crate::model::value::Value;
use crate::model::{EffectId, EventId, FieldId, StateId};
use crate::semantics::{Acceptance, HeldRecords, Record, START_OF_TIME, holds};

/// One accepted step of a run.
pub(super) struct RunStep<'a> {
    pub(super) before: &'a HeldRecords,
    pub(super) event: EventId,
    pub(super) accepted: &'a Acceptance,
    pub(super) after: &'a HeldRecords,
    /// The nodes that represent the record in the slot after the step, if reachability needs them.
    pub(super) nodes: &'a [Node],
}

impl Search<'_> {
    /// Returns whether a condition holds for a record, or without a plan; `None` if the condition depends on missing
    /// data, or on the gating of a record outside the slot, or if its truth value is not known.
    fn holds(&self, held: &HeldRecords, record: Option<&Record>, expr: &Expr) -> Option<bool> {
        match self.truth(held, record, expr)? {
            Truth::Yes => Some(true),
            Truth::No => Some(false),
            Truth::Unknown => None,
        }
    }

    /// Returns the truth value of a condition for a record, or without a plan; `None` if the condition has no truth
    /// value.
    fn truth(&self, held: &HeldRecords, record: Option<&Record>, expr: &Expr) -> Option<Truth> {
        let part = |part: &Expr| {
            let truth = holds(self.machine, record, part, START_OF_TIME);
            truth.map_or(Truth::Unknown, Truth::from)
        };
        match record {
            None => without_plan(self.machine, expr, &|gate, event| {
                self.claim(held, None, gate, event)
            }),
            Some(one) if self.gates(held, record) || !asks_about_tools(expr) => Some(settled(
                expr,
                &|part| claims_calls(self.machine, one.leaf(), part),
                &|gate, event| self.claim(held, record, gate, event),
                &part,
            )),
            Some(_) => outside_slot(expr, &part).truth(),
        }
    }

    /// Returns whether a record gates tools: the record in the slot does, and in a machine with many plans every record
    /// does.
    fn gates(&self, held: &HeldRecords, record: Option<&Record>) -> bool {
        let in_slot = held.in_slot().map(|record| &record.id);
        self.machine.is_many() || record.map(|record| &record.id) == in_slot
    }

    /// Returns whether a condition that must hold does not hold. A condition that depends on missing data, or on the
    /// gating of a record outside the slot, counts as not holding.
    fn fails(&self, held: &HeldRecords, record: Option<&Record>, expr: &Expr) -> bool {
        let outside = || asks_about_tools(expr) && !self.gates(held, record);
        match self.truth(held, record, expr) {
            Some(Truth::Yes) => false,
            Some(Truth::No) => true,
            Some(Truth::Unknown) => record.is_some() && outside(),
            None => record.is_none() || outside(),
        }
    }

    /// Returns the state of the record for which the condition has the wrong value; the state can be `none`.
    pub(super) fn judged_in(&self, property: &Property, step: &RunStep<'_>) -> Option<String> {
        let (expr, wrong) = match property {
            Property::Always(expr) => (expr, false),
            Property::Never(expr) => (expr, true),
            _ => return None,
        };
        let mut seen = step.seen();
        let found = seen.find(|seen| self.holds(step.after, *seen, expr) == Some(wrong))?;
        let leaf = found.map_or(StateId::NONE, Record::leaf);
        Some(self.machine.state(leaf).name.clone())
    }

    /// Returns whether a host tool breaks a property by running, although running it changes nothing.
    pub(super) fn running_breaks(
        &self,
        property: &Property,
        held: &HeldRecords,
        tool: EventId,
    ) -> bool {
        let (Property::OnlyIn(name, expr) | Property::After(name, expr)) = property else {
            return false;
        };
        let leaf = held.leaf();
        let unnamed = self.machine.entry(leaf, tool).is_none();
        let is_by = tool == *name || (unnamed && *name == self.machine.other_tools());
        is_by && self.fails(held, held.in_slot(), expr)
    }

    /// Returns whether a session without a plan already breaks the property before the first event.
    pub(super) fn broken_at_once(&self, property: &Property) -> bool {
        let empty = HeldRecords::default();
        match property {
            Property::Always(expr) => self.holds(&empty, None, expr) == Some(false),
            Property::Never(expr) => self.holds(&empty, None, expr) == Some(true),
            _ => false,
        }
    }

    /// Returns whether a concrete step breaks a property.
    pub(super) fn breaks(&self, wanted: &SearchTarget<'_>, step: &RunStep<'_>) -> bool {
        let holds = |record: Option<&Record>, expr| self.holds(step.after, record, expr);
        let taken = step.accepted.transitions.first().copied();
        let changes =
            |path: Option<&_>| taken.is_some_and(|id| writes_path(self.machine, id, path));
        let before = step.source();
        let is_by = |events: &[EventId]| {
            let goes_by = |name: &EventId| {
                taken.map_or(step.event == *name, |id| {
                    self.machine.goes_by(step.event, id, *name)
                })
            };
            events.iter().any(goes_by)
        };
        match wanted.property {
            Property::Always(expr) => step.seen().any(|seen| holds(seen, expr) == Some(false)),
            Property::Never(expr) => step.seen().any(|seen| holds(seen, expr) == Some(true)),
            Property::CanReach(..) => {
                let mut nodes = step.nodes.iter();
                nodes.any(|node| wanted.stuck.binary_search(node).is_ok())
            }
            Property::OnlyBy(expr, by) => !is_by(by) && self.made_true(step, expr),
            Property::OnlyIn(event, expr) => {
                is_by(&[*event]) && self.fails(step.before, before, expr)
            }
            Property::ChangesOnlyIn(path, expr) => {
                changes(path.as_ref()) && self.fails(step.before, before, expr)
            }
            Property::ChangesOnlyBy(path, by) => changes(path.as_ref()) && !is_by(by),
            Property::NeverChanges(path) => changes(path.as_ref()),
            Property::OnlyGrows(field) => step.shrinks(*field),
            Property::After(event, expr) => {
                is_by(&[*event]) && self.fails(step.after, step.target(self.machine), expr)
            }
            Property::EmittedOnlyBy(effect, by) => !is_by(by) && step.emits(*effect),
            Property::EmittedOnlyIn(effect, expr) => {
                let emitted = step
                    .accepted
                    .effects
                    .iter()
                    .filter(|found| found.effect == *effect);
                let mut about = emitted.map(|found| {
                    let id = found.plan.as_ref()?;
                    step.after.position(id).map(|at| &step.after.records[at])
                });
                about.any(|record| self.fails(step.after, record, expr))
            }
            Property::NeverEmits(event, effect) => is_by(&[*event]) && step.emits(*effect),
        }
    }

    fn made_true(&self, step: &RunStep<'_>, expr: &Expr) -> bool {
        let is_true = |held: &HeldRecords, record: Option<&Record>| {
            self.holds(held, record, expr) == Some(true)
        };
        let records = step.touched().any(|at| {
            let before = step.before.records.get(at);
            let before = before.is_some_and(|record| is_true(step.before, Some(record)));
            !before && is_true(step.after, Some(&step.after.records[at]))
        });
        let released = step.before.slot.is_some() && step.after.slot.is_none();
        let was = || is_true(step.before, step.before.in_slot());
        records || (released && !was() && is_true(step.after, None))
    }
}

impl RunStep<'_> {
    /// Returns the indices of the records of the step.
    fn touched(&self) -> impl Iterator<Item = usize> {
        let records = self.accepted.records.iter().copied();
        records.chain(self.accepted.ended)
    }

    /// Returns everything that is checked after the step: the records of the step, and the slot if it is empty.
    fn seen(&self) -> impl Iterator<Item = Option<&Record>> {
        let records = self.touched().map(|at| Some(&self.after.records[at]));
        let empty = self.after.slot.is_none();
        records.chain(empty.then_some(None))
    }

    /// Returns the record that took the step, as it was before the step.
    fn source(&self) -> Option<&Record> {
        let taker = self
            .accepted
            .ended
            .or(self.accepted.records.first().copied());
        taker.and_then(|at| self.before.records.get(at))
    }

    /// Returns the record in the slot after the step; in a machine with many plans, the last record of the step.
    fn target(&self, machine: &Machine) -> Option<&Record> {
        if machine.is_many() {
            return self
                .accepted
                .records
                .last()
                .map(|at| &self.after.records[*at]);
        }
        self.after.in_slot()
    }

    /// Returns whether the step makes the field of a record smaller, or shorter if it is a list.
    fn shrinks(&self, field: FieldId) -> bool {
        let mut records = self.touched();
        records.any(|at| {
            let Some(before) = self.before.records.get(at) else {
                return false;
            };
            let after = &self.after.records[at];
            match (&before.data[field.index()], &after.data[field.index()]) {
                (Value::Int(before), Value::Int(after)) => after < before,
                (Value::List(before), Value::List(after)) => after.len() < before.len(),
                _ => false,
            }
        })
    }

    fn emits(&self, effect: EffectId) -> bool {
        self.accepted
            .effects
            .iter()
            .any(|found| found.effect == effect)
    }
}
