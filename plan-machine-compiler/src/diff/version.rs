//! The versions that are compared.

use crate::model::{Checked, Machine};
use crate::syntax::ast::Spec;

/// One version of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// The spec as written, in which every edit is visible.
    pub spec: &'a Spec,
    /// The resolved machine, in which the consequences of edits are visible.
    pub machine: &'a Checked<Machine>,
}
