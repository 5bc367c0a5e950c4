//! Evaluates expressions, as far as the abstraction determines their values.

use super::abstraction::{Abs, Items, items_of, of_value, possible_items, top};
use super::known::KnownFacts;
use super::measures::Measure;
use super::notes::Unset;
use super::pairs::Term;
use super::tools::{self, HostCall};
use super::truth::Truth;
use crate::model::StateId;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Is, Part, PlanPart, Quantifier};
use crate::model::machine::Machine;
use crate::model::types::Type;
use crate::model::value::Value;

/// The environment of an expression.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) machine: &'a Machine,
    /// The leaf of the record; `none` if there is no record.
    pub(super) leaf: StateId,
    pub(super) data: &'a [Abs],
    /// The tracked measures of lists. In `data`, the values of the measures come after the values of the fields.
    pub(super) measures: &'a [Measure],
    pub(super) previous: &'a Abs,
    pub(super) event: &'a [Abs],
    pub(super) context: &'a [Abs],
    /// The call to a host tool, if the event is such a call.
    pub(super) host_call: Option<HostCall>,
    pub(super) item: Option<&'a Abs>,
    /// What is known besides the data.
    pub(super) known: &'a KnownFacts,
    /// Collects the expressions that rely on an optional that may be unset, and counts the work.
    pub(super) unset: &'a Unset,
}

impl Scope<'_> {
    /// Returns whether a condition holds, as far as its parts determine it.
    pub(super) fn by_parts(&self, expr: &Expr) -> Truth {
        self.unset.spend(1);
        match &expr.kind {
            ExprKind::Value(Value::Bool(truth)) => Truth::from(*truth),
            ExprKind::Not(inner) => self.by_parts(inner).not(),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Is(inner, asked, negated) => {
                let truth = self.is(inner, *asked);
                if *negated { truth.not() } else { truth }
            }
            ExprKind::In(inner, items) => items
                .iter()
                .fold(Truth::No, |found, item| found.or(self.equal(inner, item))),
            ExprKind::Quantified(quantifier, list, condition) => {
                self.quantified(*quantifier, list, condition)
            }
            ExprKind::InState(state) => self.machine.is_within(self.leaf, *state).into(),
            ExprKind::IsFinal => self.machine.is_final(self.leaf).into(),
            ExprKind::Gate(gate, tool) => {
                let claim = self.machine.gate(self.leaf, *gate, *tool);
                claim.map_or(Truth::Unknown, Truth::from)
            }
            _ => match self.value(expr) {
                Abs::Bool(truth) => truth.into(),
                _ => Truth::Unknown,
            },
        }
    }

    /// Returns what is known about an expression's value.
    pub(super) fn value(&self, expr: &Expr) -> Abs {
        self.unset.spend(1);
        match &expr.kind {
            ExprKind::Value(value) => of_value(self.machine, value, &expr.ty),
            ExprKind::Data(field) => self
                .data
                .get(field.index())
                .cloned()
                .unwrap_or(Abs::Anything),
            ExprKind::Event(field) => self
                .event
                .get(field.index())
                .cloned()
                .unwrap_or(Abs::Anything),
            ExprKind::Context(field) => self
                .context
                .get(field.index())
                .cloned()
                .unwrap_or(Abs::Anything),
            ExprKind::Plan(PlanPart::Previous) => self.previous.clone(),
            ExprKind::Plan(PlanPart::State | PlanPart::Token) => Abs::Text { blank: false },
            ExprKind::Item => self.item.cloned().unwrap_or(Abs::Something),
            ExprKind::Member(base, field) => match self.value(base) {
                Abs::Record(mut values) => values.swap_remove(field.index()),
                _ => top(&expr.ty),
            },
            ExprKind::Proved(inner) => {
                let value = self.value(inner);
                if value.may_be_unset() {
                    self.unset.borrow_mut().insert(expr.span.order());
                }
                value.set()
            }
            ExprKind::At(list, index) => {
                self.value(index);
                match self.value(list) {
                    Abs::Empty => Abs::Unset,
                    _ => Abs::Anything,
                }
            }
            ExprKind::Call(helper, arguments) => self.call(*helper, arguments, &expr.ty),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => self.coalesce(left, right),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let sum = self.sum(*op, left, right);
                sum.map_or(Abs::Something, Abs::Int)
            }
            ExprKind::Template(parts) => self.template(parts),
            ExprKind::Record(fields) => self.record(fields, &expr.ty),
            ExprKind::List(items) => self.list(items, &expr.ty),
            ExprKind::ToJson(inner) => match self.value(inner) {
                value @ (Abs::Unset | Abs::Anything) => value,
                _ => Abs::Something,
            },
            ExprKind::Not(_)
            | ExprKind::Binary(..)
            | ExprKind::Is(..)
            | ExprKind::In(..)
            | ExprKind::InState(_)
            | ExprKind::IsFinal
            | ExprKind::Gate(..) => as_value(self.by_parts(expr)),
            ExprKind::Plans(condition) => {
                if let Some(condition) = condition {
                    self.by_parts(condition);
                }
                Abs::Something
            }
            ExprKind::Quantified(quantifier, list, condition) => {
                let truth = as_value(self.by_parts(expr));
                self.value(list);
                match quantifier {
                    Quantifier::Count => Abs::Int(self.count(list, condition)),
                    _ => truth,
                }
            }
            _ => top(&expr.ty),
        }
    }

    fn call(&self, helper: Helper, arguments: &[Expr], ty: &Type) -> Abs {
        for argument in arguments {
            self.value(argument);
        }
        match (helper, arguments) {
            (Helper::Section, _) => Abs::Anything,
            (Helper::Len, [of]) => Abs::Int(self.length(of)),
            _ => top(ty),
        }
    }

    fn coalesce(&self, left: &Expr, right: &Expr) -> Abs {
        // `Proved` on the left of `??` relies on nothing: if the left side is unset, the right side is used.
        let left = match &left.kind {
            ExprKind::Proved(inner) => self.value(inner),
            _ => self.value(left),
        };
        match left {
            Abs::Unset => self.value(right),
            Abs::Anything => Abs::Something.or(self.value(right)),
            set => set,
        }
    }

    fn template(&self, parts: &[Part]) -> Abs {
        let mut solid = false;
        for part in parts {
            match part {
                Part::Literal(text) => solid |= !text.trim().is_empty(),
                Part::Expr(expr) => solid |= self.value(expr) == Abs::Text { blank: false },
            }
        }
        if solid {
            Abs::Text { blank: false }
        } else {
            Abs::Something
        }
    }

    fn record(&self, fields: &[Option<Expr>], ty: &Type) -> Abs {
        let declared = match ty.required() {
            Type::Record(id) => self.machine.type_def(*id).fields(),
            _ => &[],
        };
        let values = fields.iter().enumerate().map(|(at, value)| match value {
            Some(expr) => self.value(expr),
            None => declared.get(at).map_or(Abs::Anything, |field| {
                field.start().map_or(top(&field.ty), |value| {
                    of_value(self.machine, &value, &field.ty)
                })
            }),
        });
        Abs::Record(values.collect())
    }

    fn list(&self, items: &[Expr], ty: &Type) -> Abs {
        let Type::List(item) = ty.required() else {
            return Abs::Something;
        };
        let mut all: Option<Items> = None;
        for expr in items {
            let one = items_of(self.machine, item, &self.value(expr));
            all = Some(all.map_or_else(|| one.clone(), |all| all.union(&one)));
        }
        all.map_or(Abs::Empty, Abs::Items)
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Truth {
        match op {
            BinaryOp::And => match self.by_parts(left) {
                Truth::No => Truth::No,
                left => left.and(self.by_parts(right)),
            },
            BinaryOp::Or => match self.by_parts(left) {
                Truth::Yes => Truth::Yes,
                left => left.or(self.by_parts(right)),
            },
            BinaryOp::Implies => match self.by_parts(left) {
                Truth::No => Truth::Yes,
                left => left.not().or(self.by_parts(right)),
            },
            BinaryOp::Equal => self.equal(left, right),
            BinaryOp::NotEqual => self.equal(left, right).not(),
            BinaryOp::Coalesce => match self.coalesce(left, right) {
                Abs::Bool(truth) => truth.into(),
                _ => Truth::Unknown,
            },
            BinaryOp::Less => self.is_less(left, right),
            BinaryOp::GreaterEqual => self.is_less(left, right).not(),
            BinaryOp::Greater => self.is_less(right, left),
            BinaryOp::LessEqual => self.is_less(right, left).not(),
            BinaryOp::Add | BinaryOp::Subtract => {
                self.value(left);
                self.value(right);
                Truth::Unknown
            }
        }
    }

    fn equal(&self, left: &Expr, right: &Expr) -> Truth {
        // The state of a plan is a string that is known exactly.
        for (one, other) in [(left, right), (right, left)] {
            if let (ExprKind::Plan(PlanPart::State), ExprKind::Value(Value::Text(text))) =
                (&one.kind, &other.kind)
            {
                return (self.machine.state(self.leaf).name == **text).into();
            }
        }
        if let Some(truth) = self.is_called(left, right).or(self.is_called(right, left)) {
            return truth;
        }
        if let (ExprKind::Value(left), ExprKind::Value(right)) = (&left.kind, &right.kind) {
            return (left == right).into();
        }
        match (self.value(left), self.value(right)) {
            (Abs::Bool(left), Abs::Bool(right)) => (left == right).into(),
            (Abs::Enum(left), Abs::Enum(right)) => (left == right).into(),
            (Abs::Int(left), Abs::Int(right)) => left.equals(right),
            (Abs::Text { blank: left }, Abs::Text { blank: right }) if left != right => Truth::No,
            (Abs::Empty, Abs::Empty) => Truth::Yes,
            (Abs::Empty, Abs::Items(_)) | (Abs::Items(_), Abs::Empty) => Truth::No,
            _ => match self.term(left).zip(self.term(right)) {
                Some((left, right)) => self.known.relation(&left, &right),
                None => Truth::Unknown,
            },
        }
    }

    /// Returns the term for the string or id that an expression evaluates to, if it can be compared with other terms.
    pub(super) fn term(&self, expr: &Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Proved(inner) => self.term(inner),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
                let left = match &left.kind {
                    ExprKind::Proved(inner) => inner,
                    _ => left,
                };
                match self.value(left) {
                    Abs::Unset => self.term(right),
                    Abs::Anything => None,
                    _ => self.term(left),
                }
            }
            _ => {
                let term = Term::of(expr)?;
                let unset = self.value(expr) == Abs::Unset;
                Some(if unset {
                    Term::Value(Value::Unset)
                } else {
                    term
                })
            }
        }
    }

    /// Returns whether the called tool has the given name; `None` if the expressions are not the name of the tool and a
    /// literal, or if what is known about the tool does not decide that.
    fn is_called(&self, tool: &Expr, name: &Expr) -> Option<Truth> {
        let (ExprKind::Event(field), ExprKind::Value(Value::Text(name))) = (&tool.kind, &name.kind)
        else {
            return None;
        };
        let call = self.host_call.filter(|_| *field == tools::NAME)?;
        tools::is_called(self.machine, call, name)
    }

    fn is(&self, inner: &Expr, asked: Is) -> Truth {
        let inner = match (&inner.kind, asked) {
            (ExprKind::Proved(optional), Is::Set) => optional,
            _ => inner,
        };
        match (asked, self.value(inner)) {
            (Is::Set, Abs::Unset) | (Is::Empty | Is::Blank, Abs::Text { blank: false }) => {
                Truth::No
            }
            (Is::Set, Abs::Anything) => Truth::Unknown,
            (Is::Set, _) | (Is::Blank, Abs::Text { blank: true }) | (Is::Empty, Abs::Empty) => {
                Truth::Yes
            }
            (Is::Empty, Abs::Items(_)) => Truth::No,
            _ => Truth::Unknown,
        }
    }

    /// Returns `Yes` if the condition holds for all items that the list may contain, `No` if it holds for none of them,
    /// and `Unknown` otherwise; `None` if the possible items cannot be listed.
    pub(super) fn over_items(&self, list: &Expr, condition: &Expr) -> Option<Truth> {
        let Type::List(item) = &list.ty else {
            return None;
        };
        let Abs::Items(items) = self.value(list) else {
            return None;
        };
        let possible = possible_items(self.machine, item, &items)?;
        let mut truths = possible.iter().map(|item| self.about(item, condition));
        let first = truths.next()?;
        Some(truths.fold(
            first,
            |all, one| if all == one { all } else { Truth::Unknown },
        ))
    }

    /// Returns whether a condition holds for an item.
    pub(super) fn about(&self, item: &Abs, condition: &Expr) -> Truth {
        let inside = Scope {
            item: Some(item),
            ..*self
        };
        inside.by_parts(condition)
    }

    /// Returns whether a condition holds for an item about which nothing is known.
    fn about_any_item(&self, condition: &Expr) -> Truth {
        self.about(&Abs::Something, condition)
    }

    fn quantified(&self, quantifier: Quantifier, list: &Expr, condition: &Expr) -> Truth {
        match self.by_items(quantifier, list, condition) {
            Truth::Unknown => self.by_count(quantifier, list, condition),
            decided => decided,
        }
    }

    /// Decides a quantifier from the items that the list may contain.
    fn by_items(&self, quantifier: Quantifier, list: &Expr, condition: &Expr) -> Truth {
        let all = match self.value(list) {
            Abs::Empty => {
                return match quantifier {
                    Quantifier::Any => Truth::No,
                    Quantifier::Every | Quantifier::No => Truth::Yes,
                    Quantifier::Count => Truth::Unknown,
                };
            }
            Abs::Items(_) => self.over_items(list, condition).unwrap_or_else(|| {
                self.about_any_item(condition);
                Truth::Unknown
            }),
            _ => {
                // The list may be empty, so nothing here proves `any`. But a condition that is false for every item is
                // satisfied by no item, whatever the list contains.
                return match (quantifier, self.about_any_item(condition)) {
                    (Quantifier::Any, Truth::No) => Truth::No,
                    (Quantifier::Every, Truth::Yes) | (Quantifier::No, Truth::No) => Truth::Yes,
                    _ => Truth::Unknown,
                };
            }
        };
        match (quantifier, all) {
            (Quantifier::Any | Quantifier::Every, all) => all,
            (Quantifier::No, all) => all.not(),
            (Quantifier::Count, _) => Truth::Unknown,
        }
    }
}

/// Returns a truth value as an abstract value.
pub(super) fn as_value(truth: Truth) -> Abs {
    match truth {
        Truth::Yes => Abs::Bool(true),
        Truth::No => Abs::Bool(false),
        Truth::Unknown => Abs::Something,
    }
}
