//! Invariants that only a long run breaks. The search for such a run does not distinguish sessions that differ only in
//! fields without influence on the invariant; if it ignored a field that has an influence, it would miss the run.

use plan_machine_compiler::Verdict::{Broken, Proved};

use crate::numbers::{claiming, verdict};

/// A machine whose counter `x` goes up to 200. Two other counters have no influence on it.
const COUNTING: &str = "
machine: Counting
data:
  x: { type: int, default: 0 }
  y: { type: int, default: 0 }
  z: { type: int, default: 0 }
commands: { begin: /begin, y_up: /y, z_up: /z, x_up: /x, finish: /finish }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      x_up: [{ when: x < 200, set: { x: x + 1 } }]
      y_up: [{ when: y < 200, set: { y: y + 1 } }]
      z_up: [{ when: z < 200, set: { z: z + 1 } }]
      finish: [{ when: x == 200, to: DONE, next: none }]
  DONE: { final: true }
";

#[test]
fn a_run_that_counts_to_200_is_found_although_other_counters_count_as_well() {
    assert_eq!(verdict(COUNTING, "never DONE"), Broken);
    assert_eq!(verdict(COUNTING, "never x > 200"), Proved);
}

#[test]
fn equal_calls_in_a_row_share_a_line_of_the_message() {
    let found = claiming(COUNTING, "never DONE");
    let lines = "\
1. /begin        → OPEN   (x: 0, y: 0, z: 0)
2–201. /x, 200 times → OPEN   (x: 200)
202. /finish       → DONE, then none";
    let notes = found
        .compilation
        .diagnostics
        .iter()
        .flat_map(|one| &one.notes);
    let notes: Vec<&str> = notes.map(String::as_str).collect();
    assert!(
        notes.contains(&format!("counterexample:\n{lines}").as_str()),
        "{notes:#?}"
    );
    let traces = found.compilation.diagnostics.iter();
    let lengths: Vec<usize> = traces.map(|one| one.trace.len()).collect();
    assert!(lengths.contains(&202), "{lengths:?}");
}

/// A machine whose counter `x` goes up to 40, with these events of the state `OPEN`. The notes are a list that nothing
/// else reads, and the name is a long one until it is replaced.
fn open(events: &str) -> String {
    format!(
        "
machine: Open
data:
  x: {{ type: int, default: 0 }}
  y: {{ type: int, default: 0 }}
  notes: {{ type: [string], max: 50 }}
  name: {{ type: string, default: a long name }}
effects: {{ tell: {{ fields: {{ name: {{ type: string, max: 5 }} }} }} }}
commands: {{ begin: /begin, up: /up, go: /go, reset: /reset, stop: /stop }}
signals: {{ noted: {{}}, renamed: {{}} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      up: [{{ when: x < 40, set: {{ x: x + 1 }} }}]
      noted: {{ append: {{ notes: \"a note\" }} }}
      renamed: {{ set: {{ name: \"brief\" }} }}
      stop: {{ to: STOPPED, next: none }}
{events}
  DONE: {{ on: {{ stop: {{ to: STOPPED, next: none }} }} }}
  STOPPED: {{ final: true }}
"
    )
}

#[test]
fn the_condition_of_an_earlier_alternative_has_an_influence() {
    let spec = open(
        "
      go: [{ when: x < 40, set: { y: 1 } }, { to: DONE }]
      reset: { set: { x: 0 } }",
    );
    assert_eq!(verdict(&spec, "never DONE"), Broken);
}

#[test]
fn a_requirement_has_an_influence() {
    let spec = open(
        "
      go: { require: [{ that: x == 40, else: not yet }], to: DONE }
      reset: { set: { x: 0 } }",
    );
    assert_eq!(verdict(&spec, "never DONE"), Broken);
}

#[test]
fn a_value_that_is_written_has_an_influence() {
    let spec = open(
        "
      go: { set: { y: x } }
      reset: { require: [{ that: y == 40, else: not yet }], to: DONE }",
    );
    assert_eq!(verdict(&spec, "never DONE"), Broken);
}

#[test]
fn the_length_of_a_list_has_an_influence_on_a_step_that_needs_a_position() {
    let spec = open(
        "
      go: { remove: { notes: { at: 30 } }, to: DONE }
      reset: { set: { x: 0 } }",
    );
    assert_eq!(verdict(&spec, "never DONE"), Broken);
}

#[test]
fn a_field_that_an_effect_limits_has_an_influence() {
    let spec = open(
        "
      go: { emit: { tell: { name: name } }, to: DONE }
      reset: { set: { x: 0 } }",
    );
    assert_eq!(verdict(&spec, "never DONE"), Broken);
}

#[test]
fn a_field_in_a_sum_of_the_reply_has_an_influence() {
    let spec = open(
        "
      go: { to: DONE, reply: '{x - 9223372036854775807 - 30}' }
      reset: { set: { x: 0 } }",
    );
    assert_eq!(verdict(&spec, "never DONE"), Broken);
}

#[test]
fn the_fields_that_an_invariant_names_have_an_influence() {
    let spec = open(
        "
      go: [{ when: x == 40, set: { y: -1 } }]
      reset: DONE",
    );
    for invariant in [
        "always y == 0",
        "never y == -1",
        "y == -1 only by up",
        "y changes only in x < 40",
        "y changes only by up",
        "y never changes",
        "y only grows",
    ] {
        assert_eq!(verdict(&spec, invariant), Broken, "{invariant}");
    }
}

#[test]
fn every_field_has_an_influence_on_an_invariant_about_events() {
    let spec = open(
        "
      go: [{ when: x == 40, set: { y: 1 } }]
      reset: DONE",
    );
    for invariant in ["go only in x < 40", "after go: y == 0", "never accepts go"] {
        assert_eq!(verdict(&spec, invariant), Broken, "{invariant}");
    }
}
