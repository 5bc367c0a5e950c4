//! The textual description of a machine changes whenever the meaning of the machine changes.

use plan_machine::interpret::InterpretedMachine;
use plan_machine::testing::describe;
use plan_machine_compiler::compile;
use plan_machine_compiler::mutate::Mutants;
use plan_machine_compiler::source::SourceMap;
use plan_machine_tests::valid;

#[test]
fn every_mutant_with_a_different_fingerprint_has_a_different_description() {
    let mut compared = 0;
    for spec in valid() {
        let mut sources = SourceMap::default();
        let file = sources.add(spec.name.as_str(), spec.text.as_str());
        let Some(machine) = compile(&sources, file).machine else {
            continue;
        };
        let text = describe(&InterpretedMachine::of(machine.clone()));
        let mutants = Mutants::of(&sources, file, &machine);
        for mutant in mutants.all() {
            let Some(changed) = mutants.machine(mutant) else {
                continue;
            };
            if changed.fingerprint == machine.fingerprint {
                continue;
            }
            compared += 1;
            let other = describe(&InterpretedMachine::of(changed));
            assert_ne!(text, other, "{}: {}", spec.name, mutant.change);
        }
    }
    assert!(compared > 500, "only {compared} mutants");
}

const SPEC: &str = "
machine: Change
instances: many
max_live: 3
other_tools: deny
context: { user: string }
review: [text, edits.args]
summary: [text]
types:
  Edit: { fields: { tool: string, args: { type: string, max: 80 } } }
data:
  text: string?
  owner: string?
  tries: { type: int, default: 0 }
  edits: { type: [Edit], default: [], max: 9 }
commands:
  open: /open
  approve: { text: \"/approve {token?}\", reviewed: true }
  stop: { text: /stop, each: true, shared: true }
tools:
  write: { doc: Keep a text., input: { text: { type: string, nonblank: true, max: 100 } } }
  edit: { doc: Keep an edit., input: { tool: string, args: { type: string, max: 80 } } }
effects:
  ready: { fields: { plan: id, urgent: bool } }
states:
  none: { on: { open: { to: DRAFT, set: { owner: context.user } } } }
  live:
    on: { stop: STOPPED }
    initial: DRAFT
    states:
      DRAFT:
        on:
          write: { to: READY, set: { text: event.text, tries: tries + 1 } }
          edit: { append: { edits: { tool: event.tool, args: event.args } } }
      READY:
        has: [text]
        enter: { emit: { ready: { plan: plan.id, urgent: false } } }
        on:
          approve:
            - { when: tries < 5, require: [{ that: context.user != owner, else: someone else must approve }], to: CLOSED, reply: \"'done'\" }
            - { to: STOPPED }
  CLOSED: { final: true, has: [text] }
  STOPPED: { final: true }
";

/// Changes of meaning that no mutant makes: for each, the original text and its replacement.
const CHANGES: [(&str, &str); 25] = [
    ("review: [text, edits.args]", "review: [text]"),
    ("summary: [text]", "summary: [owner]"),
    ("max_live: 3", "max_live: 4"),
    ("\nmax_live: 3", ""),
    ("urgent: false", "urgent: true"),
    ("type: int, default: 0", "type: int, default: 1"),
    ("tries: tries + 1", "tries: tries + 2"),
    ("when: tries < 5", "when: tries < 6"),
    ("context.user != owner", "context.user == owner"),
    ("else: someone else must approve", "else: another approves"),
    ("nonblank: true, max: 100", "max: 100"),
    ("max: 100", "max: 101"),
    ("args: { type: string, max: 80 }", "args: string"),
    ("default: [], max: 9", "default: [], max: 8"),
    ("reviewed: true", "reviewed: false"),
    ("each: true, shared: true", "each: true"),
    ("each: true, shared: true", "shared: true"),
    ("other_tools: deny", "other_tools: run"),
    (
        "CLOSED: { final: true, has: [text] }",
        "CLOSED: { final: true }",
    ),
    ("text: /stop", "text: /halt"),
    ("reply: \"'done'\"", "reply: \"'over'\""),
    ("owner: context.user", "owner: \"'nobody'\""),
    ("urgent: bool } }", "urgent: bool, late: bool? } }"),
    ("args: event.args", "args: event.tool"),
    ("{ user: string }", "{ user: string, role: string? }"),
];

#[test]
fn every_part_of_the_meaning_is_described() {
    let read = |spec: &str| InterpretedMachine::read("change.yaml", spec);
    let text = describe(&read(SPEC).expect("a valid spec"));
    for (from, to) in CHANGES {
        assert!(SPEC.contains(from), "{from}");
        let changed = read(&SPEC.replacen(from, to, 1));
        let changed =
            changed.unwrap_or_else(|unsound| panic!("invalid after {from} -> {to}\n{unsound}"));
        assert_ne!(text, describe(&changed), "{from} -> {to}");
    }
}

#[test]
fn docs_prompts_and_scenarios_are_not_part_of_the_meaning() {
    let read = |spec: &str| InterpretedMachine::read("change.yaml", spec).expect("a valid spec");
    let other = SPEC.replace("doc: Keep a text.", "doc: Keep this text.");
    assert_ne!(SPEC, other);
    assert_eq!(
        plan_machine::Machine::meaning(&read(SPEC)),
        plan_machine::Machine::meaning(&read(&other))
    );
}

/// A machine with a title and with texts for denials, one of which reads the context.
const WORDED: &str = "
machine: Worded
context: { operator: string? }
external_tools:
  - deploy: { unavailable: Nothing is deployed before the approval. }
commands:
  begin: { text: /begin, unavailable: There is already a plan. }
  approve: { text: /approve, unavailable: 'Ask {context.operator ?? \"the operator\"} for a plan first.' }
states:
  none: { on: { begin: DRAFT } }
  DRAFT:
    title: being drafted
    unavailable: { other_tools: Nothing runs before the approval. }
    other_tools: deny
    on: { deploy: deny, approve: { to: DONE, next: none } }
  DONE: { final: true }
";

#[test]
fn the_texts_of_denials_and_the_titles_are_described() {
    let read = |spec: &str| InterpretedMachine::read("worded.yaml", spec).expect("a valid spec");
    let text = describe(&read(WORDED));
    for expected in [
        "\nDRAFT \"being drafted\"\n",
        "\nDenials\n  /begin\n    DRAFT, DONE: There is already a plan.\n",
        "  /approve\n    none, DONE: Ask {context.operator ?? \"the operator\"} for a plan first.\n",
        "  deploy\n    DRAFT: Nothing is deployed before the approval.\n",
        "  other tools\n    DRAFT: Nothing runs before the approval.\n",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn a_machine_without_texts_of_its_own_has_no_list_of_denials() {
    let machine = InterpretedMachine::read("change.yaml", SPEC).expect("a valid spec");
    assert!(!describe(&machine).contains("Denials"));
}
