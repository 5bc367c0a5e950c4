//! Snapshots of the machine and of its behavior, next to this file. When you change the spec, `cargo test` shows the
//! resulting changes; `cargo insta review`, or `INSTA_UPDATE=always cargo test`, accepts the changes.

use {{crate}}::plan::Machine;
use plan_machine::testing;

#[test]
fn the_machine_is_the_one_that_was_reviewed() {
    insta::assert_snapshot!(testing::describe(&Machine));
}

#[test]
fn a_plan_is_written_approved_and_carried_out() {
    let trace = testing::trace(
        &Machine,
        &[
            "/plan",
            "shell {\"cmd\":\"ls\"}",
            "write_plan {\"text\":\"1. look\"}",
            "/approve 1-00000000",
            "/approve",
            "shell {\"cmd\":\"ls\"}",
            "finished",
        ],
    );
    insta::assert_snapshot!(trace);
}

#[test]
fn the_generated_machine_and_the_interpreter_agree() {
    testing::agree(&Machine, "plan.yaml", 1_000);
}
