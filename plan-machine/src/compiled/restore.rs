//! Stored plans become plans again only through a check: types, bounds, and what their states need.

use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;

use super::Session;
use crate::held::Hold;
use crate::lifecycle::Lifecycle;
use crate::machine::{Damaged, PlanView, Stored};
use crate::plan::AnyPlan;
use crate::record::{Record, RecordFields};
use crate::seal::Runtime;
use crate::value::{At, Problems, Value};

pub(super) fn session<L: Lifecycle>(stored: &Stored) -> Result<Session<L>, Damaged> {
    let mut session: Session<L> = Session {
        held: L::Held::default(),
        ended: Vec::new(),
    };
    stored.check(L::MACHINE)?;
    for (at, view) in stored.plans.iter().enumerate() {
        let plan = plan::<L>(view)?;
        stored.check_place(at, L::MACHINE)?;
        if L::MACHINE.is_many() || stored.slot == Some(at) {
            session.held.put_back(plan, Runtime::calls());
        } else {
            session.ended.push(plan);
        }
    }
    let editions = stored.editions(L::REVIEWS);
    session.held.set_editions(editions, Runtime::calls());
    Ok(session)
}

/// A plan as it was stored.
pub(crate) fn plan<L: Lifecycle>(view: &PlanView) -> Result<AnyPlan<L>, Damaged> {
    view.check_counts()?;
    let damaged = |problems| view.damaged(problems);
    let state = L::MACHINE.state_named(&view.state).and_then(L::state_at);
    let Some(state) = state else {
        return Err(damaged(vec![format!("there is no state `{}`", view.state)]));
    };
    let mut problems = Problems::of_stated_bounds();
    let json = Json::Object(view.data.clone());
    let data = L::Data::decode(&json, &At::Payload, &mut problems);
    let Some(data) = data.filter(|_| problems.is_empty()) else {
        return Err(damaged(problems.into_messages()));
    };
    let record = Record::restored(RecordFields {
        id: view.id.clone(),
        previous: view.previous.clone(),
        revision: view.revision,
        edition: view.edition,
        state,
        data,
    });
    let lacking = L::lacks(&record);
    if lacking.is_empty() {
        return Ok(AnyPlan::of(Box::new(record)));
    }
    let lacking = lacking
        .iter()
        .map(|field| messages::lacks(field, &view.state));
    Err(damaged(lacking.collect()))
}
