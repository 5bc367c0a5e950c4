//! The machine and the event for which the paths of a step are determined.

use super::super::abstraction::{Abs, of_value};
use super::super::candidates::Candidates;
use super::super::config::Config;
use super::super::evaluate::Scope;
use super::super::known::KnownFacts;
use super::super::notes::Unset;
use super::super::overflow::Overflow;
use super::super::relevance::{Relevant, expressions_of};
use super::super::tools::{self, HostCall, ToolName};
use super::doubt::Doubt;
use crate::model::expr::ExprKind;
use crate::model::machine::{Machine, Transition};
use crate::model::value::Value;
use crate::model::{EventId, FieldId, StateId, TransitionId};
use crate::semantics::fits;

/// One path that a step may take.
#[derive(Clone, Debug)]
pub(in crate::prove) struct Way {
    /// The alternative that is taken; `None` if the step is denied.
    pub(in crate::prove) taken: Option<TransitionId>,
    /// The record that took the alternative, as it is after the step.
    pub(in crate::prove) record: Option<Config>,
    /// The record that the step started.
    pub(in crate::prove) created: Option<Config>,
    /// Whether the step releases the record from the slot.
    pub(in crate::prove) released: bool,
    pub(in crate::prove) doubts: Vec<Doubt>,
}

impl Way {
    /// Returns the number of fields that this path stores.
    pub(in crate::prove) fn size(&self) -> usize {
        let configs = self.record.iter().chain(&self.created);
        1 + configs.map(|config| config.data.len()).sum::<usize>()
    }
}

/// Follows the paths of steps in one machine.
pub(in crate::prove) struct Stepper<'a> {
    pub(in crate::prove) machine: &'a Machine,
    pub(in crate::prove) relevant: &'a Relevant,
    /// Collects the expressions that rely on optionals that may be unset, and counts the work.
    pub(in crate::prove) unset: &'a Unset,
    pub(in crate::prove) look_at_effects: bool,
    pub(super) payloads: Vec<Vec<Vec<Value>>>,
    /// The payloads of a host tool whose name the spec does not mention.
    pub(super) unmentioned: Vec<Vec<Value>>,
    pub(super) overflow: Overflow,
    /// For each event: whether the context affects its transitions.
    pub(super) reads_context: Vec<bool>,
}

/// One event with its abstract inputs.
#[derive(Clone, Copy)]
pub(super) struct AbstractEvent<'a> {
    pub(super) event: EventId,
    pub(super) payload: &'a [Abs],
    pub(super) name: ToolName,
    pub(super) context: &'a [Abs],
}

/// A case of an event's payload that the prover distinguishes.
pub(in crate::prove) struct PayloadCase {
    pub(in crate::prove) values: Vec<Abs>,
    /// What is assumed about the name, if the event is a call to a host tool.
    pub(in crate::prove) name: ToolName,
}

impl<'a> Stepper<'a> {
    pub(in crate::prove) fn new(
        machine: &'a Machine,
        relevant: &'a Relevant,
        candidates: &'a Candidates,
        unset: &'a Unset,
        look_at_effects: bool,
    ) -> Self {
        Self {
            // Senders choose payloads that are within their bounds.
            payloads: machine
                .event_ids()
                .map(|id| {
                    let (input, relevant) = (&machine.event(id).input, &relevant.event[id.index()]);
                    let mut payloads = if machine.is_host_tool(id) {
                        tools::payloads(machine, id, candidates, relevant)
                    } else {
                        candidates.payloads(machine, input, relevant)
                    };
                    payloads.retain(|payload| fits(machine, input, payload));
                    payloads
                })
                .collect(),
            unmentioned: tools::payloads_of_unmentioned(
                machine,
                candidates,
                &relevant.event[machine.other_tools().index()],
            ),
            overflow: Overflow::of(machine),
            reads_context: context_readers(machine),
            machine,
            relevant,
            unset,
            look_at_effects,
        }
    }

    /// Returns the initial data of a record.
    pub(super) fn start(&self) -> Vec<Abs> {
        let fields = self.machine.data.iter();
        let values = fields.enumerate().map(|(at, field)| {
            let start = field.start().unwrap_or(Value::Unset);
            let value = of_value(self.machine, &start, &field.ty);
            let mut stored = self.relevant.cells.stored(FieldId::at(at), value);
            stored.pop().unwrap_or(Abs::Anything)
        });
        let measures = self.relevant.cells.measures.iter();
        let measures = measures.map(|measure| measure.stored(measure.tally.start(self.machine)));
        self.kept(values.chain(measures).collect())
    }

    /// Discards the values of the fields that do not matter, so that these fields cannot distinguish configurations.
    fn kept(&self, mut data: Vec<Abs>) -> Vec<Abs> {
        for (value, relevant) in data.iter_mut().zip(&self.relevant.data) {
            if !relevant {
                *value = Abs::Anything;
            }
        }
        data
    }

    pub(super) fn alternatives(&self, leaf: StateId, event: EventId) -> &'a [TransitionId] {
        self.machine.taken_for(leaf, event).unwrap_or_default()
    }

    /// Returns the environment in which expressions of the step are evaluated.
    pub(super) fn scope<'s>(
        &'s self,
        config: Option<&'s Config>,
        sent: AbstractEvent<'s>,
        known: &'s KnownFacts,
    ) -> Scope<'s> {
        Scope {
            machine: self.machine,
            leaf: config.map_or(StateId::NONE, |config| config.leaf),
            data: config.map_or(&[], |config| &config.data),
            measures: &self.relevant.cells.measures,
            previous: config.map_or(&Abs::Unset, |config| &config.previous),
            event: sent.payload,
            context: sent.context,
            host_call: self.machine.is_host_tool(sent.event).then_some(HostCall {
                tool: sent.event,
                name: sent.name,
            }),
            item: None,
            known,
            unset: self.unset,
        }
    }
}

/// Returns, for each event, whether any of its transitions reads the context. For a host tool, these include the
/// transitions of `other_tools`, which may apply to the tool.
fn context_readers(machine: &Machine) -> Vec<bool> {
    let mut readers = vec![false; machine.events.len()];
    for transition in &machine.transitions {
        let event = machine.handler(transition.handler).event;
        readers[event.index()] |= reads_context(transition);
    }
    let others = readers[machine.other_tools().index()];
    for tool in machine.event_ids().filter(|id| machine.is_host_tool(*id)) {
        readers[tool.index()] |= others;
    }
    readers
}

fn reads_context(transition: &Transition) -> bool {
    let mut reads = false;
    for expr in expressions_of(transition) {
        expr.walk(&mut |inner| reads |= matches!(inner.kind, ExprKind::Context(_)));
    }
    reads
}
