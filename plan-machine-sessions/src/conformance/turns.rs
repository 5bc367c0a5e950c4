//! The law about turns: a turn outlives the process that began it.

use std::sync::Arc;

use super::kit::{Broken, LawResult, Tried, fresh, same};
use crate::session::Sessions;
use plan_machine::gate::{EventContext, Gate, TurnId};

pub(super) async fn outlive_the_process(store: Tried) -> LawResult {
    let identity = fresh()?;
    let machines = Gate::builder().join();
    let machines = machines.map_err(|conflict| Broken(conflict.to_string()))?;
    // Each `Sessions` value acts as a separate process: the values share nothing but the store.
    let process = || Sessions::new(Arc::clone(&store), machines.clone()).session(&identity);
    let around = EventContext::now().by("conformance");
    for (number, id) in (1..).zip(["first", "second"].map(TurnId::new)) {
        let began = process().begin_turn(&id, &around).await?;
        same("the entry that begins a turn", &began.seq, &number)?;
        let turn = process().at_gate(|gate| gate.turn().cloned()).await?;
        let turn = turn.map(|turn| turn.id);
        same(
            "the turn that another process finds",
            &turn.as_ref(),
            &Some(&id),
        )?;
        let again = process().begin_turn(&id, &around).await?;
        same("whether the turn had already begun", &again.repeated, &true)?;
        same("the number of entries", &again.seq, &number)?;
    }
    Ok(())
}
