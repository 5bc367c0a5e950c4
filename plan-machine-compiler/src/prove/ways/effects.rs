//! The effects and replies of a step: which optionals they rely on, and whether they may cause the step to be denied.

use super::super::config::Config;
use super::super::known::KnownFacts;
use super::super::truth::Truth;
use super::stepper::{AbstractEvent, Stepper, Way};
use crate::model::machine::{Emit, Machine, Require, Transition};
use crate::model::types::{Field, Type};

impl Stepper<'_> {
    /// Evaluates the message of a failed requirement, only to find out which optionals it relies on.
    pub(super) fn look_at_denial(
        &self,
        require: &Require,
        before: Option<&Config>,
        sent: AbstractEvent<'_>,
        known: &KnownFacts,
    ) {
        let scope = self.scope(before, sent, known);
        if self.look_at_effects && scope.truth(&require.that.expr) != Truth::Yes {
            scope.value(&require.otherwise);
        }
    }

    /// Evaluates the effects and the reply, only to find out which optionals they rely on.
    pub(super) fn look_at(
        &self,
        transition: &Transition,
        before: Option<&Config>,
        way: &Way,
        sent: AbstractEvent<'_>,
    ) {
        if !self.look_at_effects {
            return;
        }
        // Assumptions concern the record before the step, but effects and replies concern the record after the step.
        let known = KnownFacts::default();
        let old = way.record.as_ref();
        let subject = way.created.as_ref().or(old);
        let look = |emits: &[Emit], seen: Option<&Config>| {
            for expr in emits.iter().flat_map(|emit| emit.fields.iter().flatten()) {
                self.scope(seen, sent, &known).value(expr);
            }
        };
        look(&transition.emit, subject);
        if let Some(reply) = &transition.reply {
            self.scope(subject, sent, &known).value(reply);
        }
        if let (Some(before), Some(after), Some(_)) = (before, old, transition.to) {
            let (exits, entries) = self.machine.path(before.leaf, after.leaf);
            for state in exits {
                look(&self.machine.state(state).exit, old);
            }
            for state in entries {
                look(&self.machine.state(state).enter, old);
            }
        }
        if let Some(created) = &way.created {
            for state in self.machine.entries_from_root(created.leaf) {
                look(&self.machine.state(state).enter, Some(created));
            }
        }
    }
}

/// Returns every effect that a transition may emit, including the effects of entering and leaving states.
fn emits_of<'m>(
    machine: &'m Machine,
    transition: &'m Transition,
    before: Option<&Config>,
) -> Vec<&'m Emit> {
    let mut states = Vec::new();
    if let (Some(config), Some(_)) = (before, transition.to) {
        let (exits, entries) = machine.path(config.leaf, machine.target(config.leaf, transition));
        states.extend(exits.iter().map(|id| &machine.state(*id).exit));
        states.extend(entries.iter().map(|id| &machine.state(*id).enter));
    }
    let started = match before {
        None => transition.to.map(|to| machine.state(to).initial_leaf),
        Some(_) => machine.successor(transition),
    };
    let entered = started.map_or_else(Vec::new, |leaf| machine.entries_from_root(leaf));
    states.extend(entered.iter().map(|id| &machine.state(*id).enter));
    transition
        .emit
        .iter()
        .chain(states.into_iter().flatten())
        .collect()
}

/// Returns whether a step emits an effect that has bounds.
pub(super) fn bounds_effects(
    machine: &Machine,
    transition: &Transition,
    before: Option<&Config>,
) -> bool {
    let emits = emits_of(machine, transition, before);
    let mut fields = emits
        .iter()
        .flat_map(|emit| &machine.effect(emit.effect).fields);
    fields.any(|field| is_bounded(machine, field, 0))
}

fn is_bounded(machine: &Machine, field: &Field, depth: usize) -> bool {
    let mut ty = &field.ty;
    while let Type::List(inner) | Type::Optional(inner) = ty {
        ty = inner;
    }
    let inside = match ty {
        // Records that contain themselves are examined a few levels deep; deeper levels are assumed to have bounds.
        Type::Record(_) if depth > 4 => true,
        Type::Record(id) => {
            let fields = machine.type_def(*id).fields();
            fields
                .iter()
                .any(|field| is_bounded(machine, field, depth + 1))
        }
        _ => false,
    };
    field.max.is_some() || field.nonblank || inside
}
