//! Specs that are expensive to parse.

use std::fmt::Write as _;

use plan_machine_tests::compiled;

use crate::kit::{example, is_told, lines};

#[test]
fn an_alias_bomb_is_rejected_at_its_position() {
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
        compiled.rendered().contains("aliases are expanded"),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn a_long_text_with_many_aliases_is_rejected_before_it_is_copied() {
    let long = "text ".repeat(20_000);
    let mut text = format!("machine: Copies\ndoc: &t \"{long}\"\nstates:\n  none: {{}}\n");
    for number in 0..1000 {
        let _ = writeln!(text, "  S{number}: {{ prompt: *t }}");
    }
    let compiled = compiled("copies.yaml", &text);
    assert_eq!(compiled.codes(), vec!["PM0101"]);
    assert!(compiled.rendered().contains("aliases are expanded"));
}

#[test]
fn long_expressions_with_many_aliases_are_rejected_before_all_are_parsed() {
    let condition = format!("{}true", "true or ".repeat(499));
    let requirements = format!("{{ that: {condition}, else: no }}, ").repeat(200);
    let mut text = format!(
        "machine: Repeated\ncommands: {{ go: /go, stop: /stop }}\ntools:\n{}states:\n  none: {{ on: {{ go: A }} }}\n  \
         A:\n    on:\n      stop: {{ to: Z, next: none }}\n      t0: {{ require: &r [{requirements}], reply: 'ok' }}\n",
        lines(9, |at| format!("  t{at}: {{ doc: Ask. }}\n"))
    );
    text += &lines(8, |at| {
        format!("      t{}: {{ require: *r, reply: 'ok' }}\n", at + 1)
    });
    text += "  Z: { final: true }\n";
    let compiled = compiled("repeated.yaml", &text);
    assert!(compiled.codes().contains(&"PM0101"));
    let message = "the expressions of the document have more than 1000000 tokens";
    let found = compiled.compilation.diagnostics.iter();
    let found = found.filter(|found| found.message.contains(message));
    assert_eq!(found.count(), 1);
}

#[test]
fn ten_megabytes_of_brackets_are_refused_for_their_size() {
    let compiled = compiled("brackets.yaml", &"[".repeat(10 << 20));
    is_told(&compiled, "PM0101", 1);
    let said = "the file is larger than 4 MiB";
    assert!(
        compiled.compilation.diagnostics[0].message.contains(said),
        "{}",
        compiled.compilation.diagnostics[0].message
    );
}

#[test]
fn a_megabyte_of_brackets_is_refused_for_its_depth() {
    let compiled = compiled("brackets.yaml", &"[".repeat(1 << 20));
    assert_eq!(compiled.codes(), vec!["PM0101"]);
    assert!(
        compiled.rendered().contains("more than 64 levels deep"),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn ten_thousand_nested_maps_are_refused_for_their_depth() {
    let mut text = String::new();
    for depth in 0..10_000_usize {
        // Lines are indented by at most 300 spaces: the error occurs long before that depth.
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
fn a_byte_order_mark_is_not_part_of_the_text() {
    let compiled = compiled("bom.yaml", &format!("\u{feff}{}", example()));
    assert_eq!(
        compiled.codes(),
        Vec::<&str>::new(),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn windows_line_endings_change_nothing() {
    let compiled = compiled("crlf.yaml", &example().replace('\n', "\r\n"));
    assert_eq!(
        compiled.codes(),
        Vec::<&str>::new(),
        "{}",
        compiled.rendered()
    );
}

#[test]
fn errors_after_windows_line_endings_keep_their_position() {
    let text = "machine: M\r\nstates:\r\n  none: { on: { go: A } }\r\n  A: { final: true }\r\n";
    is_told(&compiled("crlf.yaml", text), "PM0102", 3);
}

#[test]
fn a_tab_in_the_indentation_is_reported_with_help() {
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
fn an_empty_file_is_reported_with_the_start_of_a_spec() {
    for text in ["", "\n\n", "# a comment\n", "\u{feff}"] {
        let compiled = compiled("empty.yaml", text);
        assert_eq!(compiled.codes(), vec!["PM0101"], "{text:?}");
    }
}

#[test]
fn a_document_that_is_not_a_map_is_reported() {
    for text in ["just a text", "- a\n- list\n", "42", "null", "\"quoted\""] {
        let compiled = compiled("odd.yaml", text);
        assert!(!compiled.codes().is_empty(), "{text:?}");
        assert!(compiled.compilation.machine.is_none(), "{text:?}");
    }
}
