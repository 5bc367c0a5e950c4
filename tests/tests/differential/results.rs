//! A typed move returns a `Result` only if something on its own path can fail, and only such a move copies the record.
//! The first test checks types: it passes if it compiles.

use std::collections::BTreeSet;

use plan_machine::{DenialKind, Id, Instant, ReleasedPlan, Succession};
use plan_machine_compiler::emit::rust::rust;
use plan_machine_tests::{compiled, specs};
use quote::quote;

use super::fallible_moves::fallible_moves::{Cx, FallibleMoves, NoPlan, State, state};

fn cx() -> Cx {
    let mut number = 0;
    Cx::new(Instant::at_second(0), move || {
        number += 1;
        Id::from(format!("plan-{number}"))
    })
}

fn named(cx: &mut Cx) -> FallibleMoves<state::Named> {
    let plan: FallibleMoves<state::Empty> = NoPlan.begin(cx);
    plan.rename("attic".to_owned(), cx)
}

#[test]
fn a_move_without_a_fallible_entry_returns_the_plan_itself() {
    let cx = &mut cx();
    let plan = named(cx);
    let title: String = plan.read_title(cx);
    assert_eq!(title, "It is called attic.");
    let plan: FallibleMoves<state::Paused> = plan.pause(cx);
    let plan: FallibleMoves<state::Named> = plan.resume(cx);
    let plan = plan.ask("ann".to_owned(), cx).expect("a short name");
    let plan = plan.object(cx).expect("a small number");
    let plan: FallibleMoves<state::Waiting> = plan.answer(cx);
    let Succession { ended, plan } = plan.copy(cx);
    assert_eq!((ended.state(), plan.title()), (State::Dropped, "attic"));
    let plan = plan.ask("bob".to_owned(), cx).expect("a short name");
    let Succession { plan, .. } = plan.start_over(cx);
    let ReleasedPlan { ended } = plan.abandon(cx);
    assert_eq!(ended.state(), State::Dropped);
    let plan = named(cx).ask("ann".to_owned(), cx).expect("a short name");
    let ReleasedPlan { ended } = plan.approve(cx);
    assert_eq!(ended.reviewer(), "ann");
}

#[test]
fn a_move_with_a_fallible_entry_returns_the_plan_unchanged() {
    let cx = &mut cx();
    let long = "somebody with a long name".to_owned();
    let refused = named(cx)
        .ask(long, cx)
        .expect_err("a name beyond the bound");
    assert_eq!(refused.denied.kind(), DenialKind::LimitReached);
    assert_eq!(
        (refused.plan.revision(), refused.plan.title()),
        (2, "attic")
    );
    assert_eq!(refused.plan.data().reviewer, None);
}

/// Returns the functions in a module of the generated code that copy the record.
fn copying(module: &str) -> BTreeSet<String> {
    let mut all = specs("valid").into_iter();
    let spec = all.find(|spec| spec.name == "fallible_moves");
    let spec = spec.expect("a spec of the corpus");
    let machine = compiled(&spec.name, &spec.text).compilation.machine;
    let code = rust(&machine.expect("a valid spec"), &quote!(::plan_machine));
    let code = prettyplease::unparse(&syn::parse2(code).expect("Rust"));
    let (start, end) = (format!("\n    mod {module} {{\n"), "\n    }\n");
    let (_, code) = code.split_once(&start).expect("the module");
    let (code, _) = code.split_once(end).expect("the module's end");
    let functions = code.split("        pub(super) fn ").skip(1);
    let copying = functions.filter(|function| function.contains("record.clone()"));
    let names = copying.filter_map(|function| function.split(['(', '<']).next());
    names.map(str::to_owned).collect()
}

#[test]
fn only_a_move_that_can_fail_after_it_has_changed_the_record_copies_it() {
    let expected = ["ask_in_named", "object_in_waiting"].map(str::to_owned);
    assert_eq!(copying("transition"), BTreeSet::from(expected));
    assert_eq!(copying("handler"), BTreeSet::new());
}
