//! Documents with very many states, transitions and scenarios.

use std::fmt::Write as _;

use super::{Around, Family, lines, row};

pub(super) const FAMILIES: [(&str, Family); 15] = [
    ("states", |bytes| {
        let mut around = Around::new();
        around.states = lines(bytes, 990, |at| {
            format!("  S{at}: {{ doc: \"{}\" }}\n", "d".repeat(bytes / 1_100))
        });
        around.text()
    }),
    ("states_in_a_ring", |bytes| {
        let mut around = Around::new();
        around.declared = "signals: { next: {}, back: {} }\n".into();
        around.handlers = "      next: S0\n".into();
        let prompt = "p".repeat(bytes / 1_200);
        around.states = lines(bytes, 990, |at| {
            format!(
                "  S{at}: {{ prompt: {prompt}, on: {{ next: S{}, back: A }} }}\n",
                (at + 1) % 990
            )
        });
        around.text()
    }),
    ("states_all_to_all", |bytes| {
        let mut around = Around::new();
        let count = 95;
        around.declared = format!(
            "signals:\n{}",
            lines(usize::MAX, count, |at| format!("  s{at}: {{}}\n"))
        );
        around.handlers = "      s0: S0\n".into();
        around.states = lines(bytes, count, |at| {
            let on = row(bytes, count, ", ", |to| format!("s{to}: {{ to: S{to} }}"));
            format!("  S{at}: {{ on: {{ {on} }} }}\n")
        });
        around.rest = "invariants: { i: can always reach A }\n".into();
        around.text()
    }),
    ("states_nested", |bytes| {
        let mut around = Around::new();
        around.declared = "signals: { next: {} }\neffects: { e: { doc: x } }\n".into();
        around.handlers = "      next: N0_0\n".into();
        around.states = lines(bytes, 45, nested);
        around.text()
    }),
    ("unknown_targets", |bytes| {
        let mut around = Around::new();
        around.states = lines(bytes, 900, |at| {
            let on = row(bytes / 1_000, 10, ", ", |event| {
                format!("evnt{event}: STAET{at}")
            });
            format!("  STATE{at}: {{ on: {{ {on} }} }}\n")
        });
        around.text()
    }),
    ("has", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "data:\n{}",
            lines(bytes / 8, 200, |at| format!("  f{at}: string?\n"))
        );
        let all = row(bytes, 200, ", ", |at| format!("f{at}"));
        around.states = lines(bytes, 700, |at| format!("  S{at}: {{ has: [{all}] }}\n"));
        around.text()
    }),
    ("entries", |bytes| {
        let mut around = Around::new();
        around.declared =
            "effects: { e: { doc: x, fields: { t: string } } }\nsignals: { next: {} }\n".into();
        around.handlers = "      next: S0\n".into();
        around.states = lines(bytes, 300, |at| {
            let emits = row(bytes / 320, 200, ", ", |part| {
                format!("{{ e: {{ t: \"{part}\" }} }}")
            });
            format!(
                "  S{at}: {{ enter: {{ emit: [{emits}] }}, on: {{ next: S{} }} }}\n",
                (at + 1) % 300
            )
        });
        around.text()
    }),
    ("handlers", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "tools:\n{}",
            lines(bytes, 90, |at| format!("  t{at}: {{ doc: x }}\n"))
        );
        around.handlers = "      t0: S0\n".into();
        around.states = lines(bytes, 100, |at| {
            let on = row(bytes / 105, 95, ", ", |tool| {
                format!(
                    "t{}: {{ to: S{}, reply: \"{}\" }}",
                    tool % 90,
                    (at + tool) % 100,
                    "r".repeat(bytes / 13_000)
                )
            });
            format!("  S{at}: {{ on: {{ {on} }} }}\n")
        });
        around.text()
    }),
    ("host_tools", |bytes| {
        let mut around = Around::new();
        around.declared = format!(
            "external_tools: [{}]\n",
            row(bytes, 900, ", ", |at| format!("tool_{at}"))
        );
        around.states = lines(bytes, 40, |at| {
            let on = row(bytes / 45, 240, ", ", |tool| {
                format!(
                    "tool_{}: {}",
                    (tool * 3 + at) % 900,
                    if tool % 2 == 0 { "run" } else { "deny" }
                )
            });
            format!("  S{at}: {{ on: {{ {on} }} }}\n")
        });
        around.rest = format!(
            "invariants:\n{}",
            lines(bytes / 4, 900, |at| format!(
                "  i{at}: \"never (runs tool_{at} and A)\"\n"
            ))
        );
        around.text()
    }),
    ("scenarios", |bytes| {
        let mut around = Around::new();
        let steps = row(bytes / 1_000, 9, ", ", |at| {
            format!(
                "{{ do: /{}, then: {} }}",
                if at % 2 == 0 { "go" } else { "stop" },
                if at % 2 == 0 { "A" } else { "none" }
            )
        });
        around.rest = format!(
            "scenarios:\n{}",
            lines(bytes, 1_000, |at| format!(
                "  s{at} {}: [{steps}]\n",
                "x".repeat(bytes / 1_300)
            ))
        );
        around.text()
    }),
    ("scenarios_that_fail", |bytes| {
        let mut around = Around::new();
        around.rest = format!(
            "scenarios:\n{}",
            lines(bytes, 1_000, |at| format!(
                "  s{at}: [{{ do: /go, then: Z, reply: \"{}\" }}]\n",
                "x".repeat(bytes / 1_200)
            ))
        );
        around.text()
    }),
    ("scenarios_that_grow", |bytes| {
        let mut around = Around::new();
        around.declared =
            "data: { t: { type: string, default: xxxxxxxx }, l: [string] }\ntools: { grow: { doc: x }, add: { doc: x } }\n\
             effects: { e: { doc: x, fields: { t: string } } }\n".into();
        around.handlers = "      grow: { set: { t: \"{t}{t}\" }, emit: [{ e: { t: \"{t}{t}{t}{t}\" } }] }\n      \
                           add: { append: { l: \"{t}\" }, reply: \"{l}{l}{l}\" }\n".into();
        around.rest = format!(
            "scenarios:\n{}",
            lines(bytes, 1_000, |at| {
                format!(
                    "  s{at}: [{{ do: /go }}, {{ do: grow, repeat: 17 }}, {{ do: add, repeat: 1000 }}]\n"
                )
            })
        );
        around.text()
    }),
    ("scenarios_of_many", |bytes| {
        let scenarios = lines(bytes, 1_000, |at| {
            format!("  s{at}: [{{ do: /go, repeat: 900 }}, {{ do: /stop }}, {{ do: /list }}]\n")
        });
        format!(
            "machine: M\ninstances: many\ncommands: {{ go: /go, stop: {{ text: /stop, each: true }}, list: /list }}\n\
             states:\n  none: {{ on: {{ go: A, list: {{ reply: plans }} }} }}\n  A: {{ on: {{ stop: Z }} }}\n  \
             Z: {{ final: true }}\nscenarios:\n{scenarios}"
        )
    }),
    ("given", |bytes| {
        let mut around = Around::new();
        around.rest = format!(
            "scenarios:\n  s0: [{{ do: /go, repeat: 1 }}]\n{}",
            lines(bytes, 999, |at| {
                format!(
                    "  s{}: {{ given: s{}, steps: [{{ do: /stop }}, {{ do: /go }}] }}\n",
                    at + 1,
                    at / 2
                )
            })
        );
        around.text()
    }),
    ("payloads", |bytes| {
        let mut around = Around::new();
        around.declared =
            "data: { l: [json] }\ntools: { add: { doc: x, input: { v: json } } }\n".into();
        around.handlers = "      add: { append: { l: event.v } }\n".into();
        let value = row(bytes / 400, 10_000, ", ", |at| format!("k{at}: [{at}]"));
        around.rest = format!(
            "scenarios:\n  s:\n    - {{ do: /go }}\n{}",
            lines(bytes, 390, |_| format!(
                "    - {{ do: add, with: {{ v: {{ {value} }} }} }}\n"
            ))
        );
        around.text()
    }),
];

/// Returns twenty nested states, each with an entry action and an exit action.
fn nested(number: usize) -> String {
    let mut text = String::new();
    for depth in 0..20 {
        let indent = "  ".repeat(2 * depth + 1);
        let name = format!("N{number}_{depth}");
        let _ = write!(
            text,
            "{indent}{name}:\n{indent}  enter: {{ emit: {{ e: {{}} }} }}\n{indent}  exit: {{ emit: {{ e: {{}} }} }}\n{indent}  \
             on: {{ next: N{}_{depth} }}\n",
            (number + 1) % 45
        );
        if depth < 19 {
            let _ = writeln!(text, "{indent}  states:");
        }
    }
    text
}
