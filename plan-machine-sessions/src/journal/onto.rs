//! Writes and parses the results of events. Long plans are written as changes to their earlier images.

use plan_machine_kernel::json::{Json, Object};

use super::entry::Entry;
use super::fields::{Bad, Fields};
use super::format::ReadError;
use super::past::{Image, PlanImages};
use super::same::{PATIENCE, length_of_object};
use super::template::Sources;
use super::text::{self, Pairs};
use super::{change, outcome, template};
use plan_machine::Id;
use plan_machine::machine as stored;
use plan_machine::machine::{Acceptance, EffectView, PlanView};

/// The maximum total size of the entries that record changes to a plan since the plan was last written in full, as a
/// multiple of the plan's size. A higher limit would make single entries slow to read; a lower limit would write the
/// whole plan too often.
const CHAIN: u64 = 4;

impl Entry {
    /// Decides which plans are written as changes. Two conditions must be met for a plan to be written as changes: the
    /// changes are shorter than the plan; and the changes, together with the entries that record changes since the
    /// plan was last written in full, are less than `CHAIN` times as long as the plan. As a result, writing whole
    /// plans adds at most about a quarter to the size of the changes, and reading a single entry requires reading at
    /// most about four times the size of the plan.
    pub(crate) fn choose_bases(&mut self, past: &PlanImages) {
        let with = Sources {
            with: Some(&self.step.call.with),
            plans: &[],
        };
        let acceptance = &self.step.acceptance;
        let mut left = PATIENCE;
        let mut bases = Vec::new();
        for plan in acceptance.ended.iter().chain(&acceptance.plans) {
            let Some(image) = past.image(&self.step.machine, &plan.id) else {
                continue;
            };
            let whole = length_of_object(&plan.data, usize::MAX) as u64;
            let mut changes = String::new();
            change::write(&mut changes, &image.plan.data, &plan.data, with, &mut left);
            let changes = changes.len() as u64;
            if changes < whole && image.bytes + changes < CHAIN * whole {
                bases.push((plan.id.clone(), image.seq));
            }
        }
        self.bases = bases;
    }
}

/// Writes the result of an event, with the plans in `entry.bases` as changes.
pub(super) fn write(pairs: &mut Pairs<'_>, entry: &Entry, past: &PlanImages) {
    let acceptance = &entry.step.acceptance;
    let mut left = PATIENCE;
    let with = Sources {
        with: Some(&entry.step.call.with),
        plans: &[],
    };
    let mut plan = |text: &mut String, plan: &PlanView| {
        let base = entry.base_of(&plan.id);
        let base = base.and_then(|seq| past.at(&entry.step.machine, &plan.id, seq));
        write_plan(text, plan, base, with, &mut left);
    };
    pairs.list("plans", &acceptance.plans, &mut plan);
    if acceptance.each {
        pairs.plain("each", true);
    }
    if let Some(ended) = &acceptance.ended {
        pairs.written("ended", |text| plan(text, ended));
    }
    let all = Sources {
        plans: &acceptance.plans,
        ..with
    };
    pairs.list("effects", &acceptance.effects, |text, effect| {
        text::object(text, |pairs| {
            outcome::write_effect_head(pairs, effect);
            pairs.written("fields", |text| {
                template::write_object(text, &effect.fields, all, &mut left);
            });
        });
    });
    pairs.written("reply", |text| {
        template::write(text, &acceptance.reply, all, &mut left);
    });
    pairs.maybe_text("runs", acceptance.runs.as_deref());
}

fn write_plan(
    text: &mut String,
    plan: &PlanView,
    base: Option<&Image>,
    with: Sources<'_>,
    left: &mut usize,
) {
    text::object(text, |pairs| {
        text::plan_head(pairs, plan);
        match base {
            None => pairs.written("data", |text| {
                template::write_object(text, &plan.data, with, left);
            }),
            Some(image) => {
                pairs.plain("base", image.seq);
                pairs.written("change", |text| {
                    change::write(text, &image.plan.data, &plan.data, with, left);
                });
            }
        }
    });
}

/// Parses the result of an event. Also returns the ids of the plans that were written as changes, each with the number
/// of the entry that the changes are based on.
pub(super) fn read(
    fields: Fields<'_>,
    machine: &str,
    with: &Object,
    past: &PlanImages,
) -> Result<(Acceptance, Vec<(Id, u64)>), ReadError> {
    let sources = Sources {
        with: Some(with),
        plans: &[],
    };
    let mut bases = Vec::new();
    let mut plan = |json: &Json| read_plan(json, machine, sources, past, &mut bases);
    let plans = fields.list("plans")?.iter().map(&mut plan);
    let plans: Vec<PlanView> = plans.collect::<Result<_, ReadError>>()?;
    let ended = fields.json("ended").map(&mut plan).transpose()?;
    let sources = Sources {
        plans: &plans,
        ..sources
    };
    let effects = fields.list("effects")?.iter().map(|effect| {
        let effect = outcome::effect(Fields::of(effect)?)?;
        Ok(EffectView {
            fields: template::read_object(&effect.fields, sources)?,
            ..effect
        })
    });
    let effects = effects.collect::<Result<_, Bad>>()?;
    let reply = fields.json("reply").cloned().unwrap_or_default();
    let reply = template::read(&reply, sources)?;
    let acceptance = Acceptance {
        plans,
        each: fields.is("each"),
        ended,
        effects,
        reply,
        runs: fields.maybe_text("runs")?.map(str::to_owned),
    };
    Ok((acceptance, bases))
}

fn read_plan(
    json: &Json,
    machine: &str,
    sources: Sources<'_>,
    past: &PlanImages,
    bases: &mut Vec<(Id, u64)>,
) -> Result<PlanView, ReadError> {
    let fields = Fields::of(json)?;
    let object = json.as_object().ok_or("a plan is not an object")?;
    let data = match object.get("change") {
        None => template::read_object(&fields.object("data")?, sources)?,
        Some(changes) => {
            let (id, seq) = (Id::from(fields.text("id")?), fields.number("base")?);
            let image = past.at(machine, &id, seq).ok_or(ReadError::Onto { seq })?;
            bases.push((id, seq));
            change::read(changes, &image.plan.data, sources)?
        }
    };
    let head = object.iter();
    let head = head.filter(|(key, _)| !matches!(*key, "data" | "change" | "base"));
    let head = head.map(|(key, value)| (key.to_owned(), value.clone()));
    let mut whole: Object = head.collect();
    whole.push("data", data);
    Ok(stored::view(&whole)?)
}
