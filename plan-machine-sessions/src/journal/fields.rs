//! Reads the fields of stored JSON objects by name; an error names the invalid field.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use plan_machine::Id;
use plan_machine::machine as stored;
use plan_machine::machine::PlanView;

/// A description of the problem with stored text.
pub(crate) type Bad = String;

/// An object whose fields are read.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(&'a Object);

impl<'a> Fields<'a> {
    pub(crate) fn of(json: &'a Json) -> Result<Self, Bad> {
        json.as_object()
            .map(Self)
            .ok_or_else(|| format!("expected an object, found {}", shown(json)))
    }

    pub(crate) fn text(self, key: &str) -> Result<&'a str, Bad> {
        self.maybe_text(key)?
            .ok_or_else(|| missing(key, "a string"))
    }

    pub(crate) fn maybe_text(self, key: &str) -> Result<Option<&'a str>, Bad> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(found) => Err(unfit(key, found, "a string")),
        }
    }

    pub(crate) fn number(self, key: &str) -> Result<u64, Bad> {
        self.maybe_number(key)?
            .ok_or_else(|| missing(key, "a non-negative integer"))
    }

    pub(crate) fn maybe_number(self, key: &str) -> Result<Option<u64>, Bad> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Json::Uint(number)) => Ok(Some(*number)),
            Some(found) => {
                let number = found.as_int().and_then(|number| u64::try_from(number).ok());
                let wrong = || unfit(key, found, "a non-negative integer");
                number.map(Some).ok_or_else(wrong)
            }
        }
    }

    pub(crate) fn is(self, key: &str) -> bool {
        self.0.get(key).and_then(Json::as_bool) == Some(true)
    }

    pub(crate) fn instant(self, key: &str) -> Result<Instant, Bad> {
        Instant::parse(self.text(key)?)
    }

    pub(crate) fn maybe_id(self, key: &str) -> Result<Option<Id>, Bad> {
        Ok(self.maybe_text(key)?.map(Id::from))
    }

    /// Returns the object in a field; an empty object if the field does not exist.
    pub(crate) fn object(self, key: &str) -> Result<Object, Bad> {
        match self.0.get(key) {
            None => Ok(Object::new()),
            Some(Json::Object(object)) => Ok(object.clone()),
            Some(found) => Err(unfit(key, found, "an object")),
        }
    }

    /// Returns the items of the list in a field; an empty slice if the field does not exist.
    pub(crate) fn list(self, key: &str) -> Result<&'a [Json], Bad> {
        match self.0.get(key) {
            None => Ok(&[]),
            Some(Json::List(items)) => Ok(items),
            Some(found) => Err(unfit(key, found, "a list")),
        }
    }

    pub(crate) fn texts(self, key: &str) -> Result<Vec<String>, Bad> {
        let items = self.list(key)?.iter();
        let texts = items.map(|item| {
            let text = item.as_text().map(str::to_owned);
            text.ok_or_else(|| {
                let found = shown(item);
                format!("an item of `{key}` is {found}, expected a string")
            })
        });
        texts.collect()
    }

    pub(crate) fn json(self, key: &str) -> Option<&'a Json> {
        self.0.get(key)
    }

    pub(crate) fn plans(self, key: &str) -> Result<Vec<PlanView>, Bad> {
        self.list(key)?.iter().map(plan).collect()
    }

    pub(crate) fn maybe_plan(self, key: &str) -> Result<Option<PlanView>, Bad> {
        self.0.get(key).map(plan).transpose()
    }
}

fn plan(json: &Json) -> Result<PlanView, Bad> {
    let object = json.as_object();
    stored::view(object.ok_or_else(|| format!("a plan is {}, expected an object", shown(json)))?)
}

fn missing(key: &str, expected: &str) -> Bad {
    format!("`{key}` is missing, expected {expected}")
}

fn unfit(key: &str, found: &Json, expected: &str) -> Bad {
    format!("`{key}` is {}, expected {expected}", shown(found))
}

/// Formats a value for an error: short values as JSON, and only the types of others, because they may be long.
fn shown(json: &Json) -> String {
    match json {
        Json::Text(_) => "a string".to_owned(),
        Json::List(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        short => short.to_string(),
    }
}
