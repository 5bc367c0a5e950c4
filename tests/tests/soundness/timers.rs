//! Timers: small machines with known verdicts. Each verdict is compared with runs that wait, and each counterexample is
//! replayed.

use plan_machine_compiler::Verdict::{self, Broken, Proved, Unknown};
use plan_machine_tests::{Compiled, compiled};

use crate::examine::{examine, trace_of};
use crate::generator::Flavour;

/// Compiles the spec with one invariant, and checks that runs of the machine agree with the verdict.
fn claiming(spec: &str, invariant: &str) -> Compiled {
    let text = format!("{spec}invariants: {{ claim: '{invariant}' }}\n");
    let found = compiled("timers.yaml", &text);
    let examined = examine(&found.compilation, Flavour::Timers, 1);
    assert!(
        examined.faults.is_empty(),
        "`{invariant}`: {:?}",
        examined.faults
    );
    assert!(examined.judged > 0, "{}", found.rendered());
    found
}

/// Returns the verdict on a claim; a claim about `timer` that is one invariant for each timer has the worst verdict.
fn verdict(spec: &str, invariant: &str) -> Verdict {
    let found = claiming(spec, invariant);
    let all = found.compilation.report.map_or(Vec::new(), |report| {
        let all = report.invariants.into_iter();
        all.map(|report| report.verdict).collect()
    });
    let worst = [Broken, Unknown].into_iter().find(|one| all.contains(one));
    worst.unwrap_or(Proved)
}

/// Returns the periods that the first counterexample to a claim waits.
fn waits(spec: &str, invariant: &str) -> Vec<String> {
    let found = claiming(spec, invariant);
    let (trace, _) = trace_of(&found.compilation, "claim").expect("a broken invariant");
    let waits = trace
        .iter()
        .filter_map(|step| step.as_object()?.get("wait"));
    waits
        .filter_map(|wait| wait.as_text().map(str::to_owned))
        .collect()
}

/// A machine with one live state, which has the given timers.
fn staying(after: &str) -> String {
    format!(
        "
machine: Staying
data: {{ ready: {{ type: bool, default: false }}, n: {{ type: int, default: 0 }}, log: {{ type: [int], max: 1 }} }}
commands: {{ begin: /begin, prepare: /prepare, again: /again, drop: /drop, wait: /wait, end: /end }}
effects: {{ beeped: {{}} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      prepare: {{ set: {{ ready: true }} }}
      again: OPEN
      drop: {{ set: {{ log: [] }} }}
      wait: LATE
      end: {{ to: GONE, next: none }}
    after: {after}
  LATE: {{ on: {{ again: OPEN, end: {{ to: GONE, next: none }} }} }}
  GONE: {{ final: true }}
"
    )
}

#[test]
fn a_timer_that_always_leaves_can_be_waited_for() {
    let leaving = staying("{ 1h: { to: LATE, emit: { beeped: {} } } }");
    assert_eq!(verdict(&leaving, "can always reach LATE by timer"), Proved);
    assert_eq!(waits(&leaving, "LATE only by wait"), ["1h"]);
}

#[test]
fn a_timer_whose_condition_does_not_hold_when_it_is_due_is_spent() {
    let guarded = staying("{ 1h: { when: ready, to: LATE, emit: { beeped: {} } } }");
    // A plan that is prepared after the hour stays, unless it enters the state again.
    let by_time = "can always reach LATE by timer or prepare";
    assert_ne!(verdict(&guarded, by_time), Proved);
    assert_ne!(verdict(&guarded, "can always reach LATE by timer"), Proved);
}

#[test]
fn a_timer_whose_changes_are_not_possible_when_it_is_due_is_spent() {
    // The list may be full when the timer is due, and empty afterwards.
    let filling = staying("{ 1h: { to: LATE, append: { log: 1 } } }");
    let by_time = "can always reach LATE by timer or drop";
    assert_ne!(verdict(&filling, by_time), Proved);
    let never_full = filling.replace(
        "LATE: { on: { again: OPEN",
        "LATE: { on: { again: { to: OPEN, set: { log: [] } }",
    );
    assert_eq!(verdict(&never_full, by_time), Proved);
    assert_eq!(
        verdict(&never_full, "can always reach LATE by timer"),
        Proved
    );
}

#[test]
fn a_timer_whose_numbers_may_overflow_may_be_spent() {
    let huge = "{ 1h: { to: LATE, set: { n: n + 9223372036854775807 } } }";
    let by_time = "can always reach LATE by timer";
    assert_ne!(verdict(&staying(huge), by_time), Proved);
    let small = staying("{ 1h: { to: LATE, set: { n: n + 1 } } }");
    assert_eq!(verdict(&small, by_time), Proved);
}

#[test]
fn a_timer_that_stays_in_its_state_fires_once_for_each_entry() {
    let counting = staying("{ 1h: { set: { n: n + 1 } } }");
    assert_eq!(verdict(&counting, "never n > 0"), Broken);
    // The state can be entered again.
    assert_ne!(verdict(&counting, "never n > 1"), Proved);
    let once = counting.replace("again: OPEN", "again: { set: { ready: true } }");
    assert_ne!(verdict(&once, "never n > 1"), Broken);
    assert_ne!(verdict(&once, "can always reach n > 1 by timer"), Proved);
}

#[test]
fn the_longer_of_two_timers_never_fires_if_the_shorter_one_leaves() {
    let two = staying("{ 1h: { to: GONE, next: none }, 2h: LATE }");
    assert_ne!(verdict(&two, "can always reach LATE by timer"), Proved);
    let ends = "can always reach none by timer or end";
    assert_eq!(verdict(&two, ends), Proved);
    let in_time = staying("{ 1h: LATE, 2h: { to: GONE, next: none } }");
    assert_eq!(verdict(&in_time, "can always reach LATE by timer"), Proved);
    assert_ne!(verdict(&in_time, "can always reach GONE by timer"), Proved);
}

#[test]
fn a_shorter_timer_that_stays_does_not_keep_the_longer_one_from_firing() {
    let reminding = staying("{ 1h: { emit: { beeped: {} } }, 2h: LATE }");
    assert_eq!(waits(&reminding, "LATE only by wait"), ["1h", "1h"]);
    assert_ne!(
        verdict(&reminding, "can always reach LATE by timer"),
        Broken
    );
}

#[test]
fn a_move_to_the_same_leaf_starts_its_timer_again() {
    let ticking = staying("{ 1h: { to: OPEN, set: { n: n + 1 } } }");
    assert_eq!(verdict(&ticking, "never n > 1"), Broken);
    assert_eq!(waits(&ticking, "never n > 1"), ["1h", "1h"]);
    let counted = "can always reach (n > 2 or LATE) by timer";
    assert_ne!(verdict(&ticking, counted), Broken);
    assert_eq!(verdict(&ticking, "n changes only by timer"), Proved);
    assert_eq!(verdict(&ticking, "n only grows"), Proved);
}

#[test]
fn claims_about_timers_concern_only_steps_that_timers_take() {
    let guarded = staying("{ 1h: { when: ready, to: LATE, emit: { beeped: {} } } }");
    assert_eq!(verdict(&guarded, "LATE only by timer or wait"), Proved);
    assert_eq!(verdict(&guarded, "LATE only by wait"), Broken);
    assert_eq!(verdict(&guarded, "after timer: LATE"), Proved);
    assert_eq!(verdict(&guarded, "after timer: ready"), Proved);
    assert_eq!(verdict(&guarded, "after timer: OPEN"), Broken);
    assert_eq!(verdict(&guarded, "timer only in (OPEN and ready)"), Proved);
    assert_eq!(verdict(&guarded, "beeped emitted only by timer"), Proved);
    assert_eq!(verdict(&guarded, "beeped emitted only by end"), Broken);
    assert_eq!(verdict(&guarded, "timer never emits beeped"), Broken);
    // A timer that does nothing is not a step: the counterexample prepares the plan first.
    let never = "timer only in (OPEN and n > 0)";
    assert_eq!(verdict(&guarded, never), Broken);
    let found = claiming(&guarded, never);
    let (trace, _) = trace_of(&found.compilation, "claim").expect("a broken invariant");
    assert_eq!(trace.len(), 3);
}

/// A machine with a composite state of two leaves. The composite state and the leaves have the given timers.
fn nested(outer: &str, first: &str, second: &str) -> String {
    format!(
        "
machine: Nested
commands: {{ begin: /begin, on: /on, back: /back, same: /same, end: /end }}
states:
  none: {{ on: {{ begin: work }} }}
  work:
    after: {outer}
    on: {{ end: {{ to: GONE, next: none }} }}
    states:
      FIRST: {{ on: {{ on: SECOND, same: FIRST }}, after: {first} }}
      SECOND: {{ on: {{ back: FIRST }}, after: {second} }}
  LATE: {{ on: {{ back: work, end: {{ to: GONE, next: none }} }} }}
  GONE: {{ final: true }}
"
    )
}

#[test]
fn the_timer_of_a_composite_state_survives_moves_inside_it() {
    // The leaf's timer is longer, and starts at the same time or later.
    let outer_first = nested("{ 2h: LATE }", "{ 3h: { to: GONE, next: none } }", "{}");
    let outer_first = outer_first.replace(", after: {}", "");
    assert_eq!(
        verdict(&outer_first, "can always reach LATE by timer"),
        Proved
    );
    // The leaf's timer is shorter, but moves inside start it again.
    let inner_first = nested("{ 2h: LATE }", "{ 1h: SECOND }", "{ 1h: FIRST }");
    let late = "can always reach LATE by timer";
    assert_ne!(verdict(&inner_first, late), Broken);
    assert_ne!(verdict(&inner_first, "never LATE"), Proved);
    let ends = nested(
        "{ 2h: LATE }",
        "{ 1h: { to: GONE, next: none } }",
        "{ 90m: FIRST }",
    );
    assert_ne!(verdict(&ends, late), Proved);
    assert_eq!(verdict(&ends, "never LATE"), Broken);
}

#[test]
fn of_two_timers_due_at_the_same_instant_the_outer_one_fires_first() {
    let tied = nested(
        "{ 1h: LATE }",
        "{ 1h: { to: GONE, next: none } }",
        "{ 1h: FIRST }",
    );
    assert_eq!(verdict(&tied, "can always reach LATE by timer"), Proved);
}

#[test]
fn a_timer_inside_a_composite_state_that_starts_again_counts_from_its_last_entry() {
    let restarted = nested("{ 3h: LATE }", "{ 1h: FIRST }", "{ 5h: FIRST }");
    // Only the outer timer ends the plan's stay in the composite state, whatever the leaf's timer does.
    assert_ne!(
        verdict(&restarted, "can always reach LATE by timer"),
        Broken
    );
    assert_ne!(verdict(&restarted, "never LATE"), Proved);
}

/// A machine in which both timers of a state start again, one of them at the end of a catch-up.
const CATCHING_UP: &str = "
machine: CatchingUp
commands: { begin: /begin }
states:
  none: { on: { begin: HERE } }
  HERE: { after: { 4h: THERE, 6h: { to: GONE, next: none } } }
  THERE: { after: { 2h: HERE } }
  GONE: { final: true }
";

#[test]
fn a_timer_that_starts_again_at_the_end_of_a_catch_up_may_not_be_the_next_one() {
    // After eleven hours without events, the plan has been in `HERE` since the sixth hour. In this catch-up, the timer
    // of four hours has already fired, so it starts again only at the end, and the timer of six hours fires first.
    assert_ne!(
        verdict(CATCHING_UP, "can always reach THERE by timer"),
        Proved
    );
    let alone = CATCHING_UP.replace(", 6h: { to: GONE, next: none }", "");
    let alone = alone.replace(
        "none: { on: { begin: HERE } }",
        "none: { on: { begin: HERE } }\n  LEFT: { on: { begin: { to: GONE, next: none } } }",
    );
    let alone = alone.replace("THERE: { after", "THERE: { on: { begin: LEFT }, after");
    assert_eq!(
        verdict(&alone, "can always reach (THERE or LEFT) by timer"),
        Proved
    );
}

/// A composite state with a timer, and with a final leaf in which a plan stays in the slot.
const ENDED_INSIDE: &str = "
machine: EndedInside
commands: { begin: /begin, finish: /finish, clean: /clean }
states:
  none: { on: { begin: work } }
  work:
    after: { 1h: LATE }
    states:
      DOING: { on: { finish: DONE } }
      DONE: { final: true, on: { clean: { next: none } } }
  LATE: { on: { begin: { to: GONE, next: none } } }
  GONE: { final: true }
";

#[test]
fn a_plan_that_has_ended_inside_a_composite_state_has_no_timer() {
    assert_ne!(
        verdict(ENDED_INSIDE, "can always reach LATE by timer"),
        Proved
    );
    assert_eq!(
        verdict(ENDED_INSIDE, "can always reach (LATE or DONE) by timer"),
        Proved
    );
    assert_ne!(verdict(ENDED_INSIDE, "timer only in DOING"), Broken);
}

/// A machine whose plans succeed each other when their time is over.
const SUCCEEDING: &str = "
machine: Succeeding
data: { n: { type: int, default: 0 } }
commands: { begin: /begin, end: /end }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on: { end: { to: GONE, next: none } }
    after: { 1h: [{ when: n < 2, to: GONE, next: OPEN, set: { n: n + 1 } }, { to: GONE, next: none }] }
  GONE: { final: true }
";

#[test]
fn a_timer_may_start_a_successor_with_a_timer_of_its_own() {
    assert_eq!(
        verdict(SUCCEEDING, "can always reach none by timer"),
        Proved
    );
    assert_eq!(verdict(SUCCEEDING, "never n > 2"), Proved);
    assert_eq!(verdict(SUCCEEDING, "never n > 1"), Broken);
    assert_eq!(waits(SUCCEEDING, "never n > 1"), ["1h", "1h"]);
}

/// A machine with many plans, each with its own timers.
const EACH: &str = "
machine: Each
instances: many
max_live: 2
other_tools: deny
data: { n: { type: int, default: 0 } }
commands: { begin: /begin, end: \"/end {plan_id?}\" }
effects: { beeped: {} }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on: { end: GONE }
    after: { 1h: { to: LATE, set: { n: 1 }, emit: { beeped: {} } } }
  LATE: { on: { end: GONE }, after: { 30m: { when: n > 0, set: { n: 0 } }, 1h: GONE } }
  GONE: { final: true }
";

#[test]
fn each_of_many_plans_has_timers_of_its_own() {
    assert_eq!(
        verdict(EACH, "can always reach (LATE or GONE) by timer"),
        Proved
    );
    // The shorter timer does not leave the state, so a plan may wait for the longer one.
    assert_ne!(verdict(EACH, "can always reach GONE by timer"), Broken);
    assert_eq!(verdict(EACH, "LATE only by timer"), Proved);
    assert_eq!(verdict(EACH, "GONE only by end"), Broken);
    assert_eq!(verdict(EACH, "after timer: not OPEN"), Proved);
    assert_eq!(verdict(EACH, "timer never emits beeped"), Broken);
    assert_eq!(verdict(EACH, "never LATE"), Broken);
}

/// A machine with timers, a context and conditions on the time.
const DATED: &str = "
machine: Dated
context: { user: string }
data: { since: time?, who: string?, n: { type: int, default: 0 } }
commands: { begin: /begin, go: /go, end: /end }
states:
  none: { on: { begin: { to: OPEN, set: { since: now, who: context.user } } } }
  OPEN:
    on:
      go: [{ when: since is set and now > since, set: { n: 1 } }]
      end: { to: GONE, next: none }
    after: { 1h: LATE }
  LATE: { on: { go: [{ when: context.user == \"ann\", set: { n: 2 } }], end: { to: GONE, next: none } } }
  GONE: { final: true }
";

#[test]
fn a_step_at_a_later_time_is_not_confused_with_the_timers_before_it() {
    // A counterexample that sends `go` next year has to wait for the timer first.
    assert_eq!(verdict(DATED, "n changes only by timer"), Broken);
    assert_eq!(waits(DATED, "n changes only by timer"), ["1h"]);
    assert_eq!(verdict(DATED, "n changes only in OPEN"), Broken);
    assert_eq!(verdict(DATED, "LATE only by timer"), Proved);
    assert_ne!(verdict(DATED, "never (LATE and n == 1)"), Proved);
}
