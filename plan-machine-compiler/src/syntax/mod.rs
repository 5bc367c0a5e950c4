//! What was written: one syntax tree, whichever reader filled it.

pub mod ast;
pub mod expr;
pub mod yaml;
