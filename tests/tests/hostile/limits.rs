//! Specs that declare more than the limits allow.

use std::fmt::Write as _;

use plan_machine_compiler::compile_scopes;
use plan_machine_compiler::source::SourceMap;
use plan_machine_tests::compiled;

use crate::kit::{ended, lines};

#[test]
fn nine_hundred_commands_are_distinguished() {
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
fn a_long_chain_of_types_is_bounded() {
    let mut text = String::from("machine: M\nstates: { none: {} }\ntypes:\n");
    for level in 0..50_000 {
        let _ = writeln!(text, "  T{level}: {{ fields: {{ f: T{} }} }}", level + 1);
    }
    let compiled = compiled("types.yaml", &text);
    assert!(compiled.compilation.machine.is_none());
}

const HEAD: &str = "machine: M\ncommands: { go: /go, stop: /stop }\n";

/// Returns a spec that contains these declarations.
fn around(more: &str) -> String {
    format!("{HEAD}{more}{}", ended(""))
}

fn fields(count: usize) -> String {
    lines(count, |at| format!("f{at}: int?, "))
}

/// The excess, as named in an error such as `1001 states exceed the limit of …`, and the spec.
type TooMuch = (&'static str, String);

/// Checks that each of these specs is rejected with one error, which names what exceeds the limit.
fn are_refused(specs: impl IntoIterator<Item = TooMuch>) {
    for (what, text) in specs {
        let compiled = compiled("large.yaml", &text);
        let rendered = compiled.rendered();
        assert_eq!(compiled.codes(), vec!["PM0101"], "{what}: {rendered}");
        let said = format!("{what} exceed the limit of");
        assert!(rendered.contains(&said), "{what}: {rendered}");
        assert!(compiled.compilation.machine.is_none(), "{what}");
    }
}

#[test]
fn a_spec_that_declares_too_much_is_rejected_at_that_position() {
    let signals = lines(1_000, |at| format!("  s{at}: {{}}\n"));
    let effects = lines(1_001, |at| format!("  e{at}: {{ doc: x }}\n"));
    let values = lines(10_001, |at| format!("v{at}, "));
    are_refused([
        (
            "commands, signals and tools",
            around(&format!("signals:\n{signals}")),
        ),
        ("effects", around(&format!("effects:\n{effects}"))),
        (
            "enum values",
            around(&format!("types: {{ T: {{ enum: [{values}] }} }}\n")),
        ),
    ]);
}

#[test]
fn too_many_fields_are_rejected_at_their_position() {
    let inputs = lines(51, |at| {
        format!("  s{at}: {{ input: {{ {} }} }}\n", fields(100))
    });
    let arguments = lines(60, |at| format!("{{a{at}}} "));
    let commands = lines(100, |at| format!("  c{at}: \"/c{at} {arguments}\"\n"));
    let commands = around("").replace(
        "commands: { go: /go, stop: /stop }\n",
        &format!("commands:\n  go: /go\n  stop: /stop\n{commands}"),
    );
    are_refused([
        ("fields of events, effects and the context", commands),
        (
            "data fields",
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
            around(&format!("signals:\n{inputs}")),
        ),
    ]);
}

#[test]
fn too_many_states_and_transitions_are_rejected_at_their_position() {
    let states = ended(&lines(1_001, |at| format!("  S{at}: {{}}\n")));
    let signals = lines(11, |at| format!("  s{at}: {{}}\n"));
    let handlers = lines(11, |event| format!("s{event}: S0, "));
    let handled = lines(910, |at| format!("  S{at}: {{ on: {{ {handlers} }} }}\n"));
    let alternatives = lines(501, |at| {
        format!("        - {{ when: x == {at}, to: A }}\n")
    });
    let data = "data: { x: { type: int, default: 0 } }\n";
    are_refused([
        ("states", format!("{HEAD}{states}")),
        (
            "transitions",
            format!("machine: M\nsignals:\n{signals}states:\n{handled}"),
        ),
        (
            "alternatives",
            format!("{HEAD}{data}states:\n  none:\n    on:\n      go:\n{alternatives}"),
        ),
    ]);
}

#[test]
fn a_transition_that_needs_or_emits_too_much_is_refused() {
    let transition =
        |what: &str| format!("states:\n  none: {{ on: {{ go: {{ to: A, {what} }} }} }}\n");
    let requirements = "{ that: true, else: no }, ".repeat(201);
    let emits = "{ e: {} }, ".repeat(201);
    let effect = "effects: { e: { doc: x } }\n";
    are_refused([
        (
            "requirements",
            format!(
                "{HEAD}{}",
                transition(&format!("require: [{requirements}]"))
            ),
        ),
        (
            "effects",
            format!("{HEAD}{effect}{}", transition(&format!("emit: [{emits}]"))),
        ),
    ]);
}

#[test]
fn a_timer_with_too_much_is_refused() {
    let timer = |handler: &str| {
        let states =
            format!("none: {{ on: {{ go: A }} }}\n  A:\n    after:\n      1h: {handler}\n");
        format!("{HEAD}effects: {{ e: {{ doc: x }} }}\nstates:\n  {states}")
    };
    let alternatives = "{ emit: { e: {} } }, ".repeat(501);
    let requirements = "{ that: true, else: no }, ".repeat(201);
    let emits = "{ e: {} }, ".repeat(201);
    are_refused([
        ("alternatives", timer(&format!("[{alternatives}]"))),
        (
            "requirements",
            timer(&format!("{{ to: A, require: [{requirements}] }}")),
        ),
        ("effects", timer(&format!("{{ to: A, emit: [{emits}] }}"))),
    ]);
}

#[test]
fn too_many_invariants_and_scenarios_are_rejected_at_their_position() {
    let invariants = lines(1_001, |at| format!("  i{at}: never A\n"));
    let scenarios = lines(1_001, |at| format!("  s{at}: [{{ do: /go }}]\n"));
    let steps = "    - { do: /go }\n".repeat(10_001);
    are_refused([
        (
            "invariants",
            format!("{}invariants:\n{invariants}", around("")),
        ),
        (
            "scenarios",
            format!("{}scenarios:\n{scenarios}", around("")),
        ),
        (
            "scenario steps",
            format!("{}scenarios:\n  s:\n{steps}", around("")),
        ),
    ]);
}

#[test]
fn a_scopes_document_that_declares_too_much_is_rejected_at_that_position() {
    let level = |at: usize| format!("  l{at}: {{ key: \"l{at}:{{chat}}\" }}\n");
    let run = |at: usize| format!("  RUN{at}: {{ reads: [l0] }}\n");
    let never = |at: usize| format!("  i{at}: RUN0 never reads l1\n");
    let parts = |count| lines(count, |at| format!("p{at}: string, "));
    let document = |[identity, levels, runs, invariants]: [usize; 4]| {
        format!(
            "scopes: Memory\nidentity: {{ chat: string, {} }}\nlevels:\n{}runs:\n{}invariants:\n{}",
            parts(identity),
            lines(levels, level),
            lines(runs, run),
            lines(invariants, never)
        )
    };
    for (what, counts, fine) in [
        ("parts of the identity", [200, 2, 1, 1], [199, 2, 1, 1]),
        ("levels", [0, 1_001, 1, 1], [0, 1_000, 1, 1]),
        ("runs", [0, 2, 1_001, 1], [0, 2, 1_000, 1]),
        ("invariants", [0, 2, 1, 1_001], [0, 2, 1, 1_000]),
    ] {
        let of = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("memory.yaml", text);
            compile_scopes(&sources, file).diagnostics
        };
        let found = of(&document(counts));
        assert_eq!(found.len(), 1, "{what}");
        let said = format!("{what} exceed the limit of");
        assert!(found[0].message.contains(&said), "{}", found[0].message);
        assert_eq!(of(&document(fine)).len(), 0, "{what}");
    }
}
