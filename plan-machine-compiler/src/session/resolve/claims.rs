//! Splits the condition of an invariant into conditions on single machines and claims about tools.

use std::collections::BTreeSet;

use super::Resolver;
use super::parts::{children, without_machine};
use crate::diagnostic::{Code, Diagnostic};
use crate::operators::{BinaryOp, Gate};
use crate::resolve::claim::condition;
use crate::session::model::{Claim, Tool};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Expr, ExprKind, Name};

/// What to write if a condition does not name a machine.
const OF_A_MACHINE: &str = "write `MACHINE.STATE`, or a condition on `MACHINE.FIELD`";

/// What a part of a condition is about.
#[derive(Default)]
struct Mentions {
    machines: BTreeSet<usize>,
    tools: bool,
}

impl Resolver<'_> {
    /// Resolves a condition.
    pub(super) fn claim(&mut self, written: &Expr) -> Option<Claim> {
        if let Some(machine) = self.single(written) {
            return self.condition(machine, written);
        }
        match &written.node {
            ExprKind::Bool(truth) => Some(Claim::Constant(*truth)),
            ExprKind::Not(inner) => Some(Claim::Not(Box::new(self.claim(inner)?))),
            ExprKind::Gate(gate, tool) => self.gate(*gate, tool, written.span),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let mut operands = Vec::new();
                flatten(written, *op, &mut operands);
                self.joined(*op, &operands)
            }
            ExprKind::Binary(BinaryOp::Implies, left, right) => {
                let left = self.claim(left);
                let right = self.claim(right);
                let left = Box::new(Claim::Not(Box::new(left?)));
                Some(Claim::Or(left, Box::new(right?)))
            }
            _ => self.about_one(written),
        }
    }

    /// Returns the machine that a whole condition is about, if the condition can be resolved as a whole. In a machine
    /// with many plans, each part of a condition may hold for a different live plan, so a condition with several parts
    /// is split.
    fn single(&self, written: &Expr) -> Option<usize> {
        let mut mentions = Mentions::default();
        self.mentions(written, &mut mentions);
        let splits = matches!(
            written.node,
            ExprKind::Not(_)
                | ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, ..)
        );
        let mut machines = mentions.machines.into_iter();
        match (machines.next(), machines.next()) {
            (Some(one), None) if !mentions.tools => {
                let many = self.session.machine(one).is_many();
                (!many || !splits).then_some(one)
            }
            _ => None,
        }
    }

    fn mentions(&self, expr: &Expr, found: &mut Mentions) {
        if let ExprKind::Member(base, _) = &expr.node
            && let ExprKind::Name(name) = &base.node
        {
            found.machines.extend(self.session.position(name));
        }
        found.tools |= matches!(expr.node, ExprKind::Gate(..));
        for inner in children(expr) {
            self.mentions(inner, found);
        }
    }

    /// Resolves operands that are joined with `and` or `or`. Operands about the same machine stay together, so that one
    /// of them can prove that an optional is set for another.
    fn joined(&mut self, op: BinaryOp, operands: &[&Expr]) -> Option<Claim> {
        let mut grouped: Vec<(Option<usize>, Expr)> = Vec::new();
        for operand in operands {
            let machine = self.single(operand);
            let one_slot = machine.filter(|at| !self.session.machine(*at).is_many());
            let mut groups = grouped.iter_mut();
            let same = groups.find(|(about, _)| about.is_some() && *about == one_slot);
            if let Some((_, group)) = same {
                let span = group.span.to(operand.span);
                let left = Box::new(group.clone());
                let right = Box::new((*operand).clone());
                *group = Spanned::new(ExprKind::Binary(op, left, right), span);
            } else {
                grouped.push((one_slot, (*operand).clone()));
            }
        }
        let claims: Vec<Option<Claim>> = grouped.iter().map(|(_, expr)| self.claim(expr)).collect();
        let mut claims = claims.into_iter().collect::<Option<Vec<_>>>()?.into_iter();
        let first = claims.next()?;
        Some(claims.fold(first, |all, one| {
            let (all, one) = (Box::new(all), Box::new(one));
            if op == BinaryOp::And {
                Claim::And(all, one)
            } else {
                Claim::Or(all, one)
            }
        }))
    }

    /// Resolves a condition on one machine.
    fn condition(&mut self, machine: usize, written: &Expr) -> Option<Claim> {
        let member = &self.session.members[machine];
        let plain = without_machine(written, &member.name);
        let condition = condition(&member.machine, &plain, self.sink)?;
        let known = &mut self.questions[machine].conditions;
        known.push(condition);
        Some(Claim::Condition(machine, known.len() - 1))
    }

    /// Reports a part of a condition that is not about exactly one machine.
    fn about_one(&mut self, written: &Expr) -> Option<Claim> {
        let mut mentions = Mentions::default();
        self.mentions(written, &mut mentions);
        if mentions.machines.len() > 1 {
            let message = "this part of a condition is about more than one machine";
            let help =
                "join conditions on different machines with `and`, `or`, `not` and `implies`";
            let found = Diagnostic::new(Code::PM1103, written.span, message);
            self.sink.push(found.help(help));
            return None;
        }
        match &written.node {
            ExprKind::Name(name) => self.bare(name, written.span),
            ExprKind::Member(base, _) if matches!(base.node, ExprKind::Name(_)) => {
                let ExprKind::Name(name) = &base.node else {
                    return None;
                };
                self.member(name, base.span)?;
            }
            _ => {
                if let Some(inner) = children(written).first() {
                    return self.about_one(inner);
                }
                let message = "this part of a condition does not say which machine it is about";
                let found = Diagnostic::new(Code::PM0102, written.span, message);
                self.sink.push(found.help(OF_A_MACHINE));
            }
        }
        None
    }

    /// Reports a name without its machine.
    fn bare(&mut self, name: &str, span: Span) {
        if self.session.position(name).is_some() {
            let message = format!("`{name}` is a machine, not a condition");
            let help = format!("name one of its states or fields: `{name}.…`");
            self.sink
                .push(Diagnostic::new(Code::PM0102, span, message).help(help));
            return;
        }
        let having = self.session.members.iter().filter(|member| {
            let mut fields = member.machine.data.iter();
            member.machine.state_named(name).is_some() || fields.any(|field| field.name == name)
        });
        let having: Vec<String> = having
            .map(|member| format!("`{}.{name}`", member.name))
            .collect();
        let message = format!("`{name}` does not say which machine it is about");
        let found = Diagnostic::new(Code::PM0102, span, message);
        self.sink.push(if having.is_empty() {
            found.help(OF_A_MACHINE)
        } else {
            found.help(format!("write {}", having.join(" or ")))
        });
    }

    fn gate(&mut self, gate: Gate, name: &Name, span: Span) -> Option<Claim> {
        if let Some((problem, help)) = about_a_single_machine(gate, name) {
            let found = Diagnostic::new(Code::PM1103, span, problem);
            self.sink.push(found.help(help));
            return None;
        }
        let tools = self.tool(name)?;
        let own = tools.iter().any(|tool| tool.owner.is_some());
        let (problem, help) = match gate {
            Gate::Advertises if !own => (
                "`advertises` needs a tool of a machine, not a host tool",
                format!(
                    "write `runs {}`, which is about calls to a host tool",
                    name.node
                ),
            ),
            Gate::Records if own => (
                "`records` needs a host tool, not a tool of a machine",
                format!(
                    "write `runs {}`, which means that a call would be accepted",
                    name.node
                ),
            ),
            _ => return Some(of_any(gate, &tools)),
        };
        let found = Diagnostic::new(Code::PM1103, span, problem);
        self.sink.push(found.help(help));
        None
    }
}

/// Returns the problem with a condition that only the spec of a machine can have, and what to write instead.
fn about_a_single_machine(gate: Gate, name: &Name) -> Option<(&'static str, String)> {
    match gate {
        Gate::Prompts => Some((
            "`prompts` is about a single machine, so it belongs in the spec of that machine",
            format!(
                "put the invariant into the spec of the machine, or test whether the tool is advertised: `advertises {}`",
                name.node
            ),
        )),
        Gate::Accepts => Some((
            "`accepts` is about a single machine, so it belongs in the spec of that machine",
            format!(
                "put the invariant into the spec of the machine, or state it as `{} only in CONDITION`",
                name.node
            ),
        )),
        _ => None,
    }
}

/// Combines the claims about several kinds of calls into one: `denies` must hold for all of these kinds, and any other
/// claim for at least one of them.
fn of_any(gate: Gate, tools: &[Tool]) -> Claim {
    let all_of = gate == Gate::Denies;
    let mut claims = tools.iter().map(|tool| Claim::Tool(gate, *tool));
    let Some(first) = claims.next() else {
        // No call has the class.
        return Claim::Constant(all_of);
    };
    claims.fold(first, |all, one| {
        let (all, one) = (Box::new(all), Box::new(one));
        if all_of {
            Claim::And(all, one)
        } else {
            Claim::Or(all, one)
        }
    })
}

/// Returns the operands of a chain such as `a and b and c`.
fn flatten<'e>(expr: &'e Expr, op: BinaryOp, operands: &mut Vec<&'e Expr>) {
    match &expr.node {
        ExprKind::Binary(found, left, right) if *found == op => {
            flatten(left, op, operands);
            flatten(right, op, operands);
        }
        _ => operands.push(expr),
    }
}
