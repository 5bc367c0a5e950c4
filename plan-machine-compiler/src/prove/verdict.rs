//! The report on an invariant: whether it is proved, broken (with the run that breaks it) or undecided (with the
//! reason).

use super::conditions::conditions_of;
use super::explore::{BOUND, Space};
use super::sums::{BOUND_IT, is_about_range};
use super::suspicion::{Obstacle, Suspicion};
use super::trace::TraceStep;
use super::trace_text::shown;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::expr::{Expr, ExprKind, Helper, Quantifier};
use crate::model::machine::{Invariant, Machine, Property};
use crate::model::types::Type;

/// Whether an invariant holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The invariant holds in every run.
    Proved,
    /// A run breaks the invariant.
    Broken,
    /// The invariant was neither proved nor shown to be broken.
    Unknown,
}

impl Verdict {
    /// Returns the word used in messages and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
        }
    }
}

/// Reports a broken invariant; the report can be understood without knowing how the prover works.
pub(super) fn broken(
    machine: &Machine,
    invariant: &Invariant,
    trace: &[TraceStep],
    suspicion: &Suspicion,
) -> Diagnostic {
    let shortest = trace.len() <= suspicion.length();
    let message = format!("the invariant `{}` is broken", invariant.name);
    let mut found = Diagnostic::new(Code::PM0601, invariant.span, message)
        .label(format!("this does not hold {}", moment(trace)));
    found = match trace {
        [] => found
            .note("the invariant is broken even before the first event, when there is no plan yet"),
        _ if shortest => found.note(format!("shortest counterexample:\n{}", shown(trace))),
        _ => found.note(format!("counterexample:\n{}", shown(trace))),
    };
    found = match suspicion.obstacle {
        Obstacle::Machine => found.note(reason(machine, &invariant.property, trace)),
        Obstacle::Context => found.note(against(trace)),
        Obstacle::HostTools => found.note(without_tool(trace)).help(DECLARE),
    };
    found.trace = trace.iter().map(TraceStep::json).collect();
    if let Some(advice) = advice(machine, &invariant.property, trace) {
        found = found.help(advice);
    }
    found.help("fix the transitions on this path, or relax the invariant; `plan-machine run` accepts the trace from `check --format json` as an input line")
}

/// Suggests how to allow the case without a plan, in which a condition on a plan does not hold.
fn advice(machine: &Machine, property: &Property, trace: &[TraceStep]) -> Option<String> {
    let name = |event: crate::model::EventId| machine.event(event).name.as_str();
    let in_none = |step: Option<&TraceStep>| step.is_none_or(|step| step.state == "none");
    let form = match (property, trace) {
        (Property::OnlyIn(event, _), [before @ .., _]) if in_none(before.last()) => {
            format!("{} only in none or …", name(*event))
        }
        (Property::After(event, _), [.., last]) if in_none(Some(last)) => {
            format!("after {}: none or …", name(*event))
        }
        _ => return None,
    };
    let advice = format!("there is no plan in this case; to allow this case, write `{form}`");
    (!machine.is_many()).then_some(advice)
}

fn moment(trace: &[TraceStep]) -> String {
    match trace.len() {
        0 => "from the start".to_owned(),
        1 => "after one step".to_owned(),
        count => format!("after {count} steps"),
    }
}

/// Returns the state in which the condition was evaluated, as a phrase for a message.
fn place(trace: &[TraceStep]) -> String {
    let state = trace.last().and_then(|step| step.judged.as_ref());
    state.map_or_else(String::new, |state| format!(" in `{state}`"))
}

/// Explains that reaching the target depends on the context: in some contexts, no event leads to it.
fn against(trace: &[TraceStep]) -> String {
    format!(
        "{}, reaching the target depends on the context: in some contexts, no further events lead to it, whatever their data is",
        when(trace)
    )
}

/// Explains that the host may lack the tool that every path to the target needs.
fn without_tool(trace: &[TraceStep]) -> String {
    format!(
        "{}, reaching the target depends on the host's tools: every path needs a call to a tool whose name the spec compares but does not declare, and the host may not have that tool",
        when(trace)
    )
}

/// What to do if a path needs a particular host tool.
const DECLARE: &str = "if the machine relies on a particular host tool, list the tool in `external_tools` and handle it under `on`: a host without that tool is then refused";

/// Describes the moment at the end of the trace, as the beginning of a sentence.
fn when(trace: &[TraceStep]) -> String {
    let last = trace.last();
    last.map_or_else(
        || "at the start".to_owned(),
        |step| format!("after `{}`", step.event),
    )
}

/// Describes in one sentence what is wrong at the end of the trace.
fn reason(machine: &Machine, property: &Property, trace: &[TraceStep]) -> String {
    let last = trace.last().map_or("the start", |step| step.event.as_str());
    let events = |by: &[crate::model::EventId]| {
        let names: Vec<String> = by
            .iter()
            .map(|id| format!("`{}`", machine.event(*id).name))
            .collect();
        names.join(" or ")
    };
    let effect = |id: crate::model::EffectId| machine.effect(id).name.clone();
    match property {
        Property::Always(_) => format!("{}, the condition is false{}", when(trace), place(trace)),
        Property::Never(_) => format!("{}, the condition is true{}", when(trace), place(trace)),
        Property::CanReach(_, by) if by.is_empty() => {
            format!(
                "{}, no further events lead to the target, whatever their data is",
                when(trace)
            )
        }
        Property::CanReach(_, by) => {
            format!(
                "{}, no number of {} events leads to the target",
                when(trace),
                events(by)
            )
        }
        Property::OnlyBy(_, by) => {
            format!(
                "`{last}` made the condition true, but only {} may",
                events(by)
            )
        }
        Property::OnlyIn(..) if trace.last().is_some_and(|step| step.runs) => {
            format!("`{last}` ran although the condition was false")
        }
        Property::OnlyIn(..) => format!("`{last}` was accepted although the condition was false"),
        Property::ChangesOnlyIn(..) => {
            format!("`{last}` wrote the field although the condition was false")
        }
        Property::ChangesOnlyBy(_, by) => {
            format!("`{last}` wrote the field, but only {} may", events(by))
        }
        Property::NeverChanges(_) => format!("`{last}` wrote the field"),
        Property::OnlyGrows(field) => {
            let shrank = match machine.field(*field).ty {
                Type::List(_) => "shorter",
                _ => "smaller",
            };
            format!("`{last}` made the field {shrank}")
        }
        Property::After(..) => format!("right after `{last}`, the condition is false"),
        Property::EmittedOnlyBy(id, by) => {
            format!(
                "`{last}` emitted `{}`, but only {} may",
                effect(*id),
                events(by)
            )
        }
        Property::EmittedOnlyIn(id, _) => {
            format!(
                "`{last}` emitted `{}` for a plan for which the condition was false",
                effect(*id)
            )
        }
        Property::NeverEmits(_, id) => format!("`{last}` emitted `{}`", effect(*id)),
    }
}

/// Reports an invariant that could not be decided.
pub(super) fn undecided(
    machine: &Machine,
    space: &Space,
    invariant: &Invariant,
    suspicion: &Suspicion,
) -> Diagnostic {
    let message = format!(
        "cannot decide whether the invariant `{}` holds",
        invariant.name
    );
    let doubts = suspicion.way.iter().flat_map(|at| &space.edges[*at].doubts);
    let mut reasons: Vec<String> = suspicion.undecided.iter().cloned().collect();
    reasons.extend(doubts.map(|doubt| doubt.text.clone()));
    reasons.dedup();
    let found =
        Diagnostic::new(Code::PM0605, invariant.span, message).label("neither proved nor broken");
    let way: Vec<String> = suspicion
        .way
        .iter()
        .enumerate()
        .map(|(index, at)| {
            let edge = &space.edges[*at];
            let to = edge.created.or(edge.record).unwrap_or(edge.to);
            let texts = || edge.doubts.iter().map(|doubt| doubt.text.as_str());
            let assumed: Vec<&str> = texts().filter(|text| is_clause(text)).collect();
            let open: Vec<&str> = texts().filter(|text| !is_clause(text)).collect();
            let assumed = match (&assumed[..], &open[..]) {
                ([], []) => String::new(),
                (_, []) => format!("   (assuming {})", assumed.join(", ")),
                ([], _) => format!("   (depending on {})", open.join(", ")),
                _ => format!(
                    "   (assuming {}; depending on {})",
                    assumed.join(", "),
                    open.join(", ")
                ),
            };
            let event = &machine.event(edge.event).name;
            let state = &machine.state(space.leaf(to)).name;
            format!("{}. {event} → {state}{assumed}", index + 1)
        })
        .collect();
    let found = match way[..] {
        [] => found,
        _ => found.note(format!(
            "the invariant may be broken along this path:\n{}",
            way.join("\n")
        )),
    };
    let found = if reasons.is_empty() {
        found
    } else {
        let mut open: Vec<String> = reasons.iter().map(|reason| question(reason)).collect();
        open.dedup();
        found.note(format!("not decided: {}", open.join("; ")))
    };
    let found = match (&invariant.property, untracked(&invariant.property)) {
        // The assumptions along the path explain why a target may be out of reach.
        (Property::CanReach(..), _) if !reasons.is_empty() => found,
        (_, Some(read)) => found.note(read),
        _ if reasons.is_empty() => found.note("the condition reads something that is not tracked"),
        _ => found,
    };
    let found = if reasons.iter().any(|reason| is_about_range(reason)) {
        found.help(BOUND_IT)
    } else {
        found
    };
    if suspicion.beyond {
        return found
            .help("make conditions read fewer fields, or remove invariants: invariants are checked in the order of the spec until the budget runs out");
    }
    found.help("`bool` and `enum` fields are always tracked, numbers and strings only where they are compared with constants or fields, and instants never; see `plan-machine explain PM0605`")
}

/// Returns whether an assumption is a clause, such as "`x` holds". The other assumptions say what is open, such as "how
/// large `n` is after the change".
fn is_clause(assumption: &str) -> bool {
    const ENDS: [&str; 7] = [
        " holds",
        " does not hold",
        " fires",
        " bounds",
        " 64 bits",
        " has a blank name",
        " exists",
    ];
    ENDS.iter().any(|end| assumption.ends_with(end))
}

/// Returns the question that an assumption leaves open.
fn question(assumption: &str) -> String {
    match assumption.strip_suffix(" does not hold") {
        Some(condition) => format!("whether {condition} holds"),
        None if is_clause(assumption) => format!("whether {assumption}"),
        None => assumption.to_owned(),
    }
}

/// Describes the values that a condition reads but that are not tracked, or are tracked only partially.
fn untracked(property: &Property) -> Option<String> {
    let mut read: Vec<&str> = Vec::new();
    let mut see = |expr: &Expr| match &expr.kind {
        ExprKind::Quantified(Quantifier::Count, ..) | ExprKind::Call(Helper::Len, _) => {
            read.push(
                "a number of items or characters, which is tracked only for lists of the record",
            );
        }
        ExprKind::Quantified(..) => {
            read.push("items of a list, of which only booleans and enums are tracked");
        }
        _ if *expr.ty.required() == Type::Time => read.push("an instant, which is not tracked"),
        _ => {}
    };
    for condition in conditions_of(property) {
        condition.walk(&mut see);
    }
    read.sort_unstable();
    read.dedup();
    (!read.is_empty()).then(|| format!("the condition reads {}", read.join(", and ")))
}

/// Reports that the state space is too large.
pub(super) fn too_large(machine: &Machine) -> Diagnostic {
    let message = format!(
        "there is too much to explore: more than {BOUND} configurations, or too many steps between them, so nothing is proved"
    );
    Diagnostic::new(Code::PM0603, machine.span, message)
        .help("every bool, enum, optional and list that a condition reads multiplies the number of configurations: read fewer of them, or combine some into one enum")
}

/// Reports an invariant that holds, or fails, whatever the machine does.
pub(super) fn says_nothing(invariant: &Invariant, holds: bool) -> Diagnostic {
    let always = if holds { "holds" } else { "fails" };
    let message = format!(
        "the invariant `{}` {always} whatever the machine does",
        invariant.name
    );
    Diagnostic::new(Code::PM0604, invariant.span, message)
        .label("decided by the condition alone")
        .help("remove the invariant, or rewrite it to say what was meant")
}
