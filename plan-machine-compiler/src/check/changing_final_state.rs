//! PM0202: a record in a final state never changes again. (Name resolution checks that a final state has no children.)

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Machine, Transition};
use crate::model::{StateId, TransitionId};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        // A plan that has ended has no timers.
        let is_timer = machine
            .timer(machine.handler(transition.handler).event)
            .is_some();
        let Some(what) = change(machine, transition).filter(|_| !is_timer) else {
            continue;
        };
        let users = graph.users(transition.handler).iter().copied();
        let finals: Vec<StateId> = users.filter(|leaf| machine.is_final(*leaf)).collect();
        if !finals.is_empty() {
            sink.push(report(machine, id, &finals, what));
        }
    }
}

/// Returns how a transition changes the record that takes it. If there is a successor, the data changes apply to the
/// successor instead.
fn change(machine: &Machine, transition: &Transition) -> Option<&'static str> {
    if transition.to.is_some() {
        Some("moves the record")
    } else if !transition.changes.is_empty() && machine.successor(transition).is_none() {
        Some("changes the record's data")
    } else {
        None
    }
}

fn report(machine: &Machine, id: TransitionId, finals: &[StateId], what: &str) -> Diagnostic {
    let transition = machine.transition(id);
    let declared_in = machine.handler(transition.handler).state;
    let (event, names) = (words::event_of(machine, id), words::states(machine, finals));
    let message = format!("{event} would change a record that has ended in {names}");
    let mut found = Diagnostic::new(Code::PM0202, words::place(machine, id), message).label(what);
    for leaf in finals.iter().take(3) {
        found = found.also(
            machine.state(*leaf).span,
            "final: a record in this state never changes again",
        );
    }
    if finals != [declared_in] {
        let name = &machine
            .event(machine.handler(transition.handler).event)
            .name;
        let outer = words::state(machine, declared_in);
        return found.help(format!(
            "deny the inherited entry in {names} (`{name}: deny`), replace it there, or move the final state \
                out of {outer}"
        ));
    }
    found.help(match (machine.is_many(), transition.to) {
        (true, _) => "handle the event only in states that are not final",
        (false, Some(_)) => "to continue from a finished plan, start a successor: `next: STATE` instead of `to`",
        (false, None) => {
            "change the data in the step that ends the plan, or make the change in a successor: `next: STATE`"
        }
    })
}
