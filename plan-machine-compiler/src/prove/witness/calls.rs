//! The calls that the search for runs sends: every event with a few payloads, in a few contexts.

use plan_machine_kernel::json::Object;

use super::super::candidates::object;
use super::super::tools;
use super::search::Search;
use crate::model::expr::{Expr, ExprKind};
use crate::model::value::Value;
use crate::model::{Decision, EventId, StateId};
use crate::semantics::{Call, CallKind, EventContext, HeldRecords, Record, ShownToken};

/// The maximum number of contexts that are tried.
const MAX_CONTEXTS: usize = 64;

impl Search<'_> {
    /// Returns every event with every payload to try.
    pub(in crate::prove) fn calls(&self) -> Vec<(EventId, Call)> {
        let mut all = Vec::new();
        for event in self.machine.event_ids() {
            if self.machine.is_host_tool(event) {
                all.extend(self.host_calls(event).map(|call| (event, call)));
                continue;
            }
            let fields = &self.machine.event(event).input;
            let relevant = &self.relevant.event[event.index()];
            for payload in self.candidates.payloads(self.machine, fields, relevant) {
                let mut call = Call::new(CallKind::Event(event));
                call.with = object(self.machine, fields, &payload);
                call.token = ShownToken::Current;
                all.push((event, call));
            }
        }
        all
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
    pub(in crate::prove) fn addressed(
        &self,
        held: &HeldRecords,
        event: EventId,
        call: &Call,
    ) -> Option<Call> {
        let leaf = if self.machine.is_many() {
            held.records.last().map_or(StateId::NONE, Record::leaf)
        } else {
            held.leaf()
        };
        if self.machine.is_host_tool(event) {
            let leaf = if self.machine.is_many() {
                StateId::NONE
            } else {
                leaf
            };
            let denied = self.machine.decision(leaf, event) == Decision::Deny;
            return (!denied).then(|| call.clone());
        }
        self.machine.alternatives(leaf, event)?;
        let mut call = call.clone();
        if let Some(record) = held.records.last().filter(|_| self.machine.is_many()) {
            call.plan_id = Some(record.id.to_string());
        }
        Some(call)
    }

    /// Returns the contexts and times to try; they are varied only if they matter.
    pub(in crate::prove) fn surroundings(&self) -> Vec<EventContext> {
        let fields = &self.machine.context;
        let relevant = &self.relevant.context;
        let contexts = self.candidates.contexts(self.machine, fields, relevant);
        let tells_time = self.machine.transitions.iter().any(|transition| {
            let mut all = transition.when.iter().map(|when| &when.expr);
            all.any(mentions_now)
                || transition
                    .require
                    .iter()
                    .any(|require| mentions_now(&require.that.expr))
        });
        let later = if tells_time {
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

fn mentions_now(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= inner.kind == ExprKind::Now);
    found
}
