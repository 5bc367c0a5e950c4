//! Machines with known verdicts that gate host tools: which tools a host has, and how they are called, is not up to the
//! sender. Runs of each machine must agree with its verdicts.

use plan_machine_compiler::Verdict::{Broken, Proved, Unknown};

use crate::settled::{claiming, steps, verdict};

/// A machine with one state, which gates host tools in this way.
fn calling(shell: &str, others: &str) -> String {
    format!(
        "
machine: Calling
external_tools: [shell, grep]
data:
  last: {{ type: string, max: 4, optional: true }}
  given: {{ type: json, max: 1, optional: true }}
  kept: {{ type: json, max: 2, optional: true }}
commands: {{ begin: /begin, stop: /stop }}
tools: {{ note: {{ doc: Note it. }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    other_tools: {others}
    on:
      note: {{}}
      stop: {{ to: DONE, next: none }}{shell}
  DONE: {{ final: true }}
"
    )
}

const NO: &str = "{ reply: 'no' }";
const DENIED: &str = "\n      shell: deny\n      grep: deny";
const OUT: &str = "{ to: DONE, next: none }";

#[test]
fn a_denied_tool_is_never_one_of_the_other_tools() {
    let others = format!("[{{ when: 'event.tool == \"shell\"', to: DONE, next: none }}, {NO}]");
    let denied = calling("\n      shell: deny", &others);
    let target = "can always reach DONE by other_tools";
    assert_eq!(verdict(&denied, target), Broken);
    // A condition that is never true is reported as a separate error.
    assert!(claiming(&denied, target).codes().contains(&"PM0302"));
    assert_eq!(
        verdict(
            &calling("", &others),
            "can always reach DONE by other_tools"
        ),
        Proved
    );
}

#[test]
fn no_host_tool_has_a_blank_or_endless_name() {
    let long = format!("event.tool == \"{}\"", "x".repeat(1025));
    for condition in [
        "event.tool is blank",
        "event.tool is empty",
        "event.tool == \"\"",
        "event.tool == \" \"",
        "len(event.tool) < 1",
        &long,
    ] {
        let others = format!("[{{ when: '{condition}', to: DONE, next: none }}, {NO}]");
        let spec = calling("", &others);
        let target = "can always reach DONE by other_tools";
        assert_ne!(verdict(&spec, target), Proved, "{condition}");
        assert_ne!(verdict(&spec, "DONE only by stop"), Broken, "{condition}");
    }
    let others = format!("[{{ when: 'event.tool is not blank', to: DONE, next: none }}, {NO}]");
    let target = "can always reach DONE by other_tools";
    assert_eq!(verdict(&calling("", &others), target), Proved);
}

#[test]
fn a_tool_of_the_machine_is_never_one_of_the_other_tools() {
    let others = format!("[{{ when: 'event.tool == \"note\"', to: DONE, next: none }}, {NO}]");
    let target = "can always reach DONE by other_tools or shell or grep";
    assert_eq!(verdict(&calling("", &others), target), Broken);
}

#[test]
fn a_named_tool_has_only_its_own_name() {
    let others = format!("[{{ when: 'event.tool == \"shell\"', to: DONE, next: none }}, {NO}]");
    let spec = calling("", &others);
    assert_eq!(verdict(&spec, "can always reach DONE by grep"), Broken);
    assert_eq!(verdict(&spec, "can always reach DONE by shell"), Proved);
}

#[test]
fn the_name_of_a_tool_may_exceed_the_bound_of_its_field() {
    let spec = |tool: &str| {
        let out = "{ to: DONE, next: none, set: { last: event.tool } }";
        calling(&format!("\n      {tool}: {out}"), NO)
    };
    assert_eq!(
        verdict(&spec("grep"), "can always reach DONE by grep"),
        Proved
    );
    assert_ne!(
        verdict(&spec("shell"), "can always reach DONE by shell"),
        Proved
    );
}

#[test]
fn no_proof_relies_on_a_particular_host_tool() {
    let target = "can always reach DONE by other_tools";
    let taking = |when: &str| format!("[{{ when: '{when}', to: DONE, next: none }}, {NO}]");
    for when in ["event.tool == \"abc\"", "event.tool in [\"abc\", \"xyz\"]"] {
        let spec = calling(DENIED, &taking(when));
        assert_eq!(verdict(&spec, target), Broken, "{when}");
    }
    let spec = calling(DENIED, &taking("len(event.tool) < 3"));
    assert_eq!(verdict(&spec, target), Unknown);
    // The host has a tool that the spec does not mention, and every tool that the spec declares.
    let spec = calling(DENIED, &taking("event.tool != \"abc\""));
    assert_eq!(verdict(&spec, target), Proved);
    let spec = calling("", &taking("event.tool == \"grep\""));
    assert_eq!(verdict(&spec, target), Proved);
}

#[test]
fn an_undeclared_tool_that_a_condition_names_can_be_avoided() {
    let others = format!("[{{ when: 'event.tool == \"abc\"', reply: 'no' }}, {OUT}]");
    let target = "can always reach DONE by other_tools";
    assert_eq!(verdict(&calling(DENIED, &others), target), Proved);
}

#[test]
fn a_field_for_the_name_of_any_tool_has_room_for_the_longest_name() {
    let target = "can always reach DONE by other_tools";
    let others = "{ to: DONE, next: none, set: { last: event.tool } }";
    let spec = calling(DENIED, others);
    assert_eq!(verdict(&spec, target), Unknown);
    let spec = |max: u32| spec.replace("max: 4", &format!("max: {max}"));
    assert_eq!(verdict(&spec(1023), target), Unknown);
    assert_eq!(verdict(&spec(1024), target), Proved);
}

#[test]
fn a_claim_about_calls_concerns_what_the_machine_allows_on_any_host() {
    let others = "[{ when: 'event.tool == \"wrench\"', run: true }, deny]";
    let spec = calling(DENIED, others);
    let runs = "always (OPEN implies runs other_tools)";
    assert_eq!(verdict(&spec, runs), Proved);
    assert_eq!(verdict(&spec, "never (OPEN and runs other_tools)"), Broken);
}

#[test]
fn the_arguments_of_a_tool_are_at_least_two_bytes() {
    let spec = |field: &str| {
        let out = format!("{{ to: DONE, next: none, set: {{ {field}: event.args }} }}");
        calling(&format!("\n      shell: {out}"), NO)
    };
    assert_eq!(
        verdict(&spec("kept"), "can always reach DONE by shell"),
        Proved
    );
    assert_ne!(
        verdict(&spec("given"), "can always reach DONE by shell"),
        Proved
    );
}

#[test]
fn a_call_that_runs_counts_for_only_in_and_after() {
    let spec = calling("\n      shell: run\n      grep: deny", "deny");
    assert_eq!(steps(&spec, "shell only in OPEN"), 1);
    assert_eq!(steps(&spec, "after shell: OPEN"), 1);
    assert_eq!(verdict(&spec, "shell only in (none or OPEN)"), Proved);
    assert_eq!(verdict(&spec, "grep only in none"), Proved);
    assert_eq!(verdict(&spec, "other_tools only in none"), Proved);
}
