//! The batch rule for a machine's own tools: like a call to a host tool, a call to a tool that can
//! change the outside world is accepted only if it would also have been accepted when the batch
//! started.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::{StatesOfPlan, too_early};

use super::state::Gate;
use crate::core::description::{Description, Event, EventKind, Handling};
use crate::core::id::Id;
use crate::dynamic::machine::{BatchStart, Denial, StoredPlans};

/// The plans of machines with many plans: for each plan, the machine's index, the plan's id, and its state.
pub(super) type Plans = Vec<(usize, Id, u16)>;

/// The plans of the machines whose alternatives determine what happens to calls, as they were when a batch started.
pub(super) type ChoosingPlans = Vec<(usize, StoredPlans)>;

impl Gate {
    /// Returns the plans of those machines that have many plans and a tool that can change the outside world; most
    /// gates have no such machine.
    pub(super) fn plans_of_many(&self) -> Plans {
        let mut plans = Vec::new();
        for (at, machine) in self.machines.iter().enumerate() {
            let tables = machine.description();
            if tables.is_many() && tables.events.iter().any(is_external) {
                let held = machine.plans().into_iter();
                plans.extend(held.filter_map(|plan| {
                    let state = tables.state_named(&plan.state)?;
                    Some((at, plan.id, state))
                }));
            }
        }
        plans
    }

    /// Returns a denial if a machine's own tool must not change the outside world yet, because the plan only reached
    /// its current state during this batch. `addressed` is the id of the plan that the call names, if it names one.
    pub(super) fn too_early(
        &self,
        owner: usize,
        tool: &Event,
        addressed: Option<&str>,
        starts: &[BatchStart],
        plans: &Plans,
    ) -> Option<Denial> {
        if !is_external(tool) {
            return None;
        }
        let tables = self.machines[owner].description();
        let event = tables.event_named(tool.name)?;
        let takes = |state: u16| tables.handling(state, event) == Handling::Takes;
        let (now, began) = (
            self.machines[owner].batch_start().place(),
            starts.get(owner)?.place(),
        );
        // A call that starts a new plan in a machine with many plans does not depend on the batch.
        let reached = if !tables.is_many() {
            vec![StatesOfPlan { now, began }]
        } else if takes(now) && addressed.is_none() {
            Vec::new()
        } else {
            let meant = |id: &Id| addressed.is_none_or(|addressed| *id == addressed);
            let held = self.plans_of_many().into_iter();
            let held = held.filter(|(at, id, _)| *at == owner && meant(id));
            let reached = held.map(|(_, id, state)| {
                let before = plans.iter().find(|(at, old, _)| *at == owner && *old == id);
                StatesOfPlan {
                    now: state,
                    began: before.map_or(now, |(_, _, state)| *state),
                }
            });
            reached.collect()
        };
        let moved = too_early(reached, takes);
        moved.map(|began| denial(tables, tool.name, began, &takes))
    }
}

fn denial(tables: &Description, tool: &str, began: u16, takes: &dyn Fn(u16) -> bool) -> Denial {
    let all = (0_u16..).zip(tables.states);
    let allowed = all.filter(|(at, state)| !state.is_final && takes(*at));
    Denial {
        kind: DenialKind::NotAllowed,
        messages: vec![messages::not_in_this_batch(tool, tables.shown_state(began))],
        state: tables.state(began).name.to_owned(),
        allowed_in: allowed.map(|(_, state)| state.name.to_owned()).collect(),
    }
}

/// Returns whether a machine's own tool can change the outside world.
fn is_external(event: &Event) -> bool {
    matches!(event.kind, EventKind::Tool { external: true, .. })
}
