//! Documents whose conditions are hard to decide.

use std::fmt::Write as _;

use super::{Around, Family, bools, lines, row};

pub(super) const FAMILIES: [(&str, Family); 16] = [
    ("operators_distinct", |bytes| {
        invariants(bytes, &bools(300), |at, part| {
            let (a, b) = ((at * 7 + part) % 300, (at + part * 3) % 300);
            format!(
                "(b{a} {} not b{b})",
                if part % 2 == 0 { "and" } else { "or" }
            )
        })
    }),
    ("operators_xor", |bytes| {
        invariants(bytes, &bools(20), |_, part| {
            format!(
                "((b{0} and not b{1}) or (b{1} and not b{0}))",
                part % 20,
                (part + 1) % 20
            )
        })
    }),
    ("operators_numbers", |bytes| {
        invariants(bytes, &numbers(), |at, part| {
            format!("n{} + n{} > {}", part % 10, (at + part) % 10, at * part)
        })
    }),
    ("operators_nested", |bytes| {
        invariants(bytes, &bools(10), |_, part| {
            let depth = 60;
            format!(
                "{}b{}{}",
                "not (".repeat(depth),
                part % 10,
                ")".repeat(depth)
            )
        })
    }),
    ("operators_lists", |bytes| {
        let data = "types: { T: { fields: { a: bool, b: int } } }\ndata: { l: [T], m: [T] }\n\
                    tools: { add: { doc: x, input: { t: T } } }\n";
        let text = invariants(bytes, data, |at, part| {
            format!(
                "(any l where item.a and item.b > {}) and (every m where not item.a or item.b < {at})",
                part % 9
            )
        });
        text.replace(
            "      stop:",
            "      add: { append: { l: event.t } }\n      stop:",
        )
    }),
    ("reach", |bytes| liveness(bytes, "can always reach")),
    ("becomes", |bytes| {
        let mut around = switching(bytes / 4, 10);
        around.rest = format!(
            "invariants:\n{}",
            lines(bytes / 2, 1_000, |at| format!(
                "  i{at}: b{} changes only in A\n",
                at % 10
            ))
        );
        around.text()
    }),
    ("alternatives", |bytes| {
        alternatives(bytes, 19, |at| format!("n0 == {at}"))
    }),
    ("alternatives_alike", |bytes| {
        alternatives(bytes, 20, |at| {
            let words = row(60, 100, " and ", |part| format!("b{}", (at + part) % 20));
            format!("{words} and n0 > {at}")
        })
    }),
    ("alternatives_of_parities", |bytes| {
        alternatives(bytes, 4, |at| {
            row(160, 100, " or ", |part| {
                let (a, b) = ((at + part) % 12, (at * 5 + part * 7) % 12);
                format!("(b{a} and not b{b})")
            })
        })
    }),
    ("switches", |bytes| switching(bytes, 600).text()),
    ("requirements", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "{}signals:\n{}",
            bools(100),
            lines(bytes / 8, 40, |at| format!("  s{at}: {{}}\n"))
        );
        around.handlers = lines(bytes, 40, |at| {
            let all = row(bytes / 45, 200, ", ", |part| {
                format!(
                    "{{ that: b{} or b{}, else: \"needs {{b{}}}\" }}",
                    part % 100,
                    (part * at) % 100,
                    part % 100
                )
            });
            format!("      s{at}: {{ require: [{all}], set: {{ b{at}: true }} }}\n")
        });
        around.text()
    }),
    ("updates", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "types: {{ T: {{ fields: {{ a: bool, b: int, c: string }} }} }}\ndata: {{ l: [T] }}\nsignals:\n{}",
            lines(bytes / 8, 400, |at| format!("  s{at}: {{}}\n"))
        );
        around.handlers = lines(bytes, 400, |at| {
            let text = "{index}".repeat(bytes / 3_200);
            format!(
                "      s{at}: {{ update: {{ l: {{ where: item.a and item.b > {at}, set: {{ b: item.b + 1, c: \"{text}\" }} }} }} }}\n"
            )
        });
        around.text()
    }),
    ("counters", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "{}signals:\n{}",
            numbers(),
            lines(bytes / 4, 900, |at| format!("  s{at}: {{}}\n"))
        );
        around.handlers = lines(bytes, 900, |at| {
            format!(
                "      s{at}: {{ when: n{} < {at}, set: {{ n{}: n{} + {at} }} }}\n",
                at % 10,
                at % 10,
                (at + 1) % 10
            )
        });
        around.rest = format!(
            "invariants:\n{}",
            lines(bytes / 4, 500, |at| format!(
                "  i{at}: never (n{} > {at} and n{} < {at})\n",
                at % 10,
                (at + 1) % 10
            ))
        );
        around.text()
    }),
    ("sums", |bytes| {
        let mut around = Around::new();
        around.declared = format!("{}tools: {{ t: {{ doc: x }} }}\n", numbers());
        let sum = row(bytes.min(5_000), 490, " + ", |part| {
            format!("n{}", part % 10)
        });
        around.handlers = format!("      t:\n        reply: {sum}\n");
        around.rest = format!(
            "invariants:\n{}",
            lines(bytes, 400, |at| format!("  i{at}: never ({sum} > {at})\n"))
        );
        around.text()
    }),
    ("membership", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "types: {{ T: {{ enum: [{}] }} }}\ndata: {{ t: {{ type: T, default: v0 }}, u: {{ type: T, default: v1 }} }}\n",
            row(bytes / 8, 900, ", ", |at| format!("v{at}"))
        );
        let all = row(bytes, 480, ", ", |at| format!("v{at}"));
        around.rest = format!(
            "invariants:\n{}",
            lines(bytes, 400, |at| format!(
                "  i{at}: \"never (t in [{all}] and u == v{at})\"\n"
            ))
        );
        around.text()
    }),
];

fn numbers() -> String {
    format!(
        "data:\n{}",
        lines(usize::MAX, 10, |at| format!(
            "  n{at}: {{ type: int, default: 0 }}\n"
        ))
    )
}

/// Returns invariants built from these parts, each with as many words as an expression may have.
fn invariants(bytes: usize, data: &str, part: impl Fn(usize, usize) -> String) -> String {
    let mut around = Around::new();
    around.declared = data.into();
    // Conditions on data that never changes are decided immediately, so signals toggle the data.
    let switched = data.matches("type: bool").count().min(40);
    let signals = lines(usize::MAX, switched, |at| format!("  s{at}: {{}}\n"));
    if switched > 0 {
        let _ = write!(around.declared, "signals:\n{signals}");
        around.handlers = lines(usize::MAX, switched, |at| {
            format!("      s{at}: {{ set: {{ b{at}: not b{at} }} }}\n")
        });
    }
    around.rest = format!(
        "invariants:\n{}",
        lines(bytes, 1_000, |at| {
            let first = part(at, 0);
            let signs = first.matches(['(', ')', '.', '+', '>', '<']).count();
            let words = first.split_whitespace().count() + signs + 1;
            let all = row(bytes, 900 / words.max(1), " or ", |number| part(at, number));
            format!("  i{at}: \"never ({all})\"\n")
        })
    );
    around.text()
}

/// Returns a machine with signals that each toggle one boolean of the data.
pub(super) fn switching(bytes: usize, count: usize) -> Around {
    let mut around = Around::new();
    around.declared = format!(
        "{}signals:\n{}",
        bools(count),
        lines(bytes / 2, count, |at| format!("  s{at}: {{}}\n"))
    );
    around.handlers = lines(bytes / 2, count, |at| {
        format!("      s{at}: {{ set: {{ b{at}: not b{at} }} }}\n")
    });
    around
}

fn liveness(bytes: usize, form: &str) -> String {
    let mut around = switching(bytes / 4, 10);
    around.rest = format!(
        "invariants:\n{}",
        lines(bytes / 2, 1_000, |at| format!(
            "  i{at}: {form} (b{} and not b{})\n",
            at % 10,
            (at + 1) % 10
        ))
    );
    around.text()
}

/// Returns a machine in which some signals have as many alternatives as allowed. `when` returns the
/// condition of each alternative.
fn alternatives(bytes: usize, signals: usize, when: impl Fn(usize) -> String) -> String {
    let mut around = Around::new();
    let numbers = numbers().replace("data:\n", "");
    around.declared = format!(
        "{}{numbers}signals:\n{}",
        bools(20),
        lines(usize::MAX, signals, |at| format!("  s{at}: {{}}\n"))
    );
    around.handlers = lines(bytes, signals, |at| {
        let all = lines(bytes / signals, 500, |number| {
            format!(
                "        - {{ when: {}, set: {{ n1: {number} }} }}\n",
                when(number + at)
            )
        });
        format!("      s{at}:\n{all}")
    });
    around.text()
}
