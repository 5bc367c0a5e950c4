//! A document that would take too much work to check gets an answer within the limit on work.

use std::fmt::Write as _;

use plan_machine_compiler::Verdict;
use plan_machine_compiler::session::{LoadedText, Loader, compile_session};
use plan_machine_compiler::source::SourceMap;

/// Makes machines that differ only in their names.
struct Made;

impl Loader for Made {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let text = format!(
            "machine: M{path}\ncommands: {{ go: /go{path}, end: /end{path} }}\nstates:\n  \
             none: {{ on: {{ go: A }} }}\n  A: {{ on: {{ end: {{ to: B, next: none }} }} }}\n  B: {{ final: true }}\n"
        );
        Ok(LoadedText {
            name: path.to_owned(),
            text,
        })
    }
}

fn verdict(machines: usize, invariant: &str) -> (Option<Verdict>, Vec<&'static str>) {
    let mut text = "session: Many\nmachines:\n".to_owned();
    for at in 0..machines {
        let _ = writeln!(text, "  m{at}: '{at}'");
    }
    let _ = writeln!(text, "invariants:\n  one: {invariant}");
    let mut sources = SourceMap::default();
    let file = sources.add("many.yaml", text);
    let compilation = compile_session(&mut sources, file, &mut Made);
    let codes = compilation.diagnostics.iter();
    let codes = codes.map(|found| found.code.as_str()).collect();
    let invariants = compilation.report.invariants;
    (invariants.first().map(|one| one.verdict), codes)
}

#[test]
fn too_many_combinations_are_undecided() {
    let all: Vec<String> = (0..20).map(|at| format!("m{at}.A")).collect();
    let (verdict, codes) = self::verdict(
        20,
        &format!("never ({} and denies other_tools)", all.join(" and ")),
    );
    assert_eq!((verdict, codes), (Some(Verdict::Unknown), vec!["PM0605"]));
}

#[test]
fn an_invariant_over_many_machines_is_broken_by_a_run_of_all_of_them() {
    let all: Vec<String> = (0..12).map(|at| format!("m{at}.A")).collect();
    let (verdict, codes) = self::verdict(12, &format!("never ({})", all.join(" and ")));
    assert_eq!((verdict, codes), (Some(Verdict::Broken), vec!["PM0601"]));
}

#[test]
fn machines_that_an_invariant_does_not_mention_do_not_matter() {
    let (verdict, codes) = self::verdict(20, "never (m0.A and m0.none)");
    assert_eq!((verdict, codes), (Some(Verdict::Proved), vec![]));
}

#[test]
fn a_hundred_machines_are_too_many() {
    let (verdict, codes) = self::verdict(100, "never (m0.A and m1.A)");
    assert_eq!((verdict, codes), (None, vec!["PM0101"]));
}

/// Makes a machine with many plans, each with 64 timers.
struct Ticking;

impl Loader for Ticking {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let timers: Vec<String> = (1..=64).map(|at| format!("{at}s: A")).collect();
        let text = format!(
            "machine: Ticking\ninstances: many\nmax_live: 10000\ncommands: {{ go: /go, stop: {{ text: /stop, each: true }} }}\n\
             states:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on: {{ stop: Z }}\n    after: {{ {} }}\n  Z: {{ final: true }}\n",
            timers.join(", ")
        );
        Ok(LoadedText {
            name: path.to_owned(),
            text,
        })
    }
}

#[test]
fn timers_count_as_work_of_the_scenarios_of_a_session() {
    for (plans, is_refused) in [(2, false), (300, true)] {
        let steps = "    - { do: /go }\n".repeat(plans);
        let text = format!(
            "session: Ticks\nmachines: {{ ticking: ticking.yaml }}\nscenarios:\n  s:\n{steps}    - {{ wait: 1d }}\n"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("ticks.yaml", text);
        let compilation = compile_session(&mut sources, file, &mut Ticking);
        let mut messages = compilation.diagnostics.iter().map(|found| &found.message);
        let refused = messages.any(|message| {
            message.contains("the scenarios of this session take more than 1000000 steps")
        });
        assert_eq!(refused, is_refused, "{:?}", compilation.diagnostics);
    }
}
