//! The snapshot kit: what users of the generated crate see of a machine in their own tests.

use plan_machine::interpret::Interpreted;
use plan_machine::testing::{agree, agree_with, describe, trace};

plan_machine::machine!("corpus/valid/work_by_plan.yaml");
plan_machine::machine!("corpus/valid/plan_builder.yaml");
plan_machine::machine!("corpus/valid/allowlist.yaml");

#[test]
fn a_machine_of_one_is_described_whole() {
    insta::assert_snapshot!(describe(&work_by_plan::Machine));
}

#[test]
fn a_machine_of_many_is_described_whole() {
    insta::assert_snapshot!(describe(&plan_builder::Machine));
}

#[test]
fn a_run_is_told_event_by_event() {
    insta::assert_snapshot!(trace(
        &work_by_plan::Machine,
        &[
            "plan_get",
            "/plan on",
            "plan_set_content {\"plan_markdown\": \" \"}",
            "plan_set_content {\"plan_markdown\": \"# v1\"}",
            "shell {\"cmd\": \"ls\"}",
            "/plan approve 1-00000000",
            "/plan approve",
            "plan_set_content {\"plan_markdown\": \"# v2\"}",
            "/plan dance",
            "plan_set_content [1]",
            "/plan done",
        ],
    ));
}

#[test]
fn a_run_of_an_interpreted_spec_reads_the_same() {
    let spec = include_str!("../corpus/valid/work_by_plan.yaml");
    let interpreted = Interpreted::read("work_by_plan.yaml", spec).expect("a valid spec");
    let events = ["/plan on", "plan_set_content {\"plan_markdown\": \"# v1\"}"];
    assert_eq!(describe(&interpreted), describe(&work_by_plan::Machine));
    assert_eq!(
        trace(&interpreted, &events),
        trace(&work_by_plan::Machine, &events)
    );
}

#[test]
fn one_line_holds_generated_code_against_the_interpreter() {
    let seen = agree(&allowlist::Machine, "corpus/valid/allowlist.yaml", 500);
    assert_eq!(seen.accepted + seen.denied, 500);
}

#[test]
#[should_panic(expected = "WorkByPlan is not the spec that Allowlist was compiled from")]
fn a_machine_of_another_spec_does_not_agree() {
    agree(&allowlist::Machine, "corpus/valid/work_by_plan.yaml", 10);
}

#[test]
#[should_panic(expected = "is not the spec that WorkByPlan was compiled from")]
fn a_spec_that_has_changed_since_does_not_agree() {
    let spec = include_str!("../corpus/valid/work_by_plan.yaml");
    let other = spec.replace("event.title ?? title", "title ?? event.title");
    let interpreted = Interpreted::read("work_by_plan.yaml", &other).expect("a valid spec");
    agree_with(&work_by_plan::Machine, &interpreted, 10, 1);
}

#[test]
fn a_spec_with_errors_is_told_with_its_lines() {
    let unsound = Interpreted::read("x.yaml", "machine: X\nstates: { none: { on: { go: Y } } }");
    let errors = unsound.expect_err("there is no event `go`").to_string();
    assert!(errors.contains("x.yaml:2"), "{errors}");
    let missing = Interpreted::open("no/such/file.yaml").expect_err("no file");
    assert!(missing.to_string().contains("cannot be read"));
}
