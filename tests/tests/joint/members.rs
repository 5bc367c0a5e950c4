//! A session always has all the machines of its document.

use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{SessionCompilation, Verdict};

use super::made::Made;

/// Returns a session of two machines; `claims` are the invariants and scenarios of the second one.
fn compiled(claims: &str) -> SessionCompilation {
    let machine = |name: &str, more: &str| {
        format!(
            "
machine: {name}
commands: {{ begin: /{name} begin, end: /{name} end }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN: {{ on: {{ end: {{ to: ENDED, next: none }} }} }}
  ENDED: {{ final: true }}
{more}"
        )
    };
    let mut files = Made::default();
    let all = [
        ("a.yaml", machine("A", "")),
        ("b.yaml", machine("B", claims)),
    ];
    let all = all.map(|(name, text)| (name.to_owned(), text));
    files.0.extend(all);
    let document = "
session: Tried
machines: { a: a.yaml, b: b.yaml }
invariants: { b_opens: always (b.OPEN or b.none) }
scenarios: { a_begins: [{ do: a.begin, then: { a: OPEN, b: none } }] }
";
    let mut sources = SourceMap::default();
    let file = sources.add("tried.yaml", document);
    compile_session(&mut sources, file, &mut files)
}

#[test]
fn a_machine_that_fails_only_its_own_claims_stays_in_its_session() {
    let broken = "invariants: { never_opens: never OPEN }";
    let failing = "scenarios: { opens: [{ do: begin, then: none }] }";
    for (claims, code) in [(broken, "PM0601"), (failing, "PM0701")] {
        let compilation = compiled(claims);
        let found = compilation.diagnostics.iter();
        let found: Vec<&str> = found.map(|found| found.code.as_str()).collect();
        assert_eq!(found, [code]);
        assert!(!compilation.is_ok());
        let report = &compilation.report;
        assert_eq!(report.machines, 2);
        assert_eq!(report.invariants[0].verdict, Verdict::Proved);
        assert!(report.scenarios[0].passed);
        let session = compilation.session.expect("a session that can be run");
        assert_eq!(session.members.len(), 2);
    }
}

#[test]
fn a_session_with_a_machine_that_breaks_a_rule_is_not_used() {
    let compilation = compiled("invariants: { unread: never NOWHERE }");
    assert!(compilation.session.is_none());
}
