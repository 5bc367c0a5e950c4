//! Restores stored plans after checking their types, their bounds and the requirements of their states.

use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
use plan_machine_kernel::timers;

use super::plan_set::PlanSet;
use super::view::timer_names;
use crate::core::held::PlanHolder;
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;
use crate::core::record::{Record, RecordFields};
use crate::core::seal::Runtime;
use crate::core::steps::Steps;
use crate::core::types::TimerArray;
use crate::core::value::{Problems, Value, ValuePath};
use crate::dynamic::machine::{PlanView, RestoreError, StoredPlans};

impl<L: Steps> AnyPlan<L> {
    /// Restores a stored plan after checking its types, its bounds and the requirements of its state.
    ///
    /// The check assumes that the stored plan reached its state according to the rules of the spec. If a session has a
    /// journal, `Session::check_stored` compares the plan with the journal first.
    ///
    /// # Errors
    ///
    /// If the plan does not match the spec; all problems are reported.
    pub fn restore(view: &PlanView) -> Result<Self, RestoreError> {
        plan(view)
    }
}

pub(super) fn plan_set<L: Lifecycle>(stored: &StoredPlans) -> Result<PlanSet<L>, RestoreError> {
    let mut set: PlanSet<L> = PlanSet::empty();
    stored.check(L::MACHINE)?;
    for (at, view) in stored.plans.iter().enumerate() {
        let plan = plan::<L>(view)?;
        stored.check_place(at, L::MACHINE)?;
        if L::MACHINE.is_many() || stored.slot == Some(at) {
            set.held.put_back(plan, Runtime::calls());
        } else {
            set.ended.push(plan);
        }
    }
    let editions = stored.editions(L::REVIEWS);
    set.held.set_editions(editions, Runtime::calls());
    Ok(set)
}

/// Restores a plan from its stored form.
fn plan<L: Steps>(view: &PlanView) -> Result<AnyPlan<L>, RestoreError> {
    view.check_counts()?;
    let damaged = |problems| view.damaged(problems);
    let state = L::MACHINE.state_named(&view.state).and_then(L::state_at);
    let Some(state) = state else {
        return Err(damaged(vec![format!("unknown state `{}`", view.state)]));
    };
    let mut problems = Problems::of_stated_bounds();
    let json = Json::Object(view.data.clone());
    let data = L::Data::decode(&json, &ValuePath::Payload, &mut problems);
    let Some(data) = data.filter(|_| problems.is_empty()) else {
        return Err(damaged(problems.into_messages()));
    };
    let mut record = Record::restored(RecordFields {
        id: view.id.clone(),
        previous: view.previous.clone(),
        revision: view.revision,
        edition: view.edition,
        state,
        data,
        timers: L::Timers::OFF,
    });
    let lacking = L::lacks(&record);
    if !lacking.is_empty() {
        let lacking = lacking.iter();
        let lacking = lacking.map(|field| messages::lacks(field, &view.state));
        return Err(damaged(lacking.collect()));
    }
    let timers = timers::restored(timer_names::<L>(), &view.timers);
    let timers = timers.map_err(|problem| damaged(vec![problem]))?;
    // A plan that has ended has no timers, even if its state was not final when it was stored.
    if !L::MACHINE.state(L::state_index(state)).is_final {
        record.fields_mut().timers = L::Timers::holding(&timers);
    }
    Ok(AnyPlan::of(Box::new(record)))
}
