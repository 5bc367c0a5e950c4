//! Random small machines, side by side in one session.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use plan_machine::gate::Gate;
use plan_machine::interpret::InterpretedMachine;
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::session::{LoadedText, Loader, Session};
use plan_machine_tests::dice::Dice;

use super::stated::StatedClasses;

/// The states of every generated machine, besides `none` and the final state.
pub(super) const STATES: [&str; 3] = ["S0", "S1", "S2"];

/// The name of the calls document of a generated session.
const CALLS: &str = "calls";

/// A calls document with the classes and the host tools of generated sessions.
const DOCUMENT: &str = "calls: Agent
tools: { shell: { command: command }, Edit: { path: path } }
classes: [reads, notes, writes]
rules:
  - { tool: Read, class: reads }
  - { tool: shell, command: { only: [ls] }, class: reads }
  - { tool: Edit, path: { under: notes }, class: notes }
otherwise: writes
";

/// The specs of the generated machines, by name, and the calls document, if there is one. Some states have timers.
#[derive(Default)]
pub(super) struct Made(pub(super) BTreeMap<String, String>);

impl Loader for Made {
    fn load(&mut self, path: &str) -> Result<LoadedText, String> {
        let text = self.0.get(path).cloned();
        Ok(LoadedText {
            name: path.to_owned(),
            text: text.ok_or("no such machine")?,
        })
    }
}

impl Made {
    /// Generates machines `m0`, `m1`, …; the last one may have many plans.
    pub(super) fn machines(dice: &mut Dice, count: usize) -> Self {
        let all = (0..count).map(|at| {
            let many = at + 1 == count && dice.below(3) == 0;
            let spec = if many {
                many_plans(dice, at)
            } else {
                one_plan(dice, at)
            };
            (format!("m{at}"), spec)
        });
        Self(all.collect())
    }

    /// Generates machines `m0`, `m1`, … with alternatives for host tools, which read data, the called tool or the
    /// context.
    pub(super) fn counting(dice: &mut Dice, count: usize) -> Self {
        let all = (0..count).map(|at| {
            let spec = plan(dice, at, COUNTING, &["shell"], counted);
            (format!("m{at}"), spec)
        });
        Self(all.collect())
    }

    /// Generates machines `m0`, `m1`, … with entries for classes of calls. In some sessions, these entries have
    /// alternatives.
    pub(super) fn classes(dice: &mut Dice, count: usize) -> Self {
        let counts = dice.below(4) == 0;
        let all = (0..count).map(|at| {
            let some: &[&str] = match dice.below(3) {
                _ if at == 0 => &["shell", "reads", "notes", "writes"],
                0 => &["shell", "writes"],
                1 => &["reads", "Edit", "notes"],
                _ => &["writes", "reads"],
            };
            let spec = if counts {
                plan(dice, at, COUNTING, some, counted)
            } else {
                plan(dice, at, "", some, gating)
            };
            (format!("m{at}"), spec)
        });
        let document = (CALLS.to_owned(), DOCUMENT.to_owned());
        Self(all.chain([document]).collect())
    }

    /// Returns the names of the machines.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.0.keys().map(String::as_str);
        names.filter(|name| *name != CALLS)
    }

    /// Returns whether a machine has timers.
    pub(super) fn is_timed(&self, machine: usize) -> bool {
        self.0[&format!("m{machine}")].contains("after:")
    }

    /// Returns a session document with these machines and invariants.
    pub(super) fn document(&self, invariants: &[String]) -> String {
        let mut text = "session: Made\nmachines:\n".to_owned();
        for name in self.names() {
            let _ = writeln!(text, "  {name}: {name}");
        }
        if self.0.contains_key(CALLS) {
            let _ = writeln!(text, "calls: {CALLS}");
        }
        text.push_str("invariants:\n");
        for (at, invariant) in invariants.iter().enumerate() {
            let _ = writeln!(text, "  i{at}: \"{invariant}\"");
        }
        text
    }
}

/// Returns the real gate of a session, with interpreted machines.
pub(super) fn gate(session: &Checked<Session>) -> Gate {
    let mut parts = Gate::builder()
        .any_host_tool()
        .command_prefix(session.prefix);
    if let Some(calls) = &session.calls {
        parts = parts.calls(StatedClasses(calls.calls.document.clone()));
    }
    for member in &session.members {
        parts = parts.with(InterpretedMachine::of(member.machine.clone()));
    }
    parts.open().expect("machines without conflicts")
}

fn head(dice: &mut Dice, at: usize, more: &str, named: &[&str]) -> String {
    let external = dice.below(2) == 0;
    let named = named.join(", ");
    format!(
        "machine: M{at}\n{more}commands: {{ c0: /m{at} c0, c1: /m{at} c1, c2: /m{at} c2 }}\n\
         tools: {{ t{at}: {{ doc: A tool., external: {external} }} }}\nexternal_tools: [{named}]\nstates:\n"
    )
}

/// Returns an entry for the calls to host tools. Only the first machine records calls.
fn gating(dice: &mut Dice, at: usize) -> &'static str {
    match dice.below(if at == 0 { 3 } else { 2 }) {
        0 => "run",
        1 => "deny",
        _ => "{ reply: \"[Recorded]\" }",
    }
}

/// The context and the data that alternatives for host tools read in a machine that counts calls.
const COUNTING: &str = "context: { safe: { type: bool, optional: true } }\n\
    data:\n  n: { type: int, default: 0 }\n  last: { type: string, max: 4, optional: true }\n  \
    seen: { type: json, optional: true }\n";

/// Returns an entry for the calls to host tools in a state with data, often with alternatives. Only the first machine
/// records calls.
fn counted(dice: &mut Dice, at: usize) -> &'static str {
    let entries = [
        "[{ when: n < 2, set: { n: n + 1 }, run: true }, deny]",
        "[{ when: n < 2, set: { n: n + 1 }, run: true }, deny]",
        "[{ when: n > 0, set: { n: n - 1 }, run: true }, run]",
        "[{ when: n == 1, set: { n: n + 1 }, run: true }, { when: n > 1, run: true }, deny]",
        "[{ require: [{ that: n < 2, else: too many }], set: { n: n + 1 }, run: true }]",
        "[{ when: context.safe is set and n < 3, set: { n: n + 1 }, run: true }, deny]",
        "[{ when: 'event.tool == \"make\"', run: true }, { when: n > 1, run: true }, deny]",
        "[{ when: n < 2, set: { n: n + 1, last: event.tool }, run: true }, deny]",
        "[{ when: seen is set and event.args == seen, run: true }, { when: n < 2, set: { n: n + 1, seen: event.args }, run: true }, deny]",
        "[{ when: n < 1, set: { n: n + 1 } }, { when: n < 2, set: { n: n + 1 }, run: true }, deny]",
        "[{ when: context.safe is set, set: { n: n + 1 } }, run]",
    ];
    if dice.below(3) == 0 {
        return gating(dice, at);
    }
    let most = if at == 0 {
        entries.len()
    } else {
        entries.len() - 2
    };
    entries[dice.below(most)]
}

fn one_plan(dice: &mut Dice, at: usize) -> String {
    plan(dice, at, "", &["shell"], gating)
}

/// Generates a machine with one plan at a time, which names some host tools or classes; `entry` returns entries for the
/// calls to host tools.
fn plan(
    dice: &mut Dice,
    at: usize,
    more: &str,
    named: &[&str],
    entry: fn(&mut Dice, usize) -> &'static str,
) -> String {
    let mut spec = head(dice, at, more, named);
    let none = gating(dice, at);
    let _ = writeln!(spec, "  none: {{ other_tools: {none}, on: {{ c0: S0 }} }}");
    for (index, state) in STATES.iter().enumerate() {
        let next = STATES.get(index + 1);
        let next = next.map_or("{ to: END, next: none }", |next| next);
        let mut on = vec![format!("c1: {next}")];
        if more.is_empty() {
            if dice.below(2) == 0 {
                on.push(format!("c2: {}", dice.pick(&STATES)));
            }
        } else {
            // Every number that alternatives compare `n` with can be reached.
            let target = dice.pick(&STATES);
            let n = dice.below(3);
            on.push(format!("c0: {{ set: {{ n: {n} }} }}"));
            on.push(format!(
                "c2: {{ to: {target}, set: {{ n: {} }} }}",
                (n + 1) % 3
            ));
        }
        if dice.below(2) == 0 {
            let target = dice.pick(&["{ reply: \"[Done]\" }", "S0", "S2"]);
            on.push(format!("t{at}: {target}"));
        }
        for tool in named {
            if dice.below(3) == 0 {
                on.push(format!("{tool}: {}", entry(dice, at)));
            }
        }
        let others = entry(dice, at);
        let on = on.join(", ");
        let after = timers(dice, &["S0", "S1", "S2", "{ to: END, next: none }"]);
        let _ = writeln!(
            spec,
            "  {state}: {{ other_tools: {others}, on: {{ {on} }}{after} }}"
        );
    }
    spec + "  END: { final: true }\n"
}

/// Returns the timers of a state: none, one, or two of which the shorter one fires first.
fn timers(dice: &mut Dice, targets: &[&str]) -> String {
    let mut all = Vec::new();
    for period in ["2s", "3s", "7s"] {
        if dice.below(4) == 0 {
            all.push(format!("{period}: {}", dice.pick(targets)));
        }
    }
    if all.is_empty() {
        return String::new();
    }
    format!(", after: {{ {} }}", all.join(", "))
}

fn many_plans(dice: &mut Dice, at: usize) -> String {
    let others = dice.pick(&["run", "deny"]);
    let more = format!("instances: many\nother_tools: {others}\n");
    let mut spec = head(dice, at, &more, &["shell"]);
    let tool = if dice.below(2) == 0 {
        format!(", t{at}: S1")
    } else {
        String::new()
    };
    let _ = writeln!(spec, "  none: {{ on: {{ c0: S0{tool} }} }}");
    let mut after = || timers(dice, &["S0", "S2", "END"]);
    let _ = writeln!(spec, "  S0: {{ on: {{ c1: S1, c2: S2 }}{} }}", after());
    let _ = writeln!(spec, "  S1: {{ on: {{ c1: S2, t{at}: S2 }}{} }}", after());
    let _ = writeln!(spec, "  S2: {{ on: {{ c1: END }}{} }}", after());
    spec + "  END: { final: true }\n"
}
