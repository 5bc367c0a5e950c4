//! The reviewed fields of a plan.

use plan_machine_compiler::model::Machine;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible;

use super::markdown::rendered;
use super::shorten::{shortened, shortened_json};

/// The fields of a step that may hold its progress.
const PROGRESS: [&str; 2] = ["status", "mark"];

/// The maximum length of each text in the arguments of a step or in another value, in characters. A person must be able
/// to read everything that is approved, so this limit is higher than the limits that specs set in practice.
const LONGEST: usize = 1_000_000;

/// Returns the reviewed fields of a plan: their names, their docs and their values. Unset fields are left out.
pub(crate) fn reviewed<'m>(
    machine: &'m Machine,
    data: &'m Object,
) -> impl Iterator<Item = (&'m str, &'m str, &'m Json)> {
    machine.reviewed_names().into_iter().filter_map(|name| {
        let mut fields = machine.data.iter();
        let doc = fields.find(|field| field.name == name)?.doc.as_deref();
        Some((name, doc.unwrap_or_default(), data.get(name)?))
    })
}

/// Returns the reviewed fields for a page.
#[must_use]
pub(crate) fn fields_json(machine: &Machine, data: &Object) -> Json {
    let fields = reviewed(machine, data).map(|(name, doc, value)| {
        let mut object = Object::new();
        object.push("name", name);
        object.push("doc", visible(doc));
        match value {
            Json::Text(text) => {
                object.push("kind", "text");
                object.push("text", visible(text));
                object.push("html", rendered(text));
            }
            Json::List(items) if !items.is_empty() && items.iter().all(is_step) => {
                let steps = items.iter().map(step);
                object.push("kind", "steps");
                object.push("steps", steps.collect::<Vec<Json>>());
            }
            value => {
                object.push("kind", "value");
                object.push("value", shortened_json(value, LONGEST));
            }
        }
        Json::Object(object)
    });
    Json::List(fields.collect())
}

/// Returns whether a plan has nothing to review yet: all reviewed fields are unset or blank.
#[must_use]
pub(crate) fn is_blank(machine: &Machine, data: &Object) -> bool {
    reviewed(machine, data).all(|(_, _, value)| is_blank_value(value))
}

fn is_blank_value(value: &Json) -> bool {
    match value {
        Json::Text(text) => text.trim().is_empty(),
        Json::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Returns the beginning of the content that is approved, for a list.
#[must_use]
pub(crate) fn summary(machine: &Machine, data: &Object, most: usize) -> String {
    let fields = reviewed(machine, data).filter(|(_, _, value)| !is_blank_value(value));
    let fields = fields.map(|(_, _, value)| match value {
        Json::Text(text) => text.trim().to_owned(),
        Json::List(items) if items.iter().all(is_step) => {
            let tools = items
                .iter()
                .filter_map(|item| item.as_object()?.get("tool"));
            let tools: Vec<&str> = tools.filter_map(Json::as_text).collect();
            let number = items.len();
            let noun = if number == 1 { "step" } else { "steps" };
            format!("{number} {noun}: {}", tools.join(", "))
        }
        other => other.to_string(),
    });
    let text: Vec<String> = fields.collect();
    shortened(&text.join("\n\n"), most)
}

/// Returns whether a value is a recorded call.
fn is_step(value: &Json) -> bool {
    let step = value.as_object();
    step.is_some_and(|step| {
        step.get("tool")
            .is_some_and(|tool| tool.as_text().is_some())
            && step.get("args").is_some()
    })
}

fn step(value: &Json) -> Json {
    let mut object = Object::new();
    let step = value.as_object();
    let field = |name: &str| step.and_then(|step| step.get(name));
    let tool = field("tool").and_then(Json::as_text).unwrap_or_default();
    object.push("tool", visible(tool));
    let args = field("args").cloned().unwrap_or_default();
    object.push("args", shortened_json(&args, LONGEST));
    let progress = PROGRESS.iter().find_map(|name| field(name)?.as_text());
    object.push("status", progress.map_or(Json::Null, Json::from));
    object.into()
}
