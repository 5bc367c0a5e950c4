//! Changes to what an approval covers, who gives it, and which tools it allows.

use crate::kit::{between, edited, lines};

const APPROVED: &str = "\
machine: Approved
review: [steps.tool, steps.args]
external_tools: [shell]
types:
  Step: { fields: { tool: string, args: json } }
context: { user: string }
data:
  steps: [Step]
commands:
  begin: /steps on
  approve: { text: \"/steps approve {token?}\", reviewed: true }
  end: /steps off
tools:
  add: { doc: Add a step., input: { tool: string, args: json } }
effects:
  card: { fields: { plan: id, token: string, urgent: { type: bool, default: false } } }
states:
  none: { on: { begin: DRAFT } }
  live:
    other_tools: deny
    on: { end: { to: CLOSED, next: none } }
    states:
      DRAFT:
        on: { add: { to: SHOWN, append: { steps: { tool: event.tool, args: event.args } } } }
      SHOWN:
        enter: { emit: { card: { plan: plan.id, token: plan.token } } }
        on: { approve: RUNNING }
      RUNNING:
        on: { shell: run }
  CLOSED: { final: true }
";

fn approved(edits: &[(&str, &str)]) -> Vec<String> {
    lines(&between(APPROVED, &edited(APPROVED, edits)).0)
}

#[test]
fn fields_that_an_approval_no_longer_covers_are_marked() {
    assert_eq!(
        approved(&[("review: [steps.tool, steps.args]", "review: [steps.tool]")]),
        ["review: changed reviewed fields : no longer steps.args"]
    );
}

#[test]
fn a_different_value_in_an_entry_effect_is_a_change() {
    assert_eq!(
        approved(&[("token: plan.token }", "token: plan.token, urgent: true }")]),
        [
            "changed enter SHOWN: emit card { plan: plan.id, token: plan.token } → emit card { plan: plan.id, token: plan.token, urgent: true }"
        ]
    );
}

#[test]
fn an_approval_that_no_longer_needs_a_token_is_marked() {
    assert_eq!(
        approved(&[(", reviewed: true", "")]),
        [
            "approval: removed reviewed command approve: must carry the token of the content that was shown"
        ]
    );
}

#[test]
fn a_change_of_who_starts_execution_is_marked_with_its_conditions() {
    let required =
        "approve: { to: RUNNING, require: [{ that: context.user == \"ann\", else: ask ann }] }";
    assert_eq!(
        approved(&[("approve: RUNNING", required)])[0],
        "approval: changed path to RUNNING: by the command approve from SHOWN → by the command approve, requiring context.user == \"ann\" from SHOWN"
    );
    let found = approved(&[(
        "on: { approve: RUNNING }",
        "on: { approve: RUNNING, add: RUNNING }",
    )]);
    assert_eq!(
        found,
        [
            "gating: changed tool add: not advertised → advertised (in SHOWN)",
            "approval: changed path to RUNNING: now also by the tool add from SHOWN",
            "added handling SHOWN add: to RUNNING",
        ]
    );
}

#[test]
fn an_inherited_gate_is_marked_where_it_takes_effect() {
    assert_eq!(
        approved(&[("    other_tools: deny\n", "")]),
        [
            "gating: changed tool shell: denied → runs (in DRAFT, SHOWN)",
            "gating: changed tool other_tools: denied → runs (in DRAFT, SHOWN, RUNNING)",
            "removed handling live other_tools: deny",
        ]
    );
}

#[test]
fn a_new_state_says_what_its_tools_may_do() {
    let found = approved(&[(
        "on: { shell: run }",
        "on: { shell: run, begin: PAUSED }\n      PAUSED:\n        on: { begin: RUNNING, shell: deny }",
    )]);
    assert!(
        found.contains(&"gating: added state PAUSED: denies shell, other_tools".to_owned()),
        "{found:#?}"
    );
}

#[test]
fn a_declaration_that_only_moves_is_a_change_of_order() {
    let swapped = [
        ("  begin: /steps on\n", ""),
        (
            "  end: /steps off\n",
            "  end: /steps off\n  begin: /steps on\n",
        ),
    ];
    assert_eq!(
        approved(&swapped),
        ["changed order of commands : begin, approve, end → approve, end, begin"]
    );
}
