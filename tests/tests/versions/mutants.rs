//! Every change to a spec that changes its fingerprint is found.

use plan_machine_compiler::compile;
use plan_machine_compiler::diagnostic::Sink;
use plan_machine_compiler::diff::{diff, edits};
use plan_machine_compiler::mutate::Mutants;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::ast::Spec;
use plan_machine_compiler::syntax::fingerprint::fingerprint;
use plan_machine_compiler::syntax::yaml;
use plan_machine_tests::{Spec as Corpus, root, specs, valid};

/// Returns every spec that compiles: those of the corpus and the shipped ones.
fn all_specs() -> Vec<Corpus> {
    let shipped = std::fs::read_dir(root().join("specs")).expect("the shipped specs");
    let shipped = shipped.map(|entry| entry.expect("an entry").path());
    let yaml = shipped.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let shipped = yaml.filter(|path| !path.ends_with("memory.yaml"));
    let shipped = shipped.map(|path| Corpus {
        name: path.display().to_string(),
        text: std::fs::read_to_string(&path).expect("a shipped spec"),
        path,
    });
    shipped.chain(valid()).collect()
}

/// Returns whether the fingerprints differ. Fails if the reported differences contradict the result.
fn differ(old: &Spec, known: &str, new: &Spec, why: &dyn Fn() -> String) -> bool {
    let differ = known != fingerprint(new);
    let beside = [
        "prompt",
        "invariant",
        "version",
        "documentation of tool",
        "wording of the denial of",
        "title",
    ];
    let mut found = edits(old, new).into_iter();
    let found = found.find(|change| !beside.contains(&change.what));
    assert_eq!(differ, found.is_some(), "{}: {found:#?}", why());
    differ
}

#[test]
fn every_mutant_with_a_different_fingerprint_is_a_change() {
    let (mut mutants, mut differing) = (0, 0);
    for spec in all_specs() {
        let mut sources = SourceMap::default();
        let file = sources.add(spec.name.as_str(), spec.text.as_str());
        let compilation = compile(&sources, file);
        let (Some(machine), Some(old)) = (&compilation.machine, &compilation.spec) else {
            continue;
        };
        let made = Mutants::of(&sources, file, machine);
        for mutant in made.all() {
            let why = || format!("{}: {}", spec.name, mutant.change);
            let new = made.altered(mutant);
            differing += usize::from(differ(old, &machine.fingerprint, &new, &why));
            mutants += 1;
        }
    }
    assert!(mutants > 2000, "only {mutants} mutants");
    assert!(
        differing * 10 > mutants * 9,
        "only {differing} of {mutants} mutants differ"
    );
}

#[test]
fn every_word_of_a_spec_is_compared() {
    let (mut read, mut differing) = (0, 0);
    for spec in all_specs() {
        let text = without_promises(&spec.text);
        let Some(old) = read_whole(text) else {
            continue;
        };
        let known = fingerprint(&old);
        for new in reworded(text) {
            let Some(altered) = read_whole(&new) else {
                continue;
            };
            let why = || format!("{}:\n{new}", spec.name);
            differing += usize::from(differ(&old, &known, &altered, &why));
            read += 1;
        }
    }
    assert!(read > 2_000, "only {read} could be read");
    assert!(differing * 2 > read, "only {differing} of {read} differ");
}

/// Returns the part of a spec that the fingerprint covers.
fn without_promises(text: &str) -> &str {
    let ends = ["\ninvariants:", "\nscenarios:"].map(|key| text.find(key).unwrap_or(text.len()));
    &text[..ends[0].min(ends[1])]
}

/// Returns the syntax tree of a spec, if it has no errors.
fn read_whole(text: &str) -> Option<Spec> {
    let mut sources = SourceMap::default();
    let file = sources.add("spec.yaml", text);
    let mut sink = Sink::default();
    let spec = yaml::read(&sources, file, &mut sink)?;
    (!sink.breaks_a_rule()).then_some(spec)
}

/// Returns the spec with one word replaced by another: once for each word, up to a limit.
fn reworded(text: &str) -> impl Iterator<Item = String> {
    const MOST: usize = 40;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(word) {
        let start = rest + start;
        let length = text[start..].find(|c| !word(c));
        let end = start + length.unwrap_or(text.len() - start);
        places.push(start..end);
        rest = end;
    }
    let step = places.len().div_ceil(MOST).max(1);
    places.into_iter().step_by(step).map(|place| {
        let number = text[place.clone()].parse::<u64>().is_ok();
        let other = if number { "77" } else { "other_word" };
        format!("{}{other}{}", &text[..place.start], &text[place.end..])
    })
}

#[test]
fn a_mutant_that_compiles_is_never_reported_as_unchanged() {
    let small = specs("valid/rules").into_iter();
    let mut compared = 0;
    for spec in small.take(40) {
        let mut sources = SourceMap::default();
        let file = sources.add(spec.name.as_str(), spec.text.as_str());
        let compilation = compile(&sources, file);
        let (Some(machine), Some(old)) = (&compilation.machine, compilation.version()) else {
            continue;
        };
        let made = Mutants::of(&sources, file, machine);
        for mutant in made.all() {
            let altered = made.compiled(mutant);
            let Some(new) = altered.version() else {
                continue;
            };
            let found = diff(old, new).changes;
            let differ = old.machine.fingerprint != new.machine.fingerprint;
            let why = format!("{}: {}: {found:#?}", spec.name, mutant.change);
            assert_eq!(differ, !found.is_empty(), "{why}");
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} comparisons");
}
