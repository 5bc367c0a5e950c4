//! Facts that can be compared individually.

use super::changes::{Concern, Fact};
use crate::syntax::ast::Name;

/// The facts of one version.
#[derive(Default)]
pub(crate) struct Facts(Vec<Fact>);

impl Facts {
    /// Returns all facts, in the order in which they were added.
    pub(crate) fn into_all(self) -> Vec<Fact> {
        self.0
    }

    pub(crate) fn add(&mut self, what: &'static str, name: &str, parts: Vec<String>) {
        self.0.push(Fact {
            concern: None,
            what,
            name: name.to_owned(),
            parts,
            order: false,
        });
    }

    /// Adds a fact that a reviewer of a change must not miss.
    pub(crate) fn marked(
        &mut self,
        concern: Concern,
        what: &'static str,
        name: &str,
        parts: Vec<String>,
    ) {
        self.add(what, name, parts);
        if let Some(fact) = self.0.last_mut() {
            fact.concern = Some(concern);
        }
    }

    /// Adds a fact only if it has any parts.
    pub(crate) fn some(&mut self, what: &'static str, name: &str, parts: Vec<String>) {
        if !parts.is_empty() {
            self.add(what, name, parts);
        }
    }

    pub(super) fn order<'n>(
        &mut self,
        what: &'static str,
        name: &str,
        names: impl Iterator<Item = &'n Name>,
    ) {
        self.add(what, name, names.map(|name| name.node.clone()).collect());
        if let Some(fact) = self.0.last_mut() {
            fact.order = true;
        }
    }
}

/// Returns names as strings.
pub(super) fn names(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| name.node.clone()).collect()
}
