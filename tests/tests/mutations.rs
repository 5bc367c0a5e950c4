//! Damaged specs: however a spec is damaged, the compiler reports errors or accepts it, and every spec that it accepts
//! can be run.

use std::sync::OnceLock;

use plan_machine_compiler::semantics::{Call, CallKind, EventContext, Sandbox, call_of_line};
use plan_machine_tests::{compiled, specs, valid};
use proptest::prelude::*;

fn texts() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let all = valid().into_iter().chain(specs("invalid"));
        all.map(|spec| spec.text).collect()
    })
}

/// One change to a spec.
#[derive(Clone, Debug)]
enum Damage {
    /// Bytes are removed.
    Cut(usize, usize),
    /// A word is inserted.
    Insert(usize, &'static str),
    /// A part of the spec is repeated elsewhere.
    Copy(usize, usize, usize),
    /// A line is removed.
    DropLine(usize),
    /// Two words are swapped.
    Swap(usize, usize),
}

const WORDS: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "- ",
    "&a ",
    "*a",
    "\n",
    "  ",
    "\t",
    "\"",
    "'",
    "|",
    ">",
    "#",
    "?",
    "none",
    "final: true",
    "when: ",
    "not ",
    "is set",
    " ?? ",
    "event.",
    "data",
    "plans",
    "9999999999999999999",
    "\u{feff}",
    "\u{0}",
];

fn damage() -> impl Strategy<Value = Damage> {
    let place = || any::<usize>();
    prop_oneof![
        (place(), 1_usize..60).prop_map(|(at, length)| Damage::Cut(at, length)),
        (place(), 0..WORDS.len()).prop_map(|(at, word)| Damage::Insert(at, WORDS[word])),
        (place(), 1_usize..80, place())
            .prop_map(|(from, length, to)| Damage::Copy(from, length, to)),
        place().prop_map(Damage::DropLine),
        (place(), place()).prop_map(|(a, b)| Damage::Swap(a, b)),
    ]
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at % (text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn damaged(text: &str, damage: &Damage) -> String {
    match *damage {
        Damage::Cut(at, length) => {
            let start = boundary(text, at);
            let end = boundary(text, (start + length).min(text.len()));
            format!("{}{}", &text[..start], &text[end.max(start)..])
        }
        Damage::Insert(at, word) => {
            let at = boundary(text, at);
            format!("{}{word}{}", &text[..at], &text[at..])
        }
        Damage::Copy(from, length, to) => {
            let start = boundary(text, from);
            let end = boundary(text, (start + length).min(text.len())).max(start);
            let at = boundary(text, to);
            format!("{}{}{}", &text[..at], &text[start..end], &text[at..])
        }
        Damage::DropLine(line) => {
            let lines: Vec<&str> = text.lines().collect();
            let gone = line % lines.len().max(1);
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != gone);
            let kept: Vec<&str> = kept.map(|(_, line)| *line).collect();
            kept.join("\n")
        }
        Damage::Swap(a, b) => {
            let mut words: Vec<&str> = text.split_inclusive(' ').collect();
            let count = words.len();
            if count > 0 {
                words.swap(a % count, b % count);
            }
            words.concat()
        }
    }
}

/// Exercises everything that can be done with a spec, if it compiles.
fn exercise(text: &str) {
    let compiled = compiled("damaged.yaml", text);
    for diagnostic in &compiled.compilation.diagnostics {
        let span = diagnostic.primary.span;
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        assert!(
            span.start <= length && span.end <= length,
            "{}",
            compiled.rendered()
        );
    }
    let _ = compiled.rendered();
    let Some(machine) = &compiled.compilation.machine else {
        let found = &compiled.compilation.diagnostics;
        assert!(!found.is_empty(), "rejected without a reason:\n{text}");
        return;
    };
    let mut sandbox = Sandbox::new(machine);
    let around = EventContext::default();
    for _ in 0..3 {
        for event in machine.event_ids() {
            sandbox.step(&Call::new(CallKind::Event(event)), &around);
        }
        sandbox.step(&Call::new(CallKind::HostTool("shell".into())), &around);
        if let Ok(call) = call_of_line(machine, sandbox.held(), "/plan on") {
            sandbox.step(&call, &around);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn a_damaged_spec_is_answered(
        which in any::<prop::sample::Index>(),
        all in prop::collection::vec(damage(), 1..6),
    ) {
        let mut text = which.get(texts()).clone();
        for one in &all {
            text = damaged(&text, one);
        }
        exercise(&text);
    }

    #[test]
    fn a_text_of_any_characters_is_answered(text in "\\PC{0,200}") {
        exercise(&text);
    }

    #[test]
    fn an_expression_of_any_characters_is_answered(text in "[a-z0-9 .()\\[\\]\"?=<>+,{}-]{0,80}") {
        let spec = format!(
            "machine: M\ndata: {{ a: string?, n: int? }}\ncommands: {{ go: /go, end: /end }}\nstates:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      go:\n        when: |-\n          {text}\n        reply: |-\n          {text}\n      end: {{ to: B, next: none }}\n  B: {{ final: true }}\n"
        );
        exercise(&spec);
    }
}
