//! Files that nobody writes by accident: each gets a located error or the right result, quickly.

use std::fmt::Write as _;

use plan_machine_tests::{Compiled, compiled, specs};

fn example() -> String {
    let all = specs("valid");
    let found = all.into_iter().find(|spec| spec.name == "work_by_plan");
    found.expect("the example of the reference").text
}

/// Everything that was found has this code and stands on this line.
fn is_told(compiled: &Compiled, code: &str, line: usize) {
    assert_eq!(compiled.codes(), vec![code], "{}", compiled.rendered());
    let span = compiled.compilation.diagnostics[0].primary.span;
    let position = compiled.sources.file(span.file).position(span.start);
    assert_eq!(position.line, line, "{}", compiled.rendered());
}

#[test]
fn a_bomb_of_aliases_is_refused_where_it_goes_off() {
    let mut text = String::from("machine: Bomb\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        let _ = writeln!(
            text,
            "a{level}: &a{level} [{}]",
            before.trim_end_matches(", ")
        );
    }
    let compiled = compiled("bomb.yaml", &text);
    assert_eq!(compiled.codes(), vec!["PM0101"]);
    assert!(
        compiled.rendered().contains("aliases expanded"),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn ten_megabytes_of_brackets_are_refused_for_their_size() {
    is_told(
        &compiled("brackets.yaml", &"[".repeat(10 << 20)),
        "PM0101",
        1,
    );
}

#[test]
fn a_megabyte_of_brackets_is_refused_for_its_depth() {
    let compiled = compiled("brackets.yaml", &"[".repeat(1 << 20));
    assert_eq!(compiled.codes(), vec!["PM0101"]);
    assert!(
        compiled.rendered().contains("deeper than 64"),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn ten_thousand_nested_maps_are_refused_for_their_depth() {
    let mut text = String::new();
    for depth in 0..10_000_usize {
        // Deeper than 300 blanks nobody looks: the error comes long before.
        let _ = writeln!(text, "{}k:", " ".repeat(depth.min(300)));
    }
    let compiled = compiled("deep.yaml", &text);
    assert_eq!(compiled.codes(), vec!["PM0101"], "{}", compiled.rendered());
}

#[test]
fn ten_thousand_nested_flow_maps_are_refused_for_their_depth() {
    let compiled = compiled("deep.yaml", &"{a: ".repeat(10_000));
    assert_eq!(compiled.codes(), vec!["PM0101"], "{}", compiled.rendered());
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let compiled = compiled("bom.yaml", &format!("\u{feff}{}", example()));
    assert_eq!(
        compiled.codes(),
        Vec::<&str>::new(),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn line_ends_of_windows_change_nothing() {
    let compiled = compiled("crlf.yaml", &example().replace('\n', "\r\n"));
    assert_eq!(
        compiled.codes(),
        Vec::<&str>::new(),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn errors_behind_windows_line_ends_keep_their_place() {
    let text = "machine: M\r\nstates:\r\n  none: { on: { go: A } }\r\n  A: { final: true }\r\n";
    is_told(&compiled("crlf.yaml", text), "PM0102", 3);
}

#[test]
fn a_tab_in_the_indentation_is_told_with_help() {
    let text = "machine: M\nstates:\n\tnone: {}\n";
    let compiled = compiled("tab.yaml", text);
    is_told(&compiled, "PM0101", 3);
    assert!(
        compiled.rendered().contains("spaces"),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn nothing_at_all_is_told_what_a_spec_begins_with() {
    for text in ["", "\n\n", "# a comment\n", "\u{feff}"] {
        let compiled = compiled("empty.yaml", text);
        assert_eq!(compiled.codes(), vec!["PM0101"], "{text:?}");
    }
}

#[test]
fn a_document_that_is_no_map_is_told_so() {
    for text in ["just a text", "- a\n- list\n", "42", "null", "\"quoted\""] {
        let compiled = compiled("odd.yaml", text);
        assert!(!compiled.codes().is_empty(), "{text:?}");
        assert!(compiled.compilation.machine.is_none(), "{text:?}");
    }
}

#[test]
fn one_run_tells_every_problem() {
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
fn a_long_chain_of_types_is_bounded() {
    let mut text = String::from("machine: M\nstates: { none: {} }\ntypes:\n");
    for level in 0..50_000 {
        let _ = writeln!(text, "  T{level}: {{ fields: {{ f: T{} }} }}", level + 1);
    }
    let compiled = compiled("types.yaml", &text);
    assert!(compiled.compilation.machine.is_none());
}

/// A spec whose invariant cannot be decided, around one tool.
fn undecided(data: &str, change: &str, invariant: &str) -> String {
    format!(
        "machine: M\ndata: {{ {data} }}\ncommands: {{ go: /go, stop: /stop }}\n\
         tools: {{ grow: {{ doc: Grow. }} }}\nstates:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      \
         grow: {{ {change} }}\n      stop: {{ to: Z, next: none }}\n  Z: {{ final: true }}\n\
         invariants:\n  i: {invariant}\n"
    )
}

#[test]
fn data_that_grows_does_not_fill_the_memory() {
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
fn three_thousand_commands_are_told_apart() {
    let mut text = String::from("machine: M\ncommands:\n");
    for command in 0..3_000 {
        let _ = writeln!(text, "  c{command}: /c{command} now");
    }
    text.push_str("states: { none: {} }\n");
    let compiled = compiled("commands.yaml", &text);
    assert!(!compiled.codes().contains(&"PM0304"));
}

#[test]
fn a_misspelt_name_hides_no_problem_of_another_kind() {
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
fn a_mistake_in_one_invariant_or_scenario_leaves_the_others_judged() {
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
    let report = compiled
        .compilation
        .report
        .as_ref()
        .expect("it is looked at");
    let verdicts: Vec<&str> = report
        .invariants
        .iter()
        .map(|known| known.verdict.as_str())
        .collect();
    assert_eq!(verdicts, ["proved", "broken"], "{}", compiled.rendered());
    assert_eq!(report.scenarios.len(), 1, "{}", compiled.rendered());
    assert!(!compiled.compilation.is_ok());
}
