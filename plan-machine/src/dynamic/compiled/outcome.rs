//! The address of a call and the result of a step, converted between their typed and their stored forms.

use plan_machine_kernel::json::Json;

use super::plan_set::PlanSet;
use crate::core::accepted::{Address, TouchedPlans};
use crate::core::cx::{Cx, EmittedEffect};
use crate::core::denied::DeniedStep;
use crate::core::held::PlanHolder;
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;
use crate::dynamic::machine::{Acceptance, Call, Denial, EffectView};

pub(super) fn address(call: &Call) -> Address {
    Address {
        plan_id: call.plan_id.clone(),
        expect_revision: call.expect_revision,
    }
}

/// Returns the result of a step that has been applied. If the step ended a plan, adds the plan to the ended plans of
/// the session.
pub(super) fn acceptance<L: Lifecycle>(
    session: &mut PlanSet<L>,
    plans: &TouchedPlans,
    ended: Option<AnyPlan<L>>,
    reply: Json,
    cx: &mut Cx<L>,
) -> Acceptance {
    let held = session.held.plans();
    let touched = match plans {
        TouchedPlans::None => Vec::new(),
        TouchedPlans::One(at) => vec![held[*at].view()],
        TouchedPlans::Each(all) => all.iter().map(|at| held[*at].view()).collect(),
    };
    let acceptance = Acceptance {
        plans: touched,
        each: matches!(plans, TouchedPlans::Each(_)),
        ended: ended.as_ref().map(AnyPlan::view),
        effects: cx.take_effects().into_iter().map(effect::<L>).collect(),
        reply,
        runs: None,
    };
    session.ended.extend(ended);
    acceptance
}

fn effect<L: Lifecycle>(emitted: EmittedEffect<L::Effect>) -> EffectView {
    let (name, fields) = L::effect_fields(&emitted.effect);
    EffectView {
        name: name.into(),
        plan: emitted.plan,
        fields,
    }
}

pub(super) fn denial(denied: &DeniedStep) -> Denial {
    Denial {
        kind: denied.kind(),
        messages: denied.messages(),
        state: denied.state().to_owned(),
        allowed_in: denied.allowed_in().into_iter().map(str::to_owned).collect(),
    }
}
