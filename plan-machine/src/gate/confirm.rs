//! A decision must be used at once or confirmed before use: between the decision and its use, the gate may have closed.

use std::time;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages::{self, withdrawal};
use plan_machine_kernel::time::Instant;

use super::called_tool::CalledTool;
use super::classes::ClassOfCall;
use super::event_context::EventContext;
use super::gate_event::Step;
use super::owner::Owner;
use super::state::Gate;
use super::tool_call::ToolCall;
use crate::core::description::Handling;
use crate::core::host_tool::HostTool;
use crate::core::id::Id;
use crate::dynamic::machine::{Acceptance, Denial};

/// An allowed call to a host tool. The call may run once the gate or session that allowed the call has confirmed it,
/// with [`Gate::confirm`] or `Session::confirm`.
///
/// An allowed call cannot be cloned, so that one decision permits only one call.
#[derive(Debug, PartialEq)]
pub struct AllowedCall {
    call: HostTool,
    /// The class of the call, by which machines decide on the call.
    class: Option<String>,
    /// The position of each machine when the call was allowed.
    places: Vec<MachinePlace>,
    owner: Owner,
    /// The position of the session after its decision, if a session allowed the call.
    decided: Option<DecisionPoint>,
    /// The machines that have counted the call.
    counted: Vec<CountedCall>,
    /// The context of the decision, if alternatives determined what happens to the call.
    around: Option<Box<EventContext>>,
    /// The time of the decision, in the session and on this computer, if a machine has timers.
    decided_when: Option<(Instant, time::Instant)>,
}

/// A machine that has counted a call: it has taken a step for the call, and the host may run the call.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedCall {
    /// The name of the machine.
    pub machine: &'static str,
    /// The result of the step. In the answers of a session, it has no effects: a session delivers each effect once.
    pub acceptance: Acceptance,
}

/// The position of a session in its journal after a decision on a call.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionPoint {
    /// The id of the session.
    pub session: String,
    /// The sequence number of the session's last entry.
    pub seq: u64,
    /// The digest of that entry.
    pub digest: Option<[u8; 32]>,
}

/// A call to a host tool that may run now. Only a confirmation creates a value of this type: a host whose tools accept
/// only confirmed calls cannot run a call that was never allowed, or that was allowed before the gate closed.
#[derive(Debug, PartialEq)]
pub struct ConfirmedCall(HostTool);

/// The position of a machine: the plan in its slot, and the state that determines which host tools may run.
#[derive(Clone, Debug, PartialEq)]
struct MachinePlace {
    machine: &'static str,
    plan: Option<Id>,
    state: u16,
    /// The number of times the machine has changed, as far as this gate has seen.
    moves: u64,
}

impl MachinePlace {
    fn is_at(&self, other: &Self) -> bool {
        (self.machine, &self.plan, self.state) == (other.machine, &other.plan, other.state)
    }
}

impl AllowedCall {
    /// Returns the name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// Returns the arguments of the call.
    #[must_use]
    pub fn args(&self) -> &Json {
        &self.call.args
    }

    /// Returns the class of the call; `None` in a gate without a calls document.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }

    /// Returns the machines that have counted the call, and the results of their steps.
    #[must_use]
    pub fn counted(&self) -> &[CountedCall] {
        &self.counted
    }

    pub(super) fn count(&mut self, counted: CountedCall) {
        self.counted.push(counted);
    }

    /// Stores the context of the decision, so that machines that did not count the call can be asked
    /// again in that context.
    pub(super) fn ask_again_in(&mut self, around: &EventContext) {
        self.around = Some(Box::new(around.clone()));
    }

    pub(super) fn drop_effects(&mut self) {
        for counted in &mut self.counted {
            counted.acceptance.effects.clear();
        }
    }

    /// Records the position of the session that made the decision; only the first position is kept.
    #[doc(hidden)]
    pub fn decided_at(&mut self, at: DecisionPoint) {
        self.decided.get_or_insert(at);
    }

    /// Returns the position of the session that made the decision.
    #[doc(hidden)]
    #[must_use]
    pub fn decided(&self) -> Option<&DecisionPoint> {
        self.decided.as_ref()
    }

    /// Returns whether a step has changed the state or the plan of a machine that allowed the call, even if the machine
    /// has returned to the old state since.
    #[doc(hidden)]
    #[must_use]
    pub fn is_left_by(&self, step: &Step, state_of: impl Fn(&str) -> Option<u16>) -> bool {
        let mut places = self.places.iter();
        let Some(place) = places.find(|place| place.machine == step.machine) else {
            return false;
        };
        let held = step.acceptance.plans.iter();
        step.acceptance.ended.is_some()
            || held.into_iter().any(|plan| {
                place.plan.as_ref() != Some(&plan.id) || state_of(&plan.state) != Some(place.state)
            })
    }
}

impl ConfirmedCall {
    /// Returns the name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// Returns the arguments of the call.
    #[must_use]
    pub fn args(&self) -> &Json {
        &self.0.args
    }
}

impl Gate {
    /// Returns an allowed call, with the current states of the machines and the plans in their slots.
    pub(super) fn allow(&self, call: &ToolCall, class: &ClassOfCall) -> AllowedCall {
        AllowedCall {
            call: HostTool::new(&call.name, call.args.clone()),
            class: class.name.clone(),
            places: self.places(),
            owner: self.owner,
            decided: None,
            counted: Vec::new(),
            around: None,
            decided_when: self.clock.map(|clock| (clock, time::Instant::now())),
        }
    }

    /// Updates an allowed call to the current positions of the machines, after the last call of its response. The
    /// changes that a response itself makes therefore do not withdraw its earlier calls, unless those calls would be
    /// denied now.
    #[doc(hidden)]
    pub fn allow_from_here(&self, allowed: &mut AllowedCall) {
        allowed.places = self.places();
    }

    fn places(&self) -> Vec<MachinePlace> {
        let machines = self.machines.iter().zip(&self.moves);
        // In a machine with many plans, no plan decides calls to host tools, so changes to plans never withdraw a call.
        let machines = machines.filter(|(machine, _)| !machine.description().is_many());
        let places = machines.map(|(machine, moves)| MachinePlace {
            machine: machine.description().name,
            plan: machine.slot_plan(),
            state: machine.batch_start().place(),
            moves: *moves,
        });
        places.collect()
    }

    /// Confirms a call before it runs. This neither applies an event to a machine nor records one, and
    /// it does not count the call again.
    ///
    /// # Errors
    ///
    /// In these cases:
    ///
    /// - A session or another gate allowed the call, or this gate belongs to a session.
    /// - Since the decision, a machine that allowed the call has been in another state or has had another plan in its
    ///   slot, the class of the call has changed, or a timer has become due.
    /// - The host no longer has the tool.
    /// - The call would be denied now. A machine that has counted the call keeps its answer as long as it stays in its
    ///   state, however its data changes.
    pub fn confirm(&self, allowed: AllowedCall) -> Result<ConfirmedCall, Denial> {
        if self.in_session {
            return Err(withdrawn(allowed.tool(), "none", withdrawal::IN_SESSION));
        }
        self.confirm_for(self.owner, allowed, |before, now| before == now)
    }

    /// Confirms a call for the sessions that allowed it. A session finds out from its journal whether a machine has
    /// been in another state since the decision; a reopened gate alone cannot find this out.
    #[doc(hidden)]
    pub fn confirm_in_session(
        &self,
        owner: Owner,
        allowed: AllowedCall,
    ) -> Result<ConfirmedCall, Denial> {
        self.confirm_for(owner, allowed, MachinePlace::is_at)
    }

    fn confirm_for(
        &self,
        owner: Owner,
        allowed: AllowedCall,
        same: impl Fn(&MachinePlace, &MachinePlace) -> bool,
    ) -> Result<ConfirmedCall, Denial> {
        let tool = allowed.tool();
        if allowed.owner != owner || self.owner != owner {
            return Err(withdrawn(tool, "none", withdrawal::FOREIGN_CALL));
        }
        // Links and folders may have changed since the decision, so the call may belong to another class now.
        let class = self.class_of(tool, allowed.args())?;
        if class.name != allowed.class {
            return Err(withdrawn(tool, "none", withdrawal::OTHER_CLASS));
        }
        if self.is_due_for(&allowed) {
            return Err(withdrawn(tool, "none", withdrawal::TIMER_IS_DUE));
        }
        let name = class.of(tool);
        self.deny_if(tool, self.closed_for(&allowed, name))?;
        self.held_back(name, None).map_or(Ok(()), Err)?;
        let places = self.places();
        let before = |now: &MachinePlace| allowed.places.iter().any(|before| same(before, now));
        let moved = places.iter().find(|now| !before(now));
        if moved.is_none() && places.len() == allowed.places.len() {
            return Ok(ConfirmedCall(allowed.call));
        }
        let at = moved.and_then(|place| self.position(place.machine));
        let (machine, state) = at.map_or(("the session", "none"), |at| self.named_state(at));
        Err(withdrawn(tool, state, &withdrawal::changed(machine)))
    }

    /// Returns whether a timer has become due since a call was allowed. It has not fired yet, because a confirmation
    /// changes nothing.
    fn is_due_for(&self, allowed: &AllowedCall) -> bool {
        let Some((at, since)) = allowed.decided_when else {
            return false;
        };
        let now = at.since_1970().saturating_add(since.elapsed());
        self.due().is_some_and(|due| due.since_1970() <= now)
    }

    /// Confirms a recorded call whose step a plan has just started.
    pub(super) fn started(&self, at: usize, call: HostTool) -> Result<ConfirmedCall, Denial> {
        self.deny_closed(&call, Some(at))?;
        Ok(ConfirmedCall(call))
    }

    /// Returns a denial for a call of the class `guard`, or for a call to a tool that the host does not have, that a
    /// machine would not allow to run now, or that could not run when the turn began.
    pub(super) fn deny_closed(&self, call: &HostTool, except: Option<usize>) -> Result<(), Denial> {
        let class = self.class_of(&call.tool, &call.args)?;
        let name = class.of(&call.tool);
        self.deny_if(&call.tool, self.closed(name, except))?;
        self.held_back(name, except).map_or(Ok(()), Err)
    }

    /// Returns a denial if the host does not have the tool, or if a machine does not allow it to run. `closed` is the index
    /// of that machine, if there is one.
    fn deny_if(&self, tool: &str, closed: Option<usize>) -> Result<(), Denial> {
        if !self.has_host_tool(tool) {
            return Err(withdrawn(tool, "none", withdrawal::NO_TOOL));
        }
        match closed {
            None => Ok(()),
            Some(at) => {
                let (machine, state) = self.named_state(at);
                Err(withdrawn(tool, state, &withdrawal::closed(machine, state)))
            }
        }
    }

    /// Returns the first machine that would not allow a host tool to run now.
    fn closed(&self, call: CalledTool<'_>, except: Option<usize>) -> Option<usize> {
        let mut machines = 0..self.machines.len();
        machines.find(|at| Some(*at) != except && self.handling(*at, call) != Handling::Runs)
    }

    /// Returns the first machine that would not allow an allowed call to run now. A machine that has counted the call
    /// is not asked to count it again, but its state must still be one in which the tool may run.
    fn closed_for(&self, allowed: &AllowedCall, call: CalledTool<'_>) -> Option<usize> {
        let Some(around) = &allowed.around else {
            return self.closed(call, None);
        };
        let args = allowed.args().as_object().cloned().unwrap_or_default();
        let again = ToolCall::new(call.tool, args);
        let is_open = |at: usize| {
            let name = self.machines[at].description().name;
            if allowed.counted.iter().any(|one| one.machine == name) {
                self.handling(at, call).may_run()
            } else {
                self.would_run(at, &again, call, around)
            }
        };
        (0..self.machines.len()).find(|at| !is_open(*at))
    }

    fn named_state(&self, at: usize) -> (&'static str, &'static str) {
        let machine = &self.machines[at];
        let tables = machine.description();
        (
            tables.name,
            tables.state(machine.batch_start().place()).name,
        )
    }
}

pub(super) fn withdrawn(tool: &str, state: &str, why: &str) -> Denial {
    let message = messages::may_no_longer_run(tool, why);
    Denial::new(DenialKind::NotAllowed, message, state)
}
