//! PM0207: `next` is allowed only in a machine with one instance, and not in `none`; a successor starts in a state that
//! is not final.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::model::{StateId, TransitionId};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        if transition.next.is_none() {
            continue;
        }
        let found = if machine.is_many() {
            Some(in_machine_of_many(machine, id))
        } else if machine.handler(transition.handler).state == StateId::NONE {
            Some(without_a_plan(machine, id))
        } else {
            match machine.successor(transition) {
                Some(StateId::NONE) => Some(fresh_nothing(machine, id)),
                Some(leaf) if machine.is_final(leaf) => Some(final_successor(machine, id, leaf)),
                Some(_) | None => None,
            }
        };
        if let Some(found) = found {
            sink.push(found);
        }
    }
}

fn at(machine: &Machine, id: TransitionId, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::PM0207, words::place(machine, id), message)
}

fn in_machine_of_many(machine: &Machine, id: TransitionId) -> Diagnostic {
    let event = words::event_of(machine, id);
    at(
        machine,
        id,
        format!("{event} has `next`, but a machine with many instances has no slot"),
    )
    .label("has `next`")
    .help("remove `next`: in such a machine, a record that has ended does not prevent new records from starting")
}

fn without_a_plan(machine: &Machine, id: TransitionId) -> Diagnostic {
    let event = words::event_of(machine, id);
    at(
        machine,
        id,
        format!("{event} has `next`, but in `none` there is no plan for a successor to replace"),
    )
    .label("has `next`")
    .help("start a new plan with `to`")
}

fn fresh_nothing(machine: &Machine, id: TransitionId) -> Diagnostic {
    at(machine, id, "a fresh successor cannot start in `none`")
        .help("to leave the slot empty, write `next: none`; to start over, name the state of the successor")
}

fn final_successor(machine: &Machine, id: TransitionId, leaf: StateId) -> Diagnostic {
    let state = machine.state(leaf);
    let name = &state.name;
    at(
        machine,
        id,
        format!("the successor would start in `{name}`, which is final"),
    )
    .label("has `next`")
    .also(state.span, "final: nothing more can happen in this state")
    .help("set `next` to a state that is not final")
    .help(format!(
        "or move the plan itself to that state: `to: {name}`, without `next`"
    ))
}
