//! Converts the document as written to the model: classes are replaced by their ids.
//!
//! Guarantees after this pass: every class that is used is declared and no name is declared twice, unless a diagnostic
//! was reported.

use std::collections::HashMap;

use plan_machine_kernel::calls::{self, ClassId, CommandRule, GUARD, PathRule, ToolArguments};

use super::ast::{self, Document};
use super::model::{Calls, Example};
use super::rules::unknown_class;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Spanned;
use crate::syntax::ast::Name;

/// Resolves a document; returns `None` if it could not be resolved as a whole.
pub(super) fn resolve(document: &Document, sink: &mut Sink) -> Option<Calls> {
    let mut resolver = Resolver {
        classes: HashMap::new(),
        sink,
    };
    resolver.declare(document);
    let rules = document.rules.iter().map(|rule| resolver.rule(rule));
    let rules: Vec<Option<calls::Rule>> = rules.collect();
    let otherwise = document.otherwise.as_ref();
    let otherwise = otherwise.and_then(|name| resolver.class(name));
    let examples = document.examples.iter();
    let examples: Vec<Example> = examples.map(|one| resolver.example(one)).collect();
    Some(Calls {
        document: calls::Document {
            name: document.name.as_ref()?.node.clone(),
            tools: document.tools.iter().map(tool).collect(),
            classes: document.classes.iter().map(text).collect(),
            rules: rules.into_iter().collect::<Option<_>>()?,
            otherwise: otherwise?,
        },
        doc: document.doc.as_ref().map(text),
        examples,
    })
}

fn text(name: &Name) -> String {
    name.node.clone()
}

fn tool(tool: &ast::Tool) -> ToolArguments {
    ToolArguments {
        name: text(&tool.name),
        command: tool.command.as_ref().map(text),
        folder: tool.folder.as_ref().map(text),
        paths: tool.paths.iter().map(text).collect(),
        patch: tool.patch.as_ref().map(text),
        reads: tool.reads.is_some(),
        ignores: tool.ignores.iter().map(text).collect(),
    }
}

struct Resolver<'d, 's> {
    classes: HashMap<&'d str, ClassId>,
    sink: &'s mut Sink,
}

impl<'d> Resolver<'d, '_> {
    fn declare(&mut self, document: &'d Document) {
        for (id, class) in document.classes.iter().enumerate() {
            if class.node == GUARD {
                let message = format!("`{GUARD}` is built in and cannot be declared");
                let help = "`guard` protects the gate itself and is checked before all rules; give your \
                    class another name";
                let found = Diagnostic::new(Code::PM0105, class.span, message);
                self.sink.push(found.help(help));
            }
            match self.classes.get(class.as_str()) {
                Some(first) => {
                    let first = document.classes[*first].span;
                    self.twice("class", &class.node, class.span, first);
                }
                None => {
                    self.classes.insert(class.as_str(), id);
                }
            }
        }
    }

    fn twice(
        &mut self,
        kind: &str,
        name: &str,
        span: crate::source::Span,
        first: crate::source::Span,
    ) {
        let message = format!("duplicate {kind} `{name}`");
        let found = Diagnostic::new(Code::PM0104, span, message);
        let found = found
            .also(first, "first occurrence")
            .help("keep only one of the two");
        self.sink.push(found);
    }

    fn class(&mut self, name: &Name) -> Option<ClassId> {
        let known = self.classes.get(name.as_str()).copied();
        // If no class is declared, every use of a class would repeat the same problem.
        if known.is_none() && !self.classes.is_empty() {
            let mut known: Vec<(&str, ClassId)> = self
                .classes
                .iter()
                .map(|(class, id)| (*class, *id))
                .collect();
            known.sort_unstable_by_key(|(_, id)| *id);
            let known: Vec<&str> = known.into_iter().map(|(class, _)| class).collect();
            let found = unknown_class(self.sink, name, &known);
            self.sink.push(found);
        }
        known
    }

    fn rule(&mut self, rule: &ast::Rule) -> Option<calls::Rule> {
        self.distinct(
            "tool",
            rule.tools.iter().map(|tool| (tool.node.clone(), tool.span)),
        );
        for (kind, items, between) in [
            ("command", &rule.command, " "),
            ("folder", &rule.path, "/"),
            ("argument", &rule.arguments, ""),
        ] {
            let items = items.iter().flat_map(|items| &items.node);
            self.distinct(kind, items.map(|item| (item.node.join(between), item.span)));
        }
        let nodes = |items: &Spanned<Vec<Spanned<Vec<String>>>>| -> Vec<Vec<String>> {
            items.node.iter().map(|item| item.node.clone()).collect()
        };
        Some(calls::Rule {
            tools: rule.tools.iter().map(text).collect(),
            command: rule
                .command
                .as_ref()
                .map(|items| CommandRule { only: nodes(items) }),
            path: rule.path.as_ref().map(|items| PathRule {
                under: nodes(items),
            }),
            arguments: rule
                .arguments
                .as_ref()
                .map(|items| nodes(items).into_iter().flatten().collect()),
            class: self.class(&rule.class)?,
        })
    }

    /// Reports names that a rule lists twice.
    fn distinct(&mut self, kind: &str, names: impl Iterator<Item = (String, crate::source::Span)>) {
        let mut seen = HashMap::new();
        for (name, span) in names {
            if let Some(first) = seen.get(&name) {
                self.twice(kind, &name, span, *first);
            } else {
                seen.insert(name, span);
            }
        }
    }

    fn example(&mut self, example: &ast::Example) -> Example {
        if example.class.node != GUARD {
            self.class(&example.class);
        }
        Example {
            span: example.span,
            tool: text(&example.tool),
            arguments: example.arguments.clone(),
            class: example.class.clone(),
            is_implied: false,
        }
    }
}
