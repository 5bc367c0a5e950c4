//! Specs that take more work to judge than is done.

use plan_machine_tests::compiled;

use crate::kit::lines;

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
