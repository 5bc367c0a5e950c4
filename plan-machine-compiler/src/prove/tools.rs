//! The names of host tools, which senders cannot choose freely.
//!
//! A call to a host tool that the spec declares has the declared name. A call to any other host tool has a name that is
//! neither the name of a declared host tool nor the name of one of the machine's own tools; it may even be blank. Which
//! of these other tools exist is up to the host: a proof that a target can be reached relies on a tool with some name
//! that the spec does not mention, but not on a particular name.

use std::collections::HashSet;

use plan_machine_kernel::tools::MAX_NAME_BYTES;

use super::candidates::Candidates;
use super::conditions::conditions;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{EventKind, Machine};
use crate::model::types::Field;
use crate::model::value::Value;
use crate::model::{EventId, FieldId};

/// The position of `event.tool` among the inputs.
pub(super) const NAME: FieldId = FieldId(0);

/// A name to try for other tools, unless the spec already uses it.
const EXAMPLE: &str = "some_tool";

/// What the prover assumes about the name of the tool that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolName {
    /// The name does not affect the step, or the spec declares the tool.
    Settled,
    /// The tool can have any name, even the name of a tool that only some hosts have.
    Particular,
    /// The spec does not mention the name, and nothing else is known about it.
    Unmentioned,
}

/// A call to a host tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostCall {
    pub(super) tool: EventId,
    pub(super) name: ToolName,
}

/// Returns whether the called tool has the given name, which the spec mentions; `None` if that is not decided.
pub(super) fn is_called(machine: &Machine, call: HostCall, name: &str) -> Option<Truth> {
    let declared = machine.event(call.tool);
    if matches!(declared.kind, EventKind::External) {
        return Some((declared.name == name).into());
    }
    let other = call.name == ToolName::Unmentioned || is_taken(machine, name);
    other.then_some(Truth::No)
}

/// Returns whether a host can have a tool with this name.
fn is_possible(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= MAX_NAME_BYTES
}

/// Returns whether every possible tool name is within the bounds of a field.
pub(super) fn always_fits(field: &Field) -> bool {
    // The bound counts characters, and a name has at most as many characters as bytes.
    let max = field.max.map(usize::try_from);
    max.is_none_or(|max| max.is_ok_and(|max| MAX_NAME_BYTES <= max))
}

/// Returns whether a tool that the spec declares has this name.
fn is_taken(machine: &Machine, name: &str) -> bool {
    let declared = machine.event_named(name).map(|id| &machine.event(id).kind);
    matches!(declared, Some(EventKind::Tool { .. } | EventKind::External))
}

/// Returns whether the name of an undeclared tool can affect what happens to a call.
pub(super) fn name_matters(machine: &Machine) -> bool {
    let others = machine.other_tools();
    let mut all = machine
        .transitions
        .iter()
        .filter(|transition| machine.handler(transition.handler).event == others);
    all.any(|transition| conditions(transition).into_iter().any(reads_name))
}

/// Returns whether an expression reads the name of the called tool.
pub(super) fn reads_name(expr: &Expr) -> bool {
    let mut reads = false;
    expr.walk(&mut |inner| reads |= is_name(inner));
    reads
}

/// Returns whether an expression uses the name of the called tool for anything other than comparing it with strings in
/// the spec.
pub(super) fn depends_on_name(expr: &Expr) -> bool {
    let (mut reads, mut compared) = (0_usize, 0_usize);
    expr.walk(&mut |inner| {
        reads += usize::from(is_name(inner));
        compared += usize::from(is_comparison(inner));
    });
    reads > compared
}

/// Returns whether an expression compares the name of the called tool with a string in the spec. In a list, a single
/// such comparison is enough.
#[cfg(feature = "sessions")]
pub(super) fn compares_name(expr: &Expr) -> bool {
    let mut compares = false;
    expr.walk(&mut |inner| {
        compares |= match &inner.kind {
            ExprKind::In(one, items) => items.iter().any(|item| is_name_and_text(one, item)),
            _ => is_comparison(inner),
        };
    });
    compares
}

/// Returns whether an expression only compares the name of the called tool with strings in the spec.
fn is_comparison(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
            is_name_and_text(left, right)
        }
        ExprKind::In(one, items) => is_name(one) && items.iter().all(is_text),
        _ => false,
    }
}

/// Returns whether one of two expressions is the name of the called tool, and the other expression is a string in the
/// spec.
fn is_name_and_text(one: &Expr, other: &Expr) -> bool {
    (is_name(one) && is_text(other)) || (is_text(one) && is_name(other))
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Value(_))
}

fn is_name(expr: &Expr) -> bool {
    expr.kind == ExprKind::Event(NAME)
}

/// Returns the payloads to try for a host tool.
pub(super) fn payloads(
    machine: &Machine,
    tool: EventId,
    candidates: &Candidates,
    relevant: &[bool],
) -> Vec<Vec<Value>> {
    let declared = machine.event(tool);
    let mut all = candidates.payloads(machine, &declared.input, relevant);
    if matches!(declared.kind, EventKind::External) {
        return called(all, &declared.name);
    }
    all.retain(|payload| match &payload[NAME.index()] {
        Value::Text(name) => is_possible(name) && !is_taken(machine, name),
        _ => false,
    });
    if let Some(plain) = all.first().cloned() {
        all.splice(0..0, called(vec![plain], &unmentioned(machine)));
    }
    all
}

/// Returns the payloads to try for a host tool whose name the spec does not mention.
pub(super) fn payloads_of_unmentioned(
    machine: &Machine,
    candidates: &Candidates,
    relevant: &[bool],
) -> Vec<Vec<Value>> {
    let all = payloads(machine, machine.other_tools(), candidates, relevant);
    called(all, &unmentioned(machine))
}

/// Returns the payloads with this name, without duplicates.
fn called(payloads: Vec<Vec<Value>>, name: &str) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = Vec::new();
    for mut payload in payloads {
        payload[NAME.index()] = Value::text(name);
        if !all.contains(&payload) {
            all.push(payload);
        }
    }
    all
}

/// Returns a name that is not the name of a declared tool and that no condition or change mentions.
fn unmentioned(machine: &Machine) -> String {
    let mut texts = HashSet::new();
    for expr in machine.transitions.iter().flat_map(conditions) {
        expr.walk(&mut |inner| {
            if let ExprKind::Value(Value::Text(text)) = &inner.kind {
                texts.insert(text.to_string());
            }
        });
    }
    let is_free = |name: &String| !texts.contains(name) && !is_taken(machine, name);
    let numbered = (2_u64..).map(|number| format!("{EXAMPLE}_{number}"));
    let mut names = std::iter::once(EXAMPLE.to_owned()).chain(numbered);
    names.find(is_free).unwrap_or_default()
}
