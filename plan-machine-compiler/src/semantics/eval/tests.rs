//! Tests of the limits on what a step builds and evaluates.

use std::cell::Cell;

use plan_machine_kernel::time::Instant;

use super::scope::{Evaluated, Fault, Scope, of_nothing};
use crate::model::Machine;
#[cfg(feature = "markdown")]
use crate::model::expr::Helper;
use crate::model::expr::{Expr, ExprKind, Part};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::source::{SourceMap, Span};

fn machine() -> Machine {
    let text = "{ machine: M, commands: { go: /go, end: /end }, states: { none: { on: { go: A } }, \
                A: { on: { end: { to: B, next: none } } }, B: { final: true } } }";
    let mut sources = SourceMap::default();
    let file = sources.add("m.yaml", text);
    let compiled = crate::compile(&sources, file);
    compiled.machine.expect("a valid spec").into_inner()
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Type::Text, Span::default())
}

/// Evaluates an expression with a budget, and returns the result and the remaining budget.
fn within(bytes: usize, kind: ExprKind) -> (Evaluated, usize) {
    let (machine, budget) = (machine(), Cell::new(bytes));
    let scope = Scope {
        budget: Some(&budget),
        ..of_nothing(&machine, &[], Instant::at_second(0))
    };
    let result = scope.eval(&expr(kind));
    (result, budget.get())
}

#[test]
fn a_text_ends_where_the_budget_ends_and_its_other_parts_are_not_evaluated() {
    let part = || Part::Literal("x".repeat(60));
    // The last part has no value, so evaluating it returns a different fault.
    let parts = vec![part(), part(), Part::Expr(expr(ExprKind::Error))];
    let (result, _) = within(200, ExprKind::Template(parts.clone()));
    assert_eq!(result, Err(Fault::TooMuchWork));
    let (result, _) = within(300, ExprKind::Template(parts));
    assert_eq!(result, Err(Fault::Unset));
}

#[test]
fn an_empty_part_of_a_text_counts_as_well() {
    let empty = vec![Part::Literal(String::new()); 100];
    let (result, _) = within(799, ExprKind::Template(empty.clone()));
    assert_eq!(result, Err(Fault::TooMuchWork));
    let (result, left) = within(800, ExprKind::Template(empty));
    assert_eq!((result, left), (Ok(Value::text("")), 0));
}

#[test]
fn a_value_that_does_not_fit_into_the_budget_is_not_written_as_json() {
    let item = || expr(ExprKind::Value(Value::text("x".repeat(100))));
    let list = Expr {
        ty: Type::List(Box::new(Type::Text)),
        ..expr(ExprKind::List(vec![item(), item()]))
    };
    let json = ExprKind::ToJson(Box::new(list.clone()));
    let (result, left) = within(200, json);
    assert_eq!((result, left), (Err(Fault::TooMuchWork), 200));
    let (result, _) = within(200, ExprKind::Template(vec![Part::Expr(list)]));
    assert_eq!(result, Err(Fault::TooMuchWork));
}

#[cfg(feature = "markdown")]
#[test]
fn markdown_counts_as_often_as_it_is_parsed() {
    let text = || expr(ExprKind::Value(Value::text("# a\n".repeat(10))));
    let heading = || expr(ExprKind::Value(Value::text("a")));
    for (helper, arguments, parsed) in [
        (Helper::IsComplete, vec![text()], 40),
        (Helper::Section, vec![text(), heading()], 40),
        (
            Helper::WithSection,
            vec![text(), heading(), heading()],
            11 * (40 + 1),
        ),
    ] {
        let call = || ExprKind::Call(helper, arguments.clone());
        let work = parsed * 16;
        let (result, _) = within(work - 1, call());
        assert_eq!(result, Err(Fault::TooMuchWork), "{helper:?}");
        let (result, left) = within(work + 100, call());
        assert!(result.is_ok() && left <= 100, "{helper:?}: {result:?}");
    }
}

#[cfg(feature = "markdown")]
#[test]
fn a_long_heading_counts_as_often_as_it_is_parsed_after_an_open_block() {
    let text = |text: &str| expr(ExprKind::Value(Value::text(text)));
    let heading = "x".repeat(1_000);
    let arguments = vec![text("<textarea>"), text(&heading), text("y")];
    let call = || ExprKind::Call(Helper::WithSection, arguments.clone());
    let work = 11 * 16 * (10 + 1_000);
    let (result, _) = within(work - 1, call());
    assert_eq!(result, Err(Fault::TooMuchWork));
    let (result, _) = within(work + 2_000, call());
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn every_evaluated_part_counts_even_if_it_reads_no_data() {
    let (machine, left) = (machine(), Cell::new(3));
    let scope = Scope {
        evaluations: Some(&left),
        ..of_nothing(&machine, &[], Instant::at_second(0))
    };
    let not = ExprKind::Not(Box::new(expr(ExprKind::Value(Value::Bool(false)))));
    assert_eq!(scope.eval(&expr(not)), Ok(Value::Bool(true)));
    assert_eq!(left.get(), 1);
    assert!(scope.eval(&expr(ExprKind::Now)).is_ok());
    assert_eq!(scope.eval(&expr(ExprKind::Now)), Err(Fault::TooMuchWork));
}
