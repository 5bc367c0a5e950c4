use super::*;
use crate::model::FieldId;
use crate::model::expr::{BinaryOp, ExprKind};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::operators::Is;
use crate::source::{SourceMap, Span};

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, Span::default())
}

fn field(at: usize, ty: Type) -> Expr {
    expr(ExprKind::Data(FieldId::at(at)), ty)
}

fn truth(kind: ExprKind) -> Expr {
    expr(kind, Type::Bool)
}

fn both(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    truth(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

fn is_set(at: usize, negated: bool) -> Expr {
    let optional = field(at, Type::Text.optional());
    truth(ExprKind::Is(Box::new(optional), Is::Set, negated))
}

fn number(op: BinaryOp, value: i64) -> Expr {
    let literal = expr(ExprKind::Value(Value::Int(value)), Type::Int);
    both(op, field(7, Type::Int), literal)
}

fn verdict(value: u32) -> Expr {
    let ty = Type::Enum(crate::model::TypeId::at(0));
    let literal = expr(ExprKind::Value(Value::Enum(value)), ty.clone());
    both(BinaryOp::Equal, field(8, ty), literal)
}

/// Returns a machine whose first type is an enum with three values.
fn machine() -> Machine {
    let text = "{ machine: M, types: { V: { enum: [a, b, c] } }, data: { v: V? }, \
                commands: { go: /go, set_v: { text: '/v {v}', input: { v: V } }, end: /end }, \
                states: { none: { on: { go: A } }, \
                A: { on: { set_v: { set: { v: event.v } }, end: { to: B, next: none } } }, \
                B: { final: true } } }";
    let mut sources = SourceMap::default();
    let file = sources.add("m.yaml", text);
    let compiled = crate::compile(&sources, file);
    compiled.machine.expect("a valid spec").into_inner()
}

fn truths(conditions: &[Expr]) -> Truths {
    let conditions: Vec<Option<&Expr>> = conditions.iter().map(Some).collect();
    Truths::of(&machine(), &conditions).expect("few worlds")
}

#[test]
fn a_field_is_set_or_it_is_not() {
    let either = both(BinaryOp::Or, is_set(0, false), is_set(0, true));
    let neither = both(BinaryOp::And, is_set(0, false), is_set(0, true));
    let found = truths(&[either, neither, is_set(0, false)]);
    assert!(found.always(0) && found.never(1));
    assert!(!found.always(2) && !found.never(2));
}

#[test]
fn a_wider_condition_covers_a_narrower_one_and_not_the_reverse() {
    let narrow = both(BinaryOp::And, is_set(0, false), is_set(1, false));
    let found = truths(&[is_set(0, false), narrow]);
    assert!(found.covers(0, 1) && !found.covers(1, 0));
    assert!(found.comes_too_late(1) && !found.comes_too_late(0));
}

#[test]
fn two_conditions_together_can_cover_a_third() {
    let found = truths(&[is_set(0, false), is_set(0, true), is_set(1, false)]);
    assert!(found.comes_too_late(2));
    assert!(!found.covers(0, 2) && !found.covers(1, 2));
}

#[test]
fn different_values_of_one_thing_exclude_each_other() {
    let contradiction = both(
        BinaryOp::And,
        number(BinaryOp::Equal, 1),
        number(BinaryOp::Equal, 2),
    );
    let found = truths(&[contradiction, number(BinaryOp::NotEqual, 1)]);
    assert!(found.never(0) && !found.always(1));
}

#[test]
fn numbers_have_other_values_than_those_that_are_named() {
    let found = truths(&[number(BinaryOp::Equal, 1), number(BinaryOp::NotEqual, 1)]);
    assert!(found.leave_nothing_out());
    let found = truths(&[number(BinaryOp::Equal, 1), number(BinaryOp::Equal, 2)]);
    assert!(!found.leave_nothing_out());
}

#[test]
fn all_values_of_an_enum_leave_nothing_out() {
    let found = truths(&[verdict(0), verdict(1), verdict(2)]);
    assert!(found.leave_nothing_out() && !found.comes_too_late(2));
    assert!(!truths(&[verdict(0), verdict(1)]).leave_nothing_out());
}

#[test]
fn a_comparison_and_its_opposite_leave_nothing_out() {
    let found = truths(&[number(BinaryOp::Less, 3), number(BinaryOp::GreaterEqual, 3)]);
    assert!(found.leave_nothing_out() && !found.comes_too_late(1));
}

#[test]
fn what_is_proved_reads_like_what_is_not() {
    let optional = field(0, Type::Text.optional());
    let proved = expr(ExprKind::Proved(Box::new(optional)), Type::Text);
    let asked_again = truth(ExprKind::Is(Box::new(proved), Is::Set, false));
    assert!(truths(&[is_set(0, false), asked_again]).covers(0, 1));
}

#[test]
fn too_many_worlds_say_nothing() {
    let conditions: Vec<Expr> = (0..13).map(|at| is_set(at, false)).collect();
    let conditions: Vec<Option<&Expr>> = conditions.iter().map(Some).collect();
    assert!(Truths::of(&machine(), &conditions).is_none());
}
