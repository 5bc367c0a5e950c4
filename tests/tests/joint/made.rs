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

/// The specs of the generated machines, by name. Some of their states have timers.
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

    /// Returns whether a machine has timers.
    pub(super) fn is_timed(&self, machine: usize) -> bool {
        self.0[&format!("m{machine}")].contains("after:")
    }

    /// Returns a session document with these machines and invariants.
    pub(super) fn document(&self, invariants: &[String]) -> String {
        let mut text = "session: Made\nmachines:\n".to_owned();
        for name in self.0.keys() {
            let _ = writeln!(text, "  {name}: {name}");
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

fn head(dice: &mut Dice, at: usize, more: &str) -> String {
    let external = dice.below(2) == 0;
    format!(
        "machine: M{at}\n{more}commands: {{ c0: /m{at} c0, c1: /m{at} c1, c2: /m{at} c2 }}\n\
         tools: {{ t{at}: {{ doc: A tool., external: {external} }} }}\nexternal_tools: [shell]\nstates:\n"
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

fn one_plan(dice: &mut Dice, at: usize) -> String {
    let mut spec = head(dice, at, "");
    let none = gating(dice, at);
    let _ = writeln!(spec, "  none: {{ other_tools: {none}, on: {{ c0: S0 }} }}");
    for (index, state) in STATES.iter().enumerate() {
        let next = STATES.get(index + 1);
        let next = next.map_or("{ to: END, next: none }", |next| next);
        let mut on = vec![format!("c1: {next}")];
        if dice.below(2) == 0 {
            on.push(format!("c2: {}", dice.pick(&STATES)));
        }
        if dice.below(2) == 0 {
            let target = dice.pick(&["{ reply: \"[Done]\" }", "S0", "S2"]);
            on.push(format!("t{at}: {target}"));
        }
        if dice.below(3) == 0 {
            on.push(format!("shell: {}", gating(dice, at)));
        }
        let others = gating(dice, at);
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
    let mut spec = head(dice, at, &more);
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
