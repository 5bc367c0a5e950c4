//! A proof depends on the rule of the gate: without the rule for external tools, the same invariants are broken.

use plan_machine_compiler::Verdict;
use plan_machine_kernel::session::SessionRule;
use plan_machine_tests::{root, specs};

use super::{compiled, compiled_by, folder};

const TEXT: &str = "
session: Coding
machines: { work: 'plan-specs:plan_mode', notes: 'plan-specs:planning_files' }
invariants:
  notes_are_not_exported_while_planning: never (work.planning and runs notes.export_plan)
";

#[test]
fn without_the_rule_for_external_tools_notes_are_exported_while_planning() {
    let by_rule = compiled(&folder("valid"), "coding.yaml", TEXT);
    let invariants = by_rule.compilation.report.invariants;
    assert_eq!(invariants[0].verdict, Verdict::Proved, "{}", by_rule.told);

    let rule = SessionRule::WITHOUT_EXTERNAL_TOOLS;
    let without = compiled_by(rule, &folder("valid"), "coding.yaml", TEXT);
    let invariants = without.compilation.report.invariants;
    assert_eq!(invariants[0].verdict, Verdict::Broken);
    insta::assert_snapshot!(without.told);
}

#[test]
fn the_counterexample_is_a_run_that_can_be_sent_again() {
    let rule = SessionRule::WITHOUT_EXTERNAL_TOOLS;
    let without = compiled_by(rule, &folder("valid"), "coding.yaml", TEXT);
    let trace = without.compilation.diagnostics[0].trace.iter();
    let trace: Vec<String> = trace.map(ToString::to_string).collect();
    insta::assert_snapshot!(trace.join("\n"));
}

#[test]
fn the_shipped_session_is_broken_without_the_rule() {
    let folder = root().join("specs/sessions");
    let text = std::fs::read_to_string(folder.join("coding.yaml")).expect("the shipped session");
    let by_rule = compiled(&folder, "coding.yaml", &text);
    assert!(by_rule.told.is_empty(), "{}", by_rule.told);

    let rule = SessionRule::WITHOUT_EXTERNAL_TOOLS;
    let without = compiled_by(rule, &folder, "coding.yaml", &text);
    let invariants = without.compilation.report.invariants;
    let broken = invariants
        .iter()
        .find(|one| one.name == "notes_are_not_exported_while_planning");
    assert_eq!(
        broken.map(|one| one.verdict),
        Some(Verdict::Broken),
        "{}",
        without.told
    );
    let message = "the invariant `notes_are_not_exported_while_planning` is broken";
    let mut found = without.compilation.diagnostics.iter();
    let found = found.find(|found| found.message == message);
    let trace = found.expect("a counterexample").trace.iter();
    let trace: Vec<String> = trace.map(ToString::to_string).collect();
    insta::assert_snapshot!(trace.join("\n"));
}

#[test]
fn the_corpus_has_an_invariant_that_needs_the_rule() {
    let broken = specs("session/valid").into_iter().filter(|spec| {
        let rule = SessionRule::WITHOUT_EXTERNAL_TOOLS;
        let joint = compiled_by(rule, &folder("valid"), &spec.name, &spec.text);
        joint.codes().contains(&"PM0601")
    });
    assert_eq!(broken.count(), specs("session/valid").len());
}
