//! Builds a JSON object from the parts that a spec contains; missing parts are omitted.

use plan_machine_kernel::json::{Json, Object};

use crate::syntax::ast::Name;

#[derive(Default)]
pub(super) struct Parts(Object);

impl Parts {
    pub(super) fn part(mut self, key: &'static str, value: impl Into<Json>) -> Self {
        self.0.push(key, value);
        self
    }

    pub(super) fn some(self, key: &'static str, value: Option<impl Into<Json>>) -> Self {
        match value {
            Some(value) => self.part(key, value),
            None => self,
        }
    }

    pub(super) fn flag(self, key: &'static str, written: bool) -> Self {
        self.some(key, written.then_some(true))
    }

    pub(super) fn list(self, key: &'static str, items: impl Iterator<Item = Json>) -> Self {
        let items: Vec<Json> = items.collect();
        let written = !items.is_empty();
        self.some(key, written.then_some(items))
    }

    pub(super) fn json(self) -> Json {
        Json::from(self.0)
    }
}

/// Returns a list of the tag followed by the items.
pub(super) fn tagged(tag: &str, items: impl IntoIterator<Item = Json>) -> Json {
    let tag = [Json::from(tag)].into_iter();
    Json::List(tag.chain(items).collect())
}

pub(super) fn name(name: &Name) -> Json {
    Json::from(name.node.as_str())
}
