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
