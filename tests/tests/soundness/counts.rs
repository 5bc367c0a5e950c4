//! Lengths of lists, counts of their items and counters that guard loops: small machines with known verdicts. Each
//! verdict is compared with runs, and each counterexample is replayed.

use plan_machine_compiler::Verdict::{Broken, Proved, Unknown};

use crate::numbers::{claiming, verdict};

/// A machine in which each approval allows some calls.
fn budget(guard: &str) -> String {
    format!(
        "
machine: Budget
data: {{ calls: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin, approve: /approve, stop: /stop }}
states:
  none: {{ on: {{ begin: READY }} }}
  READY: {{ on: {{ approve: {{ to: EXECUTING, set: {{ calls: 0 }} }}, stop: {{ to: DONE, next: none }} }} }}
  EXECUTING:
    other_tools:
      - {{ when: '{guard}', set: {{ calls: calls + 1 }}, run: true }}
      - deny
    on: {{ stop: READY }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn calls_stay_within_the_budget_of_an_approval() {
    let guarded = budget("calls < 20");
    assert_eq!(verdict(&guarded, "always calls <= 20"), Proved);
    let denies = "always (EXECUTING implies calls < 20 or denies other_tools)";
    assert_eq!(verdict(&guarded, denies), Proved);
    assert_eq!(verdict(&guarded, "always calls < 20"), Broken);
    let one_more = budget("calls <= 20");
    assert_eq!(verdict(&one_more, "always calls <= 20"), Broken);
    assert_eq!(verdict(&one_more, denies), Broken);
}

/// A machine that counts its failures.
fn retrying(guard: &str, otherwise: &str) -> String {
    format!(
        "
machine: Retrying
data: {{ retries: {{ type: int, default: 0 }} }}
commands: {{ begin: /begin, stop: /stop }}
signals: {{ failed: {{}} }}
states:
  none: {{ on: {{ begin: TRYING }} }}
  TRYING:
    on:
      failed: [{{ when: '{guard}', set: {{ retries: retries + 1 }} }}{otherwise}]
      stop: {{ to: GIVEN_UP, next: none }}
  GIVEN_UP: {{ final: true }}
"
    )
}

#[test]
fn three_failures_give_up_a_plan() {
    let given_up = ", { to: GIVEN_UP, next: none }";
    let three = retrying("retries < 3", given_up);
    assert_eq!(verdict(&three, "never retries > 3"), Proved);
    assert_eq!(verdict(&three, "can always reach none by failed"), Proved);
    let four = retrying("retries <= 3", given_up);
    assert_eq!(verdict(&four, "never retries > 3"), Broken);
    let stuck = retrying("retries < 3", "");
    assert_eq!(verdict(&stuck, "can always reach none by failed"), Broken);
}

/// A plan that is executed step by step.
fn executing(done: &str) -> String {
    format!(
        "
machine: Executing
types: {{ Step: {{ fields: {{ text: string, pending: bool }} }} }}
data: {{ steps: [Step] }}
commands: {{ begin: /begin, approve: /approve, stop: /stop }}
tools: {{ add: {{ doc: Add a step., input: {{ text: string }} }} }}
signals: {{ done: {{}} }}
states:
  none: {{ on: {{ begin: PLANNING }} }}
  PLANNING:
    on:
      add: {{ append: {{ steps: {{ text: event.text, pending: true }} }} }}
      approve: {{ require: [{{ that: any steps where item.pending, else: add a step }}], to: EXECUTING }}
      stop: {{ to: DONE, next: none }}
  EXECUTING:
    on:
      done:
        - {{ when: '{done}', update: {{ steps: {{ first: item.pending, set: {{ pending: false }} }} }} }}
        - {{ to: DONE, next: none }}
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_plan_that_is_executed_has_a_pending_step() {
    let pending = "always (EXECUTING implies (any steps where item.pending))";
    let counted = executing("(count steps where item.pending) > 1");
    assert_eq!(verdict(&counted, pending), Proved);
    assert_eq!(
        verdict(
            &counted,
            "never (EXECUTING and (no steps where item.pending))"
        ),
        Proved
    );
    let last_one = executing("any steps where item.pending");
    assert_eq!(verdict(&last_one, pending), Broken);
    // Here an update may find no pending step, and then it changes nothing.
    let any_step = executing("len(steps) < 5");
    let few = "never (EXECUTING and (count steps where item.pending) > 3)";
    assert_eq!(verdict(&any_step, few), Broken);
}

/// A plan that can be approved only if it has a pending step.
const ASKED: &str = "
machine: Asked
types: { Step: { fields: { text: string, pending: bool } } }
data: { steps: [Step] }
commands: { begin: /begin, approve: /approve, stop: /stop }
tools: { add: { doc: Add a step., input: { text: string, pending: bool } } }
states:
  none: { on: { begin: PLANNING } }
  PLANNING:
    on:
      add: { append: { steps: { text: event.text, pending: event.pending } } }
      approve: { require: [{ that: any steps where item.pending, else: add a step }], to: EXECUTING }
      stop: { to: DONE, next: none }
  EXECUTING: { on: { add: { append: { steps: { text: event.text, pending: false } } }, stop: { to: DONE, next: none } } }
  DONE: { final: true }
";

#[test]
fn a_required_item_is_remembered_after_the_step() {
    let pending = "always (EXECUTING implies (any steps where item.pending))";
    assert_eq!(verdict(ASKED, pending), Proved);
    let every = "always (EXECUTING implies (every steps where item.pending))";
    assert_eq!(verdict(ASKED, every), Broken);
    let negated = "never (EXECUTING and (every steps where not item.pending))";
    assert_eq!(verdict(ASKED, negated), Proved);
    let unguarded = ASKED.replace("any steps where item.pending", "steps is not empty");
    assert_eq!(verdict(&unguarded, pending), Broken);
}

/// A list that grows and shrinks.
fn listing(guard: &str, max: &str) -> String {
    format!(
        "
machine: Listing
data: {{ items: {{ type: [int]{max} }} }}
commands: {{ begin: /begin, pop: /pop, wipe: /wipe, stop: /stop }}
tools: {{ add: {{ doc: Add one., input: {{ n: int }} }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      add: {{ when: '{guard}', append: {{ items: event.n }} }}
      pop: {{ when: items is not empty, remove: {{ items: {{ at: 0 }} }} }}
      wipe: {{ clear: [items] }}
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn the_length_of_a_list_is_counted() {
    let guarded = listing("len(items) < 20", "");
    assert_eq!(verdict(&guarded, "always len(items) <= 20"), Proved);
    assert_eq!(verdict(&guarded, "never len(items) > 19"), Broken);
    assert_eq!(
        verdict(
            &guarded,
            "can always reach (none or len(items) == 21) by add"
        ),
        Broken
    );
    let target = "can always reach (none or len(items) == 20) by add";
    assert_eq!(verdict(&guarded, target), Proved);
    let one_more = listing("len(items) <= 20", "");
    assert_eq!(verdict(&one_more, "always len(items) <= 20"), Broken);
}

#[test]
fn a_list_with_room_takes_an_item() {
    let room = listing("len(items) < 4", ", max: 4");
    let target = "can always reach (none or len(items) == 4) by add";
    assert_eq!(verdict(&room, target), Proved);
    let full = listing("len(items) < 5", ", max: 3");
    assert_eq!(
        verdict(&full, "can always reach (none or len(items) == 2) by add"),
        Broken
    );
}

#[test]
fn items_are_counted_by_a_condition() {
    let spec = listing("event.n < 5 or (count items where item >= 5) < 3", "");
    assert_eq!(
        verdict(&spec, "never (count items where item >= 5) > 3"),
        Proved
    );
    assert_eq!(
        verdict(&spec, "never (count items where item >= 5) > 2"),
        Broken
    );
    assert_eq!(verdict(&spec, "always len(items) <= 3"), Broken);
}

/// A list that is set as a whole.
fn setting(guard: &str) -> String {
    format!(
        "
machine: Setting
data: {{ items: [string], copy: [string] }}
commands: {{ begin: /begin, keep: /keep, stop: /stop }}
tools: {{ put: {{ doc: Put them., input: {{ items: [string] }} }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      put: {{ when: '{guard}', set: {{ items: event.items }} }}
      keep: {{ set: {{ copy: items, items: ['\"x\"', '\"y\"'] }} }}
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_list_that_is_set_has_the_length_of_its_source() {
    let guarded = setting("len(event.items) <= 4");
    assert_eq!(verdict(&guarded, "always len(items) <= 4"), Proved);
    assert_eq!(verdict(&guarded, "always len(copy) <= 4"), Proved);
    assert_eq!(verdict(&guarded, "always len(copy) <= 3"), Broken);
    let open = setting("event.items is not empty");
    assert_eq!(verdict(&open, "always len(items) <= 4"), Broken);
    assert_eq!(verdict(&open, "always len(items) <= 50"), Unknown);
}

#[test]
fn a_count_that_no_condition_reads_costs_nothing() {
    let explored = |spec: &str| {
        let found = claiming(spec, "can always reach none");
        let report = found.compilation.report.expect("a report");
        report.explored
    };
    let plain = listing("event.n > 0", "");
    assert_eq!(
        explored(&plain),
        explored(&plain.replace("data: { items", "data: { other: [int], items"))
    );
    let compared = listing("event.n > 0 and len(items) < 3", "");
    assert!(explored(&compared) <= 4 * explored(&plain));
}

/// A list to which at most one item is added, and another one to which two items are added.
fn needing(position: &str, max: &str) -> String {
    format!(
        "
machine: Needing
data: {{ one: [int], two: {{ type: [int], max: {max} }}, last: {{ type: bool, default: false }} }}
commands: {{ begin: /begin, stop: /stop }}
signals: {{ add: {{}}, drop: {{}}, grow: {{}} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      add: [{{ when: one is empty, append: {{ one: 1 }} }}, {{ reply: 'no' }}]
      drop: {{ remove: {{ one: {{ at: {position} }} }} }}
      grow:
        - {{ when: last, to: DONE, next: none, append: {{ two: 2 }} }}
        - {{ append: {{ two: 1 }}, set: {{ last: true }} }}
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_position_and_a_bound_are_compared_with_the_length() {
    assert_eq!(verdict(&needing("1", "2"), "drop only in none"), Proved);
    assert_eq!(verdict(&needing("0", "2"), "drop only in none"), Broken);
    let grows = "can always reach none by grow";
    assert_eq!(verdict(&needing("0", "2"), grows), Proved);
    assert_eq!(verdict(&needing("0", "1"), grows), Broken);
}

/// A number that is changed in several ways.
fn growing(change: &str) -> String {
    format!(
        "
machine: Growing
data: {{ best: {{ type: int, default: 0 }}, log: [int] }}
commands: {{ begin: /begin, stop: /stop, anew: /anew }}
tools: {{ put: {{ doc: Put it., input: {{ n: int }} }} }}
states:
  none: {{ on: {{ begin: {{ to: OPEN, set: {{ best: 5 }} }} }} }}
  OPEN:
    on:
      put: {change}
      anew: {{ to: DONE, next: {{ fresh: OPEN }} }}
      stop: {{ to: DONE, next: none }}
  DONE: {{ final: true }}
"
    )
}

#[test]
fn a_number_only_grows() {
    let verdict = |change: &str| verdict(&growing(change), "best only grows");
    assert_eq!(verdict("{ set: { best: best + 1 } }"), Proved);
    assert_eq!(verdict("{ set: { best: 2 + best + len(log) } }"), Proved);
    assert_eq!(verdict("{ set: { best: best - 1 } }"), Broken);
    assert_eq!(verdict("{ set: { best: event.n } }"), Broken);
    assert_eq!(
        verdict("{ when: event.n > best, set: { best: event.n } }"),
        Proved
    );
    assert_eq!(
        verdict("[{ when: event.n < best, reply: 'no' }, { set: { best: event.n } }]"),
        Proved
    );
    assert_eq!(
        verdict("{ when: event.n < best, set: { best: event.n } }"),
        Broken
    );
    assert_eq!(
        verdict("{ when: event.n >= 0, set: { best: best + event.n } }"),
        Proved
    );
    assert_eq!(verdict("{ set: { best: best + event.n } }"), Broken);
    assert_eq!(verdict("{ set: { best: 7 } }"), Proved);
    assert_eq!(verdict("{ set: { best: 4 } }"), Broken);
    assert_eq!(verdict("{ clear: [best] }"), Broken);
}

#[test]
fn a_list_only_grows() {
    let verdict = |change: &str| verdict(&growing(change), "log only grows");
    assert_eq!(verdict("{ append: { log: event.n } }"), Proved);
    assert_eq!(
        verdict(
            "[{ when: log is empty, append: { log: 1 } }, { insert: { log: { at: 0, value: 2 } } }]"
        ),
        Proved
    );
    assert_eq!(
        verdict("[{ when: log is empty, append: { log: 1 } }, { remove: { log: { at: 0 } } }]"),
        Broken
    );
    assert_eq!(
        verdict("[{ when: log is empty, set: { log: [1, 2] } }, { append: { log: 3 } }]"),
        Proved
    );
    assert_eq!(
        verdict("[{ when: log is empty, append: { log: 1 } }, { clear: [log] }]"),
        Broken
    );
}

#[test]
fn only_numbers_that_are_set_and_lists_grow() {
    let refused = |fields: &str, claim: &str| {
        let spec = growing("{ set: { best: 7 } }").replace("log: [int]", fields);
        let found = claiming(&spec, claim);
        assert!(found.codes().contains(&"PM0401"), "{}", found.rendered());
    };
    refused("n: int?, log: [int]", "n only grows");
    refused(
        "s: { type: string, default: x }, log: [int]",
        "s only grows",
    );
}
