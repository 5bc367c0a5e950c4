//! Determines which changes make no difference and which are hardest to detect, and thus which mutants are worth
//! creating.

use super::Maker;
use crate::model::logic::Truths;
use crate::model::machine::HandlerKind;
use crate::model::{HandlerId, StateId, TransitionId};
use crate::syntax::ast::Transition;

/// The maximum number of other targets that are tried for each target.
const TARGETS: usize = 4;

impl Maker<'_> {
    /// Returns the leaf that is entered if a transition names this state.
    pub(super) fn leaf_of(&self, name: &str) -> Option<StateId> {
        let state = self.machine.state_named(name)?;
        Some(self.machine.state(state).initial_leaf)
    }

    /// Returns the leaves that are most similar to this leaf, the most similar one first. If this leaf is final, other
    /// final leaves come first; otherwise, leaves that are not final come first. After that, the distance in the tree
    /// decides. A plan in a similar leaf is the hardest to distinguish from a plan in the right leaf.
    pub(super) fn most_like(&self, leaf: StateId) -> Vec<StateId> {
        let machine = self.machine;
        let distance = |other: StateId| {
            let mut outer = machine.ancestry(leaf);
            let common = outer.position(|state| machine.is_within(other, state));
            common.unwrap_or(usize::MAX)
        };
        let mut others: Vec<StateId> = machine.leaves().collect();
        others.retain(|other| *other != leaf && *other != StateId::NONE);
        others.sort_by_key(|other| {
            let unlike = machine.is_final(*other) != machine.is_final(leaf);
            (unlike, distance(*other))
        });
        others.truncate(TARGETS);
        others
    }

    /// Returns whether moving to the target state makes no difference: a plan is already in that state whenever the
    /// transition is taken, the state has no entry or exit effects and no timers that would start again, and a data
    /// change increments the revision in any case.
    pub(super) fn stays_either_way(
        &self,
        handler: HandlerId,
        target: StateId,
        written: &Transition,
    ) -> bool {
        let state = self.machine.state(target);
        let users = self.machine.users(handler);
        users.iter().all(|leaf| *leaf == target)
            && state.enter.is_empty()
            && state.exit.is_empty()
            && !self
                .machine
                .timers()
                .any(|(_, timer)| timer.state == target)
            && written.next.is_none()
            && changes_data(written)
    }

    /// Returns whether a copied successor and an empty successor start with the same data. They do if every field is
    /// overwritten.
    pub(super) fn starts_the_same(&self, written: &Transition) -> bool {
        let set = written.set.iter().map(|(name, _)| name);
        let written: Vec<_> = set.chain(&written.clear).collect();
        let mut fields = self.spec.data.iter();
        fields.all(|field| written.contains(&&field.name))
    }

    /// Returns whether an alternative is the last of its handler.
    pub(super) fn is_last(&self, handler: HandlerId, at: usize) -> bool {
        at + 1 == self.alternatives_of(handler).len()
    }

    /// Returns whether one of the alternatives is always taken, whatever the data is.
    pub(super) fn leaves_nothing_out(&self, handler: HandlerId) -> bool {
        let truths = self.truths(handler);
        truths.is_some_and(|truths| truths.leave_nothing_out())
    }

    /// Returns whether the condition of an alternative and the condition of the next one never hold at the same time.
    pub(super) fn exclude_each_other(&self, handler: HandlerId, at: usize) -> bool {
        let truths = self.truths(handler);
        truths.is_some_and(|truths| truths.exclude(at, at + 1))
    }

    fn truths(&self, handler: HandlerId) -> Option<Truths> {
        let alternatives = self.alternatives_of(handler).iter();
        let whens = alternatives.map(|id| self.machine.transition(*id).when.as_ref());
        let whens: Vec<_> = whens.map(|when| when.map(|when| &when.expr)).collect();
        Truths::of(self.machine, &whens)
    }

    fn alternatives_of(&self, handler: HandlerId) -> &[TransitionId] {
        match &self.machine.handler(handler).kind {
            HandlerKind::Transitions(alternatives) => alternatives,
            HandlerKind::Run | HandlerKind::Deny => &[],
        }
    }
}

/// Returns whether a transition has a data change of any kind.
fn changes_data(written: &Transition) -> bool {
    !(written.set.is_empty()
        && written.clear.is_empty()
        && written.update.is_empty()
        && written.remove.is_empty()
        && written.insert.is_empty()
        && written.append.is_empty())
}
