//! Stored plans that do not match their machines. Each such plan is kept unchanged and reported separately; the gate
//! stays closed for everything that the plan might have denied.

use plan_machine_kernel::denial::DenialKind;

use super::called_tool::CalledTool;
use super::damaged_plan::DamagedPlan;
use super::state::Gate;
use crate::core::description::Handling;
use crate::dynamic::machine::{Call, CallKind, Denial, PlanView, RestoreError, StoredPlans};

impl Gate {
    /// Restores stored plans of a machine. Plans that do not match the machine are set aside as
    /// [`damaged`](Self::damaged), and only the others are restored. Returns `false` if the session has no such
    /// machine.
    ///
    /// # Errors
    ///
    /// If the plans are inconsistent with each other, so that it is unknown which of them determine the host tools that
    /// may run; in this case, nothing has changed.
    pub fn restore_sound(
        &mut self,
        machine: &str,
        stored: &StoredPlans,
    ) -> Result<bool, RestoreError> {
        let Some(at) = self.position(machine) else {
            return Ok(false);
        };
        stored.check(self.machines[at].description())?;
        let machine = self.machines[at].description().name;
        self.damaged.retain(|damaged| damaged.machine != machine);
        let is_many = self.machines[at].description().is_many();
        let mut sound = stored.clone();
        // The stored data of a machine with many plans may name a slot, but such a machine has none.
        sound.slot = stored.slot.filter(|_| !is_many);
        while let Err(found) = self.machines[at].restore(&sound) {
            let is_found = |plan: &PlanView| Some(&plan.id) == found.plan.as_ref();
            let Some(here) = sound.plans.iter().position(is_found) else {
                return Err(found);
            };
            let plan = sound.plans.remove(here);
            let in_slot = sound.slot == Some(here);
            sound.slot = match sound.slot {
                Some(slot) if slot > here => Some(slot - 1),
                Some(slot) if slot == here => None,
                slot => slot,
            };
            let place = stored.plans.iter().position(|known| known.id == plan.id);
            self.damaged.push(DamagedPlan {
                machine,
                plan,
                problems: found.problems,
                in_slot,
                place: place.unwrap_or(here),
            });
        }
        self.set_born(self.born + stored.plans.len() as u64);
        Ok(true)
    }

    /// Returns the stored plans that do not match their machines.
    #[must_use]
    pub fn damaged(&self) -> &[DamagedPlan] {
        &self.damaged
    }

    /// Returns the plans that must be stored for a machine, including damaged plans, unchanged and at their original
    /// positions.
    #[doc(hidden)]
    #[must_use]
    pub fn stored(&self, at: usize) -> StoredPlans {
        let mut stored = self.machines[at].stored();
        let name = self.machines[at].description().name;
        for damaged in self.damaged.iter().filter(|one| one.machine == name) {
            let place = damaged.place.min(stored.plans.len());
            stored.plans.insert(place, damaged.plan.clone());
            stored.slot = match stored.slot {
                Some(slot) if slot >= place => Some(slot + 1),
                None if damaged.in_slot => Some(place),
                slot => slot,
            };
        }
        stored
    }

    /// Returns the damaged plan in a machine's slot.
    pub(super) fn blocked(&self, at: usize) -> Option<&DamagedPlan> {
        if self.damaged.is_empty() {
            return None;
        }
        let name = self.machines[at].description().name;
        let mut damaged = self.damaged.iter();
        damaged.find(|damaged| damaged.machine == name && damaged.in_slot)
    }

    /// Returns how a machine with a damaged plan in its slot handles a host tool. The state of the plan cannot be
    /// trusted, so the tool runs only if it would run in every state.
    pub(super) fn handling_blocked(&self, at: usize, call: CalledTool<'_>) -> Handling {
        let tables = self.machines[at].description();
        let mut states = (0_u16..).zip(tables.states);
        let runs = states.all(|(state, _)| call.handling(tables, state) == Handling::Runs);
        if runs {
            Handling::Runs
        } else {
            Handling::Denies
        }
    }

    /// Returns a denial if the call is addressed to a damaged plan, or if the machine has a damaged plan in its slot. In
    /// the latter case, a host tool that would run in every state may still be called.
    pub(super) fn denial(&self, at: usize, call: &Call) -> Option<Denial> {
        if self.damaged.is_empty() {
            return None;
        }
        let closed = match &call.what {
            CallKind::Event(_) => true,
            CallKind::HostTool(tool) => {
                let class = call.class.as_deref();
                self.handling_blocked(at, CalledTool { tool, class }) != Handling::Runs
            }
        };
        let name = self.machines[at].description().name;
        let meant = |damaged: &&DamagedPlan| {
            let id = damaged.plan.id.as_str();
            damaged.machine == name && call.plan_id.as_deref() == Some(id)
        };
        let addressed = self.damaged.iter().find(meant);
        let damaged = addressed.or_else(|| self.blocked(at).filter(|_| closed))?;
        Some(self.denial_of(damaged))
    }

    /// Returns the denial of an event that cannot be handled because of a damaged plan.
    pub(super) fn denial_of(&self, damaged: &DamagedPlan) -> Denial {
        let state = damaged.plan.state.to_string();
        Denial::new(DenialKind::NotAllowed, self.explain(damaged), state)
    }

    /// Explains what is wrong with a damaged plan, what it blocks, and how a person can end it.
    #[must_use]
    pub fn explain(&self, damaged: &DamagedPlan) -> String {
        let DamagedPlan { machine, plan, .. } = damaged;
        let problems = damaged.problems.join("; ");
        let stops = if damaged.in_slot {
            format!(
                "; until the plan is ended, {machine} accepts no event, and every tool that it can deny is denied"
            )
        } else {
            String::new()
        };
        let how = self.machine_set.way_out(plan.id.as_str());
        format!(
            "the stored plan {} is damaged ({problems}){stops}. End it with {how}",
            plan.id
        )
    }
}
