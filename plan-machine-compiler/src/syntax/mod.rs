//! The syntax of a spec: one syntax tree, whichever reader filled it.

pub mod ast;
pub mod dsl;
pub mod expr;
pub mod fingerprint;
pub mod meaning;
pub mod yaml;
