//! Mutants of the corpus: the compiler handles each of them, and the invariants and scenarios of machines that are
//! meant as examples detect all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use plan_machine_compiler::mutate::Mutants;
use plan_machine_compiler::{compile, source::SourceMap};
use plan_machine_tests::{Spec, specs};

/// Returns the mutations that go undetected, and the total number of mutations. Fails if one of them was not judged.
fn survivors(spec: &Spec) -> (Vec<String>, usize) {
    let mut sources = SourceMap::default();
    let file = sources.add(spec.name.as_str(), spec.text.as_str());
    let machine = compile(&sources, file).machine.expect("a valid spec");
    let mutants = Mutants::of(&sources, file, &machine);
    let calls = AtomicUsize::new(0);
    let killers = mutants.killers(|| {
        calls.fetch_add(1, Ordering::Relaxed);
    });
    let all = mutants.all().len();
    assert_eq!(calls.into_inner(), all, "{}", spec.name);
    assert_eq!(killers.len(), all, "{}", spec.name);
    let judged = mutants.all().iter().zip(killers);
    let survived = judged.filter(|(_, killer)| killer.is_none());
    let survived = survived.map(|(mutant, _)| mutant.change.clone()).collect();
    (survived, all)
}

#[test]
fn every_mutation_of_work_by_plan_is_detected() {
    let all = specs("valid").into_iter();
    let mut named = all.filter(|spec| spec.name == "work_by_plan");
    let spec = named.next().expect("the example of the language");
    let (survived, mutants) = survivors(&spec);
    assert_eq!(survived, Vec::<String>::new());
    assert!(mutants >= 60, "only {mutants} mutants");
}

#[test]
fn every_mutant_of_every_small_spec_is_judged() {
    let small = specs("valid/rules").into_iter();
    let small = small.chain(specs("valid/invariants"));
    let seen: usize = small.map(|spec| survivors(&spec).1).sum();
    assert!(seen > 500, "only {seen} mutants");
}
