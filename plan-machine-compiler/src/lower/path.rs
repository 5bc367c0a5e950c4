//! One transition taken from one leaf: which optional fields are certain to be set in the resulting
//! records, and whether an effect or the reply can fail.

use super::faults::fails;
use crate::model::bounds::states_bounds;
use crate::model::expr::{Expr, ExprKind};
use crate::model::implied::implied;
use crate::model::machine::{ChangeKind, Emit, HandlerKind, Machine, Next, Transition};
use crate::model::{FieldId, StateId};

/// A transition taken by a plan in a leaf or, in `none`, by a session without a plan.
pub(crate) struct Path<'m> {
    machine: &'m Machine,
    leaf: StateId,
    transition: &'m Transition,
    before: Vec<FieldId>,
}

impl<'m> Path<'m> {
    pub(crate) fn new(machine: &'m Machine, leaf: StateId, transition: &'m Transition) -> Self {
        let mut before: Vec<FieldId> = machine.has(leaf).collect();
        before.extend(chosen(machine, transition));
        Self {
            machine,
            leaf,
            transition,
            before,
        }
    }

    /// Returns the fields that are set when the transition is chosen, as proved by `has` and the
    /// conditions.
    pub(crate) fn before(&self) -> &[FieldId] {
        &self.before
    }

    /// Returns whether an effect of the step can fail: an effect that the transition itself emits, or an effect of an
    /// exit action or entry action of a state that the step leaves or enters.
    pub(crate) fn effects_fail(&self) -> bool {
        let (moved, held) = (self.moved(), self.held());
        let own = self.transition.emit.iter().map(|emit| (emit, &held));
        let passed = self.passed().into_iter().map(|emit| (emit, &moved));
        let created = self.entries_of_created().map(|emit| (emit, &held));
        let mut all = own.chain(passed).chain(created);
        all.any(|(emit, set)| {
            states_bounds(self.machine, &self.machine.effect(emit.effect).fields)
                || emit.fields.iter().flatten().any(|value| fails(value, set))
        })
    }

    /// Returns whether the reply can fail.
    pub(crate) fn reply_fails(&self) -> bool {
        let reply = self.transition.reply.as_ref();
        reply.is_some_and(|reply| fails(reply, &self.held()))
    }

    /// Returns the effects of the exit actions of the states that the record leaves and of the entry actions of the
    /// states that it enters.
    fn passed(&self) -> Vec<&'m Emit> {
        let Some(to) = self.transition.to.filter(|_| self.leaf != StateId::NONE) else {
            return Vec::new();
        };
        let (machine, to) = (self.machine, self.machine.state(to).initial_leaf);
        let (exits, entries) = machine.path(self.leaf, to);
        let exits = exits.into_iter().flat_map(|id| &machine.state(id).exit);
        let entries = entries.into_iter().flat_map(|id| &machine.state(id).enter);
        exits.chain(entries).collect()
    }

    /// Returns the effects of the entry actions of the states that a new record enters, from the root down.
    fn entries_of_created(&self) -> impl Iterator<Item = &'m Emit> + use<'m> {
        let machine = self.machine;
        let started = self.transition.to.filter(|_| self.leaf == StateId::NONE);
        let started = started.map(|to| machine.state(to).initial_leaf);
        let leaf = started.or_else(|| machine.successor(self.transition));
        let states = leaf.map(|leaf| machine.entries_from_root(leaf));
        let states = states.into_iter().flatten();
        states.flat_map(|id| &machine.state(id).enter)
    }

    /// Returns the fields that are set after the step in the record that moves. If that record has a successor, the
    /// changes apply to the successor instead.
    fn moved(&self) -> Vec<FieldId> {
        let mut set = match self.machine.successor(self.transition) {
            Some(_) => self.before.clone(),
            None if self.leaf == StateId::NONE => self.changed(self.started()),
            None => self.changed(self.before.clone()),
        };
        if let Some(to) = self.transition.to {
            set.extend(self.machine.has(self.machine.state(to).initial_leaf));
        }
        set
    }

    /// Returns the fields that are set in the record read by `emit` and `reply`.
    fn held(&self) -> Vec<FieldId> {
        let Some(leaf) = self.machine.successor(self.transition) else {
            return self.moved();
        };
        let base = match self.transition.next {
            Some(Next::Fresh(_)) => self.started(),
            _ => self.before.clone(),
        };
        let mut set = self.changed(base);
        set.extend(self.machine.has(leaf));
        set
    }

    /// Returns the fields that are set in a record that has just started.
    fn started(&self) -> Vec<FieldId> {
        let all = (0..self.machine.data.len()).map(FieldId::at);
        all.filter(|field| self.is_set_at_start(*field)).collect()
    }

    fn is_set_at_start(&self, field: FieldId) -> bool {
        let start = self.machine.field(field).start();
        start.is_some_and(|value| value.is_set())
    }

    /// Returns the fields that are set after the changes, given those that were set before.
    fn changed(&self, mut set: Vec<FieldId>) -> Vec<FieldId> {
        for change in &self.transition.changes {
            let is_set = match &change.kind {
                ChangeKind::Set(value) => !value.ty.is_optional(),
                ChangeKind::Clear => self.is_set_at_start(change.field),
                _ => continue,
            };
            set.retain(|field| *field != change.field);
            set.extend(is_set.then_some(change.field));
        }
        set
    }
}

/// Returns the fields that are set because this alternative was chosen: its condition holds, and the conditions of
/// earlier alternatives do not.
fn chosen(machine: &Machine, transition: &Transition) -> Vec<FieldId> {
    let all = match &machine.handler(transition.handler).kind {
        HandlerKind::Transitions(all) => &all[..],
        HandlerKind::Run | HandlerKind::Deny => &[],
    };
    let all = all.iter().map(|id| machine.transition(*id));
    let earlier = all.take_while(|other| !std::ptr::eq(*other, transition));
    let failed = earlier
        .filter_map(|other| other.when.as_ref())
        .flat_map(|when| implied_fields(machine, &when.expr, false));
    let holds = transition.when.iter();
    let holds = holds.flat_map(|when| implied_fields(machine, &when.expr, true));
    failed.chain(holds).collect()
}

fn implied_fields(machine: &Machine, condition: &Expr, truth: bool) -> Vec<FieldId> {
    let proved = implied(machine, condition, truth).into_iter();
    let fields = proved.filter_map(|optional| match optional.kind {
        ExprKind::Data(field) => Some(field),
        _ => None,
    });
    fields.collect()
}
