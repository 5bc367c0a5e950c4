//! Specs with many problems: all problems are found, and a hundred of each kind are shown.

use plan_machine_compiler::diagnostic::MOST_OF_A_KIND;
use plan_machine_tests::compiled;

use crate::kit::{lines, shown_and_found};

#[test]
fn one_run_reports_every_problem() {
    let text = "\
machine: M
commands: { begin: /go, begin2: go }
tools: { note: { docs: x } }
states:
  none: { on: { begin: OPNE } }
  OPEN: { on: { not: DONE, note: DONE } }
  DONE: { final: true }
";
    let compiled = compiled("many.yaml", text);
    let codes = compiled.codes();
    assert_eq!(
        codes,
        ["PM0107", "PM0103", "PM0102", "PM0102"],
        "{}",
        compiled.rendered()
    );
    for help in [
        "did you mean `doc`",
        "did you mean `OPEN`",
        "did you mean `note`",
    ] {
        assert!(
            compiled.rendered().contains(help),
            "{help}\n{}",
            compiled.rendered()
        );
    }
}

#[test]
fn a_misspelled_name_hides_no_problem_of_another_kind() {
    let text = "\
machine: Incident
data: { fix: string?, cause: string }
commands: { begin: \"/incident {cause}\", approve: /approve, stop: /stop }
tools:
  propose: { doc: Propose a fix., input: { fix: string } }
  finish: { doc: Say that it is done. }
states:
  none: { on: { begin: DIAGNOSING } }
  open:
    on: { stop: { to: STOPPED, next: none } }
    states:
      DIAGNOSING:
        prompt: Diagnose, then call `finish`.
        on: { propose: { to: FIXNG, set: { fix: event.fixx } } }
      FIXING: { on: { finish: { to: FIXED, next: none }, approve: FIXING } }
  STOPPED: { final: true }
  FIXED: { final: true }
invariants:
  odd: alway FIXED
scenarios:
  odd: [{ do: /incidnt x }]
";
    let compiled = compiled("incident.yaml", text);
    let codes = [
        "PM0405", "PM0404", "PM0503", "PM0102", "PM0307", "PM0107", "PM0102",
    ];
    assert_eq!(compiled.codes(), codes, "{}", compiled.rendered());
}

#[test]
fn a_mistake_in_one_invariant_or_scenario_does_not_prevent_the_check_of_the_others() {
    let text = "\
machine: M
commands: { go: /go, stop: /stop }
states:
  none: { on: { go: A } }
  A: { on: { stop: { to: Z, next: none } } }
  Z: { final: true }
invariants:
  odd: never B
  fine: Z only by stop
  broken: never Z
scenarios:
  odd: [{ do: /goo }]
  fine: [{ do: /go }, { do: /stop, ended: Z }]
";
    let compiled = compiled("m.yaml", text);
    let report = compiled.compilation.report.as_ref().expect("a report");
    let verdicts: Vec<&str> = report
        .invariants
        .iter()
        .map(|known| known.verdict.as_str())
        .collect();
    assert_eq!(verdicts, ["proved", "broken"], "{}", compiled.rendered());
    assert_eq!(report.scenarios.len(), 1, "{}", compiled.rendered());
    assert!(!compiled.compilation.is_ok());
}

#[test]
fn a_hundred_problems_of_a_kind_are_shown_and_the_rest_are_counted() {
    let none = "states: { none: {} }\n";
    let commands = lines(800, |at| format!("  c{at}: \"/go {{a}}\"\n"));
    let keys = "  k: int\n".repeat(1_001);
    let targets = lines(300, |at| {
        format!("        - {{ when: true, to: STATX{at} }}\n")
    });
    let states = lines(900, |at| format!("  STATE{at}: {{}}\n"));
    let targets = format!("states:\n  none:\n    on:\n      go:\n{targets}{states}");
    for (text, code, count) in [
        (
            format!("machine: M\ncommands:\n{commands}{none}"),
            "PM0304",
            799,
        ),
        (format!("machine: M\ndata:\n{keys}{none}"), "PM0104", 1_000),
        (
            format!("machine: M\ncommands: {{ go: /go }}\n{targets}"),
            "PM0102",
            300,
        ),
    ] {
        let compiled = compiled("many.yaml", &text);
        assert_eq!(
            shown_and_found(&compiled, code),
            (MOST_OF_A_KIND, count),
            "{code}"
        );
        let last = compiled
            .compilation
            .diagnostics
            .iter()
            .rfind(|found| found.code.as_str() == code);
        let said = format!(
            "{} more problems of this kind are not shown",
            count - MOST_OF_A_KIND
        );
        assert_eq!(
            last.map(|found| &found.notes[..]),
            Some(&[said][..]),
            "{code}"
        );
    }
}

#[test]
fn a_problem_that_is_found_twice_counts_once() {
    let aliases = lines(500, |at| format!("  S{at}: {{ on: {{ stop: *t }} }}\n"));
    let text = format!(
        "machine: M\ncommands: {{ go: /go, stop: /stop }}\nstates:\n  none: {{ on: {{ go: &t {{ to: NOWHERE }} }} }}\n{aliases}"
    );
    assert_eq!(
        shown_and_found(&compiled("twice.yaml", &text), "PM0102"),
        (1, 1)
    );
}

#[test]
fn a_very_long_line_is_named_and_not_drawn() {
    let events = lines(3_000, |at| format!("e{at}: X, "));
    let compiled = compiled(
        "line.yaml",
        &format!("machine: M\nstates: {{ none: {{ on: {{ {events} }} }} }}\n"),
    );
    assert_eq!(shown_and_found(&compiled, "PM0102").1, 3_000);
    let rendered = compiled.rendered();
    assert!(rendered.contains("line.yaml:2:25"), "{rendered}");
    assert!(
        rendered.len() < 200 * MOST_OF_A_KIND,
        "{} bytes",
        rendered.len()
    );
}
