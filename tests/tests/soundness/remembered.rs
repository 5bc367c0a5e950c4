//! Facts that the prover derives from a step: which conditions were assumed, which strings are equal, and how
//! conditions on the same list are related.

use plan_machine_compiler::{InvariantReport, Verdict};
use plan_machine_tests::compiled;

/// Returns the verdicts on a spec's invariants, in alphabetical order of the invariants.
fn verdicts(text: &str) -> Vec<Verdict> {
    let found = compiled("remembered.yaml", text);
    let report = found.compilation.report.as_ref();
    let report = report.unwrap_or_else(|| panic!("{}", found.rendered()));
    let verdict = |report: &InvariantReport| report.verdict;
    report.invariants.iter().map(verdict).collect()
}

fn verdict(text: &str) -> Verdict {
    verdicts(text)[0]
}

/// Returns a machine for a request that is reviewed: `approve` contains the requirements and changes of an approval,
/// and `beside` those of the tool `note`.
fn review(approve: &str, beside: &str, invariant: &str) -> String {
    format!(
        "
machine: Review
context: {{ user: string }}
data:
  owner: string
  reviewer: string?
  deputy: string?
  two_people: {{ type: bool, default: false }}
  size: {{ type: int, default: 0 }}
commands: {{ begin: /begin, approve: /approve, stop: /stop }}
tools:
  note: {{ doc: Note., input: {{ who: string, size: int }} }}
states:
  none: {{ on: {{ begin: {{ to: OPEN, set: {{ owner: context.user }} }} }} }}
  OPEN:
    on:
      approve: {{ {approve} }}
      note: {{ {beside} }}
      stop: {{ to: STOPPED, next: none }}
  APPROVED:
    on:
      note: {{ {beside} }}
      stop: {{ to: STOPPED, next: none }}
  STOPPED: {{ final: true }}
invariants: {{ claim: \"{invariant}\" }}
"
    )
}

const REVIEWED: &str = "require: [{ that: context.user != owner, else: no }], to: APPROVED, \
                        set: { reviewer: context.user }";

#[test]
fn a_condition_that_was_required_is_still_true_in_the_same_step() {
    let set = "require: [{ that: context.user != owner, else: no }], to: APPROVED, \
               set: { two_people: context.user != owner }";
    let claim = "always (APPROVED implies two_people)";
    assert_eq!(verdict(&review(set, "", claim)), Verdict::Proved);
    let set = "require: [{ that: size > 3, else: no }], to: APPROVED, \
               set: { two_people: size > 3 }";
    assert_eq!(
        verdict(&review(set, "set: { size: event.size }", claim)),
        Verdict::Proved
    );
}

#[test]
fn a_condition_that_reads_changed_data_is_undecided_again() {
    let claim = "always (APPROVED implies size > 3)";
    let set = "require: [{ that: size > 3, else: no }], to: APPROVED, set: { size: 0 }";
    let found = verdict(&review(set, "set: { size: event.size }", claim));
    assert_eq!(found, Verdict::Broken);
}

#[test]
fn an_alternative_that_was_passed_over_is_remembered() {
    let text = "
machine: Passed
data: { size: { type: int, default: 0 }, large: { type: bool, default: false } }
commands: { begin: /begin, stop: /stop }
tools: { grow: { doc: Grow., input: { by: int } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      grow:
        - { when: event.by > 3, set: { large: false } }
        - { to: SMALL, set: { large: event.by > 3 } }
      stop: { to: STOPPED, next: none }
  SMALL: { on: { stop: { to: STOPPED, next: none } } }
  STOPPED: { final: true }
invariants: { claim: never large }
";
    assert_eq!(verdict(text), Verdict::Proved);
}

#[test]
fn a_text_that_was_copied_stays_different_from_a_third_text() {
    let claim = "always (APPROVED implies reviewer is set and reviewer != owner)";
    assert_eq!(verdict(&review(REVIEWED, "", claim)), Verdict::Proved);
    // The fact still holds after a step that changes neither `reviewer` nor `owner`.
    assert_eq!(
        verdict(&review(REVIEWED, "set: { size: event.size }", claim)),
        Verdict::Proved
    );
}

#[test]
fn a_text_that_is_set_again_may_have_any_value() {
    let claim = "always (APPROVED implies reviewer is set and reviewer != owner)";
    let set = "set: { owner: event.who }";
    assert_eq!(verdict(&review(REVIEWED, set, claim)), Verdict::Broken);
    let unguarded = "to: APPROVED, set: { reviewer: context.user }";
    assert_eq!(verdict(&review(unguarded, "", claim)), Verdict::Broken);
}

#[test]
fn known_facts_about_a_text_apply_to_its_copies() {
    let copied = "require: [{ that: reviewer is set, else: no }], set: { deputy: reviewer }";
    let claim = "always (APPROVED implies deputy is not set or deputy != owner)";
    assert_eq!(verdict(&review(REVIEWED, copied, claim)), Verdict::Proved);
    let claim = "always (deputy is not set or (reviewer is set and deputy == reviewer))";
    assert_eq!(verdict(&review(REVIEWED, copied, claim)), Verdict::Proved);
    let cleared = "clear: [reviewer]";
    let claim = "always (deputy is not set or (reviewer is set and deputy == reviewer))";
    let cleared = format!("require: [{{ that: event.who == owner, else: no }}], {cleared}");
    assert_eq!(verdict(&review(REVIEWED, &cleared, claim)), Verdict::Proved);
}

/// A machine in which one plan succeeds another; `next` defines the successor.
fn succeeded(next: &str, invariant: &str) -> String {
    format!(
        "
machine: Succeeded
context: {{ user: string }}
data: {{ owner: {{ type: string, default: \"\" }}, reviewer: string? }}
commands: {{ begin: /begin, again: /again, stop: /stop }}
states:
  none: {{ on: {{ begin: {{ to: OPEN, set: {{ owner: context.user }} }} }} }}
  OPEN:
    on:
      again:
        require: [{{ that: context.user != owner, else: no }}]
        to: REPLACED
        next: {next}
        set: {{ reviewer: context.user }}
      stop: {{ to: STOPPED, next: none }}
  REPLACED: {{ final: true }}
  STOPPED: {{ final: true }}
invariants: {{ claim: \"{invariant}\" }}
"
    )
}

#[test]
fn a_copy_keeps_known_facts_but_an_empty_successor_does_not() {
    let claim = "always (reviewer is not set or reviewer != owner)";
    assert_eq!(verdict(&succeeded("OPEN", claim)), Verdict::Proved);
    // The empty successor starts with a blank owner, so a user with a blank name may review it.
    assert_eq!(
        verdict(&succeeded("{ fresh: OPEN }", claim)),
        Verdict::Broken
    );
}

#[test]
fn texts_are_distinguished_from_literals() {
    let text = "
machine: Worded
data: { word: { type: string, default: \"draft\" } }
commands: { begin: /begin, sign: /sign, stop: /stop }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      sign:
        - { when: word == \"draft\", set: { word: \"final\" } }
        - { to: SIGNED }
      stop: { to: STOPPED, next: none }
  SIGNED: { on: { stop: { to: STOPPED, next: none } } }
  STOPPED: { final: true }
invariants:
  signed: always (SIGNED implies word == \"final\")
  drafted: always (word == \"draft\" or word == \"final\")
  wrong: never word == \"final\"
";
    assert_eq!(
        verdicts(text),
        [Verdict::Proved, Verdict::Proved, Verdict::Broken]
    );
}

/// A machine with a list of steps, and an invariant on the list.
fn listed(invariant: &str) -> String {
    format!(
        "
machine: Listed
types:
  Step: {{ fields: {{ ok: bool, late: bool, weight: int }} }}
data: {{ steps: [Step] }}
commands: {{ begin: /begin, stop: /stop }}
tools:
  add: {{ doc: Add., input: {{ ok: bool, late: bool, weight: int }} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    on:
      add: {{ append: {{ steps: {{ ok: event.ok, late: event.late, weight: event.weight }} }} }}
      stop: {{ to: STOPPED, next: none }}
  STOPPED: {{ final: true }}
invariants: {{ claim: \"{invariant}\" }}
"
    )
}

#[test]
fn a_law_of_one_list_is_proved() {
    for law in [
        "always ((any steps where item.ok) or (every steps where not item.ok))",
        "never ((no steps where item.ok) and (any steps where item.ok))",
        "always ((count steps where item.ok) > 0 or (no steps where item.ok))",
        "always ((any steps where item.ok) implies (any steps where (item.ok or item.late)))",
        "always ((every steps where item.ok) or steps is not empty)",
        "always (steps is empty or (any steps where item.ok) or (any steps where not item.ok))",
        "always (len(steps) == 0 or (any steps where item.weight > 3) or (any steps where not item.weight > 3))",
        "always (OPEN implies ((any steps where item.ok) or (every steps where not item.ok)))",
        "always ((count steps where item.ok) <= len(steps))",
        "never (OPEN and (count steps where item.ok) > len(steps))",
        "always ((count steps where item.ok) == len(steps) implies (every steps where item.ok))",
        "always ((every steps where item.ok) implies len(steps) == (count steps where item.ok))",
        "always (len(steps) > (count steps where item.ok) implies (any steps where not item.ok))",
        "always (len(steps) != (count steps where item.ok) implies steps is not empty)",
    ] {
        assert_eq!(verdict(&listed(law)), Verdict::Proved, "{law}");
    }
}

#[test]
fn a_claim_that_only_looks_like_a_law_is_broken() {
    for claim in [
        "always ((any steps where item.ok) or (every steps where not item.late))",
        "always ((any steps where item.ok) or (any steps where not item.ok))",
        "always ((every steps where item.ok) or (every steps where not item.ok))",
        "never ((any steps where item.ok) and (any steps where not item.ok))",
        "always ((any steps where (item.ok or item.late)) implies (any steps where item.ok))",
        "always ((count steps where item.ok) > 1 or (no steps where item.ok))",
        "always ((count steps where item.ok) < len(steps) or steps is empty)",
        "always ((count steps where item.ok) == len(steps))",
        "always ((count steps where item.ok) >= len(steps) implies (any steps where item.ok))",
    ] {
        assert_eq!(verdict(&listed(claim)), Verdict::Broken, "{claim}");
    }
}

#[test]
fn a_tool_with_the_name_of_the_example_is_distinguished_from_other_tools() {
    let text = "
machine: Recording
external_tools: [some_tool]
data: { noted: { type: bool, default: false } }
commands: { begin: /begin, stop: /stop }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    other_tools: { set: { noted: true } }
    on:
      some_tool: deny
      stop: { to: STOPPED, next: none }
  STOPPED: { final: true }
invariants: { claim: never noted }
";
    assert_eq!(verdict(text), Verdict::Broken);
}

/// A machine that denies host tools until its plan has ended.
fn denying(invariant: &str) -> String {
    format!(
        "
machine: Denying
external_tools: [shell]
commands: {{ begin: /begin, hold: /hold, stop: /stop }}
tools: {{ work: {{ doc: Work. }} }}
effects: {{ stopped: {{}} }}
states:
  none: {{ other_tools: deny, on: {{ begin: OPEN }} }}
  OPEN:
    other_tools: deny
    on:
      work: {{}}
      hold: HELD
      stop: {{ to: STOPPED, next: none, emit: {{ stopped: {{}} }} }}
  HELD: {{ final: true, other_tools: run, on: {{ stop: {{ next: none }} }} }}
  STOPPED: {{ final: true, other_tools: run }}
invariants: {{ claim: \"{invariant}\" }}
"
    )
}

#[test]
fn a_plan_that_has_left_the_slot_runs_no_tools() {
    for claim in [
        "never (not HELD and runs other_tools)",
        "never (STOPPED and runs other_tools)",
        "always (not (STOPPED and runs shell) or OPEN)",
        "runs other_tools only by hold",
    ] {
        assert_eq!(verdict(&denying(claim)), Verdict::Proved, "{claim}");
    }
}

#[test]
fn a_final_state_that_stays_in_the_slot_gates_tools() {
    let found = compiled("denying.yaml", &denying("never runs other_tools"));
    let report = found.compilation.report.as_ref().expect("a report");
    assert_eq!(report.invariants[0].verdict, Verdict::Broken);
    let rendered = found.rendered();
    assert!(
        rendered.contains("after `/hold`, the condition is true in `HELD`"),
        "{rendered}"
    );
    let claim = "can always reach (STOPPED and runs shell)";
    assert_eq!(verdict(&denying(claim)), Verdict::Broken);
    let claim = "stopped emitted only in (STOPPED and denies shell)";
    assert_eq!(verdict(&denying(claim)), Verdict::Broken);
}

#[test]
fn the_message_names_the_state_that_the_condition_is_judged_in() {
    let found = compiled("denying.yaml", &denying("never STOPPED"));
    let rendered = found.rendered();
    assert!(
        rendered.contains("after `/stop`, the condition is true in `STOPPED`"),
        "{rendered}"
    );
}
