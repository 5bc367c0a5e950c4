//! Turns the syntax tree into the model: every name is resolved, and every expression is typed.
//!
//! Guarantees: all ids point into the model's tables. Unless a diagnostic is reported, expressions have the required
//! types, and an optional is read only where it is set, as far as this pass can prove it; the exploration examines the
//! other reads.

mod actor;
#[cfg(feature = "sessions")]
pub(crate) mod claim;
mod declare;
mod events;
pub(crate) mod expected;
pub(crate) mod given;
mod invariants;
pub(crate) mod limits;
pub(crate) mod literal;
mod requirements;
pub(crate) mod scenarios;
mod states;
mod timers;
mod transitions;
mod types;
mod typing;
mod wording;

use std::collections::HashMap;

use plan_machine_kernel::suggest::nearest;

use crate::diagnostic::{Code, Diagnostic, Loss, Sink};
use crate::model::machine::{Event, EventKind, Instances, Machine};
use crate::model::types::Field;
use crate::model::{EffectId, EventId, FieldId, StateId, TypeId};
use crate::syntax::ast::{Name, Spec};

/// Resolves names while the model is being built.
struct Resolver<'a> {
    machine: Machine,
    sink: &'a mut Sink,
    states: HashMap<String, StateId>,
    events: HashMap<String, EventId>,
    fields: HashMap<String, FieldId>,
    effects: HashMap<String, EffectId>,
    types: HashMap<String, TypeId>,
    /// Whether the handler that is being resolved reads `event.actor`.
    reads_actor: bool,
    /// Whether any handler reads `event.actor`.
    knows_actor: bool,
}

/// Resolves a spec. The model is complete even if diagnostics were reported, so that the rules can examine all of it;
/// only a spec without errors is ever run.
pub(crate) fn resolve(spec: &Spec, sink: &mut Sink) -> Machine {
    let mut resolver = Resolver {
        machine: empty(spec),
        sink,
        states: HashMap::new(),
        events: HashMap::new(),
        fields: HashMap::new(),
        effects: HashMap::new(),
        types: HashMap::new(),
        reads_actor: false,
        knows_actor: false,
    };
    resolver.declare_types(spec);
    resolver.declare_data(spec);
    resolver.declare_effects(spec);
    resolver.declare_events(spec);
    let pending = resolver.declare_states(spec);
    resolver.resolve_lists(spec);
    declare::check_names(&resolver.machine, resolver.sink);
    resolver.add_actor();
    resolver.resolve_transitions(&pending);
    resolver.resolve_entries(&pending);
    resolver.settle_actor();
    resolver.resolve_wording(spec, &pending);
    resolver.sink.set_aside(true);
    resolver.resolve_invariants(spec);
    resolver.resolve_scenarios(spec);
    resolver.sink.set_aside(false);
    resolver.machine
}

fn empty(spec: &Spec) -> Machine {
    let many = spec.many.is_some_and(|many| many.node);
    let max_live = spec.max_live.map(|bound| bound.node.unsigned_abs());
    let instances = if many {
        Instances::Many { max_live }
    } else {
        Instances::One
    };
    Machine {
        name: spec
            .machine
            .as_ref()
            .map_or_else(String::new, |name| name.node.clone()),
        span: spec
            .machine
            .as_ref()
            .map_or_else(Default::default, |name| name.span),
        doc: text(spec.doc.as_ref()),
        version: spec
            .version
            .map_or(1, |version| version.node.unsigned_abs()),
        meaning: String::new(),
        fingerprint: String::new(),
        earlier_fingerprint: String::new(),
        deny_warnings: spec.deny_warnings,
        instances,
        review: Vec::new(),
        summary: Vec::new(),
        context: Vec::new(),
        types: Vec::new(),
        data: Vec::new(),
        events: Vec::new(),
        effects: Vec::new(),
        states: Vec::new(),
        handlers: Vec::new(),
        transitions: Vec::new(),
        invariants: Vec::new(),
        scenarios: Vec::new(),
    }
}

fn text(name: Option<&Name>) -> Option<String> {
    name.map(|name| name.node.clone())
}

/// Returns whether the name of an unknown state was probably meant to say what happens to a host tool. In a spec, the
/// words `run` and `deny` are written in the same place as a target state.
fn is_meant_for_a_tool(name: &str) -> bool {
    matches!(name, "allow" | "record" | "recorded") || nearest(name, ["run", "deny"]).is_some()
}

/// Reports an undeclared name.
fn unknown<'n>(sink: &mut Sink, kind: &str, name: &Name, known: impl IntoIterator<Item = &'n str>) {
    let message = format!("unknown {kind} `{}`", name.node);
    let mut known = known.into_iter().peekable();
    let has_none = known.peek().is_none();
    let mut found = Diagnostic::new(Code::PM0102, name.span, message)
        .did_you_mean_one_of(sink, &name.node, known);
    if kind == "effect" && has_none {
        found = found.help(format!(
            "the machine has no effects: declare `{}` in its spec, or remove it here",
            name.node
        ));
    }
    if kind == "state" && is_meant_for_a_tool(&name.node) {
        found = found.help(
            "the entry of a host tool is `run`, `deny`, or a transition that records the call",
        );
    }
    let loss = match kind {
        "state" => Loss::Target,
        "event" => Loss::Handler,
        "field" => Loss::Field,
        "effect" => Loss::Effect,
        _ => Loss::Text,
    };
    sink.lose(loss);
    sink.push_unknown(found, &name.node);
}

/// Returns the id of the field with this name.
fn position(fields: &[Field], name: &str) -> Option<FieldId> {
    let found = fields.iter().position(|field| field.name == name);
    found.map(FieldId::at)
}

impl Resolver<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.sink.push_lost(diagnostic);
    }

    /// Reports an undeclared name.
    fn unknown<'n>(&mut self, kind: &str, name: &Name, known: impl IntoIterator<Item = &'n str>) {
        unknown(self.sink, kind, name, known);
    }

    fn state(&mut self, name: &Name) -> Option<StateId> {
        let found = self.states.get(&name.node).copied();
        if found.is_none() {
            let known: Vec<String> = self.machine.states.iter().map(|s| s.name.clone()).collect();
            self.unknown("state", name, known.iter().map(String::as_str));
        }
        found
    }

    /// Returns the events that a spec can name: all events except the timers.
    fn sendable(&self) -> impl Iterator<Item = &Event> {
        let all = self.machine.events.iter();
        all.filter(|event| !matches!(event.kind, EventKind::Timer(_)))
    }

    /// Returns the event with this name; `other_tools` counts as an event.
    fn event(&mut self, name: &Name) -> Option<EventId> {
        let found = self.events.get(&name.node).copied();
        if found.is_none() {
            let known: Vec<String> = self.sendable().map(|e| e.name.clone()).collect();
            self.unknown("event", name, known.iter().map(String::as_str));
        }
        found
    }

    fn field(&mut self, name: &Name) -> Option<FieldId> {
        self.names().field(name)
    }

    fn effect(&mut self, name: &Name) -> Option<EffectId> {
        self.names().effect(name)
    }

    /// Resolves the top-level lists of fields, `review` and `summary`, and checks `max_live`.
    fn resolve_lists(&mut self, spec: &Spec) {
        self.machine.review = spec
            .review
            .iter()
            .filter_map(|path| self.data_path(path))
            .collect();
        self.machine.summary = spec
            .summary
            .iter()
            .filter_map(|name| self.field(name))
            .collect();
        if let (Some(max), false) = (spec.max_live, self.machine.is_many()) {
            let message = "`max_live` needs `instances: many`, but this machine has one instance";
            self.report(Diagnostic::new(Code::PM0107, max.span, message));
        }
    }
}
