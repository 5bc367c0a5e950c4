//! The fields of a request's body.

use axum::extract::Request;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;

use crate::app::App;
use crate::http::read_json;
use crate::problem::Problem;

/// The fields of a request. Each field is taken once; fields that are left at the end are an error.
pub(super) struct Fields(Object);

impl Fields {
    pub(super) fn new(object: Object) -> Self {
        Self(object)
    }

    /// Reads the body of a request.
    pub(super) async fn read(app: &App, request: Request) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let object = read_json(&parts.headers, body, app.limits.body).await?;
        Ok(Self(object))
    }

    /// Takes a value; `None` if it is missing or `null`.
    pub(super) fn value(&mut self, name: &str) -> Option<Json> {
        let value = self.0.remove(name);
        value.filter(|value| !value.is_null())
    }

    /// Takes a text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        match self.value(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(other) => Err(unfit(name, &other, "a string")),
        }
    }

    /// Takes a required text, which must not be blank.
    pub(super) fn required(&mut self, name: &str) -> Result<String, Problem> {
        let text = self.text(name)?;
        let text = text.ok_or_else(|| Problem::invalid(messages::missing(name)))?;
        if text.trim().is_empty() {
            return Err(Problem::invalid(messages::blank(name)));
        }
        Ok(text)
    }

    /// Takes a number.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let number = match &value {
            Json::Int(number) => u64::try_from(*number).ok(),
            Json::Uint(number) => Some(*number),
            _ => None,
        };
        let number = number.ok_or_else(|| unfit(name, &value, "a non-negative integer"))?;
        Ok(Some(number))
    }

    /// Takes a required number.
    pub(super) fn required_number(&mut self, name: &str) -> Result<u64, Problem> {
        let number = self.number(name)?;
        number.ok_or_else(|| Problem::invalid(messages::missing(name)))
    }

    /// Takes an object; empty if it is missing.
    pub(super) fn object(&mut self, name: &str) -> Result<Object, Problem> {
        match self.value(name) {
            None => Ok(Object::new()),
            Some(Json::Object(object)) => Ok(object),
            Some(other) => Err(unfit(name, &other, "an object")),
        }
    }

    /// Takes a required list.
    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Json>, Problem> {
        match self.value(name) {
            None => Err(Problem::invalid(messages::missing(name))),
            Some(Json::List(list)) => Ok(list),
            Some(other) => Err(unfit(name, &other, "a list")),
        }
    }

    /// Checks that no field is left: a misspelled field must not be ignored.
    pub(super) fn end(self) -> Result<(), Problem> {
        match self.0.iter().next() {
            None => Ok(()),
            Some((name, _)) => Err(Problem::invalid(format!("unknown field `{name}`"))),
        }
    }
}

fn unfit(name: &str, found: &Json, expected: &str) -> Problem {
    unfit_part(&format!("`{name}`"), found, expected)
}

/// Returns the problem of a part of the body that has the wrong type.
pub(super) fn unfit_part(part: &str, found: &Json, expected: &str) -> Problem {
    let found: String = found.to_string().chars().take(80).collect();
    Problem::invalid(format!("{part} is {found}, expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_field_is_not_reported_as_missing() {
        let mut fields = Fields::new(Object::from_iter([("plan", " \n")]));
        let blank = fields.required("plan").expect_err("a blank field");
        assert_eq!(blank.detail, "`plan` is blank");
        let missing = fields.required("token").expect_err("a missing field");
        assert_eq!(missing.detail, "`token` is missing");
    }
}
