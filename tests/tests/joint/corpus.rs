//! The documents of the corpus.

use std::collections::BTreeSet;

use plan_machine_compiler::Verdict;
use plan_machine_compiler::diagnostic::Code;
use plan_machine_tests::{Spec, root, specs};

use super::{compiled, folder};

fn code_of(spec: &Spec) -> &str {
    spec.name.split('_').next().unwrap_or_default()
}

#[test]
fn valid_documents_are_clean_and_everything_in_them_holds() {
    for spec in specs("session/valid") {
        let joint = compiled(&folder("valid"), &spec.name, &spec.text);
        assert!(joint.told.is_empty(), "{}", joint.told);
        assert!(joint.compilation.is_ok());
        let report = joint.compilation.report;
        for invariant in report.invariants {
            assert_eq!(invariant.verdict, Verdict::Proved, "{}", invariant.name);
        }
        for scenario in report.scenarios {
            assert!(scenario.passed, "{}", scenario.name);
        }
    }
}

#[test]
fn an_invalid_document_breaks_just_the_rule_it_is_named_after() {
    for spec in specs("session/invalid") {
        let joint = compiled(&folder("invalid"), &spec.name, &spec.text);
        let found: BTreeSet<&str> = joint.codes().into_iter().collect();
        let code = code_of(&spec);
        assert_eq!(
            found,
            BTreeSet::from([code]),
            "{}\n{}",
            spec.name,
            joint.told
        );
    }
}

#[test]
fn every_rule_of_sessions_has_a_bad_document_and_a_page() {
    let codes = Code::ALL.iter().map(|code| code.as_str());
    let codes: Vec<&str> = codes.filter(|code| code.starts_with("PM11")).collect();
    assert_eq!(codes, ["PM1101", "PM1102", "PM1103", "PM1104", "PM1105"]);
    let bad = specs("session/invalid");
    for code in codes {
        assert!(bad.iter().any(|spec| code_of(spec) == code), "{code}");
        let page = root().join("docs/rules").join(format!("{code}.md"));
        assert!(page.is_file(), "no page for {code}");
    }
}

#[test]
fn the_report_of_each_invalid_document_is_a_snapshot() {
    insta::glob!("../../corpus/session/invalid", "*.yaml", |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a document of the corpus");
        insta::with_settings!({
            snapshot_path => "../../corpus/session/invalid",
            prepend_module_to_snapshot => false,
            snapshot_suffix => "",
            omit_expression => true,
        }, {
            let joint = compiled(&folder("invalid"), &name, &text);
            insta::assert_snapshot!(stem.as_ref(), joint.told);
        });
    });
}
