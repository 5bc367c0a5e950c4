//! Every spec of the corpus has the same meaning in both forms, YAML and inline.

use plan_machine_compiler::diagnostic::Sink;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::ast::{HandlerKind, Spec, State};
use plan_machine_compiler::syntax::dsl::print;
use plan_machine_compiler::syntax::yaml;
use plan_machine_tests::{compiled, specs, valid};

use super::{inline, is_clean, tree, yaml_tree};

#[test]
fn a_printed_spec_reads_back_as_the_same_tree() {
    for spec in valid() {
        let first = yaml_tree(&spec.text);
        let printed = print(&first);
        let second = tree(&printed);
        assert!(
            first == second,
            "{}\n{printed}\n{first:#?}\n{second:#?}",
            spec.name
        );
        assert_eq!(print(&second), printed, "{}", spec.name);
    }
}

#[test]
fn a_spec_that_breaks_a_rule_breaks_the_same_rules_in_both_forms() {
    let mut held = 0;
    let broken = specs("invalid").into_iter().chain(specs("violating"));
    for spec in valid().into_iter().chain(broken) {
        let mut sources = SourceMap::default();
        let file = sources.add("spec.yaml", spec.text.as_str());
        let mut sink = Sink::default();
        let read = yaml::read(&sources, file, &mut sink);
        // A spec that the YAML reader rejects cannot be written in the inline form.
        let Some(read) = read.filter(|_| is_clean(sink)) else {
            continue;
        };
        // A composite state without children is `states: {}`, which has no counterpart in the inline form.
        if read.states.iter().any(is_an_empty_composite) {
            continue;
        }
        let compiled = compiled("spec.yaml", &spec.text);
        let inline = inline(&print(&read));
        let mut codes = (compiled.codes(), inline.codes());
        // Codes are in the order of their positions, which differ between the two forms.
        codes.0.sort_unstable();
        codes.1.sort_unstable();
        assert_eq!(codes.0, codes.1, "{}\n{}", spec.name, inline.rendered());
        held += 1;
    }
    assert!(held > 200, "only {held} specs were compared");
}

fn is_an_empty_composite(state: &State) -> bool {
    let children = state.states.as_deref();
    children.is_some_and(|all| all.is_empty() || all.iter().any(is_an_empty_composite))
}

/// Returns the conditions of a spec, as they are shown to people.
fn conditions(spec: &Spec) -> Vec<String> {
    fn of(state: &State, found: &mut Vec<String>) {
        let required = state.require.iter();
        found.extend(required.map(|(_, require)| require.that.text.clone()));
        let timers = state.after.iter().map(|timer| &timer.handler);
        for handler in state.on.iter().map(|(_, handler)| handler).chain(timers) {
            let HandlerKind::Transitions(all) = &handler.kind else {
                continue;
            };
            for each in all {
                found.extend(each.when.iter().map(|when| when.text.clone()));
                let required = each.require.iter();
                found.extend(required.map(|require| require.that.text.clone()));
            }
        }
        for child in state.states.iter().flatten() {
            of(child, found);
        }
    }
    let mut found = Vec::new();
    spec.states.iter().for_each(|state| of(state, &mut found));
    let invariants = spec.invariants.iter();
    found.extend(invariants.map(|invariant| invariant.text.clone()));
    found
}

#[test]
fn people_are_shown_conditions_as_they_were_written() {
    let mut seen = 0;
    for spec in valid() {
        let first = yaml_tree(&spec.text);
        let second = tree(&print(&first));
        assert_eq!(conditions(&first), conditions(&second), "{}", spec.name);
        seen += conditions(&first).len();
    }
    assert!(seen > 100);
}
