//! Conditions as propositions: what can be said of a list of alternatives without any data.
//!
//! Whatever is not `and`, `or`, `not` or `implies` is a variable, known by how it is written. A
//! comparison with a literal makes its other side a variable with several values, so that
//! `x == a` and `x == b` exclude each other, and comparing with each value of an enum leaves
//! nothing out. All combinations of values are tried.

mod lists;

use lists::{Kinds, List};

use super::expr::{BinaryOp, Expr, ExprKind, Quantifier};
use super::machine::Machine;
use super::types::Type;
use super::value::Value;

/// Above so many combinations nothing is said.
const MOST_WORLDS: usize = 1 << 12;
/// With so many variables there are more worlds than that, or next to all have one value.
const MOST_VARIABLES: usize = 64;

/// A condition over numbered variables.
#[derive(Debug, PartialEq)]
enum Formula {
    Constant(bool),
    /// The variable has the value of this place.
    Is(usize, usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

/// Something that conditions ask about.
struct Variable {
    /// How it is written.
    expr: Expr,
    /// The values it is compared with.
    values: Vec<Value>,
    /// It may have another value than these.
    open: bool,
}

/// One combination of values: by variable, the place of its value.
type World = Vec<usize>;

/// What is known of a list of conditions: in which worlds each of them holds.
pub(crate) struct Truths {
    /// By world, by condition.
    rows: Vec<Vec<bool>>,
}

impl Truths {
    /// Tries all worlds, one without a condition holding in each. `None` where there are too many
    /// of them, or where a condition could not be resolved.
    pub(crate) fn of(machine: &Machine, conditions: &[Option<&Expr>]) -> Option<Self> {
        let mut reader = Reader {
            machine,
            variables: Vec::new(),
            lists: Vec::new(),
            inside: false,
        };
        let formulas = conditions
            .iter()
            .map(|condition| match condition {
                Some(expr) => reader.formula(expr),
                None => Some(Formula::Constant(true)),
            })
            .collect::<Option<Vec<Formula>>>()?;
        let mut worlds = worlds(&reader.variables)?;
        let kinds: Vec<Kinds> = reader.lists.iter().filter_map(List::kinds).collect();
        worlds.retain(|world| kinds.iter().all(|kinds| kinds.allow(world)));
        let row = |world: &World| {
            formulas
                .iter()
                .map(|formula| formula.holds(world))
                .collect()
        };
        Some(Self {
            rows: worlds.iter().map(row).collect(),
        })
    }

    /// What is known of the last condition where those before it are as given; `None` where it may
    /// be either, or where they never are.
    pub(crate) fn given(&self, given: &[bool]) -> Option<bool> {
        let rows = self.rows.iter().filter(|row| row.starts_with(given));
        let mut last = rows.map(|row| row[given.len()]);
        let first = last.next()?;
        last.all(|truth| truth == first).then_some(first)
    }

    /// How many truths were worked out.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() * self.rows.first().map_or(1, Vec::len)
    }

    /// Whether a condition holds in every world.
    pub(crate) fn always(&self, at: usize) -> bool {
        self.rows.iter().all(|row| row[at])
    }

    /// Whether a condition holds in no world.
    pub(crate) fn never(&self, at: usize) -> bool {
        self.rows.iter().all(|row| !row[at])
    }

    /// Whether one condition holds wherever another does.
    pub(crate) fn covers(&self, wide: usize, narrow: usize) -> bool {
        self.rows.iter().all(|row| row[wide] || !row[narrow])
    }

    /// Whether two conditions hold together in no world.
    #[cfg(feature = "tools")]
    pub(crate) fn exclude(&self, one: usize, other: usize) -> bool {
        self.rows.iter().all(|row| !(row[one] && row[other]))
    }

    /// Whether a condition holds only where an earlier one does.
    pub(crate) fn comes_too_late(&self, at: usize) -> bool {
        self.rows
            .iter()
            .all(|row| !row[at] || row[..at].contains(&true))
    }

    /// Whether some condition holds in every world.
    pub(crate) fn leave_nothing_out(&self) -> bool {
        self.rows.iter().all(|row| row.contains(&true))
    }
}

/// All combinations of the variables' values.
fn worlds(variables: &[Variable]) -> Option<Vec<World>> {
    let mut worlds = vec![World::new()];
    for variable in variables {
        let values = variable.values.len() + usize::from(variable.open);
        if worlds.len().saturating_mul(values) > MOST_WORLDS {
            return None;
        }
        worlds = worlds
            .iter()
            .flat_map(|world| (0..values).map(move |value| [&world[..], &[value]].concat()))
            .collect();
    }
    Some(worlds)
}

impl Formula {
    fn holds(&self, world: &World) -> bool {
        match self {
            Formula::Constant(truth) => *truth,
            Formula::Is(variable, value) => world[*variable] == *value,
            Formula::Not(inner) => !inner.holds(world),
            Formula::And(left, right) => left.holds(world) && right.holds(world),
            Formula::Or(left, right) => left.holds(world) || right.holds(world),
        }
    }

    fn unless(self, negated: bool) -> Self {
        if negated {
            Formula::Not(Box::new(self))
        } else {
            self
        }
    }
}

/// Turns expressions into formulas, and finds the variables on the way.
struct Reader<'a> {
    machine: &'a Machine,
    variables: Vec<Variable>,
    lists: Vec<List>,
    /// What is read is asked of an item of a list.
    inside: bool,
}

impl Reader<'_> {
    fn formula(&mut self, expr: &Expr) -> Option<Formula> {
        // Inside the condition of one list, another is a question like any other.
        if let Some(question) = lists::question(expr).filter(|_| !self.inside) {
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
            // Of the four comparisons `<` is enough: the others are its sides swapped or denied.
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

    /// An expression that is true or false, in the form in which it is always written.
    fn truth(&mut self, expr: &Expr, kind: ExprKind) -> Option<Formula> {
        let expr = Expr {
            kind,
            ty: Type::Bool,
            span: expr.span,
        };
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

    /// The values of a type, where they are known, and whether there are others.
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
}

/// The expression without types and without the marks of what was proved, which differ from place
/// to place; `None` where something in it could not be resolved.
fn plain(expr: &Expr) -> Option<Expr> {
    let boxed = |inner: &Expr| plain(inner).map(Box::new);
    let kind = match &expr.kind {
        ExprKind::Error => return None,
        ExprKind::Proved(inner) => return plain(inner),
        ExprKind::Member(base, field) => ExprKind::Member(boxed(base)?, *field),
        ExprKind::At(list, index) => ExprKind::At(boxed(list)?, boxed(index)?),
        ExprKind::Call(helper, arguments) => ExprKind::Call(*helper, all(arguments)?),
        ExprKind::Not(inner) => ExprKind::Not(boxed(inner)?),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left)?, boxed(right)?),
        ExprKind::Is(inner, asked, negated) => ExprKind::Is(boxed(inner)?, *asked, *negated),
        ExprKind::In(one, items) => ExprKind::In(boxed(one)?, all(items)?),
        ExprKind::Quantified(quantifier, list, condition) => {
            ExprKind::Quantified(*quantifier, boxed(list)?, boxed(condition)?)
        }
        ExprKind::List(items) => ExprKind::List(all(items)?),
        other => other.clone(),
    };
    Some(Expr {
        kind,
        ty: Type::Unknown,
        span: expr.span,
    })
}

fn all(exprs: &[Expr]) -> Option<Vec<Expr>> {
    exprs.iter().map(plain).collect()
}

#[cfg(test)]
mod tests;
