//! PM1001: every class that is used is declared, and no class has the name of a tool.

use std::collections::HashMap;

use crate::calls::ast::Document;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;
use crate::syntax::ast::Name;

/// The key that represents all host tools without an entry.
const OTHER_TOOLS: &str = "other_tools";

/// Returns the report of an undeclared class; `known` contains the declared classes.
pub(in crate::calls) fn unknown_class(sink: &Sink, name: &Name, known: &[&str]) -> Diagnostic {
    let message = format!("unknown class `{}`", name.node);
    let found = Diagnostic::new(Code::PM1001, name.span, message);
    let found = found.did_you_mean_one_of(sink, &name.node, known.iter().copied());
    if !found.help.is_empty() {
        return found;
    }
    found.help(match known {
        [only] => format!("the only class is `{only}`"),
        all => format!("the classes are `{}`", all.join("`, `")),
    })
}

/// Reports classes that are named `other_tools` or have the name of a tool.
pub(super) fn check(document: &Document, sink: &mut Sink) {
    let mut tools: HashMap<&str, Span> = HashMap::new();
    let declared = document.tools.iter().map(|tool| &tool.name);
    let used = document.rules.iter().flat_map(|rule| &rule.tools);
    let called = document.examples.iter().map(|example| &example.tool);
    for tool in declared.chain(used).chain(called) {
        tools.entry(tool.as_str()).or_insert(tool.span);
    }
    for class in &document.classes {
        if class.node == OTHER_TOOLS {
            let message = format!("`{OTHER_TOOLS}` cannot be the name of a class");
            let found = Diagnostic::new(Code::PM1001, class.span, message);
            sink.push(found.help("use another name: a machine uses `other_tools` for all host tools without an entry"));
        }
        if let Some(tool) = tools.get(class.as_str()) {
            let message = format!("the class `{}` has the name of a tool", class.node);
            let found = Diagnostic::new(Code::PM1001, class.span, message);
            let help =
                "a machine uses tools and classes in the same places; give the class another name";
            sink.push(found.also(*tool, "the tool is named here").help(help));
        }
    }
}
