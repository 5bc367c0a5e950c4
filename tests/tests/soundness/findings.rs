//! Faults that brute-force search found: each of these verdicts was once wrong.

use plan_machine_compiler::Verdict;
use plan_machine_compiler::semantics::{Call, CallKind, EventContext, Outcome, Sandbox};
use plan_machine_tests::compiled;

use crate::examine::examine_within;
use crate::generator::Flavour;
use crate::machine_of;

/// Returns the verdict on the only invariant, and the length of the trace that breaks it.
fn verdict(text: &str) -> (Verdict, usize) {
    let found = compiled("finding.yaml", text).compilation;
    let report = found.report.expect("a spec that can be read");
    let mut traces = found.diagnostics.iter().map(|found| found.trace.len());
    let length = traces.find(|length| *length > 0).unwrap_or(0);
    (report.invariants[0].verdict, length)
}

fn counting(from: &str) -> String {
    format!(
        "
machine: Counting
data: {{ total: int }}
commands: {{ stop: /stop }}
tools: {{ begin: {{ doc: Begin., input: {{ from: int }} }} }}
states:
  none: {{ on: {{ begin: {{ to: COUNTED, set: {{ total: {from} }} }} }} }}
  COUNTED: {{ on: {{ stop: {{ to: STOPPED, next: none, set: {{ total: total + 1 }} }} }} }}
  STOPPED: {{ final: true }}
invariants: {{ ends: can always reach none by stop }}
"
    )
}

#[test]
fn a_number_from_an_event_may_be_too_large_to_increment() {
    assert_eq!(verdict(&counting("event.from")).0, Verdict::Unknown);
}

#[test]
fn a_number_that_is_only_counted_up_never_blocks() {
    assert_eq!(verdict(&counting("0")).0, Verdict::Proved);
}

fn shortening(position: &str) -> String {
    format!(
        "
machine: Shortening
data: {{ notes: [string] }}
commands: {{ stop: {{ text: \"/stop {{at}}\", input: {{ at: int }} }} }}
tools: {{ begin: {{ doc: Begin. }} }}
states:
  none: {{ on: {{ begin: {{ to: NOTED, append: {{ notes: \"a note\" }} }} }} }}
  NOTED: {{ on: {{ stop: {{ to: STOPPED, next: none, remove: {{ notes: {{ at: {position} }} }} }} }} }}
  STOPPED: {{ final: true }}
invariants: {{ ends: can always reach none by stop }}
"
    )
}

#[test]
fn a_position_that_the_spec_fixes_may_lie_outside_the_list() {
    assert_eq!(verdict(&shortening("1")).0, Verdict::Broken);
}

#[test]
fn a_position_that_the_sender_names_can_be_the_first() {
    assert_eq!(verdict(&shortening("0")).0, Verdict::Proved);
    assert_eq!(verdict(&shortening("event.at")).0, Verdict::Proved);
}

#[test]
fn a_position_that_counts_from_the_end_is_undecided() {
    assert_eq!(verdict(&shortening("len(notes) - 1")).0, Verdict::Unknown);
}

fn recording(invariant: &str) -> String {
    format!(
        "
machine: Recording
external_tools: [shell]
data: {{ noted: {{ type: bool, default: false }} }}
commands: {{ begin: /begin, stop: /stop }}
effects: {{ recorded: {{}} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    other_tools: {{ set: {{ noted: true }}, emit: {{ recorded: {{}} }} }}
    on: {{ stop: {{ to: STOPPED, next: none }} }}
  STOPPED: {{ final: true }}
invariants: {{ claim: {invariant} }}
"
    )
}

#[test]
fn a_host_tool_without_an_entry_is_one_of_the_other_tools() {
    assert_eq!(
        verdict(&recording("shell never emits recorded")),
        (Verdict::Broken, 2)
    );
    assert_eq!(
        verdict(&recording("noted changes only by other_tools")).0,
        Verdict::Proved
    );
    assert_eq!(
        verdict(&recording("noted changes only by shell")),
        (Verdict::Broken, 2)
    );
    // If there is no plan, the tool runs.
    assert_eq!(
        verdict(&recording("shell only in OPEN")),
        (Verdict::Broken, 1)
    );
    assert_eq!(
        verdict(&recording("shell only in (none or OPEN)")).0,
        Verdict::Proved
    );
}

#[test]
fn a_condition_about_data_is_not_reached_without_a_plan() {
    let text = "
machine: Reaching
data: { ready: { type: bool, default: false } }
commands: { begin: /begin, stop: /stop }
states:
  none: { on: { begin: { to: OPEN, set: { ready: false } } } }
  OPEN: { on: { stop: { to: STOPPED, next: none } } }
  STOPPED: { final: true }
invariants: { claim: can always reach ready }
";
    assert_eq!(verdict(text), (Verdict::Broken, 1));
}

#[test]
fn a_list_of_two_is_tried_before_a_longer_path() {
    let text = "
machine: Listing
data: { seen: { type: bool, default: false } }
commands: { begin: /begin, stop: /stop }
tools: { show: { doc: Show some., input: { items: [string] } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      show:
        - { when: len(event.items) > 1, set: { seen: true } }
        - {}
      stop: { to: STOPPED, next: none }
  STOPPED: { final: true }
invariants: { claim: never seen }
";
    assert_eq!(verdict(text), (Verdict::Broken, 2));
}

#[test]
fn similar_records_are_distinguished_if_that_shortens_the_path() {
    let text = "
machine: Counting
data: { total: { type: int, default: 0 }, odd: { type: bool, default: false } }
commands: { begin: /begin, up: /up, turn: /turn, stop: /stop }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      up: { set: { total: total + 1 } }
      turn: { set: { total: total + 1, odd: not odd } }
      stop:
        - { when: total > 2, to: FULL, next: none }
        - { to: STOPPED, next: none }
  FULL: { final: true }
  STOPPED: { final: true }
invariants: { claim: never FULL }
";
    assert_eq!(verdict(text), (Verdict::Broken, 5));
}

/// In `H0`, `go` is accepted if `d0` is "x". When `go` ends that plan, the plan that leaves the slot has the same data.
const LEAVES_THE_SLOT: &str = r#"
machine: M
data: { d0: { type: string } }
tools:
  go: { doc: A tool., input: { i: { type: string, nonblank: true } } }
  end: { doc: A tool. }
states:
  none: { on: { go: { to: L1, set: { d0: event.i } } } }
  L1: { on: { end: H0, go: {} } }
  H0:
    final: true
    on:
      go: { require: [{ that: 'd0 == "x"', else: no }], next: { fresh: L1 }, set: { d0: event.i } }
invariants: { claim: always accepts go }
"#;

#[test]
fn a_plan_that_left_the_slot_does_not_decide_which_calls_are_accepted() {
    let found = machine_of(LEAVES_THE_SLOT).expect("a machine");
    let examined = examine_within(&found.compilation, Flavour::Texts, 0, 2_000);
    assert_eq!(examined.judged, 1);
    assert!(examined.faults.is_empty(), "{:?}", examined.faults);
}

/// A plan that waits can only end by `/close`, which goes to all plans and writes a note in those that are still open.
fn closing(note: &str) -> String {
    format!(
        "
machine: Closing
instances: many
types: {{ Note: {{ fields: {{ text: {{ type: string, nonblank: true }} }} }} }}
data: {{ title: string, note: Note? }}
commands:
  begin: /begin
  begin_untitled: /begin untitled
  advance: \"/advance {{plan_id}}\"
  end: \"/end {{plan_id}}\"
  close: {{ text: /close, each: true }}
states:
  none:
    on:
      begin: {{ to: OPEN, set: {{ title: 'A title' }} }}
      begin_untitled: {{ to: OPEN, set: {{ title: '' }} }}
      close: {{ reply: 'There is no plan.' }}
  OPEN:
    on:
      advance: WAITING
      end: DONE
      close: {{ to: WAITING, set: {{ note: {{ text: {note} }} }} }}
  WAITING: {{ on: {{ close: DONE }} }}
  DONE: {{ final: true }}
invariants: {{ claim: can always reach DONE }}
"
    )
}

#[test]
fn a_bound_inside_a_record_lets_one_plan_deny_a_command_for_all_plans() {
    for (note, expected) in [("title", Verdict::Unknown), ("'Closed'", Verdict::Proved)] {
        let text = closing(note);
        assert_eq!(verdict(&text).0, expected, "{note}");
        let found = compiled("closing.yaml", &text).compilation;
        let examined = examine_within(&found, Flavour::Many, 0, 20_000);
        assert_eq!(examined.judged, 1);
        assert!(examined.faults.is_empty(), "{:?}", examined.faults);
    }
}

#[test]
fn a_json_value_from_a_field_with_a_larger_bound_may_be_too_long() {
    let text = "
machine: Copying
data: { report: { type: json, max: 100000 }, copy: json? }
commands: { stop: /stop }
tools: { begin: { doc: Begin., input: { report: { type: json, max: 100000 } } } }
states:
  none: { on: { begin: { to: OPEN, set: { report: event.report } } } }
  OPEN: { on: { stop: { to: STOPPED, next: none, set: { copy: report } } } }
  STOPPED: { final: true }
invariants: { ends: can always reach none by stop }
";
    assert_eq!(verdict(text).0, Verdict::Unknown);
    assert_eq!(
        verdict(&text.replace("max: 100000", "max: 1000")).0,
        Verdict::Proved
    );
    for copied in ["copy ?? report", "box.j", "copy ?? box.j"] {
        let text = text
            .replace("copy: report", &format!("copy: {copied}"))
            .replace(
                "data: {",
                "types: { Box: { fields: { j: { type: json, max: 100000 } } } }\ndata: { box: Box,",
            )
            .replace("input: {", "input: { box: Box,")
            .replace("set: { report", "set: { box: event.box, report");
        assert_ne!(verdict(&text).0, Verdict::Proved, "{copied}");
    }
    let found = compiled("copying.yaml", text).compilation;
    let machine = found.machine.expect("a machine that can be run");
    let event = |name| CallKind::Event(machine.event_named(name).expect("an event"));
    let mut sandbox = Sandbox::new(&machine);
    let mut begin = Call::new(event("begin"));
    begin.with.insert("report", "x".repeat(70_000));
    let around = EventContext::default();
    assert!(matches!(
        sandbox.step(&begin, &around),
        Outcome::Accepted(_)
    ));
    let stop = Call::new(event("stop"));
    assert!(matches!(sandbox.step(&stop, &around), Outcome::Denied(_)));
}
