//! Compares plans that were stored outside a journal, by a host or in a snapshot, with the plans that the journal's
//! entries produce.

use plan_machine::Id;
use plan_machine::description::Description;
use plan_machine::machine::{PlanView, StoredPlans};

/// How many plans a machine can have at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The machine has at most one plan, in a slot.
    Slot,
    /// The machine can have many plans, and never forgets any of them.
    Many,
    /// This program does not have the machine, so the number of plans is unknown.
    Unknown,
}

impl Kind {
    pub(crate) fn of(machine: &Description) -> Self {
        if machine.is_many() {
            Self::Many
        } else {
            Self::Slot
        }
    }
}

/// The plans of a machine according to a journal.
pub(crate) struct JournalPlans<'a> {
    /// The plans that the entries produce.
    pub(crate) to: &'a StoredPlans,
    /// How many plans the machine can have.
    pub(crate) kind: Kind,
    /// Whether the compared plans may include ended plans, which are missing from `to` because they were forgotten.
    pub(crate) forgets: bool,
}

impl JournalPlans<'_> {
    /// Describes the first difference between the plans in `kept` and the plans that the entries produce; `None` if
    /// they match. Tokens are not compared, because they are derived from the other fields.
    pub(crate) fn difference(&self, kept: &StoredPlans) -> Option<String> {
        self.slot(kept)
            .or_else(|| kept.plans.iter().find_map(|plan| self.plan(plan, kept)))
            .or_else(|| self.missing(kept))
    }

    fn slot(&self, kept: &StoredPlans) -> Option<String> {
        let (ours, theirs) = (in_slot(kept), in_slot(self.to));
        if self.kind != Kind::Slot || ours == theirs {
            return None;
        }
        let name = |id: Option<&Id>| id.map_or("nothing".to_owned(), ToString::to_string);
        let (ours, theirs) = (name(ours), name(theirs));
        Some(format!(
            "the slot contains {ours}, but according to the entries, it should contain {theirs}"
        ))
    }

    fn plan(&self, plan: &PlanView, kept: &StoredPlans) -> Option<String> {
        let id = &plan.id;
        let Some(known) = self.to.plans.iter().find(|known| known.id == *id) else {
            let forgotten = self.forgets && in_slot(kept) != Some(id);
            return (!forgotten).then(|| format!("no entry mentions the plan {id}"));
        };
        let (state, revision, edition) = (&plan.state, plan.revision, plan.edition);
        if *state != known.state {
            let known = &known.state;
            return Some(format!(
                "the plan {id} is in {state}, but according to the entries, it should be in {known}"
            ));
        }
        if revision != known.revision || edition != known.edition {
            let found = format!("the plan {id} is at revision {revision} and edition {edition}");
            let (revision, edition) = (known.revision, known.edition);
            return Some(format!(
                "{found}, but according to the entries, it should be at revision {revision} and edition {edition}"
            ));
        }
        if plan.data != known.data || plan.previous != known.previous {
            return Some(format!(
                "the contents of the plan {id} differ from those in the entries"
            ));
        }
        if plan.timers != known.timers {
            return Some(format!(
                "the timers of the plan {id} differ from those in the entries"
            ));
        }
        None
    }

    /// Reports a plan that is missing from `kept`. Only machines with many plans are checked.
    fn missing(&self, kept: &StoredPlans) -> Option<String> {
        let is_kept = |plan: &&PlanView| kept.plans.iter().any(|kept| kept.id == plan.id);
        let mut plans = self.to.plans.iter().filter(|_| self.kind == Kind::Many);
        let left_out = plans.find(|plan| !is_kept(plan))?;
        Some(format!("the plan {} is missing", left_out.id))
    }

    /// Returns a problem if the last used edition in `kept` is lower than the one in the entries, because the next plan
    /// would then reuse an edition.
    pub(crate) fn uncounted(&self, kept: &StoredPlans) -> Option<String> {
        let count = |stored: &StoredPlans| {
            let plans = stored.plans.iter().map(|plan| plan.edition).max();
            stored.editions.max(plans).unwrap_or_default()
        };
        let (ours, theirs) = (count(kept), count(self.to));
        (ours < theirs).then(|| {
            format!("the last used edition is {ours}, but according to the entries, it should be {theirs}")
        })
    }
}

fn in_slot(stored: &StoredPlans) -> Option<&Id> {
    let plan = stored.plans.get(stored.slot?);
    plan.map(|plan| &plan.id)
}
