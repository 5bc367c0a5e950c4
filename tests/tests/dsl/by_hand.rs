//! Specs as people write them, and the equivalent YAML.

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::syntax::dsl::print;

use super::{inline, tree, yaml_tree};

/// The example from the description of the language.
const PLAN_BUILDER: &str = r#"
    /// A plan that is built step by step, proposed, and approved or rejected by the user.
    machine PlanBuilder (many);
    review goal, steps;
    summary goal;

    type Agent = enum [coder, tester, reviewer];
    type Step = { agent: Agent, task: string nonblank };
    data { goal: string, steps: [Step] max 50 }

    command approve = "/plan approve {plan_id?} {token?}" reviewed;
    command reject = "/plan reject {plan_id?} {reason...}";
    /// Create a draft for a goal.
    tool create_draft { goal: string nonblank }
    tool add_step { agent: Agent, task: string nonblank }
    tool submit;

    state none  { on create_draft => draft { set goal = event.goal; reply plan.id; } }
    state draft {
        on add_step { append steps = { agent: event.agent, task: event.task }; }
        on submit => proposal { require steps is not empty, "a plan needs at least one step"; }
    }
    state proposal { on approve => approved; on reject => rejected; }
    final state approved;
    final state rejected;

    invariant frozen: data changes only in draft;
    invariant decided_by_the_user: approved only by approve;
"#;

const PLAN_BUILDER_YAML: &str = r#"
machine: PlanBuilder
doc: A plan that is built step by step, proposed, and approved or rejected by the user.
instances: many
review: [goal, steps]
summary: [goal]
types:
  Agent: { enum: [coder, tester, reviewer] }
  Step: { fields: { agent: Agent, task: { type: string, nonblank: true } } }
data: { goal: string, steps: { type: [Step], max: 50 } }
commands:
  approve: { text: "/plan approve {plan_id?} {token?}", reviewed: true }
  reject: "/plan reject {plan_id?} {reason...}"
tools:
  create_draft: { doc: Create a draft for a goal., input: { goal: { type: string, nonblank: true } } }
  add_step: { input: { agent: Agent, task: { type: string, nonblank: true } } }
  submit: {}
states:
  none: { on: { create_draft: { to: draft, set: { goal: event.goal }, reply: plan.id } } }
  draft:
    on:
      add_step: { append: { steps: { agent: event.agent, task: event.task } } }
      submit: { to: proposal, require: [{ that: steps is not empty, else: a plan needs at least one step }] }
  proposal: { on: { approve: approved, reject: rejected } }
  approved: { final: true }
  rejected: { final: true }
invariants:
  frozen: data changes only in draft
  decided_by_the_user: approved only by approve
"#;

#[test]
fn the_example_of_the_language_equals_its_yaml_form() {
    assert_eq!(tree(PLAN_BUILDER), yaml_tree(PLAN_BUILDER_YAML));
    let inline = inline(PLAN_BUILDER);
    let found = inline.compilation.diagnostics.iter();
    let beside_notes = found.filter(|found| found.severity != Severity::Note);
    assert_eq!(beside_notes.count(), 0, "{}", inline.rendered());
    assert!(inline.compilation.machine.is_some());
}

const EVERYTHING: &str = r##"
    /// Two lines,
    ///   the second indented.
    machine Everything (one, max_live 3);
    version 2;
    deny warnings;
    review goal, steps.tool;
    external_tools shell, r#type;
    context { /** The user. */ user: string?, }
    data { goal: string max 1_000 nonblank = "none", count: int = -7, grid: [[int]]?, }
    type Kind = enum [a, b,];
    command say = r#"/say "hi" {words...}"# shared each { words: string }
    signal finished { at: time };
    tool look read external;
    effect done external;
    other_tools [ when event.tool == "a;b" next fresh open; else { append steps = { tool: event.tool, "args": [event.args, "{goal}", []] }; } ]
    state none {}
    /// Composite.
    state held {
        initial late;
        has goal, grid;
        prompt "
            First line.

              Indented.
        ";
        enter { emit done; emit done { a: 1 } }
        exit { emit done {}; }
        on say [
            when next is set and goal is not blank => late next none { clear goal; }
            when goal == "x" next late;
            else { }
        ]
        on finished;
        on shell run;
        on look deny;
        state open { on say { when count > 1; require a, "{{{b}"; reply [a, "b"]; } }
        final state late { on say => held next fresh open { update steps where item.a in [1, 2] { set b = 1; clear c, d; } remove steps at len(steps) - 1; insert steps at 0 = "x"; } }
    }
    invariant after_it: after say: held;
    scenario "all keys" {
        do "/say x" with { words: "x", "odd key": null } plan_id "plan-1" expect_revision 2 repeat 3 context { user: ann } at "2026-01-01T00:00:00Z"
            then open ended late data { count: -1.5, ok: true } reply [] emits [done] advertises [] runs false denied refused messages ["no", other];
        batch [do say with {}, tool shell plan_id p] runs [shell];
    }
"##;

const EVERYTHING_YAML: &str = r#"
machine: Everything
doc: "Two lines,\n  the second indented."
instances: one
max_live: 3
version: 2
deny: warnings
review: [goal, steps.tool]
external_tools: [shell, type]
context: { user: { type: string?, doc: The user. } }
data:
  goal: { type: string, max: 1000, nonblank: true, default: none }
  count: { type: int, default: -7 }
  grid: { type: [[int]], optional: true }
types: { Kind: { enum: [a, b] } }
commands:
  say: { text: '/say "hi" {words...}', shared: true, each: true, input: { words: string } }
signals: { finished: { input: { at: time } } }
tools: { look: { read: true, external: true } }
effects: { done: { external: true } }
other_tools:
  - when: event.tool == "a;b"
    next: { fresh: open }
  - append: { steps: { tool: event.tool, args: [event.args, "{goal}", []] } }
states:
  none:
  held:
    doc: Composite.
    initial: late
    has: [goal, grid]
    prompt: "First line.\n\n  Indented."
    enter: { emit: [{ done: {} }, { done: { a: 1 } }] }
    exit: { emit: { done: } }
    on:
      say:
        - { when: next is set and goal is not blank, to: late, next: none, clear: [goal] }
        - { when: goal == "x", next: late }
        - {}
      finished:
      shell: run
      look: deny
    states:
      open:
        on:
          say: { when: count > 1, require: [{ that: a, else: "{{{b}" }], reply: [a, "b"] }
      late:
        final: true
        on:
          say:
            to: held
            next: { fresh: open }
            update:
              steps:
                where: item.a in [1, 2]
                set: { b: 1 }
                clear: [c, d]
            remove: { steps: { at: len(steps) - 1 } }
            insert: { steps: { at: 0, value: "x" } }
invariants:
  after_it: "after say: held"
scenarios:
  all keys:
    - do: /say x
      with: { words: "x", odd key: null }
      plan_id: plan-1
      expect_revision: 2
      repeat: 3
      context: { user: ann }
      at: 2026-01-01T00:00:00Z
      then: open
      ended: late
      data: { count: -1.5, ok: true }
      reply: []
      emits: [done]
      advertises: []
      runs: false
      denied: refused
      messages: ["no", other]
    - batch: [{ do: say, with: {} }, { tool: shell, plan_id: p }]
      runs: [shell]
"#;

#[test]
fn every_construct_can_be_written_in_both_forms() {
    let (inline, yaml) = (tree(EVERYTHING), yaml_tree(EVERYTHING_YAML));
    assert_eq!(inline, yaml);
    assert_eq!(tree(&print(&inline)), yaml);
}

#[test]
fn a_text_is_a_template_as_a_value_and_plain_in_a_condition() {
    let text = r#"
        machine Texts;
        state none { on begin => open { when a == "{b}"; reply "{b}"; } }
    "#;
    let yaml = r#"
machine: Texts
states:
  none:
    on:
      begin: { to: open, when: 'a == "{b}"', reply: "{b}" }
"#;
    assert_eq!(tree(text), yaml_tree(yaml));
}

#[test]
fn a_missing_value_is_printed_as_null() {
    let yaml = "
machine: Nothing
data: { extra: { type: json, default: }, more: { type: json, default: [a, { b: }] } }
states: { none: {} }
";
    let printed = print(&yaml_tree(yaml));
    assert!(printed.contains("extra: json = null"), "{printed}");
    assert_eq!(tree(&printed), yaml_tree(yaml));
}

#[test]
fn a_state_with_only_a_timer_is_printed_with_an_empty_line_before_it() {
    let yaml = "
machine: Timed
states:
  none: {}
  OPEN: {}
  WAITING: { after: { 1h: { to: OVER, next: none } } }
  OVER: { final: true }
";
    let printed = print(&yaml_tree(yaml));
    assert!(
        printed.contains("state OPEN;\n\nstate WAITING {"),
        "{printed}"
    );
    assert_eq!(tree(&printed), yaml_tree(yaml));
}

#[test]
fn a_printed_spec_is_formatted() {
    let printed = print(&tree(PLAN_BUILDER));
    insta::assert_snapshot!(printed);
}
