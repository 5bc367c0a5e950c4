//! The syntax of a spec: every reader produces the same syntax tree.

pub mod ast;
pub mod dsl;
pub mod expr;
pub mod fingerprint;
pub mod meaning;
pub mod yaml;
