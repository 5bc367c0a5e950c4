//! Questions about one list: `any`, `every`, `no`, `count`, `len` and `is empty` all ask which kinds of items the list
//! contains.
//!
//! A kind is one combination of the item properties that the conditions test. `any L where C` is true if the list
//! contains an item of a kind that satisfies C; `every`, `no` and `is empty` are negations of such a question.
//! Combinations of answers that no list can give are left out.

use super::formula::{Formula, Variable, World, plain, worlds};
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Is, Quantifier};
use crate::model::types::Type;
use crate::model::value::Value;

/// The maximum number of questions about one list that are compared.
const MOST_QUESTIONS: usize = 16;
/// The maximum number of kinds of items in one list.
const MOST_KINDS: usize = 256;

/// A list that conditions test.
pub(super) struct List {
    /// The list itself.
    pub(super) expr: Expr,
    /// The item properties that the conditions test.
    pub(super) variables: Vec<Variable>,
    /// For each question: the variable that is true if the list contains a matching item, and the formula that such an
    /// item satisfies.
    pub(super) questions: Vec<(usize, Formula)>,
}

/// Determines which combinations of answers some list can give. For each kind of item, `kinds` contains the set of
/// questions that are answered with yes if the list contains such an item.
pub(super) struct Kinds {
    questions: Vec<usize>,
    kinds: Vec<u32>,
}

impl List {
    /// Returns the kinds of items; `None` if there are too many kinds or questions. In that case, every combination of
    /// answers counts as possible.
    pub(super) fn kinds(&self) -> Option<Kinds> {
        if self.questions.len() > MOST_QUESTIONS {
            return None;
        }
        let items = worlds(&self.variables).filter(|items| items.len() <= MOST_KINDS)?;
        let kind = |item: &World| {
            let answers = self.questions.iter().enumerate();
            answers
                .filter(|(_, (_, formula))| formula.holds(item))
                .fold(0, |kind, (at, _)| kind | 1 << at)
        };
        let mut kinds: Vec<u32> = items.iter().map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Some(Kinds {
            questions: self
                .questions
                .iter()
                .map(|(variable, _)| *variable)
                .collect(),
            kinds,
        })
    }
}

impl Kinds {
    /// Returns whether some list gives these answers: a list that contains at least one item for each true answer, and
    /// no item that would make a false answer true.
    pub(super) fn allow(&self, world: &World) -> bool {
        let is_true = |variable: &usize| world[*variable] == 1;
        let answers = self.questions.iter().enumerate();
        let told = answers
            .filter(|(_, variable)| is_true(variable))
            .fold(0, |told, (at, _)| told | 1 << at);
        let held = self.kinds.iter().filter(|kind| **kind & !told == 0);
        held.fold(0, |seen, kind| seen | kind) == told
    }
}

/// A question that a condition asks about a list.
pub(super) enum Question<'e> {
    /// The answer is the same for every list.
    Certain(bool),
    /// Whether some item satisfies a condition or its negation; without a condition, whether there
    /// is any item.
    Any {
        list: &'e Expr,
        condition: Option<&'e Expr>,
        /// Whether the condition is negated.
        not: bool,
        /// Whether the whole question is negated.
        none: bool,
    },
}

/// Returns the question about a list that an expression asks, if there is one.
pub(super) fn question(expr: &Expr) -> Option<Question<'_>> {
    let found = match &expr.kind {
        ExprKind::Quantified(quantifier, list, condition) => {
            let (not, none) = match quantifier {
                Quantifier::Any => (false, false),
                Quantifier::No => (false, true),
                Quantifier::Every => (true, true),
                Quantifier::Count => return None,
            };
            Question::Any {
                list,
                condition: Some(condition),
                not,
                none,
            }
        }
        ExprKind::Is(list, Is::Empty, negated) => Question::Any {
            list,
            condition: None,
            not: false,
            none: !negated,
        },
        ExprKind::Binary(op, left, right) => counted(*op, left, right)?,
        _ => return None,
    };
    match found {
        Question::Any { list, .. } if !is_list(list) => None,
        found => Some(found),
    }
}

/// Recognizes a comparison that only shows whether the number of items is zero or positive.
fn counted<'e>(op: BinaryOp, left: &'e Expr, right: &'e Expr) -> Option<Question<'e>> {
    if let Some(found) = counted_of_all(op, left, right) {
        return Some(found);
    }
    let (op, counted, number) = match (&left.kind, &right.kind) {
        (_, ExprKind::Value(Value::Int(number))) => (op, left, *number),
        (ExprKind::Value(Value::Int(number)), _) => (op.mirrored(), right, *number),
        _ => return None,
    };
    let (list, condition) = match &counted.kind {
        ExprKind::Quantified(Quantifier::Count, list, condition) => (&**list, Some(&**condition)),
        ExprKind::Call(Helper::Len, arguments) => (&arguments[0], None),
        _ => return None,
    };
    let (of_none, of_some) = counts(op, number)?;
    if !is_list(list) {
        return None;
    }
    Some(if of_none == of_some {
        Question::Certain(of_none)
    } else {
        Question::Any {
            list,
            condition,
            not: false,
            none: of_none,
        }
    })
}

/// Recognizes a comparison of the number of items that satisfy a condition with the length of the same list. The number
/// is never larger than the length, and equal to it only if every item satisfies the condition.
fn counted_of_all<'e>(op: BinaryOp, left: &'e Expr, right: &'e Expr) -> Option<Question<'e>> {
    let (op, counted, length) = match (&left.kind, &right.kind) {
        (_, ExprKind::Call(Helper::Len, length)) => (op, left, length),
        (ExprKind::Call(Helper::Len, length), _) => (op.mirrored(), right, length),
        _ => return None,
    };
    let ExprKind::Quantified(Quantifier::Count, list, condition) = &counted.kind else {
        return None;
    };
    if !is_list(list) || plain(list)? != plain(&length[0])? {
        return None;
    }
    let every = |is_meant: bool| Question::Any {
        list,
        condition: Some(condition),
        not: true,
        none: is_meant,
    };
    Some(match op {
        BinaryOp::Equal | BinaryOp::GreaterEqual => every(true),
        BinaryOp::NotEqual | BinaryOp::Less => every(false),
        BinaryOp::LessEqual => Question::Certain(true),
        BinaryOp::Greater => Question::Certain(false),
        _ => return None,
    })
}

fn is_list(expr: &Expr) -> bool {
    matches!(expr.ty.required(), Type::List(_)) && !matches!(expr.kind, ExprKind::Plans(_))
}

/// Returns whether a comparison holds for zero, and whether it holds for all positive numbers; `None` if it holds for
/// only some positive numbers.
fn counts(op: BinaryOp, number: i64) -> Option<(bool, bool)> {
    match op {
        BinaryOp::Greater if number <= 0 => Some((number < 0, true)),
        BinaryOp::GreaterEqual if number <= 1 => Some((number <= 0, true)),
        BinaryOp::Less if number <= 1 => Some((number > 0, false)),
        BinaryOp::LessEqual | BinaryOp::Equal if number <= 0 => Some((number == 0, false)),
        BinaryOp::NotEqual if number <= 0 => Some((number != 0, true)),
        _ => None,
    }
}
