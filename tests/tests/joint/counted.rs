//! Claims about host tools in sessions whose machines count calls: small sessions with known verdicts.

use plan_machine_compiler::SessionCompilation;
use plan_machine_compiler::Verdict::{self, Broken, Proved, Unknown};
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;

use super::made::Made;

const CALLS: &str = "
calls: Agent
tools: { Bash: { command: command } }
classes: [reads, writes]
rules:
  - { tool: [Read, Grep], class: reads }
  - { tool: Bash, command: { only: [ls] }, class: reads }
otherwise: writes
";

/// Returns a machine with one state besides `none`, in which `entry` decides about calls to host tools.
fn machine(name: &str, more: &str, entry: &str) -> String {
    format!(
        "
machine: {}
context: {{ safe: {{ type: bool, optional: true }} }}
data: {{ n: {{ type: int, default: 0 }} }}
commands: {{ begin: /{name} begin, refill: /{name} refill, end: /{name} end }}
tools: {{ t{name}: {{ doc: A tool., external: true }} }}
{more}
states:
  none: {{ on: {{ begin: S }} }}
  S:
    {entry}
    on:
      refill: {{ set: {{ n: 0 }} }}
      t{name}: {{ reply: 'done' }}
      end: {{ to: ENDED, next: none }}
  ENDED: {{ final: true }}
",
        name.to_uppercase()
    )
}

const BUDGET: &str = "other_tools: [{ when: n < 2, set: { n: n + 1 }, run: true }, deny]";
const OPEN: &str = "other_tools: run";
const SAFE: &str = "other_tools: [{ when: context.safe is set, run: true }, deny]";
const UNSAFE: &str = "other_tools: [{ when: context.safe is not set, run: true }, deny]";

fn compiled(a: &str, b: &str, more: &str, invariant: &str) -> SessionCompilation {
    let mut files = Made::default();
    let all = [("a.yaml", a), ("b.yaml", b), ("calls.yaml", CALLS)];
    let all = all.map(|(name, text)| (name.to_owned(), text.to_owned()));
    files.0.extend(all);
    let document = format!(
        "session: Tried\nmachines: {{ a: a.yaml, b: b.yaml }}\n{more}invariants:\n  tried: {invariant}\n"
    );
    let mut sources = SourceMap::default();
    let file = sources.add("tried.yaml", document);
    compile_session(&mut sources, file, &mut files)
}

/// Returns the verdict on an invariant of two machines with these entries, and the number of steps of a counterexample.
fn verdict(a: &str, b: &str, invariant: &str) -> (Verdict, usize) {
    let tools = "external_tools: [shell]";
    found(&machine("a", tools, a), &machine("b", "", b), "", invariant)
}

fn found(a: &str, b: &str, more: &str, invariant: &str) -> (Verdict, usize) {
    let found = compiled(a, b, more, invariant);
    let [tried] = &found.report.invariants[..] else {
        panic!("{:?}", found.diagnostics);
    };
    let steps = found.diagnostics.iter().map(|found| found.trace.len());
    (tried.verdict, steps.sum())
}

#[test]
fn a_spent_budget_runs_nothing() {
    for tool in ["shell", "other_tools"] {
        let spent = format!("never (a.n >= 2 and runs {tool})");
        assert_eq!(verdict(BUDGET, OPEN, &spent), (Proved, 0));
        let denied = format!("always (a.n >= 2 implies denies {tool})");
        assert_eq!(verdict(BUDGET, OPEN, &denied), (Proved, 0));
        let left = format!("always (a.S and a.n < 2 implies runs {tool})");
        assert_eq!(verdict(BUDGET, OPEN, &left), (Proved, 0));
    }
}

#[test]
fn a_budget_that_can_be_spent_is_a_counterexample() {
    let always = "always (a.S implies runs shell)";
    assert_eq!(verdict(BUDGET, OPEN, always), (Broken, 3));
    let never = "never (a.S and runs shell)";
    assert_eq!(verdict(BUDGET, OPEN, never), (Broken, 1));
    let early = "never (a.n >= 1 and runs shell)";
    assert_eq!(verdict(BUDGET, OPEN, early), (Broken, 2));
}

#[test]
fn what_makes_a_tool_run_again_is_known() {
    let by = |events: &str| format!("(a.S and runs shell) only by {events}");
    assert_eq!(verdict(BUDGET, OPEN, &by("a.begin or a.refill")).0, Proved);
    assert_eq!(verdict(BUDGET, OPEN, &by("a.begin")), (Broken, 4));
}

#[test]
fn budgets_side_by_side_are_decided_together() {
    let left = "always (a.S and a.n < 2 and b.S and b.n < 2 implies runs shell)";
    assert_eq!(verdict(BUDGET, BUDGET, left).0, Proved);
    let spent = "never ((a.n >= 2 or b.n >= 2) and runs shell)";
    assert_eq!(verdict(BUDGET, BUDGET, spent).0, Proved);
    let one_is_enough = "always (a.S and a.n < 2 and b.S implies runs shell)";
    assert_eq!(verdict(BUDGET, BUDGET, one_is_enough).0, Broken);
}

#[test]
fn a_requirement_denies_like_a_condition() {
    let entry =
        "other_tools: [{ require: [{ that: n < 2, else: spent }], set: { n: n + 1 }, run: true }]";
    let spent = "never (a.n >= 2 and runs shell)";
    assert_eq!(verdict(entry, BUDGET, spent).0, Proved);
    let runs = "always (a.S and b.S and b.n < 2 implies runs shell)";
    assert_eq!(verdict(entry, BUDGET, runs).0, Broken);
    let left = "always (a.S and a.n < 2 and b.S and b.n < 2 implies runs shell)";
    assert_eq!(verdict(entry, BUDGET, left).0, Proved);
}

#[test]
fn recording_wins_over_counting() {
    let entry = "other_tools: [{ when: n < 1, set: { n: n + 1 } }, { when: n < 2, set: { n: n + 1 }, run: true }, deny]";
    let first = "always (a.S and a.n < 1 and b.S and b.n < 2 implies records shell)";
    assert_eq!(verdict(entry, BUDGET, first).0, Proved);
    assert_eq!(
        verdict(entry, OPEN, "never (a.n >= 1 and records shell)").0,
        Proved
    );
    assert_eq!(
        verdict(entry, OPEN, "never (a.S and records shell)"),
        (Broken, 1)
    );
    assert_eq!(
        verdict(entry, OPEN, "never (a.S and a.n < 1 and runs shell)").0,
        Proved
    );
}

#[test]
fn one_machine_may_read_the_call() {
    assert_eq!(
        verdict(SAFE, OPEN, "always (a.S implies runs shell)").0,
        Proved
    );
    assert_eq!(
        verdict(SAFE, OPEN, "never (a.S and runs shell)"),
        (Broken, 1)
    );
    assert_eq!(
        verdict(SAFE, OPEN, "never (a.S and denies shell)").0,
        Proved
    );
    // The other machine counts every call.
    let left = "always (a.S and b.S and b.n < 2 implies runs shell)";
    assert_eq!(verdict(SAFE, BUDGET, left).0, Proved);
    let spent = "never (a.S and b.n >= 2 and runs shell)";
    assert_eq!(verdict(SAFE, BUDGET, spent).0, Proved);
}

#[test]
fn two_machines_that_read_the_call_leave_a_claim_undecided() {
    // No call runs, because each machine denies the calls that the other machine lets run.
    let never = "never (a.S and b.S and runs shell)";
    assert_eq!(verdict(SAFE, UNSAFE, never).0, Unknown);
    let always = "always (a.S and b.S implies runs shell)";
    assert_eq!(verdict(SAFE, UNSAFE, always).0, Unknown);
    assert_eq!(verdict(SAFE, SAFE, always).0, Unknown);
}

#[test]
fn a_name_that_another_machine_declares_is_not_one_of_the_other_tools() {
    let by_name = "other_tools: [{ when: 'event.tool == \"shell\"', run: true }, deny]";
    // The first machine declares `shell`, so a call to another tool never has this name.
    let always = "always (b.S implies a.S or runs other_tools)";
    assert_ne!(verdict(OPEN, by_name, always).0, Proved);
    let never = "never (b.S and runs other_tools)";
    assert_ne!(verdict(OPEN, by_name, never).0, Broken);
    // The second machine treats `shell` as one of the other tools, which may have any name.
    let other = "other_tools: [{ when: 'event.tool == \"grep\"', run: true }, deny]";
    assert_ne!(
        verdict(OPEN, other, "always (b.S implies runs shell)").0,
        Proved
    );
    assert_ne!(verdict(OPEN, other, "never (b.S and runs shell)").0, Broken);
}

#[test]
fn alternatives_prevent_a_tool_of_another_machine_even_if_all_calls_would_run() {
    let all_run = "other_tools: [{ when: n < 2, set: { n: n + 1 }, run: true }, run]";
    assert_eq!(
        verdict(all_run, OPEN, "always (a.S implies runs shell)").0,
        Proved
    );
    assert_eq!(
        verdict(all_run, OPEN, "never (a.S and runs b.tb)").0,
        Proved
    );
}

/// Returns the verdict on an invariant of a session with classes, in which one machine has this entry for a class.
fn classified(entry: &str, invariant: &str) -> Verdict {
    let a = machine("a", "external_tools: [reads]", "other_tools: deny");
    let a = a.replace("    on:\n", &format!("    on:\n      reads: {entry}\n"));
    let b = machine("b", "", OPEN);
    found(&a, &b, "calls: calls.yaml\n", invariant).0
}

#[test]
fn calls_of_a_class_are_counted() {
    let entry = "[{ when: n < 2, set: { n: n + 1 }, run: true }, deny]";
    assert_eq!(classified(entry, "never (a.n >= 2 and runs reads)"), Proved);
    let left = "always (a.S and a.n < 2 implies runs reads)";
    assert_eq!(classified(entry, left), Proved);
    assert_eq!(classified(entry, "always (a.S implies runs reads)"), Broken);
    assert_eq!(classified(entry, "never (a.S and runs writes)"), Proved);
}

#[test]
fn alternatives_for_a_class_that_read_the_call_prove_nothing_about_it() {
    // A call of the class is never called `reads`, and its name may be a long one.
    let entry = "[{ when: len(event.tool) > 5, run: true }, deny]";
    assert_eq!(classified(entry, "never (a.S and runs reads)"), Unknown);
    assert_eq!(
        classified(entry, "always (a.S implies runs reads)"),
        Unknown
    );
}
