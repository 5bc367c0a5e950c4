//! The only code that applies an event to a machine of a session, and that records the step.

use std::borrow::Cow;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

use super::event_context::EventContext;
use super::floor::OpenTools;
use super::gate_event::{GateEvent, Step};
use super::limits;
use super::state::Gate;
use crate::core::description::{Description, EventKind};
use crate::core::id::Id;
use crate::dynamic::machine::{
    Acceptance, Call, CallKind, Denial, Env, Outcome, PlanView, ShownToken, UnknownEvent,
};

/// Returns the denial of a stored event that the machine no longer defines.
pub(super) fn undefined(unknown: &UnknownEvent) -> Denial {
    Denial::new(DenialKind::UnknownTool, unknown.to_string(), "none")
}

impl Gate {
    /// Applies an event whose name is from the machine's own tables.
    pub(super) fn step(&mut self, at: usize, call: &Call, around: &EventContext) -> Outcome {
        let stepped = self.try_step(at, call, around);
        stepped.unwrap_or_else(|unknown| Outcome::Denied(undefined(&unknown)))
    }

    /// Applies an event to a machine, with a new id that no plan of the session uses yet.
    pub(super) fn try_step(
        &mut self,
        at: usize,
        call: &Call,
        around: &EventContext,
    ) -> Result<Outcome, UnknownEvent> {
        if let Err(invalid) = limits::event(call, &around.context) {
            let machine = &self.machines[at];
            let state = machine.description().state(machine.batch_start().place());
            return Ok(Outcome::Denied(invalid.denial(state.name)));
        }
        if let Some(denial) = self.denial(at, call) {
            return Ok(Outcome::Denied(denial));
        }
        let tokens = self.tokens(at, call);
        let named = self.named_id(at);
        let is_named = named.is_some();
        let new_id = match named.or_else(|| self.next_id.take()) {
            Some(id) => id,
            None => self.new_id(),
        };
        let context = self.machine_set.context(at, around);
        let now = self.not_before(around.now);
        let mut env = Env {
            now,
            new_id: new_id.clone(),
            context: &context,
            host_tools: self.machine_set.known(),
        };
        let floor = self.before_step(at, call, now);
        let machine = &mut self.machines[at];
        let before = (machine.slot_plan(), machine.batch_start());
        let stepped = machine.step(call, &mut env);
        let moved = (machine.slot_plan(), machine.batch_start()) != before;
        self.moves[at] += u64::from(moved);
        if let Ok(Outcome::Accepted(acceptance)) = &stepped {
            let begun = acceptance.plans.iter().chain(&acceptance.ended);
            let begun = begun.map(|plan| &plan.id).any(|id| *id == new_id);
            self.born += u64::from(begun);
            let new_id = begun.then(|| new_id.clone());
            let floor = self.move_floor(at, floor);
            self.remember(
                at,
                call,
                &tokens,
                (around, now, &context),
                (new_id, floor),
                acceptance,
            );
            if begun {
                return stepped;
            }
        }
        // The step did not use the id, so it remains the next one.
        if !is_named {
            self.next_id = Some(new_id);
        }
        stepped
    }

    /// Replays a step; returns `None` if the session has no such machine.
    pub fn repeat(&mut self, step: &Step) -> Option<Outcome> {
        let at = self.position(&step.machine)?;
        let mut env = Env {
            now: step.at,
            new_id: step.new_id.clone().unwrap_or_else(|| Id::from("")),
            context: &step.context,
            host_tools: None,
        };
        let floor = self.before_step(at, &step.call, step.at);
        let stepped = self.machines[at].step(&step.call, &mut env);
        // The machine may no longer define the event.
        let outcome = stepped.unwrap_or_else(|unknown| Outcome::Denied(undefined(&unknown)));
        if outcome.is_accepted() {
            self.move_floor(at, floor);
        }
        self.set_born(self.born + u64::from(step.new_id.is_some()));
        Some(outcome)
    }

    /// Starts recording events.
    pub fn record(&mut self) {
        self.log = Some(Vec::new());
    }

    /// Removes and returns the events since the last call to this function.
    pub fn happened(&mut self) -> Vec<GateEvent> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sets the number of plans that have been started in the session, for a gate that was opened after these plans had
    /// started.
    #[doc(hidden)]
    pub fn set_born(&mut self, born: u64) {
        self.born = born;
        self.next_id = None;
    }

    /// Returns the number of plans that have been started in the session.
    #[doc(hidden)]
    #[must_use]
    pub fn born(&self) -> u64 {
        self.born
    }

    pub(super) fn note(&mut self, happened: impl FnOnce() -> GateEvent) {
        if let Some(log) = &mut self.log {
            log.push(happened());
        }
    }

    /// Returns the tokens of the machine's plans before a step that is sent with the token `current`: the step is
    /// recorded with the actual token.
    fn tokens(&self, at: usize, call: &Call) -> Vec<(Id, String)> {
        if self.log.is_none() || call.token != ShownToken::Current {
            return Vec::new();
        }
        let plans = self.machines[at].plans().into_iter();
        plans.map(|plan| (plan.id, plan.token)).collect()
    }

    fn remember(
        &mut self,
        at: usize,
        call: &Call,
        tokens: &[(Id, String)],
        (around, now, context): (&EventContext, Instant, &Object),
        (new_id, floor): (Option<Id>, Option<OpenTools>),
        acceptance: &Acceptance,
    ) {
        let machine = self.machines[at].description();
        self.note(|| {
            let (CallKind::Event(event) | CallKind::HostTool(event)) = &call.what;
            if reads(machine, event) {
                return GateEvent::Read {
                    machine: machine.name.to_owned(),
                    event: event.to_string(),
                };
            }
            GateEvent::Taken(Box::new(Step {
                machine: Cow::Borrowed(machine.name),
                version: machine.version,
                fingerprint: Cow::Borrowed(machine.fingerprint),
                at: now,
                actor: around.actor.clone(),
                call: as_sent(call, tokens, acceptance),
                context: context.clone(),
                new_id,
                acceptance: acceptance.clone(),
                floor,
            }))
        });
    }

    /// Returns whether a word, judging by its number, is the id of a plan that was started in this session. An ended
    /// plan may no longer be in memory, but a line that names it must still match the command.
    pub(super) fn has_given(&self, word: &str) -> bool {
        let number = word
            .strip_prefix("plan-")
            .and_then(|number| number.parse().ok());
        number.is_some_and(|number: u64| (1..=self.born).contains(&number))
    }

    /// Returns whether an event of a machine only reads.
    #[doc(hidden)]
    #[must_use]
    pub fn reads(&self, machine: &str, event: &str) -> bool {
        self.position(machine)
            .is_some_and(|at| reads(self.machines[at].description(), event))
    }

    /// Returns the next id for a machine whose plans have their own prefix. If ended plans are dropped from memory, the
    /// number comes from the count of all plans ever started, so that no id is used twice.
    fn named_id(&self, at: usize) -> Option<Id> {
        let machine = &self.machines[at];
        let name = self.machine_set.name_of(machine.description().name)?;
        let number = |plan: &PlanView| {
            let number = plan.id.as_str().strip_prefix(name)?.strip_prefix('-')?;
            number.parse::<u64>().ok()
        };
        let last = if machine.needs_ended() {
            let plans = machine.plans();
            plans.iter().filter_map(number).max().unwrap_or_default()
        } else {
            self.born
        };
        Some(format!("{name}-{}", last.saturating_add(1)).into())
    }

    fn new_id(&self) -> Id {
        let made = self.machine_set.new_id();
        made.unwrap_or_else(|| format!("plan-{}", self.born + 1).into())
    }
}

fn reads(machine: &Description, event: &str) -> bool {
    let kind = machine.event_named(event).map(|at| &machine.event(at).kind);
    matches!(kind, Some(EventKind::Tool { read: true, .. }))
}

/// Returns the call in a form that can be replayed: `current` is replaced by the token that was current.
fn as_sent(call: &Call, before: &[(Id, String)], acceptance: &Acceptance) -> Call {
    let mut meant = acceptance
        .ended
        .iter()
        .chain(&acceptance.plans)
        .map(|plan| &plan.id);
    let meant = meant.next().filter(|_| !acceptance.each);
    let shown = before.iter().find(|(id, _)| Some(id) == meant);
    let shown = shown.map(|(_, token)| ShownToken::Shown(token.clone()));
    Call {
        batch: None,
        token: shown.unwrap_or_else(|| call.token.clone()),
        ..call.clone()
    }
}
