//! What was expected of a step against what came of it.

use plan_machine_kernel::json::Json;

use super::read::{Step, expected};
use crate::machine::{Machine, Outcome, PlanView};

/// Everything in which a step differs from what its scenario says.
pub(super) fn judge<M: Machine>(
    machine: &M,
    held: &M::Held,
    step: &Step,
    outcomes: &[Outcome],
) -> Vec<String> {
    let Some(last) = outcomes.last() else {
        return vec!["nothing was sent".to_owned()];
    };
    let expect = &step.expect;
    let denied = match last {
        Outcome::Denied(denial) => Some(denial.kind.as_str()),
        _ => None,
    };
    if expect.get("denied").and_then(Json::as_text) != denied {
        let wanted = expect
            .get("denied")
            .map_or("accepted".to_owned(), Json::to_string);
        return vec![format!("expected {wanted}, was {last:?}")];
    }
    let subject = subject(machine, held, last);
    let state = state(machine, held, last, subject.as_ref());
    let mut found = Vec::new();
    let mut compare = |what: &str, fits: bool, wanted: &Json, actual: String| {
        if !fits {
            found.push(format!("{what}: expected {wanted}, was {actual}"));
        }
    };
    if let Some(Json::List(wanted)) = expect.get("then") {
        let fits = wanted.iter().any(|name| name.as_text() == Some(&state));
        compare("the state", fits, &Json::List(wanted.clone()), state);
    }
    let taken = match last {
        Outcome::Accepted(taken) => Some(taken),
        _ => None,
    };
    if let Some(wanted) = expect.get("ended") {
        let actual = taken
            .and_then(|taken| taken.ended.as_ref())
            .map(|plan| plan.state.as_str());
        compare(
            "what ended",
            wanted.as_text() == actual,
            wanted,
            format!("{actual:?}"),
        );
    }
    if let Some(Json::Object(wanted)) = expect.get("data") {
        for (field, value) in wanted.iter() {
            let actual = subject.as_ref().and_then(|plan| plan.data.get(field));
            compare(
                field,
                expected(value).matches(actual),
                value,
                format!("{actual:?}"),
            );
        }
    }
    if let Some(wanted) = expect.get("reply") {
        let actual = taken.map(|taken| &taken.reply);
        compare(
            "the reply",
            expected(wanted).matches(actual),
            wanted,
            format!("{actual:?}"),
        );
    }
    let lists = [
        (
            "emits",
            taken
                .map(|taken| {
                    taken
                        .effects
                        .iter()
                        .map(|effect| effect.name.clone())
                        .collect::<Vec<String>>()
                })
                .unwrap_or_default(),
        ),
        ("advertises", machine.advertised(held)),
        (
            "messages",
            match last {
                Outcome::Denied(denial) => denial.messages.clone(),
                _ => Vec::new(),
            },
        ),
    ];
    for (key, actual) in lists {
        if let Some(wanted) = expect.get(key) {
            let actual = list(actual);
            compare(key, *wanted == actual, wanted, actual.to_string());
        }
    }
    if let Some(wanted) = expect.get("runs") {
        let running: Vec<String> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Run { tool, .. } => Some(tool.clone()),
                _ => None,
            })
            .collect();
        let actual = match wanted {
            Json::Bool(_) => Json::Bool(!running.is_empty()),
            _ => list(running),
        };
        compare("what runs", *wanted == actual, wanted, actual.to_string());
    }
    found
}

fn list(texts: Vec<String>) -> Json {
    Json::List(texts.into_iter().map(Json::Text).collect())
}

/// The plan that the last call had to do with.
fn subject<M: Machine>(machine: &M, held: &M::Held, last: &Outcome) -> Option<PlanView> {
    let taken = match last {
        Outcome::Accepted(taken) => Some(taken),
        _ => None,
    };
    let addressed = taken.and_then(|taken| taken.plans.last().or(taken.ended.as_ref()).cloned());
    if machine.description().is_many() {
        return addressed;
    }
    // Where the slot was released, the plan that ended is spoken of.
    let at = machine.slot(held);
    at.map(|at| machine.plans(held)[at].clone()).or(addressed)
}

/// The state afterwards; after a denial, the one that was asked.
fn state<M: Machine>(
    machine: &M,
    held: &M::Held,
    last: &Outcome,
    subject: Option<&PlanView>,
) -> String {
    if !machine.description().is_many() {
        let at = machine.slot(held);
        return at.map_or("none".to_owned(), |at| {
            machine.plans(held)[at].state.clone()
        });
    }
    match (last, subject) {
        (Outcome::Denied(denial), _) => denial.state.clone(),
        (_, Some(plan)) => plan.state.clone(),
        _ => "none".to_owned(),
    }
}
