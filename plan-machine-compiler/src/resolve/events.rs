//! Resolves commands, signals, the machine's tools, and host tools.

use plan_machine_kernel::command::{ArgumentKind, Pattern};

use super::{Resolver, declare, text};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::EventId;
use crate::model::machine::{Command, Event, EventKind};
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::ast::{self, Spec};

impl Resolver<'_> {
    /// Declares the events; `other_tools` is the last of them.
    pub(super) fn declare_events(&mut self, spec: &Spec) {
        for command in &spec.commands {
            self.declare_command(command);
        }
        for signal in &spec.signals {
            self.refuse_reviewed(signal.reviewed, "a signal");
            let input = self.input_of(&signal.input);
            let doc = text(signal.doc.as_ref());
            self.add_event(&signal.name, doc, EventKind::Signal, input);
        }
        for tool in &spec.tools {
            self.refuse_reviewed(tool.reviewed, "a tool");
            let input = self.input_of(&tool.input);
            let kind = EventKind::Tool {
                read: tool.read,
                external: tool.external,
            };
            self.add_event(&tool.name, text(tool.doc.as_ref()), kind, input);
        }
        self.declare_timers(spec);
        for tool in &spec.external_tools {
            self.declare_external(&tool.name);
        }
        let name = "other_tools".to_owned();
        self.events
            .insert(name.clone(), EventId::at(self.machine.events.len()));
        self.machine.events.push(Event {
            name,
            span: self.machine.span,
            doc: None,
            kind: EventKind::Other,
            input: host_tool_input(self.machine.span),
            unavailable: None,
        });
    }

    fn add_event(
        &mut self,
        name: &ast::Name,
        doc: Option<String>,
        kind: EventKind,
        input: Vec<Field>,
    ) {
        declare::reserved(self.sink, "event", &name.node, name.span);
        if !matches!(kind, EventKind::External) {
            declare::snake_case(self.sink, "event", &name.node, name.span);
        }
        if let Some(first) = self.events.get(&name.node) {
            let first = self.machine.event(*first).span;
            declare::twice(self.sink, "event", &name.node, name.span, first);
            return;
        }
        let id = EventId::at(self.machine.events.len());
        self.events.insert(name.node.clone(), id);
        self.machine.events.push(Event {
            name: name.node.clone(),
            span: name.span,
            doc,
            kind,
            input,
            unavailable: None,
        });
    }

    fn refuse_reviewed(&mut self, reviewed: Option<Span>, what: &str) {
        if let Some(span) = reviewed {
            let message = format!("{what} cannot be `reviewed`: only a command can");
            let help =
                "declare the event under `commands`, with a text such as `/plan approve {token?}`";
            self.report(Diagnostic::new(Code::PM0505, span, message).help(help));
        }
    }

    fn input_of(&mut self, declared: &[ast::Field]) -> Vec<Field> {
        for field in declared {
            if matches!(field.name.as_str(), "plan_id" | "token") {
                let message = format!(
                    "`{}` is a built-in input, so an event cannot declare it",
                    field.name.node
                );
                let help = "remove or rename this input";
                self.report(Diagnostic::new(Code::PM0105, field.name.span, message).help(help));
            }
        }
        self.fields_of(declared, "input")
    }

    fn declare_external(&mut self, name: &ast::Name) {
        if let Some(id) = self.events.get(&name.node).copied() {
            let first = self.machine.event(id);
            if matches!(first.kind, EventKind::Tool { .. }) {
                let message = format!("`{}` is a tool of this machine, not a host tool", name.node);
                let span = first.span;
                let found = Diagnostic::new(Code::PM0506, name.span, message);
                let help = "remove the tool from `external_tools`: the machine itself answers calls to this tool";
                self.report(found.also(span, "declared here").help(help));
                return;
            }
        }
        self.add_event(name, None, EventKind::External, host_tool_input(name.span));
    }

    fn declare_command(&mut self, command: &ast::Command) {
        let pattern = match Pattern::parse(&command.text.node) {
            Ok(pattern) => pattern,
            Err(error) => {
                let span = within_text(&command.text, error.start, error.end);
                self.report(Diagnostic::new(Code::PM0107, span, error.message));
                // The command is still declared, so that its handlers are not reported as well.
                match stand_in(command) {
                    Some(pattern) => pattern,
                    None => return,
                }
            }
        };
        let input = self.arguments(command, &pattern);
        let kind = EventKind::Command(Command {
            pattern,
            reviewed: command.reviewed.is_some(),
            shared: command.shared,
            each: command.each.is_some(),
        });
        if let (Some(span), false) = (command.each, self.machine.is_many()) {
            let message = "`each` needs `instances: many`, but this machine has one instance";
            self.report(Diagnostic::new(Code::PM0107, span, message));
        }
        self.add_event(&command.name, text(command.doc.as_ref()), kind, input);
    }

    /// Returns a command's payload: the arguments in its text, with the types from `input`.
    fn arguments(&mut self, command: &ast::Command, pattern: &Pattern) -> Vec<Field> {
        let typed = self.input_of(&command.input);
        let names: Vec<&str> = pattern.arguments().map(|(name, _)| name).collect();
        for field in &command.input {
            if !names.contains(&field.name.as_str()) {
                self.unknown("argument", &field.name, names.iter().copied());
            }
        }
        let mut input = Vec::new();
        for (name, kind) in pattern.arguments() {
            if matches!(name, "plan_id" | "token") {
                continue;
            }
            let declared = typed.iter().find(|field| field.name == name);
            let mut field = declared
                .cloned()
                .unwrap_or_else(|| plain_argument(name, command));
            self.check_argument(&field, kind);
            if kind == ArgumentKind::Rest && field.default.is_none() && !field.nonblank {
                field.default = Some(Value::text(""));
            }
            if kind == ArgumentKind::Optional && field.default.is_none() {
                field.ty = field.ty.optional();
            }
            input.push(field);
        }
        input
    }

    fn check_argument(&mut self, field: &Field, kind: ArgumentKind) {
        let wordlike = matches!(
            field.ty.required(),
            Type::Text
                | Type::Int
                | Type::Bool
                | Type::Time
                | Type::Id
                | Type::Enum(_)
                | Type::Unknown
        );
        let rest = kind == ArgumentKind::Rest && field.ty != Type::Text;
        if !wordlike || rest {
            let message = if rest {
                format!(
                    "`{}` is the rest of the line, so its type must be `string`",
                    field.name
                )
            } else {
                format!(
                    "a value of the type of `{}` cannot be written as a single word of a command",
                    field.name
                )
            };
            self.report(Diagnostic::new(Code::PM0107, field.span, message));
        }
    }
}

/// Returns a valid pattern with the arguments that an invalid command text seems to have.
fn stand_in(command: &ast::Command) -> Option<Pattern> {
    let mut text = format!("/{}", command.name.node);
    for part in command.text.node.split('{').skip(1) {
        let name: String = part
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let longer = format!("{text} {{{name}}}");
        if Pattern::parse(&longer).is_ok() {
            text = longer;
        }
    }
    Pattern::parse(&text).ok()
}

/// Returns the span of a part of a command's text if the source contains the text verbatim, possibly in quotes;
/// otherwise the span of the whole text.
fn within_text(text: &ast::Name, start: usize, end: usize) -> Span {
    let whole = text.span;
    let from = match ((whole.end - whole.start) as usize).checked_sub(text.node.len()) {
        Some(0) => whole.start as usize,
        Some(2) => whole.start as usize + 1,
        _ => return whole,
    };
    if start < end {
        Span::new(whole.file, from + start, from + end)
    } else {
        whole
    }
}

fn plain_argument(name: &str, command: &ast::Command) -> Field {
    Field {
        name: name.to_owned(),
        span: command.text.span,
        doc: None,
        ty: Type::Text,
        max: None,
        nonblank: false,
        default: None,
    }
}

/// Returns the payload of a host tool as transitions see it: `event.tool` and `event.args`.
fn host_tool_input(span: Span) -> Vec<Field> {
    [("tool", Type::Text), ("args", Type::Json)]
        .into_iter()
        .map(|(name, ty)| Field {
            name: name.to_owned(),
            span,
            doc: None,
            ty,
            max: None,
            nonblank: false,
            default: None,
        })
        .collect()
}
