//! Documents with as many declarations as allowed.

use super::{Around, Family, lines, row};

pub(super) const FAMILIES: [(&str, Family); 15] = [
    ("commands_alike", |bytes| {
        commands(bytes, |at| format!("/go {{a{at}...}}"))
    }),
    ("commands_apart", |bytes| commands(bytes, far_apart)),
    ("commands_of_arguments", |bytes| {
        commands(bytes, |at| {
            let words = row(900, 62, " ", |word| {
                if (at >> (word % 10)) & 1 == 0 {
                    format!("w{}", word % 3)
                } else {
                    format!("{{a{word}?}}")
                }
            });
            format!("/go {words}")
        })
    }),
    ("fields", |bytes| {
        let mut around = Around::new();
        let doc = "d".repeat(bytes / 1_100);
        around.declared = format!(
            "data:\n{}",
            lines(bytes, 1_000, |at| {
                format!("  f{at}: {{ type: string?, doc: {doc} }}\n")
            })
        );
        around.text()
    }),
    ("inputs", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "tools:\n{}",
            lines(bytes, 25, |at| {
                let fields = row(bytes, 199, ", ", |field| format!("f{field}: string?"));
                format!("  t{at}: {{ doc: x, input: {{ {fields} }} }}\n")
            })
        );
        around.handlers = lines(bytes, 25, |at| format!("      t{at}: {{}}\n"));
        around.text()
    }),
    ("enum_values", |bytes| {
        let mut around = Around::new();
        let values = row(bytes, 10_000, ", ", |at| {
            format!("v{}{at}", "x".repeat(bytes / 11_000))
        });
        around.declared = format!(
            "types: {{ T: {{ enum: [{values}] }} }}\ndata: {{ t: T?, u: T? }}\ntools: {{ pick: {{ doc: x, input: {{ t: T }} }} }}\n"
        );
        around.handlers =
            "      pick: { require: [{ that: event.t != t, else: no }], set: { t: event.t } }\n"
                .into();
        around.rest = "invariants: { i: never (t == u) }\n".into();
        around.text()
    }),
    ("types_in_a_chain", |bytes| {
        let mut around = Around::new();
        let types = lines(bytes, 499, |at| {
            let doc = "d".repeat(bytes / 600);
            format!(
                "  T{at}: {{ doc: {doc}, fields: {{ f: T{}?, g: int? }} }}\n",
                at + 1
            )
        });
        around.declared =
            format!("types:\n{types}  T499: {{ fields: {{ f: int? }} }}\ndata: {{ t: T0? }}\n");
        around.text()
    }),
    ("types_that_double", |bytes| {
        let mut around = Around::new();
        let types = lines(bytes, 60, |at| {
            format!("  T{at}: {{ fields: {{ f: T{0}, g: T{0} }} }}\n", at + 1)
        });
        around.declared = format!(
            "types:\n{types}  T60: {{ fields: {{ f: {{ type: int, default: 0 }} }} }}\ndata: {{ t: T0? }}\n"
        );
        around.text()
    }),
    ("defaults", |bytes| {
        let mut around = Around::new();
        let items = row(bytes / 900, 100_000, ", ", |at| format!("{at}"));
        around.declared = format!(
            "data:\n{}",
            lines(bytes, 800, |at| {
                format!("  f{at}: {{ type: json, default: [{items}] }}\n")
            })
        );
        around.text()
    }),
    ("one_default", |bytes| {
        let mut around = Around::new();
        let items = row(bytes, 380_000, ", ", |at| format!("{}", at % 10));
        around.declared = format!("data:\n  f: {{ type: json, default: [{items}] }}\n");
        around.text()
    }),
    ("effects", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "effects:\n{}",
            lines(bytes / 2, 900, |at| format!(
                "  e{at}: {{ doc: x, fields: {{ a: string, b: int }} }}\n"
            ))
        );
        let emits = row(bytes / 2, 200, ", ", |at| {
            format!(
                "{{ e{at}: {{ a: \"{}\", b: 1 }} }}",
                "t".repeat(bytes / 600)
            )
        });
        around.handlers = format!("      go: {{ emit: [{emits}] }}\n");
        around.text()
    }),
    ("unknown_fields", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "data:\n{}tools: {{ t: {{ doc: x }} }}\n",
            lines(bytes / 2, 1_000, |at| format!(
                "  field_number_{at}: int?\n"
            ))
        );
        let set = row(bytes / 2, 20_000, ", ", |at| {
            format!("feild_number_{at}: 1")
        });
        around.handlers = format!("      t: {{ set: {{ {set} }} }}\n");
        around.text()
    }),
    ("prompts", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "tools:\n{}",
            lines(bytes / 4, 900, |at| format!("  tool_{at}: {{ doc: x }}\n"))
        );
        around.states = lines(bytes / 2, 90, |at| {
            let words = row(bytes / 200, 10_000, " ", |word| {
                format!("`tool_{}`", word % 900)
            });
            format!("  S{at}:\n    prompt: Use {words}\n")
        });
        around.text()
    }),
    ("docs", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "tools:\n{}",
            lines(bytes, 990, |at| format!(
                "  tool_{at}: {{ doc: \"{}\" }}\n",
                "d ".repeat(bytes / 2_200)
            ))
        );
        around.handlers = lines(bytes, 990, |at| format!("      tool_{at}: {{}}\n"));
        around.text()
    }),
    ("review", |bytes| {
        let mut around = Around::new();
        let names = row(bytes / 2, 1_000, ", ", |at| format!("f{at}"));
        around.declared = format!(
            "review: [{names}]\nsummary: [{names}]\ndata:\n{}",
            lines(bytes / 2, 1_000, |at| format!("  f{at}: string?\n"))
        );
        around.commands = "  approve: { text: \"/approve {token?}\", reviewed: true }\n".into();
        around.handlers = "      approve: { to: Z, next: none }\n".into();
        around.text()
    }),
];

/// Returns a machine with as many commands as allowed, with these texts.
fn commands(bytes: usize, text: impl Fn(usize) -> String) -> String {
    let mut around = Around::new();
    around.commands = lines(bytes, 990, |at| format!("  c{at}: \"{}\"\n", text(at)));
    around.text()
}

/// Returns the text of a command with many words; the texts differ only in the last word.
fn far_apart(at: usize) -> String {
    let words = row(850, 60, " ", |word| format!("{{argument{word}}}"));
    format!("/go {words} end{at}")
}
