//! Compares the result of a step with the expected result.

use crate::model::machine::Machine;
use crate::model::scenario::{Expect, ExpectedEffect, Runs, Step};
use crate::model::{EffectId, StateId};
use crate::semantics::{Acceptance, EmittedEffect, HeldRecords, Outcome, Record, to_json};
use crate::source::{Span, Spanned};

/// The result of a step.
pub(crate) struct Happened<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) held: &'a HeldRecords,
    /// The outcomes: a single outcome, one outcome per call of a batch, or one outcome per timer that fired. Most
    /// expectations apply to the last outcome.
    pub(crate) outcomes: &'a [Outcome],
    /// Whether time passed, so that the effects and the ended plans of all outcomes count.
    pub(crate) waited: bool,
}

/// One difference between the expected and the actual result, both as strings.
pub(crate) struct Mismatch {
    pub(crate) what: &'static str,
    pub(crate) span: Span,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// Returns every difference between the result of a step and the expected result. If the step was not accepted or
/// denied as expected, nothing else is compared.
pub(crate) fn judge(happened: &Happened<'_>, step: &Step) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let place = step.calls.last().map_or(step.span, |call| call.span);
    happened.judge_acceptance(&step.expect, place, &mut found);
    if found.is_empty() {
        happened.judge_state(&step.expect, &mut found);
        happened.judge_ended(&step.expect, &mut found);
        happened.judge_data(&step.expect, &mut found);
        happened.judge_answers(&step.expect, &mut found);
        happened.judge_tools(&step.expect, &mut found);
    }
    found
}

/// Returns the differences that concern the plans and the effects of one machine of a session.
#[cfg(feature = "sessions")]
pub(crate) fn judge_member(happened: &Happened<'_>, expect: &Expect) -> Vec<Mismatch> {
    let mut found = Vec::new();
    happened.judge_ended(expect, &mut found);
    happened.judge_data(expect, &mut found);
    happened.judge_emits(expect, &mut found);
    found
}

impl Happened<'_> {
    fn last(&self) -> Option<&Outcome> {
        self.outcomes.last()
    }

    /// Returns the accepted outcomes whose effects and ended plans count: the last outcome, or the outcomes of all
    /// timers.
    fn accepted(&self) -> impl DoubleEndedIterator<Item = &Acceptance> {
        let judged = match self.last() {
            Some(last) if !self.waited => std::slice::from_ref(last),
            _ => self.outcomes,
        };
        judged.iter().filter_map(|outcome| match outcome {
            Outcome::Accepted(accepted) => Some(&**accepted),
            _ => None,
        })
    }

    fn state_name(&self, state: StateId) -> String {
        self.machine.state(state).name.clone()
    }

    /// Returns the record that the last call applied to.
    fn subject(&self) -> Option<&Record> {
        let addressed = match self.last() {
            Some(Outcome::Accepted(accepted)) => accepted.records.last(),
            _ => None,
        };
        let addressed = addressed.map(|index| &self.held.records[*index]);
        if self.machine.is_many() {
            return addressed;
        }
        // If the slot was released, this is the record that ended.
        self.held.in_slot().or(addressed)
    }

    /// Returns the state after the step; if the step was denied, the state that denied it.
    fn state(&self) -> StateId {
        match self.last() {
            _ if !self.machine.is_many() => self.held.leaf(),
            Some(Outcome::Denied(denied)) => denied.state,
            _ => self.subject().map_or(StateId::NONE, Record::leaf),
        }
    }

    /// Checks that a step without `denied` was accepted, and that a step with `denied` was denied.
    fn judge_acceptance(&self, expect: &Expect, place: Span, found: &mut Vec<Mismatch>) {
        let actual = match self.last() {
            Some(Outcome::Denied(denied)) => {
                format!("denied as {}: {}", denied.kind, denied.messages.join("; "))
            }
            Some(Outcome::Run { tool, .. }) => format!("`{tool}` runs"),
            _ => "accepted".to_owned(),
        };
        let denied = match self.last() {
            Some(Outcome::Denied(denied)) => Some(denied.kind),
            _ => None,
        };
        match &expect.denied {
            Some(kind) if denied != Some(kind.node) => found.push(Mismatch {
                what: "the denial",
                span: kind.span,
                expected: format!("denied as {}", kind.node),
                actual,
            }),
            None if denied.is_some() => found.push(Mismatch {
                what: "the outcome",
                span: place,
                expected: "accepted".to_owned(),
                actual,
            }),
            _ => {}
        }
    }

    fn judge_state(&self, expect: &Expect, found: &mut Vec<Mismatch>) {
        if let Some(then) = &expect.then {
            let actual = self.state();
            if !self.machine.is_within(actual, then.node) {
                found.push(Mismatch {
                    what: "the state",
                    span: then.span,
                    expected: self.state_name(then.node),
                    actual: self.state_name(actual),
                });
            }
        }
    }

    fn judge_ended(&self, expect: &Expect, found: &mut Vec<Mismatch>) {
        if let Some(ended) = &expect.ended {
            let actual = self.accepted().rev().find_map(|accepted| accepted.ended);
            let actual = actual.map(|index| self.held.records[index].leaf());
            if actual != Some(ended.node) {
                found.push(Mismatch {
                    what: "the state of the ended plan",
                    span: ended.span,
                    expected: self.state_name(ended.node),
                    actual: actual.map_or("no ended plan".to_owned(), |id| self.state_name(id)),
                });
            }
        }
    }

    fn judge_data(&self, expect: &Expect, found: &mut Vec<Mismatch>) {
        for (field, wanted) in &expect.data {
            let declared = self.machine.field(*field);
            let value = self.subject().map(|record| &record.data[field.index()]);
            let absent = value.map_or("no plan", |_| "unset");
            let actual = value
                .filter(|value| value.is_set())
                .map(|value| to_json(self.machine, value, &declared.ty));
            if !wanted.node.matches(actual.as_ref()) {
                found.push(Mismatch {
                    what: "the data",
                    span: wanted.span,
                    expected: wanted.node.shown(),
                    actual: actual.map_or(absent.to_owned(), |json| json.to_string()),
                });
            }
        }
    }

    fn judge_answers(&self, expect: &Expect, found: &mut Vec<Mismatch>) {
        let accepted = match self.last() {
            Some(Outcome::Accepted(accepted)) => Some(accepted),
            _ => None,
        };
        if let Some(wanted) = &expect.reply {
            let replying = accepted.filter(|accepted| accepted.runs.is_none());
            let actual = replying.map(|accepted| &accepted.reply);
            if !wanted.node.matches(actual) {
                found.push(Mismatch {
                    what: "the reply",
                    span: wanted.span,
                    expected: wanted.node.shown(),
                    actual: actual.map_or("no reply".to_owned(), ToString::to_string),
                });
            }
        }
        self.judge_emits(expect, found);
        if let Some(wanted) = &expect.messages {
            let actual = match self.last() {
                Some(Outcome::Denied(denied)) => &denied.messages[..],
                _ => &[],
            };
            if wanted.node != actual {
                found.push(Mismatch {
                    what: "the denial's message",
                    span: wanted.span,
                    expected: listed(wanted.node.iter().map(String::as_str)),
                    actual: listed(actual.iter().map(String::as_str)),
                });
            }
        }
    }

    fn judge_emits(&self, expect: &Expect, found: &mut Vec<Mismatch>) {
        if let Some(wanted) = &expect.emits {
            let effects = self.accepted().flat_map(|accepted| &accepted.effects);
            self.judge_effects(wanted, &effects.collect::<Vec<_>>(), found);
        }
    }

    /// Compares the names of all effects in order, then the fields that the scenario names.
    fn judge_effects(
        &self,
        wanted: &Spanned<Vec<ExpectedEffect>>,
        actual: &[&EmittedEffect],
        found: &mut Vec<Mismatch>,
    ) {
        let names = |ids: Vec<EffectId>| {
            let names = ids.iter().map(|id| self.machine.effect(*id).name.as_str());
            listed(names)
        };
        let expected_ids: Vec<EffectId> = wanted.node.iter().map(|one| one.effect).collect();
        let actual_ids: Vec<EffectId> = actual.iter().map(|one| one.effect).collect();
        if expected_ids != actual_ids {
            found.push(Mismatch {
                what: "the list of emitted effects",
                span: wanted.span,
                expected: names(expected_ids),
                actual: names(actual_ids),
            });
            return;
        }
        for (wanted, actual) in wanted.node.iter().zip(actual) {
            let declared = &self.machine.effect(wanted.effect).fields;
            for (field, wanted) in &wanted.fields {
                let value = Some(&actual.fields[field.index()]).filter(|value| value.is_set());
                let ty = &declared[field.index()].ty;
                let value = value.map(|value| to_json(self.machine, value, ty));
                if !wanted.node.matches(value.as_ref()) {
                    found.push(Mismatch {
                        what: "a field of an emitted effect",
                        span: wanted.span,
                        expected: wanted.node.shown(),
                        actual: value.map_or("unset".to_owned(), |json| json.to_string()),
                    });
                }
            }
        }
    }

    fn judge_tools(&self, expect: &Expect, found: &mut Vec<Mismatch>) {
        if let Some(wanted) = &expect.advertises {
            let actual = self.held.advertised(self.machine);
            if wanted.node != actual {
                found.push(Mismatch {
                    what: "the list of advertised tools",
                    span: wanted.span,
                    expected: listed(wanted.node.iter().map(String::as_str)),
                    actual: listed(actual),
                });
            }
        }
        let Some(wanted) = &expect.runs else { return };
        let running: Vec<&str> = self
            .outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Run { tool, .. } => Some(tool.as_str()),
                Outcome::Accepted(accepted) => accepted.runs.as_deref(),
                Outcome::Denied(_) => None,
            })
            .collect();
        let (same, expected, actual) = match &wanted.node {
            Runs::One(runs) => {
                let actual = !running.is_empty();
                (*runs == actual, runs.to_string(), actual.to_string())
            }
            Runs::Tools(tools) => (
                *tools == running,
                listed(tools.iter().map(String::as_str)),
                listed(running),
            ),
        };
        if !same {
            found.push(Mismatch {
                what: "the value of `runs`",
                span: wanted.span,
                expected,
                actual,
            });
        }
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    format!("[{}]", names.join(", "))
}
