//! Checks names: no name may be declared twice or become the same Rust name as another, and no event, state, data field
//! or context field may have a reserved name.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::apart::RustNames;
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::names::{is_never_a_name, type_name, value_name};
use crate::model::types::Field;
use crate::source::Span;
use crate::syntax::expr::WORDS;

/// Names that already have a meaning in places where a name from the spec could appear.
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

/// Types that the generated module defines besides the plan, or uses from the Rust standard library.
const BESIDE_THE_PLAN: [&str; 24] = [
    "AcceptedStep",
    "Command",
    "Context",
    "Cx",
    "Data",
    "Effect",
    "Event",
    "HeldPlans",
    "Machine",
    "NoPlan",
    "PendingReply",
    "Record",
    "State",
    "StepEnd",
    "Summary",
    "Tool",
    "Typed",
    "Box",
    "Default",
    "From",
    "Option",
    "Result",
    "String",
    "Vec",
];

/// Reports the second declaration of a name, together with the first.
pub(super) fn twice(sink: &mut Sink, kind: &str, name: &str, span: Span, first: Span) {
    let message = format!("the {kind} `{name}` is declared twice");
    let found = Diagnostic::new(Code::PM0104, span, message).also(first, "first declared here");
    sink.push(found.help(match kind {
        "event" => "commands, signals and tools share one namespace: rename one of the two",
        "state" => "a state name must be unique in the whole tree: rename one of the two states",
        _ => "keep one of the two, or give them different names",
    }));
}

/// Reports a name that is reserved.
pub(super) fn reserved(sink: &mut Sink, kind: &str, name: &str, span: Span) {
    if RESERVED.contains(&name) || WORDS.contains(&name) {
        let article = if kind == "event" { "an" } else { "a" };
        let message =
            format!("`{name}` is a reserved word and cannot be the name of {article} {kind}");
        let help = format!("use another name, such as `the_{name}`");
        sink.push(Diagnostic::new(Code::PM0105, span, message).help(help));
    }
}

/// Reports a name that is not in snake case.
pub(super) fn snake_case(sink: &mut Sink, kind: &str, name: &str, span: Span) {
    if name.chars().any(|c| c.is_ascii_uppercase()) {
        let message = format!("the {kind} `{name}` is not in snake case");
        let meant = value_name(name);
        let help = format!("write `{meant}`");
        sink.push(Diagnostic::new(Code::PM0107, span, message).help(help));
        sink.lose_names(&meant);
    }
}

/// Reports a name that cannot be used in the generated Rust code.
fn taken(sink: &mut Sink, kind: &str, name: &str, rust: &str, span: Span) {
    let message = if name == rust {
        format!(
            "the {kind} cannot be called `{name}`: this name is not available in the generated Rust code"
        )
    } else {
        format!(
            "the {kind} `{name}` would become `{rust}`, which is not available in the generated Rust code"
        )
    };
    let other = match kind {
        "machine" => format!("{}Plan", type_name(name)),
        _ => format!("the_{}", value_name(name)),
    };
    let help = format!("use another name, such as `{other}`");
    sink.push(Diagnostic::new(Code::PM0105, span, message).help(help));
}

/// Adds a name, or reports why it cannot be used in Rust. Returns whether the name was added.
fn take(
    names: &mut RustNames<'_>,
    kind: &'static str,
    name: &str,
    rust: String,
    span: Span,
) -> bool {
    if is_never_a_name(&rust) {
        taken(names.sink, kind, name, &rust, span);
        return false;
    }
    names.take(kind, name, rust, span)
}

/// Returns whether an event has a method: somebody sends it, and it is not a call to a host tool.
fn has_method(event: &Event) -> bool {
    !matches!(
        event.kind,
        EventKind::External | EventKind::Other | EventKind::Timer(_)
    )
}

/// Reports a field or an event named `due` in a machine with timers: its plans have a method `due`, which returns the
/// instant at which the next timer is due.
fn check_due(machine: &Machine, sink: &mut Sink) {
    if !machine.has_timers() {
        return;
    }
    let fields = machine.data.iter();
    let fields = fields.map(|field| ("field", &field.name, field.span));
    let events = machine.events.iter().filter(|event| has_method(event));
    let events = events.map(|event| ("event", &event.name, event.span));
    for (kind, name, span) in fields.chain(events) {
        if value_name(name) == "due" {
            taken(sink, kind, name, "due", span);
        }
    }
}

fn fields(sink: &mut Sink, kind: &'static str, fields: &[Field]) {
    let mut names = RustNames::new(sink);
    for field in fields {
        take(
            &mut names,
            kind,
            &field.name,
            value_name(&field.name),
            field.span,
        );
    }
}

/// Checks that the machine's names stay distinct in Rust.
pub(super) fn check_names(machine: &Machine, sink: &mut Sink) {
    machine_name(machine, sink);
    state_names(machine, sink);
    event_names(machine, sink);
    check_due(machine, sink);
    type_names(machine, sink);
    fields(sink, "context field", &machine.context);
    let mut effects = RustNames::new(sink);
    for effect in &machine.effects {
        take(
            &mut effects,
            "effect",
            &effect.name,
            type_name(&effect.name),
            effect.span,
        );
    }
    for effect in &machine.effects {
        fields(sink, "field", &effect.fields);
    }
}

/// Checks the machine's name, which becomes the name of a module and of a type in that module.
fn machine_name(machine: &Machine, sink: &mut Sink) {
    let (module, plan) = (value_name(&machine.name), type_name(&machine.name));
    if is_never_a_name(&module) || BESIDE_THE_PLAN.contains(&plan.as_str()) {
        taken(sink, "machine", &machine.name, &plan, machine.span);
    }
}

/// Checks the names of states: each becomes a type and a function.
fn state_names(machine: &Machine, sink: &mut Sink) {
    let mut states = RustNames::new(sink);
    for state in &machine.states {
        let function = value_name(&state.name);
        let rust = if is_never_a_name(&function) {
            function
        } else {
            type_name(&state.name)
        };
        take(&mut states, "state", &state.name, rust, state.span);
    }
}

/// Checks the names of events: each becomes a method, as do the fields of the data.
fn event_names(machine: &Machine, sink: &mut Sink) {
    let mut methods = RustNames::new(sink);
    for field in &machine.data {
        take(
            &mut methods,
            "field",
            &field.name,
            value_name(&field.name),
            field.span,
        );
    }
    let mut apart = Vec::new();
    for event in machine.events.iter().filter(|event| has_method(event)) {
        if take(
            &mut methods,
            "event",
            &event.name,
            value_name(&event.name),
            event.span,
        ) {
            apart.push(event);
        }
    }
    // The payload of an event is a type: `add_1` and `add1` are different methods, but their payloads would be the same
    // type.
    let mut payloads = RustNames::new(sink);
    for event in &apart {
        let rust = type_name(&event.name);
        if rust == "HostTool" {
            taken(payloads.sink, "event", &event.name, &rust, event.span);
        }
        take(&mut payloads, "event", &event.name, rust, event.span);
    }
    for event in apart {
        fields(sink, "input", &event.input);
    }
}

fn type_names(machine: &Machine, sink: &mut Sink) {
    let mut types = RustNames::new(sink);
    for ty in &machine.types {
        take(&mut types, "type", &ty.name, type_name(&ty.name), ty.span);
    }
    for ty in &machine.types {
        fields(sink, "field", ty.fields());
        let mut values = RustNames::new(sink);
        for value in ty.values() {
            take(&mut values, "value", value, type_name(value), ty.span);
        }
    }
}
