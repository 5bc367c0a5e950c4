//! The report on an invariant of a session.

use super::product::Vacuous;
use super::trace::{SessionStep, shown};
use crate::diagnostic::{Code, Diagnostic};
use crate::prove::situations::{SeenTool, View};
use crate::session::model::{Claim, Invariant, Property, Session};

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

/// Reports an invariant that could be neither proved nor refuted. If several machines read the calls that it is about,
/// the message names them, because that is the usual cause.
pub(super) fn undecided(
    session: &Session,
    invariant: &Invariant,
    views: &[Option<View>],
) -> Diagnostic {
    let message = format!("the invariant `{}` could not be decided", invariant.name);
    let mut found = Diagnostic::new(Code::PM0605, invariant.span, message)
        .label("this was neither proved nor refuted")
        .note("exploring the machines one by one does not rule out a violation, but the search found no run that leads to a violation");
    let mut is_explained = false;
    for (question, asked) in invariant.tools.iter().enumerate() {
        let machines = choosing(session, invariant, views, question);
        if let [first @ .., last] = &machines[..]
            && !first.is_empty()
        {
            let class = asked.class.as_deref();
            let calls = class.map_or_else(
                || format!("calls to `{}`", asked.tool),
                |class| format!("calls of the class `{class}`"),
            );
            let note = format!(
                "{} and `{last}` each let some {calls} run and deny others, and it is not known whether they let the same call run",
                first
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            );
            if !found.notes.contains(&note) {
                found = found.note(note);
            }
            is_explained = true;
        }
    }
    found.help(if is_explained {
        "let only one of these machines read the tool, the arguments or the context of a call, and let the others decide by their states and data"
    } else {
        "split the invariant, or add an invariant that concerns fewer machines and implies this one"
    })
}

/// Returns the names of the machines that, in some situation, do not decide in the same way about all calls to a host
/// tool.
fn choosing<'s>(
    session: &'s Session,
    invariant: &Invariant,
    views: &[Option<View>],
    question: usize,
) -> Vec<&'s str> {
    let members = session.members.iter().zip(views).zip(&invariant.questions);
    let choosing = members.filter(|((_, view), asked)| {
        let is_host_tool = matches!(asked.tools.get(question), Some(SeenTool::Host(_)));
        let mut situations = view.iter().flat_map(|view| &view.situations);
        is_host_tool
            && situations.any(|situation| situation.tools[question].possible.only().is_none())
    });
    choosing
        .map(|((member, _), _)| member.name.as_str())
        .collect()
}

/// The reason why there is too much to examine for an invariant.
#[derive(Clone, Copy)]
pub(super) enum TooLarge<'s> {
    /// The machine with this name has too many combinations of states and data.
    Machine(&'s str),
    /// Exploring the machines of this invariant and of earlier invariants, each machine separately, took too much work.
    Exploration,
    /// Several machines together have too many combinations of states and data.
    Combinations,
}

/// Reports an invariant for which there is too much to examine.
pub(super) fn too_large(invariant: &Invariant, what: TooLarge<'_>) -> Diagnostic {
    let message = format!("the invariant `{}` could not be decided", invariant.name);
    let found = Diagnostic::new(Code::PM0605, invariant.span, message);
    if let TooLarge::Machine(name) = what {
        let help = format!("ask about fewer states and less data of `{name}`");
        let label = format!("`{name}` alone has too many combinations of states and data");
        return found.label(label).help(help);
    }
    let label = match what {
        TooLarge::Exploration => "too much was explored for this invariant and those before it",
        _ => "the machines have too many combinations of states and data",
    };
    found
        .label(label)
        .note("the limit on the search applies to all invariants of the session together")
        .help("split the invariant into invariants about fewer machines")
}

/// Reports an invariant that holds only because the described case cannot occur, with the conditions that are never
/// true.
pub(super) fn vacuous(session: &Session, invariant: &Invariant, why: &Vacuous<'_>) -> Diagnostic {
    let message = format!(
        "the invariant `{}` is vacuous: {}",
        invariant.name, why.reason
    );
    let mut found = Diagnostic::new(Code::PM0602, invariant.span, message)
        .label("the invariant holds only for this reason");
    for part in &why.parts {
        match part {
            Claim::Condition(machine, condition) => {
                let span = invariant.questions[*machine].conditions[*condition].span;
                let machine = &session.members[*machine].name;
                found = found.also(span, format!("the condition on `{machine}` is never true"));
            }
            Claim::Tool(gate, tool) => {
                let asked = &invariant.tools[tool.question];
                let name = asked.class.as_ref().unwrap_or(&asked.tool);
                let note = format!("`{} {name}` is never true", gate.word());
                // A condition on a class consists of conditions on the calls of several tools.
                if !found.notes.contains(&note) {
                    found = found.note(note);
                }
            }
            _ => {}
        }
    }
    found.help("remove the invariant, or change the session so that the described case can occur")
}
