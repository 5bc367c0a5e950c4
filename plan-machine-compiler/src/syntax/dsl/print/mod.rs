//! The printer: turns a syntax tree into formatted text in the DSL. If the spec has no errors, reading the text again
//! returns an equal tree.

mod declarations;
mod expr;
pub mod line;
mod literal;
mod page;
mod scenarios;
mod states;

use crate::syntax::ast::Spec;
use page::{Page, path, words};

/// Returns the spec as text in the DSL.
#[must_use]
pub fn print(spec: &Spec) -> String {
    let mut page = Page::default();
    head(&mut page, spec);
    declarations::types_and_data(&mut page, spec);
    declarations::events(&mut page, spec);
    page.gap();
    if let Some(handler) = &spec.other_tools {
        states::handler(&mut page, "other_tools", handler);
    }
    states::states(&mut page, &spec.states);
    page.gap();
    for invariant in &spec.invariants {
        let name = &invariant.name.node;
        page.line(&format!("invariant {name}: {};", expr::property(invariant)));
    }
    for scenario in &spec.scenarios {
        page.gap();
        scenarios::scenario(&mut page, scenario);
    }
    page.finish()
}

fn head(page: &mut Page, spec: &Spec) {
    if let Some(machine) = &spec.machine {
        let mut parts = Vec::new();
        parts.extend(spec.many.as_ref().map(|many| {
            let word = if many.node { "many" } else { "one" };
            word.to_owned()
        }));
        parts.extend(
            spec.max_live
                .map(|count| format!("max_live {}", count.node)),
        );
        page.doc(spec.doc.as_ref());
        let parts = match parts.len() {
            0 => String::new(),
            _ => format!(" ({})", parts.join(", ")),
        };
        page.line(&format!("machine {}{parts};", machine.node));
    }
    if let Some(version) = spec.version {
        page.line(&format!("version {};", version.node));
    }
    if spec.deny_warnings {
        page.line("deny warnings;");
    }
    let review: Vec<String> = spec.review.iter().map(path).collect();
    page.names("review", &review);
    page.names("summary", &words(&spec.summary));
    let external = spec.external_tools.iter().map(|tool| {
        let name = &tool.name.node;
        match &tool.unavailable {
            Some(text) => format!("{name} unavailable {}", line::template(text)),
            None => name.clone(),
        }
    });
    page.names("external_tools", &external.collect::<Vec<_>>());
}
