//! One step of a session: finds the plan that accepts the event, and applies the event to it.

use std::slice;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;

use super::accepted::{AcceptedStep, Address};
use super::catch_up::catch_up;
use super::cx::{CallFate, Cx};
use super::denied::{DenialReason, DeniedStep};
use super::description::Handling;
use super::held::{PlanHolder, Plans, Slot, Target};
use super::host_tool::{self, HostTool, Verdict};
use super::lifecycle::Lifecycle;
use super::seal::Runtime;
use super::value::{self, Problems, Value, ValuePath};

impl<L: Lifecycle<HeldPlans = Self>> Slot<L> {
    /// Applies an event to the plan in the slot, or to `none` if the slot is empty. Timers that are due by the time in
    /// `cx` fire first.
    ///
    /// # Errors
    ///
    /// If the event is denied; in this case, nothing has changed, apart from timers that have fired.
    #[inline]
    pub fn step(
        &mut self,
        mut event: L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, DeniedStep> {
        if L::host_tool(&mut event).is_some() {
            return step_to::<L>(self, &Address::default(), event, cx);
        }
        if L::HAS_TIMERS {
            catch_up(self, cx);
        }
        let stepped = self.take_owned(event, cx);
        if L::WORDING_READS_CONTEXT {
            return stepped.map_err(|denied| worded::<L>(denied, &cx.context));
        }
        stepped
    }

    /// Fires the timers that are due by the time in `cx`, each at its own instant, in the order of these instants. A
    /// step does this, too. A host calls this function to find out whether a plan has expired, and before it continues
    /// with a typed plan. Effects are added to `cx`, and so are plans that leave the slot.
    pub fn catch_up(&mut self, cx: &mut Cx<L>) {
        catch_up(self, cx);
    }
}

impl<L: Lifecycle<HeldPlans = Self>> Plans<L> {
    /// Applies an event to whichever plan accepts it. Timers that are due by the time in `cx` fire first.
    ///
    /// # Errors
    ///
    /// If the event is denied; in this case, nothing has changed, apart from timers that have fired.
    pub fn step(
        &mut self,
        event: L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, DeniedStep> {
        step_to::<L>(self, &Address::default(), event, cx)
    }

    /// Fires the timers that are due by the time in `cx`, each at its own instant, in the order of these instants. A
    /// step does this, too. A host calls this function to find out whether a plan has expired. Effects are added to
    /// `cx`.
    pub fn catch_up(&mut self, cx: &mut Cx<L>) {
        catch_up(self, cx);
    }
}

/// Fires the timers that are due by the time in `cx`, then finds the plan that accepts the event and applies the event to
/// it.
///
/// # Errors
///
/// If the event is denied; in this case, nothing has changed, apart from timers that have fired.
pub fn step_to<'h, L: Lifecycle>(
    held: &'h mut L::HeldPlans,
    address: &Address,
    event: L::Event,
    cx: &mut Cx<L>,
) -> Result<AcceptedStep<'h, L>, DeniedStep> {
    if L::HAS_TIMERS {
        catch_up(held, cx);
    }
    let stepped = step_any(held, address, event, cx);
    if L::WORDING_READS_CONTEXT {
        return stepped.map_err(|denied| worded::<L>(denied, &cx.context));
    }
    stepped
}

/// Inserts the values of the context into the text for an event that is not available.
#[cold]
fn worded<L: Lifecycle>(denied: DeniedStep, context: &L::Context) -> DeniedStep {
    denied.in_context(|| match context.encode() {
        Json::Object(context) => Some(context),
        _ => None,
    })
}

fn step_any<'h, L: Lifecycle>(
    held: &'h mut L::HeldPlans,
    address: &Address,
    mut event: L::Event,
    cx: &mut Cx<L>,
) -> Result<AcceptedStep<'h, L>, DeniedStep> {
    if let Some(call) = L::host_tool(&mut event) {
        let call = std::mem::replace(call, HostTool::new("", Json::Null));
        return step_host_tool::<L>(held, address, call, cx);
    }
    let target = held.find(L::event_index(&event), address)?;
    held.take(target, &mut event, cx, Runtime::calls())
}

/// Applies a call to a host tool: it runs, is denied, or is accepted as an event.
fn step_host_tool<'h, L: Lifecycle>(
    held: &'h mut L::HeldPlans,
    address: &Address,
    mut call: HostTool,
    cx: &mut Cx<L>,
) -> Result<AcceptedStep<'h, L>, DeniedStep> {
    let machine = L::MACHINE;
    // A tool that the machine defines is never a host tool.
    if let Some(own) = host_tool::own(machine, &call.tool) {
        let target = allowed::<L>(held, own, address)?;
        let mut event = decoded::<L>(held, &target, own, &call)?;
        return held.take(target, &mut event, cx, Runtime::calls());
    }
    let event = host_tool::entry(machine, call.decided_by());
    let state = held.deciding_state();
    let deny = |reason| DeniedStep::new(machine, state, event, reason);
    host_tool::deny_unknown(machine, &call.tool, event, cx.host_tools.as_ref()).map_err(deny)?;
    let target = host_target::<L>(held, event, &call.tool, address)?;
    match host_tool::decide(machine, &mut call, event, state, cx.batch).map_err(deny)? {
        Verdict::Runs => Ok(AcceptedStep::run_by_host(call)),
        Verdict::IsRecorded => held.take(target, &mut L::of_host_tool(call), cx, Runtime::calls()),
        Verdict::IsChosen => {
            cx.fate = CallFate::Recorded;
            let mut event = L::of_host_tool(call.clone());
            let accepted = held.take(target, &mut event, cx, Runtime::calls())?;
            Ok(match cx.fate {
                CallFate::Recorded => accepted,
                CallFate::Counted => accepted.counting(call),
                CallFate::Run => AcceptedStep::run_by_host(call),
            })
        }
    }
}

/// Returns the target of a call to a host tool. With many plans, no single plan decides on such a call, so it cannot be
/// addressed to one.
pub(crate) fn host_target<L: Lifecycle>(
    held: &L::HeldPlans,
    event: u16,
    tool: &str,
    address: &Address,
) -> Result<Target, DeniedStep> {
    if !L::MACHINE.is_many() {
        return held.find(event, address);
    }
    if address.plan_id.is_none() {
        return Ok(Target::NoPlan);
    }
    let reason = DenialReason::one(DenialKind::NotAllowed, messages::no_single_plan(tool));
    Err(DeniedStep::new(L::MACHINE, 0, event, reason))
}

/// Returns the target of an event, or a denial if a plan of the target does not handle the event.
pub(crate) fn allowed<L: Lifecycle>(
    held: &L::HeldPlans,
    event: u16,
    address: &Address,
) -> Result<Target, DeniedStep> {
    let target = held.find(event, address)?;
    for state in states::<L>(held, &target) {
        if L::MACHINE.handling(state, event) != Handling::Takes {
            return Err(DeniedStep::new(
                L::MACHINE,
                state,
                event,
                DenialReason::not_allowed(),
            ));
        }
    }
    Ok(target)
}

/// Returns the states of the target's plans, by their indices in the tables.
fn states<L: Lifecycle>(held: &L::HeldPlans, target: &Target) -> impl Iterator<Item = u16> {
    let (none, plans) = match target {
        Target::NoPlan => (Some(0), &[][..]),
        Target::One(at) => (None, slice::from_ref(at)),
        Target::Each(all) => (None, all.as_slice()),
    };
    let states = plans
        .iter()
        .map(|at| L::state_index(held.plans()[*at].state()));
    none.into_iter().chain(states)
}

/// Returns the state that a denial names: that of the first plan of the target.
pub(crate) fn asked<L: Lifecycle>(held: &L::HeldPlans, target: &Target) -> u16 {
    states::<L>(held, target).next().unwrap_or_default()
}

fn decoded<L: Lifecycle>(
    held: &L::HeldPlans,
    target: &Target,
    event: u16,
    call: &HostTool,
) -> Result<L::Event, DeniedStep> {
    let mut problems = Problems::in_step(held.editions());
    let with = value::object(&call.args, &ValuePath::Payload, &mut problems);
    let decoded = with.and_then(|with| L::decode(event, with, Token::OF_NOTHING, &mut problems));
    match decoded {
        Some(event) if problems.is_empty() => Ok(event),
        _ => {
            let state = asked::<L>(held, target);
            Err(DeniedStep::new(
                L::MACHINE,
                state,
                event,
                DenialReason::invalid(problems),
            ))
        }
    }
}
