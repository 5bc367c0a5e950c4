//! Files that nobody writes by accident: each gets a located error or the right result, quickly.

use std::fmt::Write as _;

use plan_machine::Id;
use plan_machine::machine::{Call, Env, Machine, Outcome, PlanView, Stored, What};
use plan_machine_compiler::diagnostic::MOST_OF_A_KIND;
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_tests::{Compiled, compiled, specs};

plan_machine::machine!("corpus/hostile/growing.yaml");

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
fn nine_hundred_commands_are_told_apart() {
    let mut text = String::from("machine: M\ncommands:\n");
    for command in 0..900 {
        let _ = writeln!(text, "  c{command}: /c{command} now");
    }
    text.push_str("states: { none: {} }\n");
    let compiled = compiled("commands.yaml", &text);
    assert!(!compiled.codes().contains(&"PM0304"));
    assert!(!compiled.codes().contains(&"PM0101"));
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

/// Lines made by a number each.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// How many of a code are shown, and how many were found.
fn shown_and_found(compiled: &Compiled, code: &str) -> (usize, usize) {
    let all = compiled.compilation.diagnostics.iter();
    let of_code = all.filter(|found| found.code.as_str() == code);
    of_code.fold((0, 0), |(shown, found), one| {
        (shown + 1, found + 1 + one.left_out)
    })
}

/// Around these texts for states, a spec that begins and ends.
fn ended(states: &str) -> String {
    format!(
        "states:\n  none: {{ on: {{ go: A }} }}\n  A: {{ on: {{ stop: {{ to: Z, next: none }} }} }}\n{states}  Z: {{ final: true }}\n"
    )
}

#[test]
fn of_a_thousand_problems_of_a_kind_a_hundred_are_shown_and_the_rest_is_counted() {
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
#[expect(clippy::too_many_lines, reason = "one line for each limit")]
fn a_spec_that_declares_too_much_is_refused_where_it_does() {
    let head = "machine: M\ncommands: { go: /go, stop: /stop }\n";
    let around = |more: &str| format!("{head}{more}{}", ended(""));
    let alternatives = lines(501, |at| {
        format!("        - {{ when: x == {at}, to: A }}\n")
    });
    let fields = |count| lines(count, |at| format!("f{at}: int?, "));
    for (what, text) in [
        (
            "states",
            format!(
                "{head}{}",
                ended(&lines(1_001, |at| format!("  S{at}: {{}}\n")))
            ),
        ),
        (
            "commands, signals and tools",
            around(&format!(
                "signals:\n{}",
                lines(1_000, |at| format!("  s{at}: {{}}\n"))
            )),
        ),
        (
            "effects",
            around(&format!(
                "effects:\n{}",
                lines(1_001, |at| format!("  e{at}: {{ doc: x }}\n"))
            )),
        ),
        (
            "fields of the data",
            around(&format!("data: {{ {} }}\n", fields(1_001))),
        ),
        (
            "fields",
            around(&format!(
                "signals: {{ s: {{ input: {{ {} }} }} }}\n",
                fields(201)
            )),
        ),
        (
            "fields of events, effects and the context",
            around(&format!(
                "signals:\n{}",
                lines(51, |at| format!(
                    "  s{at}: {{ input: {{ {} }} }}\n",
                    fields(100)
                ))
            )),
        ),
        (
            "values of enums",
            around(&format!(
                "types: {{ T: {{ enum: [{}] }} }}\n",
                lines(10_001, |at| format!("v{at}, "))
            )),
        ),
        (
            "alternatives",
            format!(
                "{head}data: {{ x: {{ type: int, default: 0 }} }}\nstates:\n  none:\n    on:\n      go:\n{alternatives}"
            ),
        ),
        (
            "transitions",
            format!(
                "machine: M\nsignals:\n{}states:\n{}",
                lines(11, |at| format!("  s{at}: {{}}\n")),
                lines(910, |at| format!(
                    "  S{at}: {{ on: {{ {} }} }}\n",
                    lines(11, |event| format!("s{event}: S0, "))
                ))
            ),
        ),
        (
            "requirements",
            format!(
                "{head}states:\n  none: {{ on: {{ go: {{ to: A, require: [{}] }} }} }}\n",
                "{ that: true, else: no }, ".repeat(201)
            ),
        ),
        (
            "effects",
            format!(
                "{head}effects: {{ e: {{ doc: x }} }}\nstates:\n  none: {{ on: {{ go: {{ to: A, emit: [{}] }} }} }}\n",
                "{ e: {} }, ".repeat(201)
            ),
        ),
        (
            "invariants",
            format!(
                "{}invariants:\n{}",
                around(""),
                lines(1_001, |at| format!("  i{at}: never A\n"))
            ),
        ),
        (
            "scenarios",
            format!(
                "{}scenarios:\n{}",
                around(""),
                lines(1_001, |at| format!("  s{at}: [{{ do: /go }}]\n"))
            ),
        ),
        (
            "steps of scenarios",
            format!(
                "{}scenarios:\n  s:\n{}",
                around(""),
                "    - { do: /go }\n".repeat(10_001)
            ),
        ),
    ] {
        let compiled = compiled("large.yaml", &text);
        assert_eq!(
            compiled.codes(),
            vec!["PM0101"],
            "{what}: {}",
            compiled.rendered()
        );
        assert!(
            compiled
                .rendered()
                .contains(&format!("{what} are more than the")),
            "{what}: {}",
            compiled.rendered()
        );
        assert!(compiled.compilation.machine.is_none(), "{what}");
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
    assert!(compiled.rendered().contains("take more than 1000000 steps"));
}

#[test]
fn what_is_too_much_to_prove_is_not_proved() {
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

#[test]
fn the_interpreter_refuses_what_grows_beyond_bounds() {
    let text = include_str!("../corpus/hostile/growing.yaml");
    let compiled = compiled("growing.yaml", text);
    assert_eq!(
        compiled.codes(),
        Vec::<&str>::new(),
        "{}",
        compiled.rendered()
    );
    let report = compiled.compilation.report.expect("it is looked at");
    assert!(report.scenarios.len() == 2 && report.scenarios.iter().all(|one| one.passed));
}

/// What `add` gives where the list has so many words.
fn add_to<M: Machine>(machine: &M, words: usize) -> Outcome {
    let mut data = Object::new();
    data.push("text", "x");
    data.push("sections", "");
    data.push("words", vec![Json::from("word"); words]);
    let plan = PlanView {
        id: Id::from("plan-1"),
        previous: None,
        state: "OPEN".into(),
        revision: 1,
        edition: 0,
        token: String::new(),
        data,
    };
    let stored = Stored {
        plans: vec![plan],
        slot: Some(0),
        editions: None,
    };
    let mut held = machine.restore(&stored).expect("older plans may be larger");
    let context = Object::new();
    let mut env = Env {
        now: Instant::at_second(0),
        new_id: Id::from("plan-2"),
        context: &context,
        host_tools: None,
    };
    machine
        .step(&mut held, &Call::new(What::Event("add".into())), &mut env)
        .expect("a known event")
}

#[test]
fn a_list_grows_to_a_hundred_thousand_items_interpreted_and_compiled() {
    let text = include_str!("../corpus/hostile/growing.yaml");
    let interpreted =
        plan_machine::interpret::Interpreted::read("growing.yaml", text).expect("a clean spec");
    for count in [99_999, 100_000, 100_001] {
        let outcomes = [
            add_to(&growing::Machine, count),
            add_to(&interpreted, count),
        ];
        for outcome in outcomes {
            match outcome {
                Outcome::Accepted(_) => assert!(count < 100_000, "{count}"),
                Outcome::Denied(denial) => {
                    assert!(count >= 100_000, "{count}");
                    assert_eq!(denial.kind, DenialKind::LimitReached);
                    let said = format!("`words` has {} items, and 100000 are allowed", count + 1);
                    assert_eq!(denial.messages, [said]);
                }
                Outcome::Run { .. } => panic!("`add` is the machine's own"),
            }
        }
    }
}
