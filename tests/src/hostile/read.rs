//! Documents that are expensive to parse.

use super::{Around, Family, lines, row};

pub(super) const FAMILIES: [(&str, Family); 15] = [
    ("brackets", |bytes| "[".repeat(bytes)),
    ("braces", |bytes| "{a: ".repeat(bytes / 4)),
    ("nested_blocks", nested_blocks),
    ("alias_bomb", alias_bomb),
    ("aliases", aliases),
    ("aliased_handlers", aliased_handlers),
    ("duplicate_keys", |bytes| {
        format!(
            "machine: M\ndata:\n{}states: {{ none: {{}} }}\n",
            lines(bytes, usize::MAX, |_| "  k: int\n".to_owned())
        )
    }),
    ("unknown_keys", |bytes| {
        format!(
            "machine: M\n{}",
            lines(bytes, usize::MAX, |at| format!("statex{at}: {{}}\n"))
        )
    }),
    ("long_scalar", |bytes| {
        format!(
            "machine: M\ndoc: {}\nstates: {{ none: {{}} }}\n",
            "x ".repeat(bytes / 2)
        )
    }),
    ("escapes", |bytes| {
        format!(
            "machine: M\ndoc: \"{}\"\nstates: {{ none: {{}} }}\n",
            "\\u0041".repeat(bytes / 6)
        )
    }),
    ("comments", |bytes| {
        format!(
            "{}machine: M\nstates: {{ none: {{}} }}\n",
            "# nothing\n".repeat(bytes / 10)
        )
    }),
    ("one_line", |bytes| {
        let events = row(bytes, usize::MAX, ", ", |at| format!("e{at}: X"));
        format!("machine: M\nstates: {{ none: {{ on: {{ {events} }} }} }}\n")
    }),
    ("long_names", long_names),
    ("long_literals", long_literals),
    ("blank_lines", |bytes| {
        format!(
            "machine: M\ndoc: |\n{}  end\nstates: {{ none: {{}} }}\n",
            "\n".repeat(bytes)
        )
    }),
];

pub(super) const IN_JSON: [(&str, Family); 3] = [
    ("json_states", |bytes| {
        let states = row(bytes, 998, ",", |at| {
            format!("\"S{at}\":{{\"doc\":\"{}\"}}", "d".repeat(bytes / 1_100))
        });
        format!("{{\"machine\":\"M\",\"states\":{{\"none\":{{}},{states}}}}}")
    }),
    ("json_brackets", |bytes| {
        format!("{{\"machine\":{}", "[".repeat(bytes))
    }),
    ("json_members", |bytes| {
        let members = row(bytes, usize::MAX, ",", |at| format!("\"k{at}\":{at}"));
        format!("{{{members}}}")
    }),
];

pub(super) const INLINE: [(&str, Family); 6] = [
    ("inline_braces", |bytes| {
        format!("machine M; {}", "state a { ".repeat(bytes / 10))
    }),
    ("inline_parentheses", |bytes| {
        format!(
            "machine M; invariant i: never {}",
            "(".repeat(bytes / 2) + &")".repeat(bytes / 2)
        )
    }),
    ("inline_statements", |bytes| {
        format!(
            "machine M; {}",
            lines(bytes, usize::MAX, |at| format!("statex s{at};\n"))
        )
    }),
    ("inline_states", |bytes| {
        let docs = "/// A line.\n".repeat(bytes / 14_000);
        let states = lines(bytes, 990, |at| {
            format!("{docs}state S{at} {{ on go => S{}; }}\n", (at + 1) % 990)
        });
        format!("machine M; command go = \"/go\"; state none {{ on go => S0; }}\n{states}")
    }),
    ("inline_text", |bytes| {
        format!(
            "machine M; command go = \"/go\"; state none {{ on go {{ reply \"{}\"; }} }}",
            "{1}".repeat(bytes / 3)
        )
    }),
    ("inline_invariants", |bytes| {
        let invariants = lines(bytes, 1_000, |at| {
            let words = "A or ".repeat(bytes.min(1_000_000) / 5_500);
            format!("invariant i{at}: never ({words}A);\n")
        });
        format!(
            "machine M; command go = \"/go\"; command stop = \"/stop\"; state none {{ on go => A; }} \
             state A {{ on stop => Z next none; }} final state Z;\n{invariants}"
        )
    }),
];

fn nested_blocks(bytes: usize) -> String {
    let mut text = String::new();
    for depth in 0.. {
        if text.len() + depth + 3 > bytes {
            return text;
        }
        text.extend(std::iter::repeat_n(' ', depth));
        text.push_str("k:\n");
    }
    text
}

fn alias_bomb(bytes: usize) -> String {
    let bomb = lines(2_000, 20, |level| {
        if level == 0 {
            "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned()
        } else {
            let before = row(usize::MAX, 9, ", ", |_| format!("*a{}", level - 1));
            format!("a{level}: &a{level} [{before}]\n")
        }
    });
    format!("{}machine: Bomb\n{bomb}", "# x\n".repeat(bytes / 4))
}

/// Repeats one list of a thousand items as often as the limit on nodes allows.
fn aliases(bytes: usize) -> String {
    let items = row(bytes / 2, 1_000, ", ", |at| format!("v{at}"));
    let uses = lines(bytes / 2, 380, |at| {
        format!("  f{at}: {{ type: json, default: *list }}\n")
    });
    format!(
        "machine: M\ndata:\n  first: {{ type: json, default: &list [{items}] }}\n{uses}states: {{ none: {{}} }}\n"
    )
}

/// Repeats one handler with many alternatives in every state.
fn aliased_handlers(bytes: usize) -> String {
    let mut around = Around::new();
    around.declared = "data: { n: { type: int, default: 0 } }\nsignals: { tick: {} }\n".into();
    let alternatives = row(bytes / 2, 90, ", ", |at| {
        format!("{{ when: n == {at}, to: A }}")
    });
    around.handlers = format!("      tick: &all [{alternatives}]\n");
    around.commands = lines(bytes, 100, |at| format!("  to{at}: /to {at}\n"));
    around.handlers += &lines(bytes, 100, |at| format!("      to{at}: S{at}\n"));
    around.states = lines(bytes / 2, 100, |at| {
        format!("  S{at}: {{ on: {{ tick: *all, stop: {{ to: Z, next: none }} }} }}\n")
    });
    around.text()
}

/// Returns names that are very similar and very long.
fn long_names(bytes: usize) -> String {
    let name = "n".repeat(bytes / 40);
    let mut around = Around::new();
    around.declared = format!(
        "data:\n{}",
        lines(bytes / 2, 20, |at| format!("  {name}{at}: int?\n"))
    );
    around.handlers = lines(bytes / 2, 20, |at| format!("      {name}x{at}: A\n"));
    around.text()
}

/// Returns a string with very many placeholders.
fn long_literals(bytes: usize) -> String {
    let mut around = Around::new();
    around.declared =
        "data: { t: { type: string, default: x } }\ntools: { grow: { doc: Grow. } }\n".into();
    around.handlers = format!("      grow: {{ reply: \"{}\" }}\n", "{t}".repeat(bytes / 3));
    around.text()
}
