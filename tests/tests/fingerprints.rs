//! Every journal contains fingerprints: today's fingerprints must stay valid, however the printer or the readers
//! change.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use plan_machine_compiler::diagnostic::Sink;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::ast::Spec;
use plan_machine_compiler::syntax::fingerprint::{canonical, fingerprint};
use plan_machine_compiler::syntax::{dsl, yaml};
use plan_machine_compiler::{compile, compile_inline};
use plan_machine_kernel::json::Json;
use plan_machine_tests::root;
use plan_machine_tests::stores::folder;

/// Returns a spec that is never edited.
fn every_part() -> Spec {
    spec("every_part.yaml")
}

/// Returns the specs for parts that were added to the language later; they are never edited either.
fn later_parts() -> Vec<Spec> {
    vec![spec("counted_calls.yaml"), spec("timers.yaml")]
}

fn spec(name: &str) -> Spec {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fingerprints");
    let mut sources = SourceMap::default();
    let text = fs::read_to_string(path.join(name)).expect("a spec");
    let file = sources.add(name, text);
    let mut sink = Sink::default();
    let spec = yaml::read(&sources, file, &mut sink);
    assert!(!sink.breaks_a_rule(), "{:?}", sink.into_sorted());
    spec.expect("a spec")
}

#[test]
fn the_encoding_of_every_part_is_frozen() {
    let spec = every_part();
    let frozen = format!("{}\n{}", fingerprint(&spec), in_lines(&canonical(&spec)));
    insta::assert_snapshot!(frozen);
}

#[test]
fn the_encoding_of_later_parts_is_frozen() {
    let frozen = later_parts()
        .iter()
        .fold(String::new(), |mut frozen, spec| {
            let _ = writeln!(
                frozen,
                "{}\n{}",
                fingerprint(spec),
                in_lines(&canonical(spec))
            );
            frozen
        });
    insta::assert_snapshot!(frozen);
}

/// Formats each part of the encoding on its own line.
fn in_lines(canonical: &str) -> String {
    let json = Json::parse(canonical).expect("JSON");
    let parts = json.as_object().expect("an object").iter();
    parts.fold(String::new(), |mut lines, (key, value)| {
        match value {
            Json::List(items) => {
                for item in items {
                    let _ = writeln!(lines, "{key}: {}", item.canonical());
                }
            }
            value => {
                let _ = writeln!(lines, "{key}: {}", value.canonical());
            }
        }
        lines
    })
}

#[test]
fn every_word_of_the_encoding_is_in_the_frozen_encoding() {
    let specs = later_parts().into_iter().chain([every_part()]);
    let text = specs.map(|spec| canonical(&spec)).collect::<String>();
    let folder = root().join("plan-machine-compiler/src/syntax/fingerprint");
    let mut words = 0;
    for file in ["mod", "declarations", "states", "expressions"] {
        let source = fs::read_to_string(folder.join(format!("{file}.rs"))).expect("a source");
        // The words are the string literals in the source. The function `gate` is left out, because
        // its words occur only in invariants.
        let source = source.split("fn gate(").next().unwrap_or_default();
        for word in source.split('"').skip(1).step_by(2) {
            assert!(text.contains(&format!("\"{word}\"")), "{file}: {word}");
            words += 1;
        }
    }
    assert!(words > 80, "only {words} words");
}

#[test]
fn the_specs_of_stored_journals_keep_both_fingerprints() {
    let mut found = String::new();
    let formats = ["0.1", "0.1-format-2", "0.1-format-3", "0.1-format-4"];
    for version in formats.into_iter().chain(["0.1-layout-3"]) {
        let specs = fs::read_dir(folder(version).join("specs")).expect("specs");
        let mut paths: Vec<_> = specs.map(|entry| entry.expect("a spec").path()).collect();
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(&path).expect("a spec");
            let mut sources = SourceMap::default();
            let file = sources.add(path.display().to_string(), text);
            let machine = compile(&sources, file).machine.expect("a machine");
            let (today, earlier) = (
                &machine.fingerprint[..16],
                &machine.earlier_fingerprint[..16],
            );
            let _ = writeln!(found, "{version} {} {today} {earlier}", machine.name);
        }
    }
    insta::assert_snapshot!(found);
}

#[test]
fn a_spec_has_one_fingerprint_however_it_is_written() {
    for spec in later_parts().into_iter().chain([every_part()]) {
        let mut sources = SourceMap::default();
        let file = sources.add("spec.rs", dsl::print(&spec));
        let printed = compile_inline(&sources, file).spec.expect("a spec");
        assert_eq!(canonical(&printed), canonical(&spec));
    }
}
