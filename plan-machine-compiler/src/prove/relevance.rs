//! Determines which fields matter: those that a condition depends on, directly or through a change.
//!
//! All other fields are left out of the abstraction, so that the state space grows only with fields that affect some
//! decision.

use super::cells::Cells;
use super::conditions::conditions_of;
use super::growth::growing_by_value;
use super::measures::{Measure, TrackedMeasures};
use super::pairs::{self, Pair};
use crate::model::expr::{Expr, ExprKind, PlanPart};
use crate::model::machine::{ChangeKind, Machine, Transition, Which};

/// The fields that matter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Relevant {
    pub(super) data: Vec<bool>,
    pub(super) context: Vec<bool>,
    /// For each event: whether each field of its payload matters.
    pub(super) event: Vec<Vec<bool>>,
    pub(super) previous: bool,
    /// Pairs of strings that are tracked together.
    pub(super) pairs: Vec<Pair>,
    /// The numbers that are distinguished.
    pub(super) cells: Cells,
}

impl Relevant {
    /// Examines every condition of the machine, and the expressions at the locations of `suspects`.
    pub(super) fn of(
        machine: &Machine,
        suspects: &[(u32, u32, u32)],
        measured: TrackedMeasures,
    ) -> Self {
        let events = machine.events.iter();
        let mut relevant = Self {
            data: vec![false; machine.data.len()],
            context: vec![false; machine.context.len()],
            event: events.map(|event| vec![false; event.input.len()]).collect(),
            previous: false,
            pairs: Vec::new(),
            cells: Cells::of(machine, measured),
        };
        for invariant in &machine.invariants {
            for expr in conditions_of(&invariant.property) {
                relevant.mark(expr, None);
            }
        }
        for field in growing_by_value(machine) {
            relevant.data[field.index()] = true;
        }
        if measured == TrackedMeasures::Asked {
            for measure in &relevant.cells.measures {
                relevant.data[measure.tally.field.index()] = true;
            }
        }
        for state in &machine.states {
            for (field, _) in &state.has {
                relevant.data[field.index()] = true;
            }
        }
        for transition in &machine.transitions {
            relevant.mark_conditions(machine, transition);
        }
        relevant.mark_suspects(machine, suspects);
        while relevant.mark_sources(machine) {}
        relevant.mark_host_tools(machine);
        relevant.pairs = pairs::compared(machine);
        let data = &relevant.data;
        let matters = |pair: &Pair| pair.fields().all(|field| data[field.index()]);
        relevant.pairs.retain(matters);
        let is_tracked = |measure: &Measure| data[measure.tally.field.index()];
        relevant.cells.measures.retain(is_tracked);
        relevant
    }

    /// Marks the fields that matter for `other_tools` as fields that matter for each host tool, because an entry for
    /// `other_tools` may apply to the tool.
    fn mark_host_tools(&mut self, machine: &Machine) {
        let others = self.event[machine.other_tools().index()].clone();
        for tool in machine.event_ids().filter(|id| machine.is_host_tool(*id)) {
            for (flag, other) in self.event[tool.index()].iter_mut().zip(&others) {
                *flag |= *other;
            }
        }
    }

    /// Marks everything that an expression reads; returns whether anything was newly marked.
    fn mark(&mut self, expr: &Expr, event: Option<usize>) -> bool {
        let mut new = false;
        expr.walk(&mut |inner| {
            let flag = match &inner.kind {
                ExprKind::Data(field) => self.data.get_mut(field.index()),
                ExprKind::Context(field) => self.context.get_mut(field.index()),
                ExprKind::Event(field) => {
                    event.and_then(|at| self.event[at].get_mut(field.index()))
                }
                ExprKind::Plan(PlanPart::Previous) => Some(&mut self.previous),
                _ => None,
            };
            if let Some(flag) = flag {
                new |= !std::mem::replace(flag, true);
            }
        });
        new
    }

    fn mark_conditions(&mut self, machine: &Machine, transition: &Transition) {
        let event = Some(machine.handler(transition.handler).event.index());
        if let Some(when) = &transition.when {
            self.mark(&when.expr, event);
        }
        for require in &transition.require {
            self.mark(&require.that.expr, event);
        }
        for change in &transition.changes {
            // The step is accepted only if the position exists.
            let positioned = matches!(
                &change.kind,
                ChangeKind::Remove(_)
                    | ChangeKind::Update {
                        which: Which::At(_),
                        ..
                    }
            );
            // An item can be inserted into any list, but only at some positions.
            if let ChangeKind::Insert(at, _) = &change.kind {
                self.mark(at, event);
            }
            // If the field must not be blank, the step is accepted only if the written value is not blank.
            let bounded = machine.field(change.field).nonblank;
            if positioned || bounded {
                self.data[change.field.index()] = true;
            }
        }
    }

    fn mark_suspects(&mut self, machine: &Machine, suspects: &[(u32, u32, u32)]) {
        if suspects.is_empty() {
            return;
        }
        for transition in &machine.transitions {
            let event = Some(machine.handler(transition.handler).event.index());
            for expr in expressions_of(transition) {
                self.mark_suspect(expr, event, suspects);
            }
        }
        for state in &machine.states {
            for emit in state.enter.iter().chain(&state.exit) {
                for expr in emit.fields.iter().flatten() {
                    self.mark_suspect(expr, None, suspects);
                }
            }
        }
    }

    fn mark_suspect(&mut self, expr: &Expr, event: Option<usize>, suspects: &[(u32, u32, u32)]) {
        let mut found = false;
        expr.walk(&mut |inner| found |= suspects.contains(&inner.span.order()));
        if found {
            self.mark(expr, event);
        }
    }

    /// Marks the fields from which the values of relevant fields come; returns whether anything was newly marked.
    fn mark_sources(&mut self, machine: &Machine) -> bool {
        let mut new = false;
        for transition in &machine.transitions {
            let event = Some(machine.handler(transition.handler).event.index());
            for change in &transition.changes {
                if self.data[change.field.index()] {
                    for expr in change.kind.expressions() {
                        new |= self.mark(expr, event);
                    }
                }
            }
        }
        new
    }
}

/// Returns every expression of a transition.
pub(super) fn expressions_of(transition: &Transition) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = transition.when.iter().map(|when| &when.expr).collect();
    for require in &transition.require {
        all.extend([&require.that.expr, &require.otherwise]);
    }
    for change in &transition.changes {
        all.extend(change.kind.expressions());
    }
    for emit in &transition.emit {
        all.extend(emit.fields.iter().flatten());
    }
    all.extend(&transition.reply);
    all
}
