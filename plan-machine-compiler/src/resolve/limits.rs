//! Limits on how much a spec may declare. Each limit is far beyond what people write; together, the limits bound the
//! time and memory needed for any spec.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;
use crate::syntax::ast::{
    Emit, Field, Handler, HandlerKind, Name, Require, Spec, State, Transition, TypeKind,
};

/// The maximum number of states, including composites.
const STATES: usize = 1_000;
/// The maximum number of commands, signals, tools and external tools together.
const EVENTS: usize = 1_000;
/// The maximum number of effects.
const EFFECTS: usize = 1_000;
/// The maximum number of data fields.
const FIELDS: usize = 1_000;
/// The maximum number of fields of one event, of one effect, or of the context.
const INPUT: usize = 200;
/// The maximum number of fields of all events, effects and the context together, including the arguments of commands.
const INPUTS: usize = 5_000;
/// The maximum number of values of all enums together.
const VALUES: usize = 10_000;
/// The maximum number of alternatives of all handlers together.
const TRANSITIONS: usize = 10_000;
/// The maximum number of alternatives of one handler.
const ALTERNATIVES: usize = 500;
/// The maximum number of requirements, or of effects, in one list.
const IN_ONE_PLACE: usize = 200;
/// The maximum number of invariants.
const INVARIANTS: usize = 1_000;
/// The maximum number of scenarios.
const SCENARIOS: usize = 1_000;
/// The maximum number of steps of all scenarios together.
const STEPS: usize = 10_000;

/// Reports every limit that a spec exceeds; returns whether it exceeds any limit.
pub(crate) fn exceed(spec: &Spec, sink: &mut Sink) -> bool {
    let mut limits = Limits {
        sink,
        exceeded: false,
        states: Vec::new(),
        transitions: Vec::new(),
    };
    limits.declarations(spec);
    limits.fields_of(spec);
    limits.handler(spec.other_tools.as_ref());
    for state in &spec.states {
        limits.state(state);
    }
    let (states, transitions) = (
        std::mem::take(&mut limits.states),
        std::mem::take(&mut limits.transitions),
    );
    limits.most(STATES, "states", &states);
    limits.most(TRANSITIONS, "transitions", &transitions);
    limits.exceeded
}

struct Limits<'a> {
    sink: &'a mut Sink,
    exceeded: bool,
    states: Vec<Span>,
    transitions: Vec<Span>,
}

impl Limits<'_> {
    /// Reports the first item beyond the limit.
    fn most(&mut self, most: usize, what: &str, all: &[Span]) {
        let Some(one_more) = all.get(most) else {
            return;
        };
        let message = format!("{} {what} exceed the limit of {most} for a spec", all.len());
        let help = "split the machine: a spec this large is not checked";
        let found = Diagnostic::new(Code::PM0101, *one_more, message);
        self.sink
            .push_lost(found.label("the first item beyond the limit").help(help));
        self.exceeded = true;
    }

    /// Reports the first item beyond the limit for one list.
    fn most_in(&mut self, most: usize, what: &str, mut all: impl ExactSizeIterator<Item = Span>) {
        let count = all.len();
        let Some(one_more) = all.nth(most) else {
            return;
        };
        let message = format!("{count} {what} exceed the limit of {most} for one list");
        let found = Diagnostic::new(Code::PM0101, one_more, message);
        self.sink
            .push_lost(found.label("the first item beyond the limit"));
        self.exceeded = true;
    }

    fn declarations(&mut self, spec: &Spec) {
        let commands = spec.commands.iter().map(|one| one.name.span);
        let signals = spec.signals.iter().map(|one| one.name.span);
        let tools = spec.tools.iter().map(|one| one.name.span);
        let external = spec.external_tools.iter().map(|one| one.name.span);
        let events: Vec<Span> = commands
            .chain(signals)
            .chain(tools)
            .chain(external)
            .collect();
        let effects: Vec<Span> = spec.effects.iter().map(|one| one.name.span).collect();
        let values = spec.types.iter().flat_map(|declared| match &declared.kind {
            TypeKind::Enum(values) => &values[..],
            TypeKind::Record(_) => &[],
        });
        let values: Vec<Span> = values.map(|value: &Name| value.span).collect();
        let invariants: Vec<Span> = spec.invariants.iter().map(|one| one.name.span).collect();
        let scenarios: Vec<Span> = spec.scenarios.iter().map(|one| one.name.span).collect();
        let steps = spec.scenarios.iter().flat_map(|one| &one.steps);
        let steps: Vec<Span> = steps.map(|step| step.span).collect();
        self.most(EVENTS, "commands, signals and tools", &events);
        self.most(EFFECTS, "effects", &effects);
        self.most(VALUES, "enum values", &values);
        self.most(INVARIANTS, "invariants", &invariants);
        self.most(SCENARIOS, "scenarios", &scenarios);
        self.most(STEPS, "scenario steps", &steps);
    }

    fn fields_of(&mut self, spec: &Spec) {
        let data: Vec<Span> = spec.data.iter().map(|field| field.name.span).collect();
        self.most(FIELDS, "data fields", &data);
        let commands = spec.commands.iter().map(|one| &one.input);
        let signals = spec.signals.iter().map(|one| &one.input);
        let tools = spec.tools.iter().map(|one| &one.input);
        let effects = spec.effects.iter().map(|one| &one.fields);
        let all = commands.chain(signals).chain(tools).chain(effects);
        let mut together = Vec::new();
        for fields in all.chain([&spec.context]) {
            let spans = fields.iter().map(|field: &Field| field.name.span);
            self.most_in(INPUT, "fields", spans.clone());
            together.extend(spans);
        }
        // An argument in a command's text is a field even if its type is not stated.
        for command in &spec.commands {
            let arguments = command.text.node.matches('{').count();
            let unstated = arguments.saturating_sub(command.input.len());
            together.extend(std::iter::repeat_n(command.text.span, unstated));
        }
        self.most(
            INPUTS,
            "fields of events, effects and the context",
            &together,
        );
    }

    fn state(&mut self, state: &State) {
        self.states.push(state.name.span);
        let required = state.require.iter();
        self.requirements(required.map(|(_, require)| require));
        self.emits(&state.enter);
        self.emits(&state.exit);
        let handlers = state.on.iter().map(|(_, handler)| handler);
        let timers = state.after.iter().map(|timer| &timer.handler);
        for handler in handlers.chain(&state.other_tools).chain(timers) {
            self.handler(Some(handler));
        }
        for child in state.states.iter().flatten() {
            self.state(child);
        }
    }

    fn handler(&mut self, handler: Option<&Handler>) {
        let Some(HandlerKind::Transitions(all)) = handler.map(|handler| &handler.kind) else {
            return;
        };
        let spans = all.iter().map(|transition| transition.span);
        self.most_in(ALTERNATIVES, "alternatives", spans);
        for transition in all {
            self.transition(transition);
        }
    }

    fn transition(&mut self, transition: &Transition) {
        self.transitions.push(transition.span);
        self.requirements(transition.require.iter());
        self.emits(&transition.emit);
    }

    fn requirements<'r>(&mut self, all: impl ExactSizeIterator<Item = &'r Require>) {
        let spans = all.map(|require| require.that.expr.span);
        self.most_in(IN_ONE_PLACE, "requirements", spans);
    }

    fn emits(&mut self, all: &[Emit]) {
        let spans = all.iter().map(|emit| emit.effect.span);
        self.most_in(IN_ONE_PLACE, "effects", spans);
    }
}
