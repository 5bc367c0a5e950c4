//! Numbers that conditions compare, and contexts that can block a path: small machines with known verdicts.

use plan_machine_compiler::Verdict::{self, Broken, Proved, Unknown};
use plan_machine_tests::{Compiled, compiled};

use crate::examine::{examine, was_judged};
use crate::generator::Flavour;

/// Compiles the spec with one invariant, and checks that runs of the machine agree with the
/// verdict.
pub(crate) fn claiming(spec: &str, invariant: &str) -> Compiled {
    let text = format!("{spec}invariants: {{ claim: '{invariant}' }}\n");
    let found = compiled("numbers.yaml", &text);
    let examined = examine(&found.compilation, Flavour::Numbers, 1);
    assert!(examined.faults.is_empty(), "{:?}", examined.faults);
    was_judged(&found, &examined);
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

/// A machine that gives up after three attempts.
const TRYING: &str = "
machine: Trying
data: { tries: { type: int, default: 0 }, last: { type: bool, default: false } }
commands: { begin: /begin, again: /again }
signals: { failed: {} }
states:
  none: { on: { begin: TRYING } }
  TRYING:
    on:
      failed:
        - { when: tries < 3, set: { tries: tries + 1, last: tries == 2 } }
        - { to: GIVEN_UP }
      again: { set: { tries: 0, last: false } }
  GIVEN_UP: { on: { begin: { to: OVER, next: none } } }
  OVER: { final: true }
";

#[test]
fn a_counter_stays_below_the_constant_that_guards_it() {
    assert_eq!(verdict(TRYING, "always tries <= 3"), Proved);
    assert_eq!(verdict(TRYING, "never tries > 3"), Proved);
    assert_eq!(verdict(TRYING, "always tries >= 0"), Proved);
    assert_eq!(
        verdict(TRYING, "always (GIVEN_UP implies tries == 3)"),
        Proved
    );
    assert_eq!(
        verdict(TRYING, "always (last implies tries in [3, 3])"),
        Proved
    );
    assert_eq!(verdict(TRYING, "always tries <= 2"), Broken);
}

#[test]
fn a_guarded_loop_can_be_counted_to_its_end() {
    assert_eq!(verdict(TRYING, "can always reach none"), Proved);
    assert_eq!(
        verdict(TRYING, "can always reach tries == 2 by failed"),
        Broken
    );
    assert_eq!(
        verdict(
            TRYING,
            "can always reach (tries == 3 or none) by failed or begin"
        ),
        Proved
    );
}

/// A machine that may count a signal, with other data besides the count.
fn counting(counter: &str, done: &str) -> String {
    format!(
        "
machine: Counting
data: {{ busy: {{ type: bool, default: false }}{counter} }}
commands: {{ begin: /begin, work: /work, stop: /stop }}
signals: {{ done: {{}} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      work: {{ when: not busy, set: {{ busy: true }} }}
      done: {done}
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_number_that_no_condition_reads_costs_nothing() {
    let explored = |spec: &str| {
        let found = claiming(spec, "can always reach none");
        let report = found.compilation.report.expect("a report");
        report.explored
    };
    let plain = explored(&counting("", "{ set: { busy: false } }"));
    let counter = ", calls: { type: int, default: 0 }";
    let unread = counting(counter, "{ set: { busy: false, calls: calls + 1 } }");
    assert_eq!(explored(&unread), plain);
    let guarded = "{ when: calls < 3, set: { busy: false, calls: calls + 1 } }";
    let compared = explored(&counting(counter, guarded));
    assert!(
        plain < compared && compared <= 4 * plain,
        "{compared} configurations with a count from 0 to 3, {plain} without it"
    );
}

/// A machine that stores a number from an event if the condition allows it.
fn sending(condition: &str, value: &str) -> String {
    format!(
        "
machine: Sending
data: {{ n: {{ type: int, default: 0 }}, m: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin, stop: /stop }}
tools: {{ put: {{ doc: Put it., input: {{ n: int }} }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      put: [{{ when: '{condition}', set: {{ n: {value}, m: n }} }}]
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn sent_values_are_distinguished_if_they_are_compared() {
    let small = sending("event.n >= 0 and event.n < 4", "event.n");
    assert_eq!(verdict(&small, "always (n >= 0 and n < 4)"), Proved);
    assert_eq!(verdict(&small, "always (m >= 0 and m < 4)"), Proved);
    assert_eq!(verdict(&small, "always n < 3"), Broken);
    assert_eq!(
        verdict(&small, "can always reach (n == 3 or none) by put"),
        Proved
    );
    let shifted = sending("event.n >= 0 and event.n < 4", "event.n + 5");
    assert_eq!(verdict(&shifted, "never (n > 0 and n < 5)"), Proved);
    assert_eq!(verdict(&shifted, "never n == 5"), Broken);
    assert_eq!(
        verdict(&shifted, "can always reach (n == 8 or none) by put"),
        Proved
    );
}

#[test]
fn a_sum_near_the_maximum_is_never_mistaken_for_a_small_number() {
    let far = sending("event.n > 9223372036854775805", "event.n + 1");
    assert_eq!(
        verdict(&far, "never (n > 0 and n < 9223372036854775807)"),
        Proved
    );
    assert_eq!(verdict(&far, "never n == 9223372036854775807"), Broken);
}

#[test]
fn a_sent_number_plus_a_large_number_can_equal_the_target() {
    let spec = sending("event.n != 2", "event.n + 4611686018427387904");
    let target = "can always reach (n == 9223372036854775806 or none) by put";
    assert_eq!(verdict(&spec, target), Proved);
    assert_eq!(
        verdict(&spec, "can always reach (n == 2 or none) by put"),
        Proved
    );
}

/// A machine with a number of remaining steps, which can be set.
fn counting_down(most: &str) -> String {
    format!(
        "
machine: CountingDown
data: {{ left: {{ type: int, default: 1 }} }}
commands: {{ begin: /begin }}
tools: {{ estimate: {{ doc: Say it., input: {{ steps: int }} }} }}
signals: {{ done: {{}} }}
states:
  none: {{ on: {{ begin: WORKING }} }}
  WORKING:
    on:
      estimate: [{{ when: 'event.steps > 0{most}', set: {{ left: event.steps }} }}]
      done: [{{ when: left > 1, set: {{ left: left - 1 }} }}, {{ to: DONE, next: none }}]
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_number_with_a_constant_bound_can_be_counted_down() {
    let target = "can always reach none by done";
    assert_eq!(
        verdict(&counting_down(" and event.steps <= 3"), target),
        Proved
    );
    assert_eq!(verdict(&counting_down(""), target), Unknown);
}

#[test]
fn a_reply_adds_to_the_data_after_the_step() {
    let spec = "
machine: Replying
data: { n: { type: int, default: 0 } }
commands: { begin: /begin }
tools: { leave: { doc: Leave., input: { n: int } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      leave: { to: DONE, next: none, set: { n: 9223372036854775807 }, reply: '{n + 1}' }
  DONE: { final: true }
";
    assert_ne!(verdict(spec, "can always reach (none or n == 5)"), Proved);
}

/// A machine with a list of at most two items.
const LISTING: &str = "
machine: Listing
data: { items: { type: [string], max: 2 } }
commands: { begin: /begin, stop: /stop }
tools: { add: { doc: Add one., input: { text: string } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      add: { append: { items: event.text } }
      stop: { to: DONE, next: none }
  DONE: { final: true }
";

#[test]
fn a_list_is_never_longer_than_its_bound() {
    assert_eq!(verdict(LISTING, "always len(items) <= 2"), Proved);
    assert_eq!(verdict(LISTING, "never len(items) < 0"), Proved);
    assert_eq!(verdict(LISTING, "always len(items) < 2"), Broken);
    assert_eq!(
        verdict(LISTING, "always (items is empty or len(items) > 0)"),
        Proved
    );
}

/// A machine in which the only way forward depends on the host's context.
fn waiting(condition: &str) -> String {
    format!(
        "
machine: Waiting
context: {{ awake: bool, level: int }}
data: {{ n: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin, go: /go, skip: /skip }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      go: [{{ when: '{condition}', to: DONE, next: none }}, {{ set: {{ n: 1 }} }}]
      skip: {{ set: {{ n: 2 }} }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_context_that_can_always_block_the_target_breaks_reachability() {
    let found = claiming(&waiting("context.awake"), "can always reach none");
    assert!(found.codes().contains(&"PM0601"), "{}", found.rendered());
    assert!(
        found.rendered().contains("depends on the context"),
        "{}",
        found.rendered()
    );
    assert_eq!(
        verdict(&waiting("context.level > 3"), "can always reach none"),
        Broken
    );
    assert_eq!(
        verdict(&waiting("context.awake"), "can always reach n == 2"),
        Proved
    );
}

#[test]
fn a_context_that_only_delays_does_not_block_the_target() {
    let spec = waiting("context.awake or n == 1");
    assert_eq!(verdict(&spec, "can always reach none by go"), Proved);
}
