//! Claims about calls and about data that never changes, with known verdicts. Runs of each machine must agree with its
//! verdicts.

use plan_machine_compiler::Verdict::{Broken, Proved, Unknown};

use crate::settled::{steps, verdict};

/// A machine that counts calls, records some of them, and denies the rest.
const COUNTING: &str = "
machine: Counting
external_tools: [note]
context: { dry: { type: bool, default: false } }
data: { calls: { type: int, default: 0 }, shut: { type: bool, default: false }, last: string? }
commands: { begin: /begin, shut_it: /shut, refill: /refill, end: /end }
states:
  none: { other_tools: [{ when: event.tool == \"grep\", run: true }, deny], on: { begin: OPEN } }
  OPEN:
    other_tools:
      - { when: shut and context.dry, set: { last: event.tool } }
      - { when: not shut and calls < 2, set: { calls: calls + 1 }, run: true }
      - deny
    on:
      note: [{ when: shut, set: { last: 'note' } }, run]
      shut_it: { require: [{ that: calls > 0, else: nothing was counted }], set: { shut: true } }
      refill: { set: { calls: 0 } }
      end: { to: DONE, next: none }
  DONE: { final: true }
";

#[test]
fn a_tool_runs_if_some_call_would_run() {
    assert_eq!(
        verdict(
            COUNTING,
            "always (OPEN and not shut and calls < 2 implies runs other_tools)"
        ),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "never (calls >= 2 and runs other_tools)"),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "never (shut and runs other_tools)"),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "always (none implies runs other_tools)"),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "always (OPEN implies runs other_tools)"),
        Broken
    );
    assert_eq!(steps(COUNTING, "always (OPEN implies runs other_tools)"), 3);
    assert_eq!(steps(COUNTING, "never (OPEN and runs note)"), 1);
}

#[test]
fn a_tool_is_denied_if_no_call_would_run_or_be_recorded() {
    assert_eq!(
        verdict(
            COUNTING,
            "always (not shut and calls >= 2 implies denies other_tools)"
        ),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "never (shut and denies other_tools)"),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "never (none and denies other_tools)"),
        Proved
    );
    assert_eq!(verdict(COUNTING, "never (OPEN and denies note)"), Proved);
    // Without an entry for `note`, the alternatives of `other_tools` decide, and `note` is not
    // `grep`.
    assert_eq!(steps(COUNTING, "never denies note"), 0);
    assert_eq!(steps(COUNTING, "never (OPEN and denies other_tools)"), 3);
}

#[test]
fn a_tool_is_recorded_if_some_call_would_be_recorded() {
    assert_eq!(
        verdict(COUNTING, "always (shut implies records other_tools)"),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "never (OPEN and not shut and records note)"),
        Proved
    );
    assert_eq!(steps(COUNTING, "never records note"), 3);
}

#[test]
fn counted_calls_are_events_like_others() {
    assert_eq!(
        verdict(COUNTING, "other_tools only in (none or calls < 2 or shut)"),
        Proved
    );
    assert_eq!(
        verdict(COUNTING, "calls changes only by other_tools or refill"),
        Proved
    );
    assert_eq!(steps(COUNTING, "calls changes only by refill"), 2);
    assert_eq!(verdict(COUNTING, "always calls <= 2"), Proved);
    assert_eq!(steps(COUNTING, "other_tools only in OPEN"), 1);
}

/// A machine whose events depend on data, on the payload and on the time.
const WAITING: &str = "
machine: Waiting
data: { owner: string, ready: { type: bool, default: false }, until: time, votes: { type: [string], max: 2 } }
commands:
  begin: \"/begin {owner}\"
  prepare: /prepare
  withdraw: /withdraw
  vote: \"/vote {who}\"
  expire: /expire
  anew: \"/anew {owner}\"
  go: /go
states:
  none: { on: { begin: { to: waiting, set: { owner: event.owner, until: '2026-06-01T00:00:00Z' } } } }
  waiting:
    on:
      withdraw: { to: GONE, next: none }
      anew: { to: GONE, next: ASKED, set: { owner: event.owner } }
      expire: { require: [{ that: now > until, else: not yet }], to: GONE, next: none }
    states:
      ASKED:
        on:
          prepare: { set: { ready: true } }
          go: { require: [{ that: ready, else: not ready }], to: ON_THE_WAY }
          vote: { require: [{ that: event.who != owner, else: not you }], append: { votes: event.who } }
      ON_THE_WAY: {}
  GONE: { final: true }
";

#[test]
fn an_event_is_accepted_if_some_payload_is_accepted() {
    assert_eq!(
        verdict(WAITING, "always (not waiting or accepts withdraw)"),
        Proved
    );
    assert_eq!(
        verdict(WAITING, "always (ready and ASKED implies accepts go)"),
        Proved
    );
    assert_eq!(verdict(WAITING, "never (not ready and accepts go)"), Proved);
    assert_eq!(
        verdict(WAITING, "never (none and accepts withdraw)"),
        Proved
    );
    assert_eq!(
        verdict(WAITING, "always (none implies accepts begin)"),
        Proved
    );
    assert_eq!(steps(WAITING, "always (ASKED implies accepts go)"), 1);
    assert_eq!(steps(WAITING, "never accepts go"), 2);
}

#[test]
fn a_claim_about_untracked_data_is_undecided_or_has_a_counterexample() {
    assert_eq!(
        verdict(WAITING, "always (waiting implies accepts expire)"),
        Unknown
    );
    assert_eq!(
        verdict(WAITING, "never (waiting and accepts expire)"),
        Broken
    );
    assert_eq!(
        verdict(WAITING, "always (ASKED implies accepts vote)"),
        Broken
    );
}

#[test]
fn data_never_changes_after_its_record_has_started() {
    assert_eq!(verdict(WAITING, "owner never changes"), Proved);
    assert_eq!(verdict(WAITING, "until never changes"), Proved);
    assert_eq!(verdict(WAITING, "ready never changes"), Broken);
    assert_eq!(steps(WAITING, "ready never changes"), 2);
    assert_eq!(steps(WAITING, "data never changes"), 2);
}
