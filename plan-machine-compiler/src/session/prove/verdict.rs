//! The report on an invariant of a session.

use super::trace::{SessionStep, shown};
use crate::diagnostic::{Code, Diagnostic};
use crate::session::model::{Invariant, Property, Session};

/// Reports a broken invariant, with the run that breaks it.
pub(super) fn broken(session: &Session, invariant: &Invariant, run: &[SessionStep]) -> Diagnostic {
    let message = format!("the invariant `{}` is broken", invariant.name);
    let moment = match run.len() {
        0 => "at the start".to_owned(),
        1 => "after one step".to_owned(),
        count => format!("after {count} steps"),
    };
    let found = Diagnostic::new(Code::PM0601, invariant.span, message)
        .label(format!("this does not hold {moment}"));
    let mut found = match run {
        [] => found.note(
            "the invariant is broken even before the first event, when there are no plans yet",
        ),
        _ => found.note(format!("counterexample:\n{}", shown(session, run))),
    };
    if let Some(last) = run.last() {
        found = found.note(reason(invariant, last));
    }
    found.trace = run.iter().map(|step| step.json(session)).collect();
    found.help("fix one of the machines, or relax the invariant; `plan-machine run` accepts the trace from `check --format json` as an input line")
}

fn reason(invariant: &Invariant, last: &SessionStep) -> String {
    let event = &last.event;
    match &invariant.property {
        Property::Always(_) => format!("after `{event}`, the condition is false"),
        Property::Never(_) => format!("after `{event}`, the condition is true"),
        Property::OnlyIn(..) if last.step.runs => {
            format!("`{event}` ran although the condition was false")
        }
        Property::OnlyIn(..) => format!("`{event}` was accepted although the condition was false"),
        Property::OnlyBy(..) => {
            format!("`{event}` made the condition true, but only the listed events may")
        }
    }
}

/// Reports an invariant that could be neither proved nor refuted.
pub(super) fn undecided(invariant: &Invariant) -> Diagnostic {
    let message = format!("the invariant `{}` could not be decided", invariant.name);
    Diagnostic::new(Code::PM0605, invariant.span, message)
        .label("this was neither proved nor refuted")
        .note("exploring the machines one by one does not rule out a violation, but the search found no run that leads to one")
        .help("split the invariant, or add an invariant that concerns fewer machines and implies this one")
}

/// Reports an invariant for which there is too much to examine.
pub(super) fn too_large(invariant: &Invariant) -> Diagnostic {
    let message = format!("the invariant `{}` could not be decided", invariant.name);
    Diagnostic::new(Code::PM0605, invariant.span, message)
        .label("the machines have too many combinations of states and data")
        .note("the limit on the search applies to all invariants of the session together")
        .help("split the invariant into invariants about fewer machines")
}

/// Reports an invariant that holds only because the described case cannot occur.
pub(super) fn vacuous(invariant: &Invariant, reason: &str) -> Diagnostic {
    let message = format!("the invariant `{}` is vacuous: {reason}", invariant.name);
    Diagnostic::new(Code::PM0602, invariant.span, message)
        .label("the invariant holds only for this reason")
        .help("remove the invariant, or change the session so that the described case can occur")
}
