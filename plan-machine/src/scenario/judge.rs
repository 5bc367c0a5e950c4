//! Compares the result of a step with the expected result.

use plan_machine_kernel::json::Json;

use super::read::{Step, expected};
use crate::dynamic::machine::{Acceptance, EffectView, Machine, Outcome, PlanView};

/// Returns the differences between the result of a step and the result that the scenario expects; only the first one if
/// the step is unexpectedly denied or accepted, because nothing else can be compared then.
pub(super) fn judge<M: Machine>(
    machine: &M,
    held: &M::HeldPlans,
    step: &Step,
    outcomes: &[Outcome],
) -> Vec<String> {
    let last = outcomes.last();
    if last.is_none() && step.wait.is_none() {
        return vec!["the step does not send any calls".to_owned()];
    }
    let denied = match last {
        Some(Outcome::Denied(denial)) => Some(denial.kind.as_str()),
        _ => None,
    };
    if step.expect.get("denied").and_then(Json::as_text) != denied {
        let wanted = step.expect.get("denied");
        let wanted = wanted.map_or("accepted".to_owned(), Json::to_string);
        return vec![format!("expected {wanted}, found {last:?}")];
    }
    let mut verdict = Verdict {
        step,
        last,
        // While time passes, several timers can fire.
        judged: if step.wait.is_some() {
            outcomes
        } else {
            last.map_or(&[], std::slice::from_ref)
        },
        found: Vec::new(),
    };
    verdict.plan(machine, held);
    verdict.answers();
    verdict.lists(machine.advertised(held));
    verdict.running(outcomes);
    verdict.found
}

/// Collects the differences one by one.
struct Verdict<'s> {
    step: &'s Step,
    last: Option<&'s Outcome>,
    /// The outcomes whose effects and ended plans count: the last one, or those of all timers that fired.
    judged: &'s [Outcome],
    found: Vec<String>,
}

impl<'s> Verdict<'s> {
    fn wanted(&self, key: &str) -> Option<&'s Json> {
        self.step.expect.get(key)
    }

    fn acceptance(&self) -> Option<&'s Acceptance> {
        match self.last {
            Some(Outcome::Accepted(acceptance)) => Some(acceptance),
            _ => None,
        }
    }

    /// Returns the accepted events whose effects and ended plans count.
    fn accepted(&self) -> impl DoubleEndedIterator<Item = &'s Acceptance> + use<'s> {
        self.judged.iter().filter_map(|outcome| match outcome {
            Outcome::Accepted(acceptance) => Some(&**acceptance),
            _ => None,
        })
    }

    fn compare(&mut self, what: &str, fits: bool, wanted: &Json, actual: &str) {
        if !fits {
            self.found
                .push(format!("{what}: expected {wanted}, found {actual}"));
        }
    }

    /// Compares the state and the data of the plan.
    fn plan<M: Machine>(&mut self, machine: &M, held: &M::HeldPlans) {
        let subject = self.subject(machine, held);
        if let Some(Json::List(wanted)) = self.wanted("then") {
            let state = self.state(machine, held, subject.as_ref());
            let fits = wanted.iter().any(|name| name.as_text() == Some(&state));
            self.compare("the state", fits, &Json::List(wanted.clone()), &state);
        }
        if let Some(Json::Object(wanted)) = self.wanted("data") {
            for (field, value) in wanted.iter() {
                let actual = subject.as_ref().and_then(|plan| plan.data.get(field));
                let fits = expected(value).matches(actual);
                self.compare(field, fits, value, &format!("{actual:?}"));
            }
        }
    }

    /// Compares the ended plan and the reply.
    fn answers(&mut self) {
        let acceptance = self.acceptance();
        if let Some(wanted) = self.wanted("ended") {
            let ended = self
                .accepted()
                .rev()
                .find_map(|acceptance| acceptance.ended.as_ref());
            let actual = ended.map(|plan| &*plan.state);
            let fits = wanted.as_text() == actual;
            self.compare(
                "the state of the ended plan",
                fits,
                wanted,
                &format!("{actual:?}"),
            );
        }
        if let Some(wanted) = self.wanted("reply") {
            let replying = acceptance.filter(|acceptance| acceptance.runs.is_none());
            let actual = replying.map(|acceptance| &acceptance.reply);
            let fits = expected(wanted).matches(actual);
            self.compare("the reply", fits, wanted, &format!("{actual:?}"));
        }
    }

    /// Compares effects, tools and messages, which must be in the same order. Of an effect, only
    /// the fields that the scenario names are compared.
    fn lists(&mut self, advertised: Vec<String>) {
        if let Some(Json::List(wanted)) = self.wanted("emits") {
            let actual: Vec<&EffectView> = self
                .accepted()
                .flat_map(|acceptance| &acceptance.effects)
                .collect();
            let fits = wanted.len() == actual.len()
                && wanted
                    .iter()
                    .zip(&actual)
                    .all(|(wanted, actual)| is_effect(wanted, actual));
            let wanted = Json::List(wanted.clone());
            self.compare("emits", fits, &wanted, &format!("{actual:?}"));
        }
        let messages = match self.last {
            Some(Outcome::Denied(denial)) => denial.messages.clone(),
            _ => Vec::new(),
        };
        let all = [("advertises", advertised), ("messages", messages)];
        for (key, actual) in all {
            if let Some(wanted) = self.wanted(key) {
                let actual = list(actual);
                self.compare(key, *wanted == actual, wanted, &actual.to_string());
            }
        }
    }

    fn running(&mut self, outcomes: &[Outcome]) {
        let Some(wanted) = self.wanted("runs") else {
            return;
        };
        let tools = outcomes.iter().filter_map(Outcome::runs);
        let tools: Vec<String> = tools.map(str::to_owned).collect();
        let actual = match wanted {
            Json::Bool(_) => Json::Bool(!tools.is_empty()),
            _ => list(tools),
        };
        self.compare("runs", *wanted == actual, wanted, &actual.to_string());
    }

    /// Returns the plan that the last call affected.
    fn subject<M: Machine>(&self, machine: &M, held: &M::HeldPlans) -> Option<PlanView> {
        let spoken_of = |acceptance: &Acceptance| {
            acceptance
                .plans
                .last()
                .or(acceptance.ended.as_ref())
                .cloned()
        };
        let addressed = self.acceptance().and_then(spoken_of);
        if machine.description().is_many() {
            return addressed;
        }
        // If the slot is empty now, the scenario refers to the plan that has just ended.
        let at = machine.slot(held);
        at.map(|at| machine.plans(held)[at].clone()).or(addressed)
    }

    /// Returns the state after the step; after a denial, the state of the plan that the event was sent to.
    fn state<M: Machine>(
        &self,
        machine: &M,
        held: &M::HeldPlans,
        subject: Option<&PlanView>,
    ) -> String {
        let none = || "none".to_owned();
        if !machine.description().is_many() {
            let at = machine.slot(held);
            return at.map_or_else(none, |at| machine.plans(held)[at].state.to_string());
        }
        match (self.last, subject) {
            (Some(Outcome::Denied(denial)), _) => denial.state.clone(),
            (_, Some(plan)) => plan.state.to_string(),
            _ => none(),
        }
    }
}

/// Returns whether an effect is the expected one: a name, or an object with the name and the values of some fields.
fn is_effect(wanted: &Json, actual: &EffectView) -> bool {
    let Json::Object(wanted) = wanted else {
        return wanted.as_text() == Some(&*actual.name);
    };
    wanted.iter().all(|(name, fields)| {
        let mut fields = fields
            .as_object()
            .into_iter()
            .flat_map(plan_machine_kernel::json::Object::iter);
        *name == *actual.name
            && fields.all(|(field, value)| expected(value).matches(actual.fields.get(field)))
    })
}

fn list(texts: Vec<String>) -> Json {
    Json::List(texts.into_iter().map(Json::Text).collect())
}
