//! Snapshot tests, as users of a generated machine write them in their own crates.

use plan_machine::interpret::InterpretedMachine;
use plan_machine::testing::{agree, agree_with, describe, trace};

plan_machine::machine!("corpus/valid/work_by_plan.yaml");
plan_machine::machine!("corpus/valid/plan_builder.yaml");
plan_machine::machine!("corpus/valid/allowlist.yaml");

#[test]
fn a_machine_with_one_plan_is_described_completely() {
    insta::assert_snapshot!(describe(&work_by_plan::Machine));
}

#[test]
fn a_machine_with_many_plans_is_described_completely() {
    insta::assert_snapshot!(describe(&plan_builder::Machine));
}

#[test]
fn a_run_is_printed_event_by_event() {
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

/// A machine with an approval that depends on the person who approves, and on the time.
const TWO_PEOPLE: &str = "
machine: Change
context: { user: string }
review: [text]
data: { text: string?, owner: string?, written: time? }
commands: { open: /open, approve: { text: \"/approve {token?}\", reviewed: true } }
tools:
  write: { doc: Keep a text., input: { text: string } }
states:
  none: { other_tools: deny, on: { open: { to: OPEN, set: { owner: context.user } } } }
  OPEN:
    other_tools: deny
    on:
      write: { set: { text: event.text, written: now } }
      approve:
        require: [{ that: context.user != owner, else: someone else must approve }]
        to: CLOSED
        next: none
  CLOSED: { final: true }
";

#[test]
fn a_run_reports_the_context_the_sender_and_the_time() {
    let change = InterpretedMachine::read("change.yaml", TWO_PEOPLE).expect("a valid spec");
    insta::assert_snapshot!(trace(
        &change,
        &[
            "/open",
            r#"{"do":"/open","context":{"user":"ann"},"actor":"ann"}"#,
            r#"{"batch":[{"tool":"write","with":{"text":"v1"}},{"tool":"shell"},{"do":"open"}],"context":{"user":"ann"},"at":"2026-01-02T03:04:05Z"}"#,
            r#"{"do":"approve","context":{"user":"ann"}}"#,
            r#"{"do":"approve","context":{"user":"ben"},"token":"1-00000000"}"#,
            r#"{"do":"approve","context":{"user":"ben"},"plan_id":"plan-7"}"#,
            r#"{"do":"aprove","context":{"user":"ben"}}"#,
            r#"{"do":"approve","contxt":{}}"#,
            r#"{"do":"approve","context":[]}"#,
            r#"{"do":"approve","at":"noon"}"#,
            r#"{"do":"approve","context":{"user":"ben"},"actor":"ben"}"#,
        ],
    ));
}

/// A machine whose plans expire if nobody approves them, after a reminder for plans with a text, and whose approvals
/// expire as well.
const EXPIRING: &str = "
machine: Expiring
data: { text: string? }
commands: { open: /open, approve: /approve }
tools: { write: { doc: Keep a text., input: { text: string } } }
effects: { reminded: {}, expired: { fields: { plan: id } } }
states:
  none: { on: { open: WAITING } }
  WAITING:
    on: { write: { set: { text: event.text } }, approve: READY }
    after: { 30m: { when: text is set, emit: { reminded: {} } }, 1h: { to: GONE, next: none, emit: { expired: { plan: plan.id } } } }
  READY: { after: { 1h: { to: GONE, next: WAITING } } }
  GONE: { final: true }
";

#[test]
fn a_run_may_wait_and_shows_the_timers_that_fired() {
    let expiring = InterpretedMachine::read("expiring.yaml", EXPIRING).expect("a valid spec");
    insta::assert_snapshot!(trace(
        &expiring,
        &[
            "/open",
            r#"{"wait":"30m"}"#,
            r#"write {"text": "v1"}"#,
            "/approve",
            r#"{"wait":"59m"}"#,
            r#"{"wait":"2m"}"#,
            r#"{"wait":"1h"}"#,
            r#"{"wait":"1h","do":"/open"}"#,
            "/open",
            r#"{"do":"/approve","at":"2026-01-02T00:00:00Z"}"#,
        ],
    ));
}

#[test]
fn a_machine_without_timers_may_wait_too() {
    let run = trace(&allowlist::Machine, &[r#"{"wait":"1h"}"#]);
    assert_eq!(run, "{\"wait\":\"1h\"}\n  no timer was due\n");
}

#[test]
fn a_run_of_an_interpreted_spec_reads_the_same() {
    let spec = include_str!("../corpus/valid/work_by_plan.yaml");
    let interpreted = InterpretedMachine::read("work_by_plan.yaml", spec).expect("a valid spec");
    let events = ["/plan on", "plan_set_content {\"plan_markdown\": \"# v1\"}"];
    assert_eq!(describe(&interpreted), describe(&work_by_plan::Machine));
    assert_eq!(
        trace(&interpreted, &events),
        trace(&work_by_plan::Machine, &events)
    );
}

#[test]
fn one_line_compares_generated_code_with_the_interpreter() {
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
fn a_spec_that_has_changed_since_compilation_does_not_agree() {
    let spec = include_str!("../corpus/valid/work_by_plan.yaml");
    let other = spec.replace("event.title ?? title", "title ?? event.title");
    let interpreted = InterpretedMachine::read("work_by_plan.yaml", &other).expect("a valid spec");
    agree_with(&work_by_plan::Machine, &interpreted, 10, 1);
}

#[test]
fn a_spec_with_errors_is_reported_with_its_lines() {
    let unsound =
        InterpretedMachine::read("x.yaml", "machine: X\nstates: { none: { on: { go: Y } } }");
    let errors = unsound.expect_err("unknown event `go`").to_string();
    assert!(errors.contains("x.yaml:2"), "{errors}");
    let missing = InterpretedMachine::open("no/such/file.yaml").expect_err("no file");
    assert!(missing.to_string().contains("cannot be read"));
}

#[test]
fn a_misspelled_event_is_an_error_of_the_trace() {
    let text = trace(
        &work_by_plan::Machine,
        &[
            "/plan on",
            "plan_set_contnt {}",
            "{\"tool\": \"plan_set_contnt\"}",
            "shell",
        ],
    );
    assert!(
        text.contains("error: unknown event `plan_set_contnt`; did you mean `plan_set_content`?"),
        "{text}"
    );
    assert!(
        text.contains("plan_set_contnt runs, in COLLECTING"),
        "{text}"
    );
    assert!(text.contains("shell runs, in COLLECTING"), "{text}");
}

#[test]
fn the_text_that_the_model_reads_about_a_tool_is_in_the_description() {
    let spec = |doc: &str| TWO_PEOPLE.replace("Keep a text.", doc);
    let described = |doc: &str| {
        let machine = InterpretedMachine::read("change.yaml", &spec(doc)).expect("a valid spec");
        describe(&machine)
    };
    assert_ne!(described("Keep a text."), described("Throw a text away."));
}
