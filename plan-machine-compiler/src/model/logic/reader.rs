//! Converts conditions to formulas.

use super::formula::{Formula, Variable, plain};
use super::lists::{List, Question, question};
use crate::model::expr::{BinaryOp, Expr, ExprKind, Quantifier};
use crate::model::machine::Machine;
use crate::model::types::Type;
use crate::model::value::Value;

/// The maximum number of variables. With more variables, either there are too many worlds, or nearly all variables have
/// only one value.
const MOST_VARIABLES: usize = 64;

/// Converts expressions to formulas, and collects the variables of the formulas.
pub(super) struct Reader<'a> {
    pub(super) machine: &'a Machine,
    pub(super) variables: Vec<Variable>,
    pub(super) lists: Vec<List>,
    /// Whether the expression is a condition on the items of a list.
    pub(super) inside: bool,
}

impl Reader<'_> {
    /// Returns the formula for a condition; `None` if there are too many variables, or if a part of the condition could
    /// not be resolved.
    pub(super) fn formula(&mut self, expr: &Expr) -> Option<Formula> {
        // Inside the condition of one list, a question about another list is an ordinary variable.
        if let Some(question) = question(expr).filter(|_| !self.inside) {
            return self.answer(&question);
        }
        match &expr.kind {
            ExprKind::Value(Value::Bool(truth)) => Some(Formula::Constant(*truth)),
            ExprKind::Not(inner) => Some(self.formula(inner)?.unless(true)),
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right),
            ExprKind::Is(inner, asked, negated) => {
                let positive = ExprKind::Is(inner.clone(), *asked, false);
                Some(self.truth(expr, positive)?.unless(*negated))
            }
            ExprKind::In(one, items) => {
                let mut any = Formula::Constant(false);
                for item in items {
                    let equal = self.equal(expr, one, item)?;
                    any = Formula::Or(Box::new(any), Box::new(equal));
                }
                Some(any)
            }
            ExprKind::Quantified(Quantifier::No, list, condition) => {
                let any = ExprKind::Quantified(Quantifier::Any, list.clone(), condition.clone());
                Some(self.truth(expr, any)?.unless(true))
            }
            other => self.truth(expr, other.clone()),
        }
    }

    fn binary(&mut self, whole: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Formula> {
        let ordered = |op, left: &Expr, right: &Expr| {
            ExprKind::Binary(op, Box::new(left.clone()), Box::new(right.clone()))
        };
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                let left = self.formula(left)?.unless(op == BinaryOp::Implies);
                let (left, right) = (Box::new(left), Box::new(self.formula(right)?));
                Some(match op {
                    BinaryOp::And => Formula::And(left, right),
                    _ => Formula::Or(left, right),
                })
            }
            BinaryOp::Equal => self.equal(whole, left, right),
            BinaryOp::NotEqual => Some(self.equal(whole, left, right)?.unless(true)),
            // Of the four comparisons, `<` is enough: the others swap the sides of `<` or negate it.
            BinaryOp::Less | BinaryOp::GreaterEqual => {
                let less = self.truth(whole, ordered(BinaryOp::Less, left, right))?;
                Some(less.unless(op == BinaryOp::GreaterEqual))
            }
            BinaryOp::Greater | BinaryOp::LessEqual => {
                let less = self.truth(whole, ordered(BinaryOp::Less, right, left))?;
                Some(less.unless(op == BinaryOp::LessEqual))
            }
            BinaryOp::Coalesce | BinaryOp::Add | BinaryOp::Subtract => {
                self.truth(whole, whole.kind.clone())
            }
        }
    }

    fn equal(&mut self, whole: &Expr, left: &Expr, right: &Expr) -> Option<Formula> {
        match (&left.kind, &right.kind) {
            (ExprKind::Value(one), ExprKind::Value(other)) => Some(Formula::Constant(one == other)),
            (_, ExprKind::Value(value)) => self.has_value(left, value),
            (ExprKind::Value(value), _) => self.has_value(right, value),
            _ => {
                let sides = (Box::new(left.clone()), Box::new(right.clone()));
                self.truth(whole, ExprKind::Binary(BinaryOp::Equal, sides.0, sides.1))
            }
        }
    }

    /// Returns the formula for a normalized boolean expression.
    fn truth(&mut self, expr: &Expr, kind: ExprKind) -> Option<Formula> {
        let expr = Expr::new(kind, Type::Bool, expr.span);
        self.has_value(&expr, &Value::Bool(true))
    }

    fn has_value(&mut self, expr: &Expr, value: &Value) -> Option<Formula> {
        let plain = plain(expr)?;
        if self.variables.len() > MOST_VARIABLES {
            return None;
        }
        let known = self.variables.iter().position(|known| known.expr == plain);
        let variable = known.unwrap_or_else(|| {
            let (values, open) = self.domain(expr.ty.required());
            self.variables.push(Variable {
                expr: plain,
                values,
                open,
            });
            self.variables.len() - 1
        });
        let values = &mut self.variables[variable].values;
        let place = values.iter().position(|known| known == value);
        let place = place.unwrap_or_else(|| {
            values.push(value.clone());
            values.len() - 1
        });
        Some(Formula::Is(variable, place))
    }

    /// Returns the known values of a type, and whether the type has other values.
    fn domain(&self, ty: &Type) -> (Vec<Value>, bool) {
        match ty {
            Type::Bool => (vec![Value::Bool(false), Value::Bool(true)], false),
            Type::Enum(id) => {
                let values = self.machine.type_def(*id).values();
                let places = (0..).take(values.len());
                (places.map(Value::Enum).collect(), false)
            }
            _ => (Vec::new(), true),
        }
    }

    /// Returns the formula for a question about a list.
    fn answer(&mut self, question: &Question<'_>) -> Option<Formula> {
        match *question {
            Question::Certain(truth) => Some(Formula::Constant(truth)),
            Question::Any {
                list,
                condition,
                not,
                none,
            } => Some(self.any(list, condition, not)?.unless(none)),
        }
    }

    /// Returns the formula for "some item satisfies the condition" or, if `denied`, for "some item does not satisfy the
    /// condition"; without a condition, the formula for "there is an item".
    fn any(&mut self, list: &Expr, condition: Option<&Expr>, denied: bool) -> Option<Formula> {
        let written = plain(list)?;
        let known = self.lists.iter().position(|known| known.expr == written);
        let at = known.unwrap_or_else(|| {
            self.lists.push(List {
                expr: written,
                variables: Vec::new(),
                questions: Vec::new(),
            });
            self.lists.len() - 1
        });
        let mut inner = Reader {
            machine: self.machine,
            variables: std::mem::take(&mut self.lists[at].variables),
            lists: Vec::new(),
            inside: true,
        };
        let formula = match condition {
            Some(condition) => inner.formula(condition).map(|found| found.unless(denied)),
            None => Some(Formula::Constant(true)),
        };
        self.lists[at].variables = inner.variables;
        let formula = formula?;
        let asked = &self.lists[at].questions;
        if let Some((variable, _)) = asked.iter().find(|(_, known)| *known == formula) {
            return Some(Formula::Is(*variable, 1));
        }
        self.variables.push(Variable {
            expr: Expr::error(list.span),
            values: vec![Value::Bool(false), Value::Bool(true)],
            open: false,
        });
        let variable = self.variables.len() - 1;
        self.lists[at].questions.push((variable, formula));
        Some(Formula::Is(variable, 1))
    }
}
