//! The combinations of a tool and a class that one name in a session document may refer to.

use std::collections::BTreeSet;

use plan_machine_kernel::calls::Document;
use plan_machine_kernel::session::looks_like_another;

use super::called::CalledTool;
use super::model::Session;
use crate::model::machine::EventKind;

/// A name to try for a tool that no machine and no calls document names.
const SOME_TOOL: &str = "some_tool";

impl Session {
    /// Returns the rules that map calls to classes.
    pub(super) fn classes(&self) -> Option<&Document> {
        self.calls.as_ref().map(|calls| &calls.calls.document)
    }

    /// Returns the combinations of a tool and a class that a name refers to. The name is that of a tool or of a class,
    /// or `other_tools`.
    pub(super) fn called(&self, name: &str) -> Vec<CalledTool> {
        let Some(document) = self.classes() else {
            let tool = name.to_owned();
            return vec![CalledTool { tool, class: None }];
        };
        let with_class = |tool: &str, class: &str| CalledTool {
            tool: tool.to_owned(),
            class: Some(class.to_owned()),
        };
        if document.has_class(name) {
            let named = self.named_tools();
            let has_class = |tool: &&str| {
                let mut classes = document.classes_of(tool).into_iter();
                classes.any(|id| document.class(id) == name)
            };
            let tools = named.iter().copied().filter(has_class);
            let other = self.other_tool(document, name);
            return tools
                .chain(other.as_deref())
                .map(|tool| with_class(tool, name))
                .collect();
        }
        if self.named_tools().contains(name) {
            let classes = document.classes_of(name).into_iter();
            return classes
                .map(|id| with_class(name, document.class(id)))
                .collect();
        }
        let classes = document.classes.iter();
        let others = classes.filter_map(|class| {
            let tool = self.other_tool(document, class)?;
            Some(with_class(&tool, class))
        });
        others.collect()
    }

    /// Returns the host tools that machines name; classes are left out.
    fn named_tools(&self) -> BTreeSet<&str> {
        let members = self.members.iter();
        let events = members.flat_map(|member| &member.machine.events);
        let external = events.filter(|event| matches!(event.kind, EventKind::External));
        let names = external.map(|event| event.name.as_str());
        let is_class = |name: &&str| self.classes().is_some_and(|calls| calls.has_class(name));
        names.filter(|name| !is_class(name)).collect()
    }

    /// Returns a host tool that no machine names and whose calls can have the given class.
    fn other_tool(&self, document: &Document, class: &str) -> Option<String> {
        let members = self.members.iter();
        let events = members.flat_map(|member| &member.machine.events);
        let tools = events
            .filter(|event| matches!(event.kind, EventKind::Tool { .. } | EventKind::External));
        let declared: BTreeSet<&str> = tools.map(|event| event.name.as_str()).collect();
        // The gate treats a tool as unknown if its name is almost the same as that of another tool.
        let is_free = |name: &str| {
            let declared = declared.iter().copied();
            !document.has_class(name)
                && !declared.clone().any(|known| known == name)
                && !looks_like_another(name, declared)
        };
        let mut rules = document.rules.iter();
        let by_rule = rules.find_map(|rule| {
            let mut tools = rule.tools.iter();
            (document.class(rule.class) == class)
                .then(|| tools.find(|tool| is_free(tool)))
                .flatten()
        });
        if by_rule.is_some() || document.class(document.otherwise) != class {
            return by_rule.cloned();
        }
        let in_rules = |name: &str| {
            document
                .rules
                .iter()
                .any(|rule| rule.tools.iter().any(|tool| tool == name))
        };
        let most = declared.len() + document.classes.len() + document.rules.len() + 2;
        let numbered = (2..most * 100).map(|number| format!("{SOME_TOOL}_{number}"));
        let mut names = std::iter::once(SOME_TOOL.to_owned()).chain(numbered);
        names.find(|name| is_free(name) && !in_rules(name))
    }
}
