//! The JSON schema of spec files, for editors: the shapes that the YAML reader accepts.
//!
//! Editors assign types to scalars as YAML does, but the reader does not: it reads `true`, `3` and `"3"` all as text.
//! So wherever the reader accepts any scalar, the schema accepts strings, numbers and booleans. An editor cannot
//! distinguish a missing value from a plain `null`, so the schema rejects both where a value is required; a string or a
//! name that is spelled `null` must be quoted.
//!
//! The schema does not check anything that only the rest of the compiler can determine, such as whether a name is
//! declared or an expression is valid. `plan-machine check` reports such errors.

mod declarations;
pub(crate) mod parts;
pub(crate) mod scalars;
pub(crate) mod scenarios;
mod spec;
mod states;
mod transitions;

#[cfg(test)]
mod tests;

use plan_machine_kernel::json::{Json, Object};

/// Returns the JSON schema (draft 2020-12) of spec files.
///
/// ```
/// use plan_machine_compiler::syntax::yaml::json_schema;
///
/// let schema = json_schema().to_string();
/// assert!(schema.starts_with(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema""#));
/// ```
#[must_use]
pub fn json_schema() -> Json {
    parts::whole("plan-machine spec", spec::spec(), definitions())
}

/// Returns the definitions that the schema refers to, by name.
fn definitions() -> Object {
    let mut all = Object::new();
    let parts = [
        declarations::definitions(),
        states::definitions(),
        transitions::definitions(),
        scenarios::definitions(),
        scalars::definitions(),
    ];
    for (name, schema) in parts.into_iter().flatten() {
        all.push(name, schema);
    }
    all
}
