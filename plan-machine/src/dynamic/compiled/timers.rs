//! The timers of a compiled machine's plans.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Late;

use super::outcome::{acceptance, address, denial};
use super::plan_set::PlanSet;
use crate::core::cx::Cx;
use crate::core::denied::{DenialReason, DeniedStep};
use crate::core::description::EventKind;
use crate::core::held::{PlanHolder, Target};
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;
use crate::core::seal::Runtime;
use crate::dynamic::machine::{
    Acceptance, Call, Env, Outcome, PlanTimer, PlanTimers, UnknownEvent,
};

/// Returns the timers of the plans.
pub(super) fn timers<L: Lifecycle>(session: &PlanSet<L>) -> PlanTimers {
    let mut timers = PlanTimers::default();
    if !L::HAS_TIMERS {
        return timers;
    }
    for (plan, held) in session.all().enumerate() {
        let running = (0..).zip(held.record().timers.as_ref());
        let running = running.filter_map(|(timer, state)| Some((timer, state.due()?)));
        timers
            .running
            .extend(running.map(|(timer, at)| PlanTimer { plan, timer, at }));
        if plan >= session.ended.len() && held.record().lacks_timers() {
            timers.missing.push(plan);
        }
    }
    timers
}

/// Returns when timers start in a step that fires a timer; `None` for any other step. Only a catch-up fires timers: no
/// sender can send them as events.
pub(super) fn late<L: Lifecycle>(event: u16, call: &Call) -> Result<Option<Late>, UnknownEvent> {
    let event = L::MACHINE.event(event);
    if !L::HAS_TIMERS || !matches!(event.kind, EventKind::Timer { .. }) {
        return Ok(None);
    }
    let unknown = || UnknownEvent::new(L::MACHINE, event.name);
    Late::of_payload(&call.with).map(Some).ok_or_else(unknown)
}

/// Fires a timer of a plan.
pub(super) fn fire<L: Lifecycle>(
    session: &mut PlanSet<L>,
    event: u16,
    late: Late,
    call: &Call,
    env: &Env<'_>,
) -> Result<Outcome, DeniedStep> {
    let target = session.held.find(event, &address(call))?;
    let place = L::MACHINE.timers().position(|timer| timer == event);
    let place = place.and_then(|place| u16::try_from(place).ok());
    let (Target::One(at), Some(timer), Some(context)) = (target, place, L::timer_context()) else {
        return Err(not_running::<L>(0, event));
    };
    let mut cx = Cx::of_one_step(env.now, env.new_id.clone(), context);
    cx.late = Some(late);
    let state = L::state_index(session.held.plans()[at].state());
    let fired = session.held.fire(at, timer, &mut cx, Runtime::calls());
    let fired = fired.map_err(|reason| DeniedStep::new(L::MACHINE, state, event, reason))?;
    let (plans, ended) = (fired.plans(), fired.into_ended());
    // A timer has no sender, so there is no reply.
    let acceptance = acceptance(session, &plans, ended, Json::Null, &mut cx);
    Ok(Outcome::Accepted(Box::new(acceptance)))
}

/// Starts the timers of a plan that was stored before its state had these timers.
pub(super) fn start<L: Lifecycle>(session: &mut PlanSet<L>, call: &Call, now: Instant) -> Outcome {
    let wanted = call.plan_id.as_deref();
    let mut plans = session.held.plans().iter();
    let at = plans.position(|plan| wanted.is_some_and(|wanted| *plan.id() == *wanted));
    let lacks = |at: &usize| session.held.plans()[*at].record().lacks_timers();
    let Some(at) = at.filter(lacks) else {
        let state = session.held.deciding_state();
        return Outcome::Denied(denial(&not_running::<L>(state, L::MACHINE.other_tools())));
    };
    session.held.start_timers(at, now, Runtime::calls());
    Outcome::Accepted(Box::new(Acceptance {
        plans: vec![AnyPlan::view(&session.held.plans()[at])],
        each: false,
        ended: None,
        effects: Vec::new(),
        reply: Json::Null,
        runs: None,
    }))
}

fn not_running<L: Lifecycle>(state: u16, event: u16) -> DeniedStep {
    let reason = DenialReason::one(DenialKind::Stale, messages::TIMER_NOT_RUNNING);
    DeniedStep::new(L::MACHINE, state, event, reason)
}
