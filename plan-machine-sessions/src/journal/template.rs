//! References, which keep an entry from repeating long values. If a long value also occurs in the input of the event,
//! or in a plan of the same entry, a reference such as `{"=":["with","args"]}` is written instead of the value.
//!
//! An ordinary object that looks like a reference is written with one more `=` in its key, so that it is not mistaken
//! for a reference.

use std::fmt::Write;

use plan_machine_kernel::json::{Json, Object, write_string};

use super::fields::Bad;
use super::same::{self, Way};
use plan_machine::machine::PlanView;

/// The objects that a reference may point into.
#[derive(Clone, Copy, Default)]
pub(super) struct Sources<'a> {
    /// The input of the event.
    pub(super) with: Option<&'a Object>,
    /// The plans of the entry.
    pub(super) plans: &'a [PlanView],
}

impl Sources<'_> {
    fn find(&self, wanted: &Json, left: &mut usize) -> Option<Vec<Way>> {
        if let Some(with) = self.with {
            let mut way = vec![Way::Key("with".to_owned())];
            if same::find_in_object(wanted, with, &mut way, left) {
                return Some(way);
            }
        }
        for (at, plan) in self.plans.iter().enumerate() {
            let mut way = vec![Way::Key("plans".to_owned()), Way::Item(at)];
            if same::find_in_object(wanted, &plan.data, &mut way, left) {
                return Some(way);
            }
        }
        None
    }

    fn resolve(&self, way: &[Way]) -> Option<&Json> {
        let (object, way) = match way {
            [Way::Key(root), way @ ..] if root == "with" => (self.with?, way),
            [Way::Key(root), Way::Item(at), way @ ..] if root == "plans" => {
                (&self.plans.get(*at)?.data, way)
            }
            _ => return None,
        };
        let (Way::Key(first), rest) = way.split_first()? else {
            return None;
        };
        same::at(object.get(first)?, rest)
    }
}

/// Writes a value, using references to the sources where possible. Writing to a `String` cannot fail.
pub(super) fn write(text: &mut String, value: &Json, sources: Sources<'_>, left: &mut usize) {
    if same::is_long(value)
        && let Some(way) = sources.find(value, left)
    {
        return reference(text, &way);
    }
    match value {
        Json::List(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write(text, item, sources, left);
            }
            text.push(']');
        }
        Json::Object(members) => write_object(text, members, sources, left),
        other => {
            let _ = other.write(text);
        }
    }
}

/// Writes an object. Like `write`, this replaces long values in the object with references where possible.
pub(super) fn write_object(
    text: &mut String,
    members: &Object,
    sources: Sources<'_>,
    left: &mut usize,
) {
    text.push('{');
    for (at, (key, value)) in members.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        if looks_like_one(members) {
            let _ = write_string(text, &format!("={key}"));
        } else {
            let _ = write_string(text, key);
        }
        text.push(':');
        write(text, value, sources, left);
    }
    text.push('}');
}

fn looks_like_one(members: &Object) -> bool {
    let marks = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte == b'=');
    members.len() == 1 && members.iter().all(|(key, _)| marks(key))
}

fn reference(text: &mut String, way: &[Way]) {
    text.push_str("{\"=\":[");
    for (at, step) in way.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        let _ = match step {
            Way::Key(key) => write_string(text, key),
            Way::Item(at) => write!(text, "{at}"),
        };
    }
    text.push_str("]}");
}

/// Restores a value that `write` wrote, by replacing its references with the values they point to.
pub(super) fn read(json: &Json, sources: Sources<'_>) -> Result<Json, Bad> {
    match json {
        Json::List(items) => {
            let items = items.iter().map(|item| read(item, sources));
            Ok(Json::List(items.collect::<Result<_, _>>()?))
        }
        Json::Object(members) => match referred(members) {
            Some(way) => {
                let found = sources.resolve(&way?);
                found
                    .cloned()
                    .ok_or_else(|| "a reference points to a value that does not exist".to_owned())
            }
            None => Ok(Json::Object(read_object(members, sources)?)),
        },
        other => Ok(other.clone()),
    }
}

/// Restores an object that `write_object` wrote.
pub(super) fn read_object(members: &Object, sources: Sources<'_>) -> Result<Object, Bad> {
    let escaped = looks_like_one(members);
    let mut object = Object::new();
    for (key, value) in members.iter() {
        let key = if escaped { &key[1..] } else { key };
        object.push(key.to_owned(), read(value, sources)?);
    }
    Ok(object)
}

/// Returns the path of a reference; `None` if the object is not a reference.
fn referred(members: &Object) -> Option<Result<Vec<Way>, Bad>> {
    let way = members.get("=").filter(|_| members.len() == 1)?;
    let wrong = || "a reference does not have a valid path".to_owned();
    Some(way.as_list().ok_or_else(wrong).and_then(|steps| {
        let steps = steps.iter().map(|step| match step {
            Json::Text(key) => Some(Way::Key(key.clone())),
            other => {
                let at = other.as_int().and_then(|at| usize::try_from(at).ok());
                at.map(Way::Item)
            }
        });
        steps.collect::<Option<_>>().ok_or_else(wrong)
    }))
}
