//! PM0301: every declared event is handled somewhere.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::EventId;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{EventKind, HandlerKind, Machine, Property};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    let handled = handled(machine);
    for id in machine
        .event_ids()
        .filter(|id| *id != machine.other_tools())
    {
        if handled[id.index()] {
            continue;
        }
        let event = machine.event(id);
        let (kind, name) = (words::kind(machine, id), &event.name);
        let message = format!("no state handles the {kind} `{name}`");
        let found = Diagnostic::new(Code::PM0301, event.span, message);
        sink.push(match event.kind {
            EventKind::External => found
                .help(format!("add an entry to the `on` of some state (`{name}: run`, `{name}: deny` or a transition)"))
                .help("or remove the tool from `external_tools`: `other_tools` covers host tools that are not listed"),
            _ => found
                .label("always denied")
                .help(format!("handle `{name}` with a transition in the `on` of some state, or remove the \
                    declaration")),
        });
    }
}

/// Returns, for each event, whether some state handles it. For the machine's own events, only a transition counts; a
/// host tool also counts as handled if an invariant refers to it or if it has a text for its denials.
fn handled(machine: &Machine) -> Vec<bool> {
    let mut handled = vec![false; machine.events.len()];
    for handler in &machine.handlers {
        let external = matches!(machine.event(handler.event).kind, EventKind::External);
        if external || matches!(handler.kind, HandlerKind::Transitions(_)) {
            handled[handler.event.index()] = true;
        }
    }
    let mut spoken_of = |id: EventId| {
        handled[id.index()] |= matches!(machine.event(id).kind, EventKind::External);
    };
    for id in machine.event_ids() {
        if machine.event(id).unavailable.is_some() {
            spoken_of(id);
        }
    }
    for state in &machine.states {
        state.unavailable.iter().for_each(|(id, _)| spoken_of(*id));
    }
    for invariant in &machine.invariants {
        let (condition, events) = parts(&invariant.property);
        events.iter().copied().for_each(&mut spoken_of);
        if let Some(condition) = condition {
            condition.walk(&mut |expr| {
                if let ExprKind::Gate(_, tool) = &expr.kind {
                    spoken_of(*tool);
                }
            });
        }
    }
    handled
}

/// Returns the condition and the events of an invariant.
fn parts(property: &Property) -> (Option<&Expr>, &[EventId]) {
    match property {
        Property::Always(condition)
        | Property::Never(condition)
        | Property::ChangesOnlyIn(_, condition)
        | Property::EmittedOnlyIn(_, condition) => (Some(condition), &[]),
        Property::CanReach(condition, events) | Property::OnlyBy(condition, events) => {
            (Some(condition), events)
        }
        Property::OnlyIn(event, condition) | Property::After(event, condition) => {
            (Some(condition), std::slice::from_ref(event))
        }
        Property::ChangesOnlyBy(_, events) | Property::EmittedOnlyBy(_, events) => (None, events),
        Property::NeverChanges(_) | Property::OnlyGrows(_) => (None, &[]),
        Property::NeverEmits(event, _) => (None, std::slice::from_ref(event)),
    }
}
