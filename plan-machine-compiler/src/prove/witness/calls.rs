//! The calls that are tried in the search for a run: every event with a few payloads, in a few contexts.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::json::Object;

use super::super::candidates::object;
use super::super::explore::Node;
use super::super::tools;
use super::super::truth::Truth;
use super::search::Search;
use crate::model::expr::{Expr, ExprKind, Gate};
use crate::model::value::Value;
use crate::model::{Decision, EventId, StateId};
use crate::semantics::{
    Call, CallKind, Env, EventContext, HeldRecords, Outcome, Record, START_OF_TIME, ShownToken,
    step,
};

/// The maximum number of contexts that are tried.
const MAX_CONTEXTS: usize = 64;

/// The maximum number of calls that are tried to decide one claim.
const MAX_TRIED: usize = 64;
/// The maximum number of bytes that each of these calls may build.
const MAX_MADE: usize = 1 << 20;

impl Search<'_> {
    /// Returns every event with every payload to try.
    pub(in crate::prove) fn calls(&self) -> Vec<(EventId, Call)> {
        let events = self.machine.event_ids();
        let calls = events.flat_map(|event| {
            let calls = self.calls_of(event).into_iter();
            calls.map(move |call| (event, call))
        });
        calls.collect()
    }

    /// Returns an event with every payload to try.
    pub(super) fn calls_of(&self, event: EventId) -> Vec<Call> {
        if self.machine.is_host_tool(event) {
            return self.host_calls(event).collect();
        }
        let fields = &self.machine.event(event).input;
        let relevant = &self.relevant.event[event.index()];
        let payloads = self.candidates.payloads(self.machine, fields, relevant);
        let calls = payloads.into_iter().map(|payload| {
            let mut call = Call::new(CallKind::Event(event));
            call.with = object(self.machine, fields, &payload);
            call.token = ShownToken::Current;
            call
        });
        calls.collect()
    }

    /// Returns whether a claim about calls holds for a record, or without a plan; `None` if the
    /// state alone decides the claim. The explored steps include every step that a call can take;
    /// if they leave the claim undecided, some calls are tried.
    pub(super) fn claim(
        &self,
        held: &HeldRecords,
        record: Option<&Record>,
        gate: Gate,
        event: EventId,
    ) -> Option<Truth> {
        let leaf = record.map_or(StateId::NONE, Record::leaf);
        if self.machine.gate(leaf, gate, event).is_some() {
            return None;
        }
        let nodes = record.map_or(vec![Node::NONE], |record| self.nodes_for(record));
        // A plan that has left the slot takes no steps, so its node would deny every call.
        let mut truths = nodes
            .iter()
            .filter(|node| self.in_slot[node.index()])
            .filter_map(|node| self.steps.claim(*node, gate, event));
        let decided = truths.find(|truth| *truth != Truth::Unknown);
        Some(decided.unwrap_or_else(|| self.tried(held, record, gate, event)))
    }

    /// Tries some calls. A single call that runs, is recorded or is accepted can decide the claim; otherwise, the claim
    /// stays undecided.
    fn tried(
        &self,
        held: &HeldRecords,
        record: Option<&Record>,
        gate: Gate,
        event: EventId,
    ) -> Truth {
        // With timers, time may have passed before the call, and the clock never goes back.
        if self.machine.has_timers() && self.tells_time() {
            return Truth::Unknown;
        }
        let mut calls = self.calls_of(event);
        let empty = HeldRecords::default();
        let mut held = held;
        if self.machine.is_many() && !self.machine.is_host_tool(event) {
            let id = record.map(|record| record.id.to_string());
            for call in &mut calls {
                call.plan_id.clone_from(&id);
            }
            // A claim about what `none` accepts concerns an empty session.
            held = if record.is_some() { held } else { &empty };
        }
        let around = self.tried_contexts();
        let mut outcomes = calls
            .iter()
            .flat_map(|call| around.iter().map(move |around| (call, around)))
            .take(MAX_TRIED)
            .map(|(call, around)| self.outcome(held, call, around));
        let runs = |outcome: &Outcome| match outcome {
            Outcome::Accepted(accepted) => accepted.runs.is_some(),
            Outcome::Run { .. } => true,
            Outcome::Denied(_) => false,
        };
        let found = outcomes.any(|outcome| match gate {
            Gate::Runs => runs(&outcome),
            Gate::Records => !runs(&outcome) && !matches!(outcome, Outcome::Denied(_)),
            _ => !matches!(outcome, Outcome::Denied(_)),
        });
        match (found, gate) {
            (false, _) => Truth::Unknown,
            (true, Gate::Denies) => Truth::No,
            (true, _) => Truth::Yes,
        }
    }

    /// Returns the result that a call would have.
    pub(super) fn outcome(
        &self,
        held: &HeldRecords,
        call: &Call,
        around: &EventContext,
    ) -> Outcome {
        let id: Arc<str> = Arc::from("plan-of-a-tried-call");
        let mut env = Env {
            budget: Cell::new(MAX_MADE),
            evaluations: Cell::new(usize::MAX),
            now: around.at.unwrap_or(START_OF_TIME),
            new_id: &mut || Arc::clone(&id),
            late: None,
            context: &around.context,
            host_tools: None,
        };
        step(self.machine, &mut held.clone(), call, &mut env)
    }

    /// Returns the calls to a host tool, with every tool name that makes a difference.
    fn host_calls(&self, tool: EventId) -> impl Iterator<Item = Call> {
        let relevant = &self.relevant.event[tool.index()];
        let payloads = tools::payloads(self.machine, tool, self.candidates, relevant);
        let told_apart = relevant.contains(&true);
        let tried = if told_apart { payloads.len() } else { 1 };
        payloads.into_iter().take(tried).filter_map(|payload| {
            let [Value::Text(name), arguments] = &payload[..] else {
                return None;
            };
            let mut call = Call::new(CallKind::HostTool(name.to_string().into()));
            if let Value::Json(json) = arguments {
                call.with = json.as_object().cloned().unwrap_or_default();
            }
            Some(call)
        })
    }

    /// Returns the call, addressed to the tracked record; `None` if the call makes no sense for that record.
    pub(in crate::prove) fn addressed<'c>(
        &self,
        held: &HeldRecords,
        event: EventId,
        call: &'c Call,
    ) -> Option<Cow<'c, Call>> {
        let tracked = self.tracked(held);
        let leaf = tracked.map_or(StateId::NONE, Record::leaf);
        if self.machine.is_host_tool(event) {
            let leaf = if self.machine.is_many() {
                StateId::NONE
            } else {
                leaf
            };
            let denied = self.machine.decision(leaf, event) == Decision::Deny;
            return (!denied).then_some(Cow::Borrowed(call));
        }
        self.machine.alternatives(leaf, event)?;
        let mut call = Cow::Borrowed(call);
        if let Some(record) = tracked.filter(|_| self.machine.is_many()) {
            call.to_mut().plan_id = Some(record.id.to_string());
        }
        Some(call)
    }

    /// Returns the contexts and times to try with each event.
    pub(in crate::prove) fn contexts(&self) -> Contexts {
        let timers = self.machine.timers();
        Contexts {
            all: self.tried_contexts(),
            timers: timers.map(|(event, _)| event).collect(),
            none: EventContext::default(),
        }
    }

    /// Returns whether a condition or requirement of the machine reads the time.
    fn tells_time(&self) -> bool {
        self.machine.transitions.iter().any(|transition| {
            let mut all = transition.when.iter().map(|when| &when.expr);
            all.any(mentions_now)
                || transition
                    .require
                    .iter()
                    .any(|require| mentions_now(&require.that.expr))
        })
    }

    /// Returns the contexts and times to try; they are varied only if they matter.
    pub(super) fn tried_contexts(&self) -> Vec<EventContext> {
        let fields = &self.machine.context;
        let relevant = &self.relevant.context;
        let contexts = self.candidates.contexts(self.machine, fields, relevant);
        let later = if self.tells_time() {
            self.candidates.instants()
        } else {
            Vec::new()
        };
        let mut all = Vec::new();
        for context in contexts.into_iter().take(MAX_CONTEXTS) {
            let context: Object = object(self.machine, fields, &context);
            all.push(EventContext {
                context: context.clone(),
                at: None,
            });
            all.extend(later.iter().map(|at| EventContext {
                context: context.clone(),
                at: Some(*at),
            }));
        }
        all
    }
}

/// The contexts and times to try.
pub(in crate::prove) struct Contexts {
    all: Vec<EventContext>,
    timers: Vec<EventId>,
    none: EventContext,
}

impl Contexts {
    /// Returns the contexts and times to try with an event. A timer has no context, but it has its own time.
    pub(in crate::prove) fn of(&self, event: EventId) -> &[EventContext] {
        if self.timers.contains(&event) {
            return std::slice::from_ref(&self.none);
        }
        &self.all
    }
}

pub(super) fn mentions_now(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= inner.kind == ExprKind::Now);
    found
}
