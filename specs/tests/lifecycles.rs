//! The lifecycles as their users see them: the machines, a typical run of each, and the agreement between the generated
//! code and the interpreter.

use plan_machine::testing::{agree, describe, trace};

/// The number of random events sent to each lifecycle.
const EVENTS: usize = 10_000;

macro_rules! lifecycles {
    ($($name:ident $spec:literal [$($event:literal),* $(,)?];)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn is_what_it_was() {
                insta::assert_snapshot!(concat!(stringify!($name), "_machine"), describe(&plan_specs::$name::Machine));
            }

            #[test]
            fn runs_as_it_did() {
                let run = trace(&plan_specs::$name::Machine, &[$($event),*]);
                insta::assert_snapshot!(concat!(stringify!($name), "_run"), run);
            }

            #[test]
            fn means_the_same_compiled_and_interpreted() {
                agree(&plan_specs::$name::Machine, $spec, EVENTS);
            }
        }
    )*};
}

lifecycles! {
    work_by_plan "work_by_plan.yaml" [
        "/plan status",
        "/plan on",
        "read_file {\"path\": \"src/lib.rs\"}",
        "plan_set_content {\"plan_markdown\": \"# v1\", \"title\": \"Ship it\"}",
        "plan_set_content {\"plan_markdown\": \"# v2\"}",
        "/plan approve",
        "plan_set_content {\"plan_markdown\": \"# v3\"}",
        "plan_get",
        "/plan approve",
        "finished",
        "/plan done",
    ];
    plan_mode "plan_mode.yaml" [
        "/plan on",
        "write_file {\"path\": \"a\"}",
        "shell {\"cmd\": \"make\"}",
        "shell {\"cmd\": \"make test\"}",
        "plan_finalize {\"summary\": \"Three steps.\"}",
        "shell {\"cmd\": \"rm -rf\"}",
        "/plan approve",
        "step_started {\"step\": 0}",
        "step_completed {\"result\": \"written\"}",
        "step_started {\"step\": 1}",
        "step_failed {\"error\": \"no such target\"}",
        "/plan status",
        "/plan resume",
        "step_started {\"step\": 1}",
        "step_completed",
        "step_started {\"step\": 2}",
        "restarted",
        "/plan resume again",
        "step_started {\"step\": 2}",
        "step_skipped {\"reason\": \"nothing to test\"}",
    ];
    allowlist_plan "allowlist_plan.yaml" [
        "/plan on",
        "read_file {\"path\": \"a\"}",
        "write_file {\"path\": \"a\"}",
        "plan_set_content {\"plan_markdown\": \"# v1\"}",
        "/plan approve",
        "write_file {\"path\": \"a\"}",
    ];
    plan_builder "plan_builder.yaml" [
        "create_draft {\"goal\": \"Ship it\"}",
        "submit {\"plan_id\": \"plan-1\"}",
        "add_step {\"plan_id\": \"plan-1\", \"agent\": \"coder\", \"task\": \"Write the code\"}",
        "set_assumptions {\"plan_id\": \"plan-1\", \"values\": [\"It is small\"]}",
        "set_risks {\"plan_id\": \"plan-1\", \"values\": [\"It is not\"]}",
        "set_verification {\"plan_id\": \"plan-1\", \"values\": [\"The tests pass\"]}",
        "set_files {\"plan_id\": \"plan-1\", \"values\": [\"src/lib.rs\"]}",
        "create_draft {\"goal\": \"Rest\"}",
        "submit {\"plan_id\": \"plan-1\"}",
        "add_step {\"plan_id\": \"plan-1\", \"agent\": \"tester\", \"task\": \"Too late\"}",
        "show_plans",
        "/plan approve plan-1",
        "/plan reject plan-1 changed my mind",
        "/plan execute plan-1",
        "step_claimed {\"plan_id\": \"plan-1\", \"step\": 0}",
        "step_failed {\"plan_id\": \"plan-1\", \"error\": \"no compiler\"}",
        "/plan execute plan-1",
        "step_claimed {\"plan_id\": \"plan-1\", \"step\": 0}",
        "step_done {\"plan_id\": \"plan-1\", \"result\": \"written\"}",
    ];
    planning_files "planning_files.yaml" [
        "init_plan {\"task_title\": \"Move the house\"}",
        "update_plan {\"which\": \"task_plan\", \"section\": \"Phase 1\", \"content\": \"Status: complete\"}",
        "read_plan",
        "tool_answered {\"tool\": \"search_web\"}",
        "init_plan {\"task_title\": \"Rest\", \"force_new\": true}",
        "list_plans",
        "clear_plan",
        "clear_plan {\"confirm\": true}",
        "/plan Sweep",
        "/files close",
    ];
    auto_run "auto_run.yaml" [
        "/auto on --goal ship Sail.",
        "/auto on Count.",
        "/auto status",
        "{\"wait\": \"5s\"}",
        "produced {\"plan_id\": \"plan-1\", \"text\": \"Half way there.\"}",
        "/auto off",
        "produced {\"plan_id\": \"plan-1\", \"text\": \"Too late.\"}",
        "/auto off",
    ];
}
