//! Tests of `plan-machine test`.

use insta::assert_snapshot;

use super::{invalid, valid};

#[test]
fn each_scenario_has_a_line() {
    assert_snapshot!(valid("test work_by_plan.yaml", ""));
}

#[test]
fn a_scenario_that_differs_is_shown_with_its_place() {
    assert_snapshot!(invalid("test PM0701_state_differs.yaml"));
}

#[test]
fn transitions_that_none_covers_are_shown() {
    assert_snapshot!(invalid("test PM0702_transition_never_tried.yaml"));
}

#[test]
fn a_spec_with_errors_runs_no_scenario() {
    assert_snapshot!(invalid("test PM0102_unknown_event.yaml"));
}

#[test]
fn several_files_are_reported_one_after_the_other() {
    assert_snapshot!(valid(
        "test many_reviews.yaml missing.yaml batches.yaml",
        ""
    ));
}
