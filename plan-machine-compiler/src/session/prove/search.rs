//! Searches for a run of the session that breaks an invariant.

use std::collections::HashSet;

use super::budget::Budget;
use super::concrete::{Goal, MachineCall};
use super::joined::{self, MAX_KEY, MAX_MADE};
use super::trace::SessionStep;
use crate::prove::Walk;
use crate::prove::situations::View;
use crate::semantics::CallKind;
use crate::session::called::CalledTool;
use crate::session::sandbox::SessionSandbox;

/// Returns a run that breaks an invariant, if one is found: the runs of single machines joined together, or else a run
/// of all machines that a breadth-first search finds.
pub(super) fn run(
    goal: Goal<'_>,
    views: &[Option<View>],
    budget: &Budget,
) -> Option<Vec<SessionStep>> {
    joined::run(goal, views, budget).or_else(|| breadth_first(goal, budget))
}

/// A session that was reached, and the step that led to it.
struct Visit<'s> {
    sandbox: SessionSandbox<'s>,
    before: Option<usize>,
    step: Option<SessionStep>,
}

fn breadth_first(goal: Goal<'_>, budget: &Budget) -> Option<Vec<SessionStep>> {
    let walks = goal.walks;
    let start = SessionSandbox::with_rule(goal.session, goal.rule).with_budget(MAX_MADE);
    let mut seen = HashSet::from([key(walks, &start)]);
    let mut visits = vec![Visit {
        sandbox: start,
        before: None,
        step: None,
    }];
    let mut next = 0;
    let mut steps = budget.steps();
    while next < visits.len() && steps > 0 {
        for sent in calls(walks, &visits[next].sandbox) {
            steps = steps.saturating_sub(1);
            if steps == 0 {
                break;
            }
            budget.use_steps(1);
            let before = &visits[next].sandbox;
            let Some(stepped) = goal.step(before, &sent) else {
                continue;
            };
            if goal.is_broken_by(before, &stepped) {
                return Some(trace(&visits, next, stepped.step));
            }
            let key = key(walks, &stepped.after);
            if key.len() <= MAX_KEY * walks.len() && seen.insert(key) {
                visits.push(Visit {
                    sandbox: stepped.after,
                    before: Some(next),
                    step: Some(stepped.step),
                });
            }
        }
        next += 1;
    }
    None
}

/// Returns the calls that make sense in a session.
fn calls(walks: &[Option<Walk<'_>>], sandbox: &SessionSandbox<'_>) -> Vec<MachineCall> {
    let mut all = Vec::new();
    for (machine, walk) in walks.iter().enumerate() {
        let Some(walk) = walk else { continue };
        for (event, call) in walk.calls(sandbox.held(machine)) {
            let called: Vec<Option<CalledTool>> = match &call.what {
                CallKind::HostTool(name) => {
                    let called = sandbox.session().called(name).into_iter();
                    called.map(Some).collect()
                }
                CallKind::Event(_) => vec![None],
            };
            for called in called {
                all.extend(walk.contexts(event).iter().map(|around| MachineCall {
                    machine,
                    event,
                    call: call.clone(),
                    around: around.clone(),
                    called: called.clone(),
                }));
            }
        }
    }
    all
}

fn key(walks: &[Option<Walk<'_>>], sandbox: &SessionSandbox<'_>) -> String {
    let walks = walks.iter().enumerate();
    let keys = walks.map(|(at, walk)| {
        let walk = walk.as_ref();
        walk.map_or_else(String::new, |walk| walk.key(sandbox.of_machine(at)))
    });
    keys.collect::<Vec<_>>().join("\n")
}

/// Returns the steps that led to a session, and one more step.
fn trace(visits: &[Visit<'_>], to: usize, last: SessionStep) -> Vec<SessionStep> {
    let mut steps = vec![last];
    let mut at = Some(to);
    while let Some(index) = at {
        steps.extend(visits[index].step.clone());
        at = visits[index].before;
    }
    steps.reverse();
    steps
}
