//! Decisions about plans: a person can decide only about content that we have shown.

use plan_machine::command::call_of_line;
use plan_machine::description::EventKind;
use plan_machine::gate::Gate;
use plan_machine::machine::{CallKind, ShownToken};
use plan_machine_kernel::digest::Token;
use plan_machine_sessions::SessionIdentity;

use super::card::elsewhere;
use super::error::GateError;
use super::open::Keeper;

/// A decision about a plan, as a person has typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Review {
    machine: String,
    /// The token as it was typed; `None` if there is none.
    typed: Option<String>,
    /// The plan that the token identifies, with all digits of its token.
    plan: Option<(String, String)>,
}

/// Returns the decisions about plans that a line contains: one for each machine that the line goes to, if its command is
/// a decision there.
pub(super) fn reviewed(gate: &Gate, line: &str) -> Vec<Review> {
    let Ok((takers, specified)) = gate.machines_for(line) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for at in takers {
        let machine = &gate.machines()[at];
        let (tables, plans) = (machine.description(), machine.plans());
        let is_plan = |word: &str| plans.iter().any(|plan| plan.id == word);
        let Ok(call) = call_of_line(tables, is_plan, &specified) else {
            continue;
        };
        let (CallKind::Event(name) | CallKind::HostTool(name)) = &call.what;
        let event = tables.event_named(name).map(|at| tables.event(at));
        let is_decision = |kind| matches!(kind, EventKind::Command { reviewed: true, .. });
        if !event.is_some_and(|event| is_decision(event.kind)) {
            continue;
        }
        let typed = match call.token {
            ShownToken::Shown(token) => Some(token),
            ShownToken::Missing | ShownToken::Current => None,
        };
        let token: Option<Token> = typed.as_ref().and_then(|token| token.parse().ok());
        let mut plans = plans.iter().filter(|plan| {
            let is_named = call
                .plan_id
                .as_ref()
                .is_none_or(|id| plan.id == id.as_str());
            let own: Option<Token> = plan.token.parse().ok();
            is_named && token.zip(own).is_some_and(|(typed, own)| typed.fits(own))
        });
        // The last plan is the current one; the earlier plans have ended.
        let plan = plans.next_back();
        found.push(Review {
            machine: tables.name.to_owned(),
            typed,
            plan: plan.map(|plan| (plan.id.to_string(), plan.token.clone())),
        });
    }
    found
}

impl Keeper {
    /// Returns an error text if we have not shown the content that a person decides about; `None` if we have. A
    /// decision with a token that identifies no plan is left to the session, which denies the decision. `shown` says
    /// whether the agent shows the answers to prompts.
    pub(super) fn not_shown(
        &self,
        session: &SessionIdentity,
        review: &Review,
        shown: bool,
    ) -> Result<Option<String>, GateError> {
        // If the agent does not show the answers to prompts, `show` would not show the plan.
        let how = if shown {
            let prefix = self.documents.session.prefix.as_char();
            format!("`{prefix}plan show` shows the plan, and the command to type, with its token.")
        } else {
            format!(
                "{} Output into a pipe or a file does not count as shown.",
                elsewhere(session)
            )
        };
        let Some(typed) = &review.typed else {
            return Ok(Some(format!(
                "The token of the plan is missing, so nothing was decided. {how}"
            )));
        };
        let Some((plan, token)) = &review.plan else {
            return Ok(None);
        };
        if self
            .deliveries
            .contain(session, &review.machine, plan, token)?
        {
            return Ok(None);
        }
        Ok(Some(format!(
            "plan-machine has not shown you the plan with the token {typed}, so you cannot decide about it yet. \
             {how}"
        )))
    }
}
