//! Writes and parses the result of an event in the form that a journal stores.

use std::str::FromStr;

use plan_machine_kernel::denial::DenialKind;

use super::fields::{Bad, Fields};
use super::text::{self, Pairs};
use plan_machine::Id;
use plan_machine::machine::{Acceptance, Denial, EffectView};

/// Writes the result of an event.
pub(super) fn write_acceptance(pairs: &mut Pairs<'_>, acceptance: &Acceptance) {
    pairs.plans("plans", &acceptance.plans);
    if acceptance.each {
        pairs.plain("each", true);
    }
    if let Some(ended) = &acceptance.ended {
        pairs.object("ended", |pairs| text::plan(pairs, ended));
    }
    pairs.list("effects", &acceptance.effects, |text, effect| {
        text::object(text, |pairs| write_effect(pairs, effect));
    });
    pairs.json("reply", &acceptance.reply);
    pairs.maybe_text("runs", acceptance.runs.as_deref());
}

fn write_effect(pairs: &mut Pairs<'_>, effect: &EffectView) {
    write_effect_head(pairs, effect);
    pairs.members("fields", &effect.fields);
}

/// Writes the name and the plan of an effect, but not its fields.
pub(super) fn write_effect_head(pairs: &mut Pairs<'_>, effect: &EffectView) {
    pairs.text("name", &effect.name);
    pairs.maybe_text("plan", effect.plan.as_ref().map(Id::as_str));
}

/// Parses an effect.
pub(super) fn effect(fields: Fields<'_>) -> Result<EffectView, Bad> {
    Ok(EffectView {
        name: fields.text("name")?.to_owned().into(),
        plan: fields.maybe_id("plan")?,
        fields: fields.object("fields")?,
    })
}

/// Parses the result of an event.
pub(super) fn acceptance(fields: Fields<'_>) -> Result<Acceptance, Bad> {
    let effects = fields.list("effects")?.iter();
    let effects = effects.map(|json| effect(Fields::of(json)?));
    Ok(Acceptance {
        plans: fields.plans("plans")?,
        each: fields.is("each"),
        ended: fields.maybe_plan("ended")?,
        effects: effects.collect::<Result<_, Bad>>()?,
        reply: fields.json("reply").cloned().unwrap_or_default(),
        runs: fields.maybe_text("runs")?.map(str::to_owned),
    })
}

/// Writes a denial.
pub(super) fn write_denial(pairs: &mut Pairs<'_>, denial: &Denial) {
    pairs.text("kind", denial.kind.as_str());
    pairs.texts("messages", &denial.messages);
    pairs.text("state", &denial.state);
    if denial.kind == DenialKind::NotAllowed {
        pairs.texts("allowed_in", &denial.allowed_in);
    }
}

/// Parses a denial.
pub(super) fn denial(fields: Fields<'_>) -> Result<Denial, Bad> {
    Ok(Denial {
        kind: DenialKind::from_str(fields.text("kind")?).map_err(|error| error.to_string())?,
        messages: fields.texts("messages")?,
        state: fields.text("state")?.to_owned(),
        allowed_in: fields.texts("allowed_in")?,
    })
}
