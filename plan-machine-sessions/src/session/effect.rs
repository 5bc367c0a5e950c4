//! The effects that a session delivers to its host.

use std::fmt;

use crate::journal::Entry;
use plan_machine::Id;
use plan_machine::machine::EffectView;

/// An effect that a host must carry out. [`Session::effects`](super::Session::effects) delivers it until it is settled.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEffect {
    /// The identity of the effect, which is the same each time the effect is delivered.
    pub id: EffectId,
    /// The machine that emitted the effect.
    pub machine: String,
    /// The effect.
    pub effect: EffectView,
}

/// The identity of an effect in its session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EffectId {
    /// The plan that the effect refers to, if any.
    pub plan: Option<Id>,
    /// The number of the entry that contains the effect.
    pub seq: u64,
    /// The position of the effect among the effects of that entry, starting at 0.
    pub position: u32,
}

impl fmt::Display for EffectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.plan.as_ref().map_or("none", Id::as_str);
        write!(f, "{plan}/{}/{}", self.seq, self.position)
    }
}

/// Returns the effects of an entry.
pub(super) fn of_entry(entry: &Entry) -> impl Iterator<Item = SessionEffect> {
    let numbered = (0..).zip(&entry.step.acceptance.effects);
    numbered.map(|(position, effect)| SessionEffect {
        id: EffectId {
            plan: effect.plan.clone(),
            seq: entry.seq,
            position,
        },
        machine: entry.step.machine.to_string(),
        effect: effect.clone(),
    })
}
