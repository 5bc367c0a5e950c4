//! Every spec of the corpus behaves as its location in the corpus implies.

use std::collections::BTreeSet;

use plan_machine_compiler::Verdict;
use plan_machine_compiler::diagnostic::Code;
use plan_machine_tests::{Spec, compiled, root, specs, valid};

/// The code of a note, which suggests an addition and does not report an error.
const NOTE: &str = "PM0702";

fn code_of(spec: &Spec) -> &str {
    spec.name.split('_').next().unwrap_or_default()
}

#[test]
fn valid_specs_are_clean_and_their_scenarios_pass() {
    for spec in valid() {
        let compiled = compiled(&spec.name, &spec.text);
        let found: Vec<_> = compiled
            .codes()
            .into_iter()
            .filter(|code| *code != NOTE)
            .collect();
        assert!(found.is_empty(), "{}\n{}", spec.name, compiled.rendered());
        let report = compiled
            .compilation
            .report
            .expect("a report on the valid spec");
        for scenario in report.scenarios {
            assert!(scenario.passed, "{}: {}", spec.name, scenario.name);
        }
    }
}

#[test]
fn the_scenarios_of_the_machines_take_every_transition() {
    for spec in specs("valid") {
        let compiled = compiled(&spec.name, &spec.text);
        assert_eq!(
            compiled.codes(),
            Vec::<&str>::new(),
            "{}\n{}",
            spec.name,
            compiled.rendered()
        );
    }
}

#[test]
fn every_invariant_of_a_valid_spec_is_proved() {
    for spec in valid() {
        let report = compiled(&spec.name, &spec.text).compilation.report;
        for invariant in report.expect("a report on the valid spec").invariants {
            assert_eq!(
                invariant.verdict,
                Verdict::Proved,
                "{}: {}",
                spec.name,
                invariant.name
            );
        }
    }
}

#[test]
fn an_invalid_spec_breaks_just_the_rule_it_is_named_after() {
    for spec in specs("invalid") {
        let compiled = compiled(&spec.name, &spec.text);
        let code = code_of(&spec);
        let mut found: BTreeSet<&str> = compiled.codes().into_iter().collect();
        if code != NOTE {
            found.remove(NOTE);
        }
        assert_eq!(
            found,
            BTreeSet::from([code]),
            "{}\n{}",
            spec.name,
            compiled.rendered()
        );
    }
}

#[test]
fn every_rule_has_a_good_spec_a_bad_spec_and_a_page() {
    let good: Vec<Spec> = specs("valid/rules");
    let bad: Vec<Spec> = specs("invalid");
    let codes = Code::ALL.iter().map(|code| code.as_str());
    // The rules on versions, scopes, calls and sessions have their own tests: `versions.rs`, `scopes.rs`, `calls.rs`,
    // `joint`.
    let families = ["PM08", "PM09", "PM10", "PM11"];
    let elsewhere = |code: &&str| families.iter().any(|family| code.starts_with(family));
    for code in codes.filter(|code| !elsewhere(code)) {
        assert!(
            good.iter().any(|spec| code_of(spec) == code),
            "no valid spec for {code}"
        );
        assert!(
            bad.iter().any(|spec| code_of(spec) == code),
            "no invalid spec for {code}"
        );
        let page = root().join("docs/rules").join(format!("{code}.md"));
        assert!(page.is_file(), "no page for {code}");
    }
}

#[test]
fn the_report_of_each_invalid_spec_is_a_snapshot() {
    insta::glob!("../corpus/invalid", "*.yaml", |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a spec of the corpus");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        insta::with_settings!({
            snapshot_path => "../corpus/invalid",
            prepend_module_to_snapshot => false,
            snapshot_suffix => "",
            omit_expression => true,
        }, {
            let mut compiled = compiled(&name, &text);
            if !name.starts_with(NOTE) {
                let all = &mut compiled.compilation.diagnostics;
                all.retain(|diagnostic| diagnostic.code.as_str() != NOTE);
            }
            insta::assert_snapshot!(stem.as_ref(), compiled.rendered());
        });
    });
}
