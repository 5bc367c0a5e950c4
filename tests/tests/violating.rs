//! Specs with a broken invariant: the shortest counterexample of each is known and checked.

use plan_machine_compiler::Verdict;
use plan_machine_compiler::diagnostic::Code;
use plan_machine_tests::{Spec, compiled, specs};

/// Returns the value of a key in the comment lines of a spec.
fn said<'a>(spec: &'a Spec, key: &str) -> &'a str {
    let prefix = format!("# {key}: ");
    let line = spec
        .text
        .lines()
        .find_map(|line| line.strip_prefix(prefix.as_str()));
    line.unwrap_or_else(|| panic!("{} has no comment line with `{key}`", spec.name))
        .trim()
}

#[test]
fn a_violating_spec_breaks_the_invariant_it_names_and_no_other() {
    for spec in specs("violating") {
        let compiled = compiled(&spec.name, &spec.text);
        let report = compiled.compilation.report.as_ref().expect("a report");
        for invariant in &report.invariants {
            let wanted = if invariant.name == said(&spec, "breaks") {
                Verdict::Broken
            } else {
                Verdict::Proved
            };
            assert_eq!(
                invariant.verdict,
                wanted,
                "{}\n{}",
                spec.name,
                compiled.rendered()
            );
        }
        let others = compiled.codes();
        let others: Vec<_> = others
            .iter()
            .filter(|code| !matches!(**code, "PM0601" | "PM0702"))
            .collect();
        assert!(others.is_empty(), "{}\n{}", spec.name, compiled.rendered());
    }
}

#[test]
fn the_trace_of_a_broken_invariant_is_the_shortest_counterexample() {
    for spec in specs("violating") {
        let compiled = compiled(&spec.name, &spec.text);
        let diagnostics = compiled.compilation.diagnostics.iter();
        let broken = diagnostics
            .filter(|found| found.code == Code::PM0601)
            .collect::<Vec<_>>();
        let [broken] = broken[..] else {
            panic!("{}: {} invariants are broken", spec.name, broken.len());
        };
        let events: Vec<String> = broken
            .trace
            .iter()
            .map(|step| {
                let step = step.as_object().expect("a step is an object");
                let event = step.get("do").or(step.get("tool"));
                event
                    .and_then(|event| event.as_text())
                    .expect("an event")
                    .to_owned()
            })
            .collect();
        let wanted: Vec<String> = said(&spec, "trace")
            .split(" -> ")
            .map(|event| named(&compiled, event))
            .collect();
        let found: Vec<String> = events.iter().map(|event| named(&compiled, event)).collect();
        assert_eq!(found, wanted, "{}\n{}", spec.name, compiled.rendered());
    }
}

/// Returns the name of the event for the text of a command. In a trace, a command with a payload is identified by its
/// name, because its text alone would not be enough.
fn named(compiled: &plan_machine_tests::Compiled, event: &str) -> String {
    let machine = compiled.compilation.machine.as_ref().expect("a machine");
    let held = plan_machine_compiler::semantics::HeldRecords::default();
    let command = machine.events.iter().find_map(|declared| {
        let plan_machine_compiler::model::machine::EventKind::Command(command) = &declared.kind
        else {
            return None;
        };
        let bare: Vec<&str> = command
            .pattern
            .text()
            .split_whitespace()
            .filter(|word| !word.starts_with('{'))
            .collect();
        (bare.join(" ") == event).then(|| declared.name.clone())
    });
    let typed = plan_machine_compiler::semantics::call_of_line(machine, &held, event).ok();
    let typed = typed.and_then(|call| match call.what {
        plan_machine_compiler::semantics::CallKind::Event(id) => {
            Some(machine.event(id).name.clone())
        }
        plan_machine_compiler::semantics::CallKind::HostTool(_) => None,
    });
    command.or(typed).unwrap_or_else(|| event.to_owned())
}

#[test]
fn the_report_of_a_broken_invariant_is_a_snapshot() {
    insta::glob!("../corpus/violating", "*.yaml", |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a spec of the corpus");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        insta::with_settings!({
            snapshot_path => "../corpus/violating",
            prepend_module_to_snapshot => false,
            snapshot_suffix => "",
            omit_expression => true,
        }, {
            let mut compiled = compiled(&name, &text);
            let all = &mut compiled.compilation.diagnostics;
            all.retain(|diagnostic| diagnostic.code == Code::PM0601);
            insta::assert_snapshot!(stem.as_ref(), compiled.rendered());
        });
    });
}

#[test]
fn a_contradiction_is_broken_even_if_it_is_also_reported_as_constant() {
    let text = "machine: M\ndata: { b: { type: bool, default: false }, n: { type: int, default: 0 } }\n\
                commands: { go: /go, stop: /stop }\ntools: { w: { doc: w., input: { n: int } } }\nstates:\n  \
                none: { on: { go: A } }\n  A:\n    on:\n      w:\n        set:\n          b: event.n > 3\n          n: event.n\n      \
                stop: { to: Z, next: none }\n  Z: { final: true }\ninvariants:\n  \
                holds: always (b or not b)\n  fails: always (b and not b)\n";
    let compiled = compiled("m.yaml", text);
    let report = compiled.compilation.report.as_ref().expect("a report");
    let verdicts: Vec<Verdict> = report
        .invariants
        .iter()
        .map(|known| known.verdict)
        .collect();
    assert_eq!(
        verdicts,
        [Verdict::Proved, Verdict::Broken],
        "{}",
        compiled.rendered()
    );
    assert!(!compiled.compilation.is_ok());
    assert_eq!(
        compiled
            .codes()
            .iter()
            .filter(|code| **code == "PM0604")
            .count(),
        2
    );
    assert!(compiled.codes().contains(&"PM0601"));
}
