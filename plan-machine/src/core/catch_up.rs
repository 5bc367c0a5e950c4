//! Fires the timers of typed plans that are due, before a step.

use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{CatchUp, DueTimer};

use super::accepted::AcceptedStep;
use super::cx::Cx;
use super::held::PlanHolder;
use super::plan::AnyPlan;
use super::seal::Runtime;
use super::steps::Steps;

/// Starts the timers of plans that were stored before their states had these timers, then fires the timers that are due
/// by the time in `cx`, each at its own instant, in the order of these instants.
pub(super) fn catch_up<L: Steps, H: PlanHolder<L>>(held: &mut H, cx: &mut Cx<L>) {
    if !L::HAS_TIMERS {
        return;
    }
    let now = cx.now;
    for at in 0..held.plans().len() {
        if held.plans()[at].record().lacks_timers() {
            held.start_timers(at, now, Runtime::calls());
        }
    }
    if held.plans().iter().any(|plan| is_due(plan, now)) {
        fire_due(held, cx);
    }
}

fn is_due<L: Steps>(plan: &AnyPlan<L>, now: Instant) -> bool {
    plan.due().is_some_and(|at| at <= now)
}

#[inline(never)]
fn fire_due<L: Steps, H: PlanHolder<L>>(held: &mut H, cx: &mut Cx<L>) {
    let now = cx.now;
    let mut catch_up = CatchUp::new(now);
    while let Some(due) = catch_up.next_due(running(held.plans())) {
        let id = held.plans()[due.plan].id().clone();
        cx.now = due.at;
        cx.late = Some(catch_up.fire(0, id.as_str(), due.timer));
        let fired = held.fire(due.plan, due.timer, cx, Runtime::calls());
        let ended = fired.ok().and_then(AcceptedStep::into_ended);
        cx.ended.extend(ended);
        let successors = held.plans().iter();
        for plan in successors.filter(|plan| plan.previous() == Some(&id)) {
            catch_up.succeed(0, id.as_str(), plan.id().as_str());
        }
    }
    cx.now = now;
    cx.late = None;
}

fn running<L: Steps>(plans: &[AnyPlan<L>]) -> impl Iterator<Item = DueTimer> {
    plans.iter().enumerate().flat_map(|(plan, held)| {
        let timers = (0_u16..).zip(held.record().timers.as_ref());
        timers.filter_map(move |(timer, state)| {
            Some(DueTimer {
                at: state.due()?,
                machine: 0,
                plan,
                timer,
            })
        })
    })
}
