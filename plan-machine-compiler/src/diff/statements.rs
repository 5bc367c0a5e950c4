//! Everything that a spec states, as facts that can be compared one by one.
//!
//! The nodes of the syntax tree are destructured completely, so that this module does not compile if a field is added
//! to the language but not compared.

use super::changes::{Concern, Fact};
use super::facts::{Facts, names};
use super::handling;
use crate::syntax::ast::{
    Command, Effect, Expr, ExternalTool, Field, Invariant, Name, Signal, Spec, Tool, TypeDecl,
    TypeKind,
};
use crate::syntax::dsl::line;

pub(super) fn facts(spec: &Spec) -> Vec<Fact> {
    let mut facts = Facts::default();
    facts.spec(spec);
    facts.into_all()
}

impl Facts {
    fn spec(&mut self, spec: &Spec) {
        let Spec {
            machine,
            doc: _,
            version,
            deny_warnings: _,
            many,
            max_live,
            review,
            summary,
            context,
            types,
            data,
            commands,
            signals,
            tools,
            effects,
            external_tools,
            other_tools,
            states,
            invariants,
            scenarios: _,
        } = spec;
        let machine = written(machine.as_ref(), |name| name.node.clone());
        self.some("machine", "", machine);
        let version = version.as_ref().map_or(1, |version| version.node);
        self.add("version", "", vec![version.to_string()]);
        let many = written(many.as_ref(), |many| {
            let word = if many.node { "many" } else { "one" };
            word.to_owned()
        });
        self.some("instances", "", many);
        let most = written(max_live.as_ref(), |max| max.node.to_string());
        self.some("max_live", "", most);
        let review = review.iter().map(line::path).collect();
        self.marked(Concern::Review, "reviewed fields", "", review);
        self.some("summary", "", names(summary));
        let external = external_tools.iter().map(|tool| tool.name.node.clone());
        self.some("external_tools", "", external.collect());
        for ExternalTool { name, unavailable } in external_tools {
            self.unavailable(name, unavailable.as_ref());
        }
        self.fields("context field", "order of context", context);
        self.fields("field", "order of data", data);
        self.each(
            "order of types",
            types,
            |found| &found.name,
            Self::declared_type,
        );
        self.each(
            "order of commands",
            commands,
            |found| &found.name,
            Self::command,
        );
        self.each(
            "order of signals",
            signals,
            |found| &found.name,
            Self::signal,
        );
        self.each("order of tools", tools, |found| &found.name, Self::tool);
        self.each(
            "order of effects",
            effects,
            |found| &found.name,
            Self::effect,
        );
        if let Some(handler) = other_tools {
            self.add("other_tools", "", handling::handler_parts(handler));
        }
        handling::states(self, states);
        for found in invariants {
            self.invariant(found);
        }
    }

    /// Adds the facts of each declaration, and the order of their names.
    fn each<'d, D>(
        &mut self,
        order: &'static str,
        all: &'d [D],
        name: fn(&'d D) -> &'d Name,
        add: fn(&mut Self, &'d D),
    ) {
        for declared in all {
            add(self, declared);
        }
        self.order(order, "", all.iter().map(name));
    }

    fn fields(&mut self, what: &'static str, order: &'static str, fields: &[Field]) {
        for field in fields {
            self.add(what, &field.name.node, field_parts(field));
        }
        self.order(order, "", fields.iter().map(|field| &field.name));
    }

    fn declared_type(&mut self, declared: &TypeDecl) {
        let TypeDecl { name, doc: _, kind } = declared;
        let parts = match kind {
            TypeKind::Enum(values) => vec![format!("enum {}", names(values).join(" | "))],
            TypeKind::Record(fields) => fields.iter().map(field_words).collect(),
        };
        self.add("type", &name.node, parts);
    }

    fn command(&mut self, command: &Command) {
        let Command {
            name,
            text,
            input,
            doc: _,
            reviewed,
            shared,
            each,
            unavailable,
        } = command;
        self.unavailable(name, unavailable.as_ref());
        let mut parts = vec![line::text(text)];
        parts.extend(flag("shared", *shared));
        parts.extend(flag("each", each.is_some()));
        parts.extend(inputs(input));
        self.add("command", &name.node, parts);
        if reviewed.is_some() {
            let carries = "must carry the token of the content that was shown".to_owned();
            self.marked(
                Concern::Approval,
                "reviewed command",
                &name.node,
                vec![carries],
            );
        }
    }

    fn signal(&mut self, signal: &Signal) {
        let Signal {
            name,
            input,
            doc: _,
            // Only commands can be `reviewed`, so this field is never set in a valid version.
            reviewed: _,
            unavailable,
        } = signal;
        self.unavailable(name, unavailable.as_ref());
        self.add("signal", &name.node, inputs(input).collect());
    }

    fn tool(&mut self, tool: &Tool) {
        let Tool {
            name,
            doc,
            input,
            read,
            external,
            // Only commands can be `reviewed`, so this field is never set in a valid version.
            reviewed: _,
            unavailable,
        } = tool;
        self.unavailable(name, unavailable.as_ref());
        let mut parts: Vec<String> = flag("read", *read).into_iter().collect();
        parts.extend(inputs(input));
        self.add("tool", &name.node, parts);
        self.some(
            "documentation of tool",
            &name.node,
            read_by_the_model(doc.as_ref(), input),
        );
        if *external {
            let words = "may change the outside world, and is denied while another machine does not let host tools run";
            self.marked(
                Concern::Gating,
                "external tool",
                &name.node,
                vec![words.to_owned()],
            );
        }
    }

    /// Adds the text for the denials of an event, which affects only their wording.
    fn unavailable(&mut self, event: &Name, text: Option<&Expr>) {
        let parts = text.into_iter().map(line::template).collect();
        self.some("wording of the denial of", &event.node, parts);
    }

    fn effect(&mut self, effect: &Effect) {
        let Effect {
            name,
            doc: _,
            fields,
            external,
        } = effect;
        let mut parts: Vec<String> = flag("external", *external).into_iter().collect();
        parts.extend(fields.iter().map(field_words));
        self.add("effect", &name.node, parts);
    }

    fn invariant(&mut self, invariant: &Invariant) {
        let Invariant {
            name,
            property: _,
            text,
        } = invariant;
        self.add("invariant", &name.node, vec![text.clone()]);
    }
}

/// Returns the documentation of a tool and of its inputs, which the model reads.
fn read_by_the_model(doc: Option<&Name>, input: &[Field]) -> Vec<String> {
    let of_fields = input.iter().filter_map(|field| {
        let doc = field.doc.as_ref()?;
        Some(format!("{}: {}", field.name.node, line::text(doc)))
    });
    let doc = doc.into_iter().map(line::text);
    doc.chain(of_fields).collect()
}

/// Describes an optional value; empty if there is none.
fn written<T>(found: Option<&T>, words: impl Fn(&T) -> String) -> Vec<String> {
    found.into_iter().map(words).collect()
}

fn flag(word: &str, set: bool) -> Option<String> {
    set.then(|| word.to_owned())
}

fn inputs(fields: &[Field]) -> impl Iterator<Item = String> {
    fields
        .iter()
        .map(|field| format!("input {}", field_words(field)))
}

/// Describes a field of a record, an input or an effect.
fn field_words(field: &Field) -> String {
    format!("{}: {}", field.name.node, field_parts(field).join(", "))
}

fn field_parts(field: &Field) -> Vec<String> {
    let Field {
        name: _,
        ty,
        max,
        nonblank,
        default,
        doc: _,
    } = field;
    let mut parts = vec![line::type_expr(&ty.node)];
    parts.extend(written(max.as_ref(), |max| format!("max {}", max.node)));
    parts.extend(flag("nonblank", nonblank.is_some()));
    parts.extend(written(default.as_ref(), |default| {
        format!("default {}", line::literal(default))
    }));
    parts
}
