//! PM0404: a field without an initial value is set by every event that starts a record.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Machine, Next, Transition};
use crate::model::types::Field;
use crate::model::{FieldId, StateId, TransitionId};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        if starts_a_record(machine, transition) {
            let missing = missing(machine, transition);
            if !missing.is_empty() {
                sink.push(report(machine, id, &missing));
            }
        }
    }
}

fn starts_a_record(machine: &Machine, transition: &Transition) -> bool {
    let from_none = machine.handler(transition.handler).state == StateId::NONE;
    (from_none && transition.to.is_some()) || matches!(transition.next, Some(Next::Fresh(_)))
}

fn missing<'a>(machine: &'a Machine, transition: &Transition) -> Vec<&'a Field> {
    let written = |at| {
        transition
            .changes
            .iter()
            .any(|change| change.field == FieldId::at(at))
    };
    let fields = machine.data.iter().enumerate();
    fields
        .filter(|(at, field)| field.start().is_none() && !written(*at))
        .map(|(_, field)| field)
        .collect()
}

fn report(machine: &Machine, id: TransitionId, missing: &[&Field]) -> Diagnostic {
    let names: Vec<String> = missing
        .iter()
        .map(|field| format!("`{}`", field.name))
        .collect();
    let event = words::event_of(machine, id);
    let message = format!(
        "{event} starts a plan without a value for {}",
        words::listed(&names)
    );
    let label = match machine.transition(id).next {
        Some(Next::Fresh(_)) => "starts a fresh successor, which inherits no data",
        _ => "starts a plan",
    };
    let mut found = Diagnostic::new(Code::PM0404, words::place(machine, id), message).label(label);
    for field in missing.iter().take(3) {
        found = found.also(
            field.span,
            "every plan must start with a value for this field",
        );
    }
    let example = &missing[0].name;
    found.help(format!(
        "`set` the field in this step (`set: {{ {example}: … }}`), give it a `default`, or make it optional with `?`"
    ))
}
