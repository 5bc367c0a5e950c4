//! Names: none is declared twice, none is reserved, no two become one in Rust.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::names::{type_name, value_name};
use crate::model::types::Field;
use crate::source::Span;
use crate::syntax::expr::WORDS;

/// Names that mean something by themselves where a name of the spec could stand.
const RESERVED: [&str; 33] = [
    "none",
    "final",
    "event",
    "plan",
    "plans",
    "plan_id",
    "token",
    "data",
    "context",
    "item",
    "index",
    "now",
    "run",
    "deny",
    "other_tools",
    "always",
    "never",
    "can",
    "reach",
    "by",
    "only",
    "changes",
    "emitted",
    "emits",
    "after",
    "id",
    "revision",
    "edition",
    "state",
    "previous",
    "record",
    "typed",
    "into_state",
];

/// Words of Rust that cannot be made names even as raw identifiers.
const NEVER: [&str; 4] = ["self", "super", "crate", "Self"];

/// Types that stand beside the plan in the generated module, or that it takes from Rust itself.
const BESIDE_THE_PLAN: [&str; 24] = [
    "Accepted", "After", "Answer", "Command", "Context", "Cx", "Data", "Effect", "Event", "Held",
    "Machine", "NoPlan", "Record", "State", "Summary", "Tool", "Typed", "Box", "Default", "From",
    "Option", "Result", "String", "Vec",
];

/// Reports the first declaration of a name beside the second.
pub(super) fn twice(sink: &mut Sink, kind: &str, name: &str, span: Span, first: Span) {
    let message = format!("the {kind} `{name}` is declared twice");
    let found = Diagnostic::new(Code::PM0104, span, message).also(first, "first here");
    sink.push(found.help(match kind {
        "event" => "commands, signals and tools share one set of names: give one of them another",
        "state" => "a name stands for one state of the whole tree: give one of them another",
        _ => "keep one of them, or give them different names",
    }));
}

/// Reports a name that is reserved.
pub(super) fn reserved(sink: &mut Sink, kind: &str, name: &str, span: Span) {
    if RESERVED.contains(&name) || WORDS.contains(&name) {
        let article = if kind == "event" { "an" } else { "a" };
        let message =
            format!("`{name}` is a word of the language and cannot name {article} {kind}");
        let help = format!("another name, such as `the_{name}`, will do");
        sink.push(Diagnostic::new(Code::PM0105, span, message).help(help));
    }
}

/// Reports a name that is not in snake case.
pub(super) fn snake_case(sink: &mut Sink, kind: &str, name: &str, span: Span) {
    if name.chars().any(|c| c.is_ascii_uppercase()) {
        let message = format!("the {kind} `{name}` is not in snake case");
        let help = format!("write `{}`", value_name(name));
        sink.push(Diagnostic::new(Code::PM0107, span, message).help(help));
    }
}

/// Reports a name that the generated Rust cannot have.
fn taken(sink: &mut Sink, kind: &str, name: &str, rust: &str, span: Span) {
    let message = format!("the {kind} `{name}` would become `{rust}`, which is taken in Rust");
    let other = match kind {
        "machine" => format!("{}Plan", type_name(name)),
        _ => format!("the_{}", value_name(name)),
    };
    let help = format!("another name, such as `{other}`, will do");
    sink.push(Diagnostic::new(Code::PM0105, span, message).help(help));
}

/// Names that must stay apart in Rust, by what each becomes.
struct RustNames<'a> {
    sink: &'a mut Sink,
    known: BTreeMap<String, (String, &'static str, Span)>,
}

impl<'a> RustNames<'a> {
    fn new(sink: &'a mut Sink) -> Self {
        Self {
            sink,
            known: BTreeMap::new(),
        }
    }

    /// Takes a name, or reports that another has taken it.
    fn take(&mut self, kind: &'static str, name: &str, rust: String, span: Span) -> bool {
        if NEVER.contains(&rust.as_str()) {
            taken(self.sink, kind, name, &rust, span);
            return false;
        }
        if let Some((other, other_kind, first)) = self.known.get(&rust) {
            // Two equal names of one kind are told as such elsewhere.
            if other != name || *other_kind != kind {
                let message = format!(
                    "the {kind} `{name}` and the {other_kind} `{other}` both become `{rust}` in Rust"
                );
                let found = Diagnostic::new(Code::PM0106, span, message);
                let help = "rename one of them: the generated Rust needs both names";
                self.sink
                    .push(found.also(*first, "the other one").help(help));
            }
            return false;
        }
        self.known.insert(rust, (name.to_owned(), kind, span));
        true
    }

    fn fields(sink: &'a mut Sink, kind: &'static str, fields: &[Field]) {
        let mut names = Self::new(sink);
        for field in fields {
            names.take(kind, &field.name, value_name(&field.name), field.span);
        }
    }
}

/// Holds the machine's names apart in Rust.
pub(super) fn check_names(machine: &Machine, sink: &mut Sink) {
    machine_name(machine, sink);
    state_names(machine, sink);
    event_names(machine, sink);
    type_names(machine, sink);
    RustNames::fields(sink, "context field", &machine.context);
    let mut effects = RustNames::new(sink);
    for effect in &machine.effects {
        effects.take("effect", &effect.name, type_name(&effect.name), effect.span);
    }
    for effect in &machine.effects {
        RustNames::fields(sink, "field", &effect.fields);
    }
}

/// A machine is a module, and a type in it.
fn machine_name(machine: &Machine, sink: &mut Sink) {
    let (module, plan) = (value_name(&machine.name), type_name(&machine.name));
    if NEVER.contains(&module.as_str()) || BESIDE_THE_PLAN.contains(&plan.as_str()) {
        taken(sink, "machine", &machine.name, &plan, machine.span);
    }
}

/// A state is a type, and a function.
fn state_names(machine: &Machine, sink: &mut Sink) {
    let mut states = RustNames::new(sink);
    for state in &machine.states {
        let function = value_name(&state.name);
        let rust = if NEVER.contains(&function.as_str()) {
            function
        } else {
            type_name(&state.name)
        };
        states.take("state", &state.name, rust, state.span);
    }
}

/// An event is a method, as the fields of the data are.
fn event_names(machine: &Machine, sink: &mut Sink) {
    let mut methods = RustNames::new(sink);
    for field in &machine.data {
        methods.take("field", &field.name, value_name(&field.name), field.span);
    }
    let own = |event: &&Event| !matches!(event.kind, EventKind::External | EventKind::Other);
    let mut apart = Vec::new();
    for event in machine.events.iter().filter(own) {
        if methods.take("event", &event.name, value_name(&event.name), event.span) {
            apart.push(event);
        }
    }
    // It is a type as well, its payload: `add_1` and `add1` are two methods, one type.
    let mut payloads = RustNames::new(sink);
    for event in &apart {
        let rust = type_name(&event.name);
        if rust == "HostTool" {
            taken(payloads.sink, "event", &event.name, &rust, event.span);
        }
        payloads.take("event", &event.name, rust, event.span);
    }
    for event in apart {
        RustNames::fields(sink, "input", &event.input);
    }
}

fn type_names(machine: &Machine, sink: &mut Sink) {
    let mut types = RustNames::new(sink);
    for ty in &machine.types {
        types.take("type", &ty.name, type_name(&ty.name), ty.span);
    }
    for ty in &machine.types {
        RustNames::fields(sink, "field", ty.fields());
        let mut values = RustNames::new(sink);
        for value in ty.values() {
            values.take("value", value, type_name(value), ty.span);
        }
    }
}
