//! Machines that cannot share a session are reported when the gate is opened.

use plan_machine::gate::{Decision, EventContext, Gate, ToolCall};
use plan_machine::{DenialKind, Object};

use super::{conflict, interpreted, plan_mode, work_by_plan};

#[test]
fn machines_that_conflict_are_reported_when_a_session_is_assembled() {
    let twice = conflict(
        Gate::builder()
            .with(plan_mode::Machine)
            .with(plan_mode::Machine),
    );
    assert_eq!(twice.problems, ["the machine PlanMode was added twice"]);
    let other = "
machine: Recorder
data: { calls: [string] }
commands: { on: /plan on, off: /record off }
tools: { plan_get: { doc: Reads., read: true } }
external_tools: [plan_set_content]
states:
  none: { on: { on: OPEN } }
  OPEN:
    other_tools: { append: { calls: event.tool } }
    on:
      plan_get: { reply: calls }
      plan_set_content: run
      off: { to: OVER, next: none }
  OVER: { final: true }
";
    let found = conflict(
        Gate::builder()
            .with(work_by_plan::Machine)
            .with(interpreted(other)),
    );
    insta::assert_snapshot!(found.problems.join("\n"));
    let both = conflict(
        Gate::builder()
            .with(plan_mode::Machine)
            .with(interpreted(other)),
    );
    assert!(
        both.to_string()
            .contains("would both record calls to other tools"),
        "{both}"
    );
    let shadow =
        Gate::builder()
            .with(work_by_plan::Machine)
            .host_tool("plan_get", "", Object::new());
    assert!(
        conflict(shadow)
            .to_string()
            .contains("WorkByPlan also defines a tool of that name")
    );
    let named_twice =
        Gate::builder()
            .host_tool("x", "", Object::new())
            .host_tool("x", "", Object::new());
    assert!(
        conflict(named_twice)
            .to_string()
            .contains("two tools named `x`")
    );
}

#[test]
fn a_tool_that_a_spec_lists_and_the_host_does_not_have_is_a_conflict() {
    let spec = "machine: Listed
external_tools: [read_file, deploy]
commands: { begin: /begin, end: /end }
states:
  none: { other_tools: deny, on: { begin: OPEN, read_file: run, deploy: deny } }
  OPEN: { other_tools: deny, on: { read_file: run, deploy: run, end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let listed = || Gate::builder().with(interpreted(spec));
    let tool = |assembly: plan_machine::gate::GateBuilder, name: &str| {
        assembly.host_tool(name, "A host tool.", Object::new())
    };
    assert_eq!(
        conflict(tool(listed(), "raed_file")).problems,
        [
            "Listed lists `read_file` under `external_tools`, but the host has no tool of that name: \
             register it with `host_tool`, or remove it from the spec; did you mean `raed_file`?",
            "Listed lists `deploy` under `external_tools`, but the host has no tool of that name: \
             register it with `host_tool`, or remove it from the spec",
        ]
    );
    let both = tool(tool(listed(), "read_file"), "deploy");
    assert!(both.open().is_ok());
    // A host that does not list its tools may have a tool of any name.
    assert!(listed().any_host_tool().open().is_ok());
}

#[test]
fn a_tool_without_a_name_is_rejected_by_the_builder_and_the_gate() {
    let spec = "machine: Open
external_tools: [read_file]
commands: { begin: /begin, end: /end }
states:
  none: { on: { begin: OPEN } }
  OPEN: { on: { end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let open = || Gate::builder().with(interpreted(spec)).any_host_tool();
    for name in ["", " ", "\t"] {
        let named = open().host_tool(name, "A host tool.", Object::new());
        let expected = format!(
            "the host has a tool with a blank name, `{name}`, which a model could not call"
        );
        assert_eq!(conflict(named).problems, [expected]);
        let mut gate = open().open().expect("a gate");
        let call = ToolCall::new(name, Object::new());
        let decided = gate.decide(&[call], &EventContext::default());
        let [Decision::Denied(denial)] = &decided[..] else {
            panic!("{decided:?}");
        };
        assert_eq!(denial.kind, DenialKind::UnknownTool);
        assert_eq!(denial.messages, ["the call does not name a tool"]);
    }
}
