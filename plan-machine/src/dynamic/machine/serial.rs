//! Serialization of stored plans in any serde format.

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use plan_machine_kernel::json::{Json, Object};

use super::plans::{PlanView, StoredPlans};
use crate::core::id::Id;

impl Serialize for PlanView {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        object(self).serialize(to)
    }
}

/// Converts a plan to an object.
fn object(plan: &PlanView) -> Object {
    let mut object = Object::new();
    object.push("id", plan.id.as_str());
    if let Some(previous) = &plan.previous {
        object.push("previous", previous.as_str());
    }
    object.push("state", &*plan.state);
    object.push("revision", plan.revision);
    object.push("edition", plan.edition);
    object.push("token", plan.token.as_str());
    if !plan.timers.is_empty() {
        object.push("timers", plan.timers.clone());
    }
    object.push("data", plan.data.clone());
    object
}

impl<'de> Deserialize<'de> for PlanView {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        view(&Object::deserialize(from)?).map_err(de::Error::custom)
    }
}

/// Formats the problem with a value that is missing or has the wrong type.
fn unfit(what: &str, found: Option<&Json>, expected: &str) -> String {
    match found {
        Some(found) => format!("{what} is {found}, expected {expected}"),
        None => format!("{what} is missing, expected {expected}"),
    }
}

fn text(object: &Object, key: &str) -> Result<String, String> {
    let found = object.get(key);
    let text = found.and_then(Json::as_text);
    text.map(str::to_owned)
        .ok_or_else(|| unfit(&format!("a plan's `{key}`"), found, "a string"))
}

fn number(object: &Object, key: &str) -> Result<u64, String> {
    let found = object.get(key);
    let number = found.and_then(Json::as_int);
    let number = number.and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| {
        unfit(
            &format!("a plan's `{key}`"),
            found,
            "a non-negative integer",
        )
    })
}

/// Reads a plan from an object.
///
/// # Errors
///
/// If a field is missing or has the wrong type.
#[doc(hidden)]
pub fn view(object: &Object) -> Result<PlanView, String> {
    let previous = match object.get("previous") {
        None | Some(Json::Null) => None,
        Some(previous) => Some(previous.as_text().ok_or_else(|| {
            let expected = "a string, the id of a plan";
            unfit("a plan's `previous`", Some(previous), expected)
        })?),
    };
    let found = object.get("data");
    let data = found.and_then(Json::as_object);
    Ok(PlanView {
        id: Id::from(text(object, "id")?),
        previous: previous.map(Id::from),
        state: text(object, "state")?.into(),
        revision: number(object, "revision")?,
        edition: number(object, "edition")?,
        token: text(object, "token")?,
        data: data
            .cloned()
            .ok_or_else(|| unfit("a plan's `data`", found, "an object"))?,
        timers: timers(object)?,
    })
}

/// Reads the timers of a plan. A plan of a machine without timers has none.
fn timers(object: &Object) -> Result<Object, String> {
    let found = object.get("timers");
    match found {
        None => Ok(Object::new()),
        Some(Json::Object(timers)) => Ok(timers.clone()),
        Some(_) => Err(unfit("a plan's `timers`", found, "an object")),
    }
}

impl Serialize for StoredPlans {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut stored = to.serialize_struct("Stored", 3)?;
        stored.serialize_field("plans", &self.plans)?;
        stored.serialize_field("slot", &self.slot)?;
        stored.serialize_field("editions", &self.editions)?;
        stored.end()
    }
}

impl<'de> Deserialize<'de> for StoredPlans {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let object = Object::deserialize(from)?;
        stored(&object).map_err(de::Error::custom)
    }
}

/// Reads the stored plans from an object. A slot that cannot be read is an error: treating it as empty would open the
/// gate.
fn stored(object: &Object) -> Result<StoredPlans, String> {
    let plans = object.get("plans");
    let list = plans.and_then(Json::as_list);
    let list = list
        .ok_or_else(|| unfit("`plans`", plans, "a list"))?
        .iter();
    let plans = list.map(|plan| {
        let object = plan.as_object();
        view(object.ok_or_else(|| unfit("a plan", Some(plan), "an object"))?)
    });
    let slot = match maybe_number(object, "slot")? {
        None => None,
        Some(slot) => Some(usize::try_from(slot).map_err(|_| "`slot` is too large")?),
    };
    Ok(StoredPlans {
        plans: plans.collect::<Result<_, String>>()?,
        slot,
        editions: maybe_number(object, "editions")?,
    })
}

/// Reads a number that may be missing or `null`.
fn maybe_number(object: &Object, key: &str) -> Result<Option<u64>, String> {
    match object.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(found) => {
            let number = found.as_int().and_then(|number| u64::try_from(number).ok());
            let unfit = || format!("`{key}` is {found}, expected a non-negative integer");
            number.map(Some).ok_or_else(unfit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_reads_back() {
        let plan = PlanView {
            id: Id::from("plan-2"),
            previous: Some(Id::from("plan-1")),
            state: "READY".into(),
            revision: 3,
            edition: 2,
            token: "2-00000000".to_owned(),
            data: [("markdown", "# v1")].into_iter().collect(),
            timers: [("READY after 1h", "2026-01-01T01:00:00Z")]
                .into_iter()
                .collect(),
        };
        let stored = StoredPlans {
            plans: vec![plan],
            slot: Some(0),
            editions: Some(7),
        };
        let text = serde_json::to_string(&stored).expect("written");
        assert_eq!(
            serde_json::from_str::<StoredPlans>(&text).expect("read"),
            stored
        );
        let damaged = text.replace("\"revision\":3", "\"revision\":-3");
        let error = serde_json::from_str::<StoredPlans>(&damaged).expect_err("an invalid revision");
        assert!(error.to_string().contains("`revision`"), "{error}");
    }

    /// If a damaged slot were read as empty, there would seem to be no plan, and `none` denies fewer tools than some
    /// states of a plan.
    #[test]
    fn what_cannot_be_read_is_not_read_as_nothing() {
        for (text, problem) in [
            (r#"{"slot":0}"#, "`plans` is missing, expected a list"),
            (r#"{"plans":{}}"#, "`plans` is {}, expected a list"),
            (r#"{"plans":[1]}"#, "a plan is 1, expected an object"),
            (r#"{"plans":[],"slot":"0"}"#, "`slot` is \"0\", expected"),
            (r#"{"plans":[],"slot":-1}"#, "`slot` is -1, expected"),
            (r#"{"plans":[],"slot":0.5}"#, "`slot` is 0.5, expected"),
            (
                r#"{"plans":[],"editions":[]}"#,
                "`editions` is [], expected",
            ),
            (
                r#"{"plans":[{"id":"p","previous":1}]}"#,
                "`previous` is 1, expected a string, the id of a plan",
            ),
        ] {
            let error = serde_json::from_str::<StoredPlans>(text).expect_err(text);
            assert!(error.to_string().contains(problem), "{text}: {error}");
        }
        let empty = serde_json::from_str::<StoredPlans>(r#"{"plans":[],"slot":null}"#);
        assert_eq!(empty.expect("valid, without plans"), StoredPlans::default());
    }
}
