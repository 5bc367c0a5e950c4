//! How names of a spec become names of Rust.

use heck::{ToSnakeCase, ToUpperCamelCase};

/// A type's name: `COLLECTING` becomes `Collecting`.
#[must_use]
pub fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// A module's or method's name: `WorkByPlan` becomes `work_by_plan`.
#[must_use]
pub fn value_name(name: &str) -> String {
    name.to_snake_case()
}
