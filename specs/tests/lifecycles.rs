//! The lifecycles as their users see them: the machines, a typical run of each, and the agreement between the generated
//! code and the interpreter.

use plan_machine::Machine;
use plan_machine::description::EventKind;
use plan_machine::testing::{Coverage, agree, describe, trace};

/// The number of random events sent to each lifecycle.
const EVENTS: usize = 10_000;

fn has_timers(machine: &impl Machine) -> bool {
    let mut events = machine.description().events.iter();
    events.any(|event| matches!(event.kind, EventKind::Timer { .. }))
}

/// Returns whether a timer fired. The name of a timer contains a period, such as `EXECUTING after 8h`.
fn fires(seen: &Coverage) -> bool {
    seen.transitions
        .iter()
        .any(|(_, event)| event.contains(" after "))
}

macro_rules! lifecycles {
    ($($name:ident $machine:path, $spec:literal [$($event:literal),* $(,)?];)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn is_what_it_was() {
                insta::assert_snapshot!(concat!(stringify!($name), "_machine"), describe(&$machine));
            }

            #[test]
            fn runs_as_it_did() {
                let run = trace(&$machine, &[$($event),*]);
                insta::assert_snapshot!(concat!(stringify!($name), "_run"), run);
            }

            #[test]
            fn means_the_same_compiled_and_interpreted() {
                let seen = agree(&$machine, $spec, EVENTS);
                assert_eq!(fires(&seen), has_timers(&$machine), "{:?}", seen.transitions);
            }
        }
    )*};
}

lifecycles! {
    work_by_plan plan_specs::work_by_plan::Machine, "work_by_plan.yaml" [
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
    plan_mode plan_specs::plan_mode::Machine, "plan_mode.yaml" [
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
    allowlist_plan plan_specs::allowlist_plan::Machine, "allowlist_plan.yaml" [
        "/plan on",
        "read_file {\"path\": \"a\"}",
        "write_file {\"path\": \"a\"}",
        "plan_set_content {\"plan_markdown\": \"# v1\"}",
        "/plan approve",
        "write_file {\"path\": \"a\"}",
    ];
    plan_builder plan_specs::plan_builder::Machine, "plan_builder.yaml" [
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
    planning_files plan_specs::planning_files::Machine, "planning_files.yaml" [
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
    auto_run plan_specs::auto_run::Machine, "auto_run.yaml" [
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

/// The machines of the plan modes for coding agents. All of them have timers, and two count calls.
#[cfg(feature = "agents")]
mod agents {
    use plan_specs::agents;

    use super::*;

    lifecycles! {
        look_then_act agents::look_then_act::work::Machine, "agents/look_then_act.yaml" [
            "/plan status",
            "writes {\"path\": \"a\"}",
            "plan_write {\"markdown\": \"# v1\"}",
            "/plan show",
            "/plan reject Too long.",
            "plan_read",
            "plan_write {\"markdown\": \"# v2\"}",
            "/plan approve",
            "writes {\"path\": \"a\"}",
            "plan_write {\"markdown\": \"# v3\"}",
            "{\"wait\": \"8h\"}",
            "writes {\"path\": \"a\"}",
            "/plan approve",
            "plan_done",
            "/plan off",
        ];
        budgeted agents::budgeted::work::Machine, "agents/budgeted.yaml" [
            "plan_write {\"markdown\": \"# v1\"}",
            "shell_commands {\"command\": \"make\"}",
            "/plan approve",
            "shell_commands {\"command\": \"make\"}",
            "writes {\"path\": \"a\"}",
            "/plan status",
            "{\"wait\": \"8h\"}",
            "shell_commands {\"command\": \"make\"}",
            "/plan done",
        ];
        record_then_replay agents::record_then_replay::work::Machine, "agents/record_then_replay.yaml" [
            "plan_begin",
            "Write {\"path\": \"a\"}",
            "Bash {\"command\": \"make\"}",
            "plan_submit {\"summary\": \"Make a.\"}",
            "/plan approve",
            "Bash {\"command\": \"make\"}",
            "Write {\"path\": \"a\"}",
            "call_ended {\"tool\": \"Write\", \"args\": {\"path\": \"a\"}}",
            "Bash {\"command\": \"make\"}",
            "call_ended {\"tool\": \"Bash\", \"args\": {\"command\": \"make\"}, \"failed\": true}",
            "/plan again 2",
            "{\"wait\": \"8h\"}",
            "/plan status",
        ];
        plan_beside_work agents::work_by_plan::work::Machine, "agents/plan_beside_work.yaml" [
            "plan_write {\"markdown\": \"# v1\"}",
            "writes {\"path\": \"a\"}",
            "/plan approve",
            "plan_write {\"markdown\": \"# v2\"}",
            "/plan approve",
            "{\"wait\": \"8h\"}",
            "/plan done",
        ];
    }
}
