//! Small machines with known verdicts, one for each rule of the reference that is easy to get wrong. Runs of each
//! machine must agree with its verdicts.

use plan_machine_compiler::Verdict::{self, Broken, Proved, Unknown};
use plan_machine_compiler::model::machine::Instances;
use plan_machine_tests::{Compiled, compiled};

use crate::examine::{examine, was_judged};
use crate::generator::Flavour;

/// Compiles the spec with one invariant.
pub(crate) fn claiming(spec: &str, invariant: &str) -> Compiled {
    let text = format!("{spec}invariants: {{ claim: '{invariant}' }}\n");
    let found = compiled("settled.yaml", &text);
    // Only machines with a single plan per session are run.
    let machine = found.compilation.machine.as_ref();
    if machine.is_none_or(|machine| machine.instances == Instances::One) {
        let examined = examine(&found.compilation, Flavour::Open, 1);
        assert!(examined.faults.is_empty(), "{:?}", examined.faults);
        was_judged(&found, &examined);
    }
    found
}

pub(crate) fn verdict(spec: &str, invariant: &str) -> Verdict {
    let found = claiming(spec, invariant);
    let invariants = found.compilation.report.as_ref();
    let invariants = invariants.map_or(&[][..], |report| &report.invariants);
    let [claim] = invariants else {
        panic!("{}", found.rendered());
    };
    claim.verdict
}

/// Returns the length of the trace that breaks an invariant.
pub(crate) fn steps(spec: &str, invariant: &str) -> usize {
    let found = claiming(spec, invariant).compilation;
    let mut broken = found.diagnostics.iter();
    let broken = broken.find(|found| found.code.as_str() == "PM0601");
    broken.expect("a broken invariant").trace.len()
}

const GOING: &str = "
machine: Going
data: { approved: { type: bool, default: false } }
commands: { begin: /begin, go: /go, stop: /stop }
effects: { went: {} }
states:
  none: { on: { begin: READY, go: { emit: { went: {} }, reply: 'there is no plan' } } }
  READY:
    on:
      go: { set: { approved: true }, emit: { went: {} } }
      stop: { to: DONE, next: none }
  DONE: { final: true }
";

#[test]
fn an_event_that_none_handles_breaks_only_in_with_a_condition_on_data() {
    assert_eq!(verdict(GOING, "go only in READY"), Broken);
    assert_eq!(steps(GOING, "go only in (READY and approved)"), 1);
    assert_eq!(steps(GOING, "go only in approved"), 1);
    assert_eq!(verdict(GOING, "go only in (none or READY)"), Proved);
    assert_eq!(
        verdict(GOING, "go only in (none or approved or not approved)"),
        Proved
    );
}

#[test]
fn an_event_accepted_without_a_plan_is_reported_with_help() {
    let found = claiming(GOING, "go only in (READY and approved)").rendered();
    assert!(found.contains("`go only in none or …`"), "{found}");
    let found = claiming(GOING, "after go: approved").rendered();
    assert!(found.contains("`after go: none or …`"), "{found}");
}

#[test]
fn after_an_event_that_none_handles_a_condition_on_data_does_not_hold() {
    assert_eq!(steps(GOING, "after go: (READY and approved)"), 1);
    assert_eq!(verdict(GOING, "after go: (none or approved)"), Proved);
}

#[test]
fn an_effect_without_a_plan_breaks_emitted_only_in_with_a_condition_on_data() {
    assert_eq!(steps(GOING, "went emitted only in (READY and approved)"), 1);
    assert_eq!(
        verdict(GOING, "went emitted only in (none or approved)"),
        Proved
    );
}

#[test]
fn a_false_state_makes_a_condition_false_whatever_the_data_is() {
    assert_eq!(
        steps(
            GOING,
            "always ((READY or DONE) and (approved or not approved))"
        ),
        0
    );
    assert_eq!(
        verdict(GOING, "always (none or approved or not approved)"),
        Proved
    );
    assert_eq!(steps(GOING, "never (none or approved)"), 0);
}

#[test]
fn always_and_never_skip_conditions_that_depend_only_on_absent_data() {
    assert_eq!(verdict(GOING, "never (none and approved)"), Proved);
    assert_eq!(verdict(GOING, "always (none implies approved)"), Proved);
}

#[test]
fn an_empty_slot_makes_none_true_in_a_condition_on_data() {
    assert_eq!(steps(GOING, "(none or approved) only by go"), 2);
    assert_eq!(
        verdict(GOING, "(none or approved) only by go or stop"),
        Proved
    );
}

#[test]
fn none_is_reached_whatever_else_a_target_requires_of_data() {
    let target = "can always reach (none or (READY and approved and not approved))";
    assert_eq!(verdict(GOING, target), Proved);
    let target = "can always reach (READY and approved and not approved)";
    assert_eq!(verdict(GOING, target), Broken);
}

/// A machine with a number that `grow` writes, and only one way out.
fn summing(start: &str, grow: &str, end: &str) -> String {
    format!(
        "
machine: Summing
data: {{ n: {{ type: int, default: {start} }} }}
commands: {{ begin: /begin, stop: /stop }}
tools: {{ grow: {{ doc: Grow., input: {{ n: int }} }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      grow: {grow}
      stop: {{ to: DONE, next: none{end} }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_number_that_doubles_gets_too_large_for_the_only_way_out() {
    let spec = summing("1", "{ set: { n: n + n } }", ", set: { n: n + n }");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
}

#[test]
fn a_number_that_grows_by_much_at_once_gets_too_large_for_the_only_way_out() {
    let much = "{ set: { n: n + 4611686018427387904 } }";
    let spec = summing("0", much, ", set: { n: n + 4611686018427387904 }");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
    let spec = summing("4611686018427387904", "{}", ", set: { n: n + n }");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
}

#[test]
fn a_reply_that_increments_a_large_number_blocks_the_only_way_out() {
    let spec = summing("0", "{ set: { n: event.n } }", ", reply: '{n + 1}'");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
}

#[test]
fn a_number_that_is_counted_in_small_steps_never_blocks_the_target() {
    let spec = summing("0", "{ set: { n: n + 1 } }", ", set: { n: n + 3 }");
    assert_eq!(verdict(&spec, "can always reach none"), Proved);
}

#[test]
fn a_number_that_is_limited_where_it_is_stored_never_blocks_the_target() {
    let limit = "{ that: event.n <= 1000000, else: too large }";
    let both = "{ that: event.n >= -5 and 1000000 > event.n, else: too large }";
    let stored = |limit: &str| format!("{{ set: {{ n: event.n }}, require: [{limit}] }}");
    for (limit, end) in [
        (limit, ", reply: '{n + 1}'"),
        (limit, ", set: { n: n + 1 }"),
        (both, ", set: { n: n - 1 }"),
        (both, ", reply: '{n + n}'"),
    ] {
        let spec = summing("0", &stored(limit), end);
        assert_eq!(verdict(&spec, "can always reach none"), Proved, "{end}");
    }
    // There is no lower limit, so the difference may be too small.
    let spec = summing("0", &stored(limit), ", set: { n: n - 1 }");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
    let one_of = "{ that: 'event.n <= 1000000 or event.n > 5', else: too large }";
    let spec = summing("0", &stored(one_of), ", reply: '{n + 1}'");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
}

/// A machine in which the only way out accepts a number, under a condition.
fn sending(condition: &str) -> String {
    format!(
        "
machine: Sending
data: {{ n: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin }}
tools: {{ leave: {{ doc: Leave., input: {{ n: int }} }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      leave: [{{ when: '{condition}', to: DONE, next: none, set: {{ n: event.n + 1 }} }}]
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_number_that_a_condition_requires_may_be_too_large_to_add_to() {
    let spec = sending("event.n > 9223372036854775806");
    assert_ne!(verdict(&spec, "can always reach none"), Proved);
    let spec = sending("event.n > 9223372036854775805");
    assert_eq!(verdict(&spec, "can always reach none"), Proved);
}

const ENDING: &str = "
machine: Ending
commands: { go: /go, end: /end, hold: /hold, leave: /leave }
states:
  none: { on: { go: A } }
  A:
    on:
      go: {}
      end: { to: Z, next: none }
      hold: Z
  Z: { final: true, on: { leave: { next: none } } }
";

#[test]
fn a_counterexample_ends_with_a_held_record() {
    assert_eq!(steps(ENDING, "can always reach (A or none) by go"), 2);
    let found = claiming(ENDING, "can always reach (A or none) by go").rendered();
    assert!(found.contains("/hold"), "{found}");
}

#[test]
fn an_ended_record_counts_as_reached_if_it_fulfils_the_target() {
    assert_eq!(verdict(ENDING, "can always reach Z by end or hold"), Proved);
    assert_eq!(
        verdict(ENDING, "can always reach none by end or leave"),
        Proved
    );
}

const REPLACING: &str = "
machine: Replacing
data: { title: { type: string, optional: true } }
commands: { begin: /begin, redo: /redo, stop: /stop }
effects: { opened: {}, closed: {} }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    enter: { emit: { opened: {} } }
    on:
      redo: { to: OLD, next: { fresh: OPEN }, set: { title: '\"again\"' } }
      stop: { to: OLD, next: none }
  OLD: { final: true, enter: { emit: { closed: {} } } }
";

#[test]
fn an_effect_is_judged_by_the_record_that_it_belongs_to() {
    assert_eq!(verdict(REPLACING, "opened emitted only in OPEN"), Proved);
    assert_eq!(verdict(REPLACING, "closed emitted only in OLD"), Proved);
    assert_eq!(verdict(REPLACING, "closed emitted only in OPEN"), Broken);
}

#[test]
fn data_written_at_the_start_of_a_successor_is_not_a_change() {
    assert_eq!(verdict(REPLACING, "data changes only by begin"), Proved);
}

/// A machine with many plans that a command closes.
fn tickets(close: &str, max_live: &str) -> String {
    format!(
        "
machine: Tickets
instances: many
{max_live}
commands: {{ close: {close} }}
tools: {{ open_ticket: {{ doc: Open a ticket. }} }}
states:
  none: {{ on: {{ open_ticket: OPEN }} }}
  OPEN: {{ on: {{ close: CLOSED }} }}
  CLOSED: {{ final: true }}
"
    )
}

#[test]
fn with_many_plans_none_means_that_this_plan_has_ended() {
    let spec = tickets("\"/close {plan_id?}\"", "");
    assert_eq!(verdict(&spec, "can always reach none"), Proved);
    assert_eq!(verdict(&spec, "can always reach (none and CLOSED)"), Proved);
    assert_eq!(verdict(&spec, "can always reach (none and OPEN)"), Broken);
}

#[test]
fn a_command_without_a_plan_id_does_not_count_if_it_is_ambiguous() {
    let target = "can always reach none";
    assert_eq!(verdict(&tickets("/close", ""), target), Unknown);
    assert_eq!(verdict(&tickets("/close", "max_live: 1"), target), Proved);
    let each = "{ text: /close, each: true }";
    assert_eq!(verdict(&tickets(each, ""), target), Proved);
}

/// A machine with a state that promises a field which was written two steps earlier.
const PROMISING: &str = "
machine: Promising
data: { note: { type: string, optional: true } }
commands: { begin: /begin, submit: /submit, stop: /stop }
tools: { write: { doc: Write it., input: { text: string } } }
states:
  none: { on: { begin: OPEN } }
  OPEN: { on: { write: { to: WRITTEN, set: { note: event.text } } } }
  WRITTEN: { on: { submit: FULL } }
  FULL: { has: [note], on: { stop: { to: DONE, next: none } } }
  DONE: { final: true }
";

#[test]
fn a_kept_promise_is_not_reported_if_there_is_another_error() {
    let reported =
        |text: &str, code: &str| compiled("promising.yaml", text).codes().contains(&code);
    assert!(!reported(PROMISING, "PM0403"));
    let orphan = format!("{PROMISING}  ORPHAN: {{ final: true }}\n");
    assert!(reported(&orphan, "PM0203") && !reported(&orphan, "PM0403"));
}

#[test]
fn a_broken_promise_is_reported_even_if_there_is_another_error() {
    let broken = PROMISING.replace("OPEN: { on: {", "OPEN: { on: { submit: FULL,");
    let orphan = format!("{broken}  ORPHAN: {{ final: true }}\n");
    let found = compiled("promising.yaml", &orphan);
    let told: Vec<&str> = found
        .compilation
        .diagnostics
        .iter()
        .filter(|found| found.code.as_str() == "PM0403")
        .flat_map(|found| found.notes.iter().map(String::as_str))
        .collect();
    assert_eq!(told, ["unset along this path: `begin`, then `submit`"]);
}
