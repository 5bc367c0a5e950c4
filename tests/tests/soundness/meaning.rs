//! The meaning of an invariant for one concrete step, derived only from the language reference.

use plan_machine_compiler::model::expr::{BinaryOp, Expr, ExprKind};
use plan_machine_compiler::model::machine::{ChangeKind, DataPath, Next, Property};
use plan_machine_compiler::model::value::Value;
use plan_machine_compiler::model::{EffectId, EventId, FieldId, Machine, StateId, TransitionId};
use plan_machine_compiler::semantics::{Acceptance, HeldRecords, Record, START_OF_TIME, holds};

use crate::calls::settled;

/// One accepted step of a run.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub machine: &'a Machine,
    pub before: &'a HeldRecords,
    pub accepted: &'a Acceptance,
    pub after: &'a HeldRecords,
}

/// The part of a step that concerns one record, or `none`.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub taken: TransitionId,
    pub before: Option<&'a Record>,
    /// The same record after the step.
    pub after: Option<&'a Record>,
    /// The record that the step started.
    pub created: Option<&'a Record>,
}

/// Returns whether a condition reads something that only a plan has.
fn reads_the_plan(condition: &Expr) -> bool {
    let mut reads = false;
    condition.walk(&mut |inner| {
        reads |= matches!(
            inner.kind,
            ExprKind::Data(_) | ExprKind::AllData | ExprKind::Plan(_)
        );
    });
    reads
}

/// Returns whether a condition holds for a record or for `none`; `None` if the condition depends on the data of a
/// missing plan, or on the gating of a record outside the slot.
pub(crate) fn truth(
    machine: &Machine,
    held: &HeldRecords,
    record: Option<&Record>,
    condition: &Expr,
) -> Option<bool> {
    let in_slot = held.in_slot().map(|record| &record.id);
    let gates = machine.is_many() || record.map(|record| &record.id) == in_slot;
    if !gates {
        return in_part(machine, record, condition);
    }
    let condition = &settled(machine, held, record, condition);
    if record.is_none() {
        return in_part(machine, record, condition);
    }
    let truth = holds(machine, record, condition, START_OF_TIME);
    assert!(
        truth.is_some(),
        "the condition {condition:?} has no value for {record:?}"
    );
    truth
}

/// Evaluates a condition. A condition on a state always has a truth value, a condition on data has
/// none if there is no plan, and a condition on gating has none outside the slot.
fn in_part(machine: &Machine, record: Option<&Record>, condition: &Expr) -> Option<bool> {
    let truth = |inner: &Expr| in_part(machine, record, inner);
    let either = |left: Option<bool>, right: Option<bool>| match (left, right) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    };
    let not = |truth: Option<bool>| truth.map(|truth| !truth);
    match &condition.kind {
        ExprKind::Not(inner) => not(truth(inner)),
        ExprKind::Binary(BinaryOp::Or, left, right) => either(truth(left), truth(right)),
        ExprKind::Binary(BinaryOp::Implies, left, right) => either(not(truth(left)), truth(right)),
        ExprKind::Binary(BinaryOp::And, left, right) => {
            not(either(not(truth(left)), not(truth(right))))
        }
        _ if record.is_none() && reads_the_plan(condition) => None,
        _ if record.is_some() && asks_about_tools(condition) => None,
        _ => holds(machine, record, condition, START_OF_TIME),
    }
}

fn asks_about_tools(condition: &Expr) -> bool {
    let mut asks = false;
    condition.walk(&mut |inner| asks |= matches!(inner.kind, ExprKind::Gate(..)));
    asks
}

/// Returns whether a property is broken before any event.
pub(crate) fn is_broken_at_the_start(machine: &Machine, property: &Property) -> bool {
    match property {
        Property::Always(condition) => {
            truth(machine, &HeldRecords::default(), None, condition) == Some(false)
        }
        Property::Never(condition) => {
            truth(machine, &HeldRecords::default(), None, condition) == Some(true)
        }
        _ => false,
    }
}

/// Returns whether a running call breaks a property: the call is an event like any other, but it changes nothing.
pub(crate) fn running_breaks(
    machine: &Machine,
    held: &HeldRecords,
    tool: EventId,
    property: &Property,
) -> bool {
    let (Property::OnlyIn(event, condition) | Property::After(event, condition)) = property else {
        return false;
    };
    let unnamed = machine.entry(held.leaf(), tool).is_none();
    let is_by = tool == *event || (unnamed && *event == machine.other_tools());
    is_by && truth(machine, held, held.in_slot(), condition) != Some(true)
}

impl<'a> Step<'a> {
    /// Returns the parts of the step: in a machine with many plans, an event may be sent to each of them.
    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let (before, after) = (self.before, self.after);
        let mut taken = self.accepted.transitions.iter().copied().enumerate();
        if !self.machine.is_many() {
            let part = taken.next().map(|(_, taken)| Part {
                taken,
                before: before.in_slot(),
                after: before.slot.map(|at| &after.records[at]),
                created: after.records.get(before.records.len()),
            });
            return part.into_iter().collect();
        }
        let part = |(at, taken): (usize, TransitionId)| {
            let place = self.accepted.records.get(at).copied();
            let known = place.and_then(|at| before.records.get(at));
            let now = place.and_then(|at| after.records.get(at));
            Part {
                taken,
                before: known,
                after: now.filter(|_| known.is_some()),
                created: now.filter(|_| known.is_none()),
            }
        };
        taken.map(part).collect()
    }

    /// Returns whether an event caused the step. A host tool without its own entry also counts as
    /// one of the other tools.
    pub(crate) fn is_by(&self, event: EventId) -> bool {
        self.accepted.event == event || self.entry() == event
    }

    fn entry(&self) -> EventId {
        let taken = self.machine.transition(self.accepted.transitions[0]);
        self.machine.handler(taken.handler).event
    }

    fn is_by_any(&self, events: &[EventId]) -> bool {
        events.iter().any(|event| self.is_by(*event))
    }

    /// Returns whether a condition holds. A condition that depends on missing data, or on gating outside the slot, does
    /// not hold.
    fn is_true(&self, held: &HeldRecords, record: Option<&Record>, condition: &Expr) -> bool {
        truth(self.machine, held, record, condition) == Some(true)
    }

    /// Returns whether the step breaks a property; reachability does not depend on a single step.
    pub(crate) fn breaks(&self, property: &Property) -> bool {
        match property {
            Property::Always(condition) => self.somewhere_is(condition, false),
            Property::Never(condition) => self.somewhere_is(condition, true),
            Property::CanReach(..) => false,
            Property::OnlyBy(condition, by) => !self.is_by_any(by) && self.makes_true(condition),
            Property::OnlyIn(event, condition) => {
                let mut parts = self.parts().into_iter();
                let fails = |part: Part<'_>| !self.is_true(self.before, part.before, condition);
                self.is_by(*event) && parts.any(fails)
            }
            Property::ChangesOnlyIn(path, condition) => {
                let mut parts = self.parts().into_iter();
                parts.any(|part| {
                    self.changes_in(part, path.as_ref())
                        && !self.is_true(self.before, part.before, condition)
                })
            }
            Property::ChangesOnlyBy(path, by) => self.changes(path.as_ref()) && !self.is_by_any(by),
            Property::NeverChanges(path) => self.changes(path.as_ref()),
            Property::OnlyGrows(field) => self.parts().into_iter().any(|part| {
                let records = part.before.zip(part.after);
                records.is_some_and(|(old, new)| size(new, *field) < size(old, *field))
            }),
            Property::After(event, condition) => {
                let fails = |held| !self.is_true(self.after, held, condition);
                self.is_by(*event) && self.targets().into_iter().any(fails)
            }
            Property::EmittedOnlyBy(effect, by) => self.emits(*effect) && !self.is_by_any(by),
            Property::EmittedOnlyIn(effect, condition) => self
                .accepted
                .effects
                .iter()
                .filter(|emitted| emitted.effect == *effect)
                .any(|emitted| {
                    let about = emitted.plan.as_ref();
                    let about = about.and_then(|id| self.after.position(id));
                    let about = about.map(|at| &self.after.records[at]);
                    !self.is_true(self.after, about, condition)
                }),
            Property::NeverEmits(event, effect) => self.is_by(*event) && self.emits(*effect),
        }
    }

    /// Checks every record, including ended ones, and the empty slot.
    fn somewhere_is(&self, condition: &Expr, wanted: bool) -> bool {
        let records = self.after.records.iter().map(Some);
        let empty = self.after.slot.is_none().then_some(None);
        records
            .chain(empty)
            .any(|record| truth(self.machine, self.after, record, condition) == Some(wanted))
    }

    /// Returns whether a condition becomes true. For a new record, the condition was false before; for the slot, it
    /// becomes true when the slot is released.
    fn makes_true(&self, condition: &Expr) -> bool {
        let is_true =
            |held: &HeldRecords, record: Option<&Record>| self.is_true(held, record, condition);
        let for_a_record = self.after.records.iter().enumerate().any(|(at, record)| {
            let was = self.before.records.get(at);
            let was = was.is_some_and(|record| is_true(self.before, Some(record)));
            !was && is_true(self.after, Some(record))
        });
        let released = self.before.slot.is_some() && self.after.slot.is_none();
        let for_the_slot =
            released && !is_true(self.before, self.before.in_slot()) && is_true(self.after, None);
        for_a_record || for_the_slot
    }

    /// Returns the record in the slot after the step; in a machine with many plans, the record that took the step or
    /// was started.
    fn targets(&self) -> Vec<Option<&'a Record>> {
        if !self.machine.is_many() {
            return vec![self.after.in_slot()];
        }
        let parts = self.parts().into_iter();
        parts.map(|part| part.after.or(part.created)).collect()
    }

    fn changes(&self, path: Option<&DataPath>) -> bool {
        let mut parts = self.parts().into_iter();
        parts.any(|part| self.changes_in(part, path))
    }

    /// Returns whether a part of the step changes the data at a path: the data differs, or the
    /// transition writes it.
    fn changes_in(&self, done: Part<'_>, path: Option<&DataPath>) -> bool {
        let differs = done
            .before
            .zip(done.after)
            .is_some_and(|(old, new)| match path {
                None => old.data != new.data,
                Some(path) => part(old, path) != part(new, path),
            });
        differs || self.is_written(done.taken, path)
    }

    fn is_written(&self, taken: TransitionId, path: Option<&DataPath>) -> bool {
        let taken = self.machine.transition(taken);
        let starts = self.machine.handler(taken.handler).state == StateId::NONE;
        let succeeded = matches!(taken.next, Some(Next::Copy(_) | Next::Fresh(_)));
        if starts || succeeded {
            return false;
        }
        taken.changes.iter().any(|change| {
            let Some(path) = path else { return true };
            let of_the_part = match (&change.kind, path.parts.first()) {
                (ChangeKind::Update { set, clear, .. }, Some(part)) => {
                    clear.contains(part) || set.iter().any(|(field, _)| field == part)
                }
                _ => true,
            };
            change.field == path.field && of_the_part
        })
    }

    fn emits(&self, effect: EffectId) -> bool {
        let mut emitted = self.accepted.effects.iter();
        emitted.any(|emitted| emitted.effect == effect)
    }
}

/// Returns the number in a field, or the length of the list in it.
fn size(record: &Record, field: FieldId) -> i128 {
    match &record.data[field.index()] {
        Value::Int(number) => i128::from(*number),
        Value::List(items) => items.len() as i128,
        _ => 0,
    }
}

/// Returns the values at a path; if the path leads through a list, the values of all items.
fn part(record: &Record, path: &DataPath) -> Vec<Value> {
    let mut values = vec![record.data[path.field.index()].clone()];
    for part in &path.parts {
        values = values
            .into_iter()
            .flat_map(|value| match value {
                Value::List(items) => items,
                other => vec![other],
            })
            .filter_map(|value| match value {
                Value::Record(fields) => Some(fields[part.index()].clone()),
                _ => None,
            })
            .collect();
    }
    values
}

/// Returns the target of a reachability invariant: for one of many plans, `none` means that the plan has ended.
pub(crate) fn target_of(machine: &Machine, target: &Expr) -> Expr {
    let ended = |inner: &Expr| Box::new(target_of(machine, inner));
    let kind = match &target.kind {
        _ if !machine.is_many() => return target.clone(),
        ExprKind::InState(StateId::NONE) => ExprKind::IsFinal,
        ExprKind::Not(inner) => ExprKind::Not(ended(inner)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, ended(left), ended(right)),
        other => other.clone(),
    };
    Expr {
        kind,
        ..target.clone()
    }
}
