//! Names: none is declared twice, none is reserved, no two become one in Rust.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::names::{type_name, value_name};
use crate::source::Span;
use crate::syntax::expr::WORDS;

/// Names that mean something by themselves where a name of the spec could stand.
const RESERVED: [&str; 37] = [
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
    // Words of Rust that cannot be made names even as raw identifiers.
    "self",
    "super",
    "crate",
    "Self",
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

/// Names that must stay apart in Rust, by what each becomes.
struct RustNames<'a> {
    sink: &'a mut Sink,
    taken: BTreeMap<String, (String, &'static str, Span)>,
}

impl<'a> RustNames<'a> {
    fn new(sink: &'a mut Sink) -> Self {
        Self {
            sink,
            taken: BTreeMap::new(),
        }
    }

    /// Takes a name, or reports that another has taken it.
    fn take(&mut self, kind: &'static str, name: &str, rust: String, span: Span) -> bool {
        if let Some((other, other_kind, first)) = self.taken.get(&rust) {
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
        self.taken.insert(rust, (name.to_owned(), kind, span));
        true
    }
}

/// Holds the machine's names apart in Rust.
pub(super) fn check_names(machine: &Machine, sink: &mut Sink) {
    let mut states = RustNames::new(sink);
    for state in &machine.states {
        states.take("state", &state.name, type_name(&state.name), state.span);
    }
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
    // An event is a method and a type, its payload: `add_1` and `add1` are two methods, one type.
    let mut payloads = RustNames::new(sink);
    for event in apart {
        payloads.take("event", &event.name, type_name(&event.name), event.span);
    }
    let mut effects = RustNames::new(sink);
    for effect in &machine.effects {
        effects.take("effect", &effect.name, type_name(&effect.name), effect.span);
    }
    let mut types = RustNames::new(sink);
    for ty in &machine.types {
        types.take("type", &ty.name, type_name(&ty.name), ty.span);
    }
    for ty in &machine.types {
        let mut values = RustNames::new(sink);
        for value in ty.values() {
            values.take("value", value, type_name(value), ty.span);
        }
    }
}
