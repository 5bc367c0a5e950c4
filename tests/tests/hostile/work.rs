//! Specs that take more work to check than the limit allows.

use plan_machine_tests::hostile::documents;
use plan_machine_tests::{Compiled, compiled};

use crate::kit::lines;

/// Returns a spec with one tool and an invariant that cannot be decided.
fn undecided(data: &str, change: &str, invariant: &str) -> String {
    format!(
        "machine: M\ndata: {{ {data} }}\ncommands: {{ go: /go, stop: /stop }}\n\
         tools: {{ grow: {{ doc: Grow. }} }}\nstates:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      \
         grow: {{ {change} }}\n      stop: {{ to: Z, next: none }}\n  Z: {{ final: true }}\n\
         invariants:\n  i: {invariant}\n"
    )
}

#[test]
fn data_that_grows_does_not_exhaust_memory() {
    for (data, change, invariant) in [
        (
            "s: { type: string, default: x }",
            "set: { s: \"{s}{s}\" }",
            "never (s == \"y\")",
        ),
        (
            "l: [string]",
            "append: { l: \"x\" }",
            "never (len(l) > 1000000)",
        ),
    ] {
        let compiled = compiled("growing.yaml", &undecided(data, change, invariant));
        assert!(
            compiled.codes().contains(&"PM0605"),
            "{}",
            compiled.rendered()
        );
    }
}

#[test]
fn scenarios_together_do_a_bounded_amount_of_work() {
    let scenarios = lines(4, |at| format!("  s{at}: [{{ do: /go, repeat: 1000 }}]\n"));
    let text = format!(
        "machine: M\ninstances: many\ncommands: {{ go: /go, stop: {{ text: /stop, each: true }} }}\n\
         states:\n  none: {{ on: {{ go: A }} }}\n  A: {{ on: {{ stop: Z }} }}\n  Z: {{ final: true }}\n\
         scenarios:\n{scenarios}"
    );
    let compiled = compiled("work.yaml", &text);
    let reports = compiled
        .compilation
        .report
        .as_ref()
        .map(|report| &report.scenarios[..]);
    let passed: Vec<bool> = reports
        .unwrap_or_default()
        .iter()
        .map(|one| one.passed)
        .collect();
    assert_eq!(
        passed,
        [true, false, false, false],
        "{}",
        compiled.rendered()
    );
    let message =
        "take more than 1000000 steps, where a step counts once, and once more for each plan";
    assert!(
        compiled.rendered().contains(message),
        "{}",
        compiled.rendered()
    );
}

/// Returns a machine with many plans, each with 64 timers that start again when they fire.
fn with_timers(scenarios: &str) -> String {
    let timers: Vec<String> = (1..=64).map(|at| format!("{at}s: {{ to: A }}")).collect();
    format!(
        "machine: M\ninstances: many\nmax_live: 10000\ncommands: {{ go: /go, stop: {{ text: /stop, each: true }} }}\n\
         states:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on: {{ stop: Z }}\n    after: {{ {} }}\n  \
         Z: {{ final: true }}\n{scenarios}",
        timers.join(", ")
    )
}

#[test]
fn timers_count_as_work_of_scenarios() {
    for (scenario, is_refused) in [
        ("[{ do: /go, repeat: 1000 }, { wait: 1d }]", true),
        (
            "[{ do: /go, repeat: 10 }, { wait: 1d, repeat: 1000 }]",
            true,
        ),
        ("[{ do: /go, repeat: 10 }, { wait: 1d, repeat: 10 }]", false),
    ] {
        let text = with_timers(&format!("scenarios:\n  s: {scenario}\n"));
        let compiled = compiled("work.yaml", &text);
        let told = compiled.rendered();
        let refused = told.contains("take more than 1000000 steps");
        assert_eq!(refused, is_refused, "{scenario}: {told}");
    }
}

#[test]
fn time_that_passes_to_its_end_does_not_fire_timers_forever() {
    let text = "machine: M\ncommands: { begin: /begin, done: /done }\nstates:\n  none: { on: { begin: A } }\n  A:\n    \
                on: { done: { to: Z, next: none } }\n    after: { 1s: A }\n  Z: { final: true }\n\
                scenarios:\n  s: [{ do: /begin }, { wait: 3650d, repeat: 900 }, { do: /done, then: none }]\n";
    let compiled = compiled("work.yaml", text);
    assert!(compiled.compilation.is_ok(), "{}", compiled.rendered());
}

#[test]
fn an_invariant_that_takes_too_much_work_is_not_proved() {
    let (fields, signals) = (600, 600);
    let text = format!(
        "machine: M\ncommands: {{ go: /go, stop: /stop }}\nsignals:\n{}data:\n{}states:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      stop: {{ to: Z, next: none }}\n{}  Z: {{ final: true }}\ninvariants:\n  i: never ({})\n",
        lines(signals, |at| format!("  s{at}: {{}}\n")),
        lines(fields, |at| format!(
            "  b{at}: {{ type: bool, default: false }}\n"
        )),
        lines(signals, |at| format!(
            "      s{at}: {{ set: {{ b{at}: true }} }}\n"
        )),
        lines(150, |at| format!("b{at} and ")) + "b0",
    );
    let compiled = compiled("bools.yaml", &text);
    assert!(
        compiled.codes().contains(&"PM0603"),
        "{}",
        compiled.rendered()
    );
}

/// Returns how many invariants were decided, and how many remained undecided because of the limit.
fn decided_and_left(compiled: &Compiled) -> (usize, usize) {
    let report = compiled.compilation.report.as_ref().expect("a report");
    let left = report.invariants.iter();
    let left = left.filter(|one| one.verdict.as_str() == "unknown").count();
    (report.invariants.len() - left, left)
}

#[test]
fn invariants_together_do_a_bounded_amount_of_work() {
    for (name, bytes) in [
        ("reach_targets", 12_000),
        ("reach_targets_by", 20_000),
        ("reach_nowhere", 12_000),
        ("reach_one_truth", 12_000),
    ] {
        let documents = documents(bytes);
        let document = documents.iter().find(|one| one.name == name);
        let compiled = compiled(name, &document.expect("a document").text);
        let (decided, left) = decided_and_left(&compiled);
        assert!(
            decided > 10 && left > 10,
            "{name}: {decided} decided and {left} undecided"
        );
        let problems = compiled.compilation.diagnostics.iter();
        let mut undecided = problems.filter(|one| one.code.as_str() == "PM0605");
        let shared = "all invariants of a spec share a budget of 10000000 checks of conditions";
        let is_told = |one: &str| one.contains(shared);
        let reasons = |notes: &[String]| notes.iter().any(|note| is_told(note));
        assert!(undecided.all(|one| reasons(&one.notes)), "{name}");
    }
}

#[test]
fn a_long_path_is_decided_for_many_invariants() {
    let documents = documents(4_000);
    let document = documents.iter().find(|one| one.name == "long_ways");
    let compiled = compiled("long_ways", &document.expect("a document").text);
    let (decided, left) = decided_and_left(&compiled);
    assert!(decided > 20, "{}", compiled.rendered());
    assert_eq!(left, 0, "{}", compiled.rendered());
}
