//! What came of an event, as a journal keeps it.

use std::str::FromStr;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};

use super::fields::{Bad, Fields};
use crate::machine::{Denial, EffectView, PlanView, Taken};
use crate::stored;

fn plans(plans: &[PlanView]) -> Vec<Json> {
    plans
        .iter()
        .map(|plan| stored::object(plan).into())
        .collect()
}

/// Adds what came of an event to an object.
pub(super) fn push_taken(object: &mut Object, taken: &Taken) {
    object.push("plans", plans(&taken.plans));
    if taken.each {
        object.push("each", true);
    }
    if let Some(ended) = &taken.ended {
        object.push("ended", stored::object(ended));
    }
    let effects = taken
        .effects
        .iter()
        .map(|effect| effect_object(effect).into());
    object.push("effects", effects.collect::<Vec<Json>>());
    object.push("reply", taken.reply.clone());
}

fn effect_object(effect: &EffectView) -> Object {
    let mut object = Object::new();
    object.push("name", effect.name.as_str());
    if let Some(plan) = &effect.plan {
        object.push("plan", plan.as_str());
    }
    object.push("fields", effect.fields.clone());
    object
}

/// What came of an event.
pub(super) fn taken(fields: Fields<'_>) -> Result<Taken, Bad> {
    let effects = fields.list("effects")?.iter().map(|effect| {
        let fields = Fields::of(effect)?;
        Ok(EffectView {
            name: fields.text("name")?.to_owned(),
            plan: fields.maybe_id("plan")?,
            fields: fields.object("fields")?,
        })
    });
    Ok(Taken {
        plans: fields.plans("plans")?,
        each: fields.is("each"),
        ended: fields.maybe_plan("ended")?,
        effects: effects.collect::<Result<_, Bad>>()?,
        reply: fields.json("reply").cloned().unwrap_or_default(),
    })
}

/// A denial as an object.
pub(super) fn denial_object(denial: &Denial) -> Object {
    let texts =
        |texts: &[String]| -> Vec<Json> { texts.iter().map(|text| text.as_str().into()).collect() };
    let mut object = Object::new();
    object.push("kind", denial.kind.as_str());
    object.push("messages", texts(&denial.messages));
    object.push("state", denial.state.as_str());
    if denial.kind == DenialKind::NotAllowed {
        object.push("allowed_in", texts(&denial.allowed_in));
    }
    object
}

/// The denial that an object is.
pub(super) fn denial(fields: Fields<'_>) -> Result<Denial, Bad> {
    Ok(Denial {
        kind: DenialKind::from_str(fields.text("kind")?).map_err(|error| error.to_string())?,
        messages: fields.texts("messages")?,
        state: fields.text("state")?.to_owned(),
        allowed_in: fields.texts("allowed_in")?,
    })
}
