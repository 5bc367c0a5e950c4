//! Joins the shortest runs of single machines into a run of the session that breaks an invariant.

use std::collections::HashMap;

use super::budget::Budget;
use super::concrete::{Goal, MachineCall};
use super::evaluate::Combination;
use super::trace::SessionStep;
use crate::prove::situations::{Questions, Situation, View};
use crate::prove::{Possible, Walk};
use crate::semantics::{Outcome, Sandbox};
use crate::session::model::{Claim, Property};
use crate::session::sandbox::SessionSandbox;

/// The maximum number of combinations that are examined.
const MAX_COMBINATIONS: usize = 100_000;
/// The maximum number of combinations that are replayed.
const MAX_REPLAYS: usize = 40;
/// The maximum number of bytes that the steps of one run may build.
pub(super) const MAX_MADE: usize = 4 << 20;
/// Records with longer keys are not explored, because data that keeps growing would exhaust memory.
pub(super) const MAX_KEY: usize = 2_000;

/// A shortest run of a machine to a situation.
struct Run {
    situation: Situation,
    sent: Vec<MachineCall>,
}

/// Returns a run that breaks `always` or `never`, assembled from runs of single machines.
pub(super) fn run(
    goal: Goal<'_>,
    views: &[Option<View>],
    budget: &Budget,
) -> Option<Vec<SessionStep>> {
    let (claim, wrong) = match &goal.invariant.property {
        Property::Always(claim) => (claim, false),
        Property::Never(claim) => (claim, true),
        Property::OnlyIn(..) | Property::OnlyBy(..) => return None,
    };
    let views = views.iter().zip(goal.walks).enumerate();
    let runs: Vec<Vec<Run>> = views
        .map(|(at, (view, walk))| match (view, walk) {
            (Some(view), Some(walk)) => {
                runs(at, (view, walk), &goal.invariant.questions[at], budget)
            }
            _ => vec![Run {
                situation: Situation::default(),
                sent: Vec::new(),
            }],
        })
        .collect();
    let mut found = combinations(goal, (claim, wrong), &runs, budget);
    found.sort_by_key(|(length, _)| *length);
    let found = found.iter().take(MAX_REPLAYS);
    let found = found.filter_map(|(_, places)| {
        let parts = runs.iter().zip(places);
        let parts: Vec<&[MachineCall]> = parts.map(|(runs, at)| &runs[*at].sent[..]).collect();
        orders(&parts)
            .into_iter()
            .find_map(|sent| replay(goal, &sent, budget))
    });
    found.into_iter().next()
}

/// Returns the shortest run to each situation of a machine, found by a breadth-first search.
fn runs(
    at: usize,
    (view, walk): (&View, &Walk<'_>),
    questions: &Questions,
    budget: &Budget,
) -> Vec<Run> {
    let start = Sandbox::new(view.machine()).with_budget(MAX_MADE);
    let mut found: HashMap<Situation, Vec<MachineCall>> = HashMap::new();
    let situation = |sandbox: &Sandbox<'_>| walk.situation(questions, sandbox.held());
    found.insert(situation(&start), Vec::new());
    let mut seen = std::collections::HashSet::from([walk.key(&start)]);
    let mut places = vec![(start, Vec::<MachineCall>::new())];
    let mut next = 0;
    let mut steps = budget.steps();
    while next < places.len() && found.len() < view.situations.len() && steps > 0 {
        let calls: Vec<_> = walk.calls(places[next].0.held()).collect();
        for (event, call) in calls {
            for around in walk.contexts(event) {
                steps = steps.saturating_sub(1);
                budget.use_steps(1);
                let (mut sandbox, mut sent) = places[next].clone();
                if around.at.is_some_and(|at| sandbox.is_due(at)) {
                    continue;
                }
                if !matches!(sandbox.step(&call, around), Outcome::Accepted(_)) {
                    continue;
                }
                let key = walk.key(&sandbox);
                if steps == 0 || key.len() > MAX_KEY {
                    continue;
                }
                sent.push(MachineCall {
                    machine: at,
                    event,
                    call: call.clone(),
                    around: around.clone(),
                    called: None,
                });
                found
                    .entry(situation(&sandbox))
                    .or_insert_with(|| sent.clone());
                if seen.insert(key) {
                    places.push((sandbox, sent));
                }
            }
        }
        next += 1;
    }
    let found = found.into_iter();
    let mut runs: Vec<Run> = found
        .map(|(situation, sent)| Run { situation, sent })
        .collect();
    // The result must not depend on the order of a hash map.
    runs.sort_by(|one, other| {
        let key = |run: &Run| (run.sent.len(), run.situation.clone());
        key(one).cmp(&key(other))
    });
    runs
}

/// Returns the combinations of runs after which the claim has the wrong value, each with its number of steps.
fn combinations(
    goal: Goal<'_>,
    (claim, wrong): (&Claim, bool),
    runs: &[Vec<Run>],
    budget: &Budget,
) -> Vec<(usize, Vec<usize>)> {
    let mut found = Vec::new();
    let mut places = vec![0; runs.len()];
    let asked = goal.invariant.asked();
    for _ in 0..MAX_COMBINATIONS.min(budget.answers() / asked) {
        budget.use_answers(asked);
        let parts = || runs.iter().zip(&places).map(|(runs, at)| &runs[*at]);
        let situations: Vec<&Situation> = parts().map(|run| &run.situation).collect();
        let combination = Combination {
            rule: goal.rule,
            situations: &situations,
        };
        if combination.value(claim) == Possible::from(wrong) {
            found.push((parts().map(|run| run.sent.len()).sum(), places.clone()));
        }
        let advanced = places.iter_mut().zip(runs).any(|(place, runs)| {
            *place = (*place + 1) % runs.len();
            *place > 0
        });
        if !advanced {
            break;
        }
    }
    found
}

/// Returns orders in which the runs of the machines can be sent. Each machine comes first at least once, because a
/// machine that denies calls after its own run may prevent the steps of other machines.
fn orders(parts: &[&[MachineCall]]) -> Vec<Vec<MachineCall>> {
    let moving: Vec<&[MachineCall]> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    let mut orders = Vec::new();
    for start in 0..moving.len().max(1) {
        let mut order = moving.clone();
        let by = start.min(order.len());
        order.rotate_left(by);
        orders.push(order.concat());
        order.reverse();
        orders.push(order.concat());
    }
    orders
}

/// Sends the calls; returns the steps up to the step that breaks the invariant.
fn replay(goal: Goal<'_>, sent: &[MachineCall], budget: &Budget) -> Option<Vec<SessionStep>> {
    if budget.steps() < sent.len() {
        return None;
    }
    budget.use_steps(sent.len());
    let mut sandbox = SessionSandbox::with_rule(goal.session, goal.rule).with_budget(MAX_MADE);
    let mut steps = Vec::new();
    if goal.is_broken_in(&sandbox) {
        return Some(steps);
    }
    for sent in sent {
        let stepped = goal.step(&sandbox, &in_session(&sandbox, sent))?;
        let broken = goal.is_broken_by(&sandbox, &stepped);
        steps.push(stepped.step);
        if broken {
            return Some(steps);
        }
        sandbox = stepped.after;
    }
    None
}

/// Returns a call with the id that its plan has in the session: the machines of a session share one
/// sequence of numbers.
fn in_session(sandbox: &SessionSandbox<'_>, sent: &MachineCall) -> MachineCall {
    let mut sent = sent.clone();
    let number = sent.call.plan_id.as_deref();
    let number = number.and_then(|id| id.strip_prefix("plan-")?.parse::<usize>().ok());
    let records = &sandbox.held(sent.machine).records;
    let record = number.and_then(|number| records.get(number.checked_sub(1)?));
    if let Some(record) = record {
        sent.call.plan_id = Some(record.id.to_string());
    }
    sent
}
