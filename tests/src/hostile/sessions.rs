//! Session documents with as many machines and invariants as the language allows.

use super::{Document, Form, bools, lines};

const MACHINES: usize = 20;
const INVARIANTS: usize = 200;
const NUMBERS: usize = 3;
const BOOLS: usize = 13;

/// Returns the session documents, with their machines.
pub(super) fn documents() -> Vec<Document> {
    vec![
        session("session_searched", counting, |at, other| {
            format!(
                "never (m{at}.n0 + m{at}.n1 + m{at}.n2 > 70 and m{other}.n0 > 20 and m{other}.n1 + m{other}.n2 > 47)"
            )
        }),
        session("session_explored", switching, |at, other| {
            let all = |machine: usize| {
                let all = (0..BOOLS).map(|number| format!("m{machine}.b{number}"));
                all.collect::<Vec<_>>().join(" and ")
            };
            format!("never ({} and {})", all(at), all(other))
        }),
    ]
}

fn session(
    name: &'static str,
    machine: fn(usize) -> String,
    invariant: fn(usize, usize) -> String,
) -> Document {
    let file = |at: usize| format!("{name}_{at}.machine");
    let members = (0..MACHINES).map(|at| format!("m{at}: {}", file(at)));
    let members = members.collect::<Vec<_>>().join(", ");
    let invariants = lines(usize::MAX, INVARIANTS, |number| {
        let at = number % MACHINES;
        let other = (at + 1 + number / MACHINES) % MACHINES;
        format!("  i{number}: {}\n", invariant(at, other))
    });
    Document {
        name,
        form: Form::Session,
        text: format!("session: Hostile\nmachines: {{ {members} }}\ninvariants:\n{invariants}"),
        beside: (0..MACHINES).map(|at| (file(at), machine(at))).collect(),
    }
}

/// A machine with numbers that grow step by step.
fn counting(at: usize) -> String {
    let data = lines(usize::MAX, NUMBERS, |number| {
        format!("  n{number}: {{ type: int, default: 0 }}\n")
    });
    let signals = lines(usize::MAX, NUMBERS, |number| format!("  s{number}: {{}}\n"));
    let handlers = lines(usize::MAX, NUMBERS, |number| {
        format!(
            "      s{number}: {{ require: [{{ that: n{number} < 24, else: full }}], set: {{ n{number}: n{number} + 1 }} }}\n"
        )
    });
    text(at, &format!("data:\n{data}signals:\n{signals}"), &handlers)
}

/// A machine with booleans that change independently.
fn switching(at: usize) -> String {
    let signals = lines(usize::MAX, BOOLS, |number| format!("  s{number}: {{}}\n"));
    let handlers = lines(usize::MAX, BOOLS, |number| {
        format!("      s{number}: {{ set: {{ b{number}: not b{number} }} }}\n")
    });
    text(
        at,
        &format!("{}signals:\n{signals}", bools(BOOLS)),
        &handlers,
    )
}

fn text(at: usize, declared: &str, handlers: &str) -> String {
    format!(
        "machine: Hostile{at}\n{declared}commands: {{ go: /go{at}, stop: /stop{at} }}\nstates:\n  \
         none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      stop: {{ to: Z, next: none }}\n{handlers}  \
         Z: {{ final: true }}\n"
    )
}
