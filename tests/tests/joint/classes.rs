//! A proof about a class holds for every call that can have the class.

use plan_machine_compiler::Verdict;
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;

use super::made::Made;

const CALLS: &str = "
calls: Agent
classes: [reads, inner, writes]
rules:
  - { tool: Read, class: reads }
  - { tool: finish, class: inner }
otherwise: writes
";

/// Returns the verdict on an invariant of a session with one machine, which has one state besides `none`.
fn verdict(external_tools: &str, entries: &str, invariant: &str) -> Option<Verdict> {
    let machine = format!(
        "
machine: M
commands: {{ begin: /begin, end: /end }}
tools: {{ finish: {{ doc: End it. }} }}
external_tools: [{external_tools}]
states:
  none: {{ on: {{ begin: S }} }}
  S:
    other_tools: deny
    on: {{ {entries}, finish: {{ to: ENDED, next: none }}, end: {{ to: ENDED, next: none }} }}
  ENDED: {{ final: true }}
"
    );
    let document = format!(
        "session: Tried\nmachines: {{ m: m.yaml }}\ncalls: calls.yaml\ninvariants:\n  tried: {invariant}\n"
    );
    let mut files = Made::default();
    files.0.insert("m.yaml".to_owned(), machine);
    files.0.insert("calls.yaml".to_owned(), CALLS.to_owned());
    let mut sources = SourceMap::default();
    let file = sources.add("tried.yaml", document);
    let report = compile_session(&mut sources, file, &mut files).report;
    report.invariants.first().map(|tried| tried.verdict)
}

#[test]
fn a_class_is_open_if_one_of_its_tools_is() {
    let never = "never (m.S and runs writes)";
    assert_eq!(
        verdict("writes", "writes: deny", never),
        Some(Verdict::Proved)
    );
    // The stricter entry decides, so a tool cannot open its class.
    assert_eq!(
        verdict("writes, Bash", "writes: deny, Bash: run", never),
        Some(Verdict::Proved)
    );
    // A machine that does not name the class decides by the tool.
    assert_eq!(verdict("Bash", "Bash: run", never), Some(Verdict::Broken));
    assert_eq!(
        verdict("writes", "writes: run", never),
        Some(Verdict::Broken)
    );
}

#[test]
fn a_tool_without_a_name_represents_every_other_tool() {
    // For the tools without a name, the compiler tries `some_tool` first, which this machine denies.
    let entries = "some_tool: deny, writes: run";
    let never = "never (m.S and runs writes)";
    assert_eq!(
        verdict("some_tool, writes", entries, never),
        Some(Verdict::Broken)
    );
}

#[test]
fn a_tool_of_a_machine_has_no_class() {
    // Only `finish` could have the class `inner`, but it is a tool of the machine.
    let always = "always (m.S implies runs inner)";
    assert_eq!(
        verdict("inner", "inner: run", always),
        Some(Verdict::Broken)
    );
}

#[test]
fn all_calls_of_a_class_must_be_denied() {
    let always = "always (m.S implies denies reads)";
    assert_eq!(
        verdict("reads", "reads: deny", always),
        Some(Verdict::Proved)
    );
    assert_eq!(verdict("Read", "Read: run", always), Some(Verdict::Broken));
}

#[test]
fn a_step_within_a_situation_can_open_a_tool() {
    let machine = "
machine: M
data: { n: { type: int, default: 0 } }
commands: { begin: /begin, end: /end }
tools: { bump: { doc: Refill it. } }
states:
  none: { other_tools: deny, on: { begin: S } }
  S:
    other_tools: [{ when: n > 0, set: { n: n - 1 }, run: true }, deny]
    on: { bump: { set: { n: 2 } }, end: { to: ENDED, next: none } }
  ENDED: { final: true }
";
    let document = "session: Tried\nmachines: { m: m.yaml }\ninvariants:\n  tried: runs other_tools only by m.begin\n";
    let mut files = Made::default();
    files.0.insert("m.yaml".to_owned(), machine.to_owned());
    let mut sources = SourceMap::default();
    let file = sources.add("tried.yaml", document);
    let report = compile_session(&mut sources, file, &mut files).report;
    let verdict = report.invariants.first().map(|tried| tried.verdict);
    assert!(
        verdict.is_some_and(|verdict| verdict != Verdict::Proved),
        "{verdict:?}"
    );
}
