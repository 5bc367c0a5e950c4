//! A description as a program with a model of stateright, as a user of stateright would write it.

use std::fmt::Write as _;

use crate::description::{Change, Description, Field, Rule, Test};

const HEAD: &str = "\
use stateright::{Checker, Model, Property};

struct Ring;

";

const MAIN: &str = "\
fn main() {
    let checker = Ring.checker().spawn_bfs().join();
    let verdict = match checker.discovery(\"property\") {
        Some(_) => \"broken\",
        None if checker.is_done() => \"holds\",
        None => \"unknown\",
    };
    println!(\"{verdict} {}\", checker.unique_state_count());
}
";

/// Writes the program of a machine.
pub fn program(described: &Description) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]\nstruct State {\n    at: u8,\n",
    );
    for Field { name, .. } in &described.fields {
        let _ = writeln!(text, "    {name}: u8,");
    }
    text.push_str(
        "}\n\nimpl Model for Ring {\n    type State = State;\n    type Action = usize;\n\n",
    );
    text.push_str(
        "    fn init_states(&self) -> Vec<State> {\n        vec![State::default()]\n    }\n\n",
    );
    actions(&mut text, described);
    steps(&mut text, described);
    properties(&mut text, described);
    text.push_str("}\n\n");
    text + MAIN
}

fn actions(text: &mut String, described: &Description) {
    text.push_str("    fn actions(&self, state: &State, actions: &mut Vec<usize>) {\n");
    text.push_str("        match state.at {\n");
    for at in 0..described.locations {
        let _ = writeln!(text, "            {at} => {{");
        let rules = described.rules.iter().enumerate();
        for (action, rule) in rules.filter(|(_, rule)| rule.from == at) {
            let push = format!("actions.push({action});");
            let _ = match &rule.guard {
                Some(guard) => {
                    let guard = condition(described, guard);
                    writeln!(text, "                if {guard} {{ {push} }}")
                }
                None => writeln!(text, "                {push}"),
            };
        }
        text.push_str("            }\n");
    }
    text.push_str("            _ => {}\n        }\n    }\n\n");
}

fn steps(text: &mut String, described: &Description) {
    text.push_str("    fn next_state(&self, state: &State, action: usize) -> Option<State> {\n");
    text.push_str("        let mut next = state.clone();\n        match action {\n");
    for (action, rule) in described.rules.iter().enumerate() {
        let _ = writeln!(
            text,
            "            {action} => {{ {} }}",
            step(described, rule)
        );
    }
    text.push_str("            _ => return None,\n        }\n        Some(next)\n    }\n\n");
}

fn step(described: &Description, rule: &Rule) -> String {
    let mut text = format!("next.at = {};", rule.to);
    for (field, change) in &rule.changes {
        let name = &described.fields[*field].name;
        let _ = match change {
            Change::Set(value) => write!(text, " next.{name} = {value};"),
            Change::Increment => write!(text, " next.{name} += 1;"),
            Change::Decrement => write!(text, " next.{name} -= 1;"),
            Change::Flip => write!(text, " next.{name} = 1 - next.{name};"),
        };
    }
    text
}

fn properties(text: &mut String, described: &Description) {
    let all = |tests: &Vec<Test>| {
        let tests = tests.iter().map(|test| condition(described, test));
        tests.collect::<Vec<_>>().join(" && ")
    };
    let never: Vec<String> = described.never.iter().map(all).collect();
    let _ = writeln!(
        text,
        "    fn properties(&self) -> Vec<Property<Self>> {{\n        \
            vec![Property::<Self>::always(\"property\", |_, state: &State| !(({})))]\n    }}",
        never.join(") || (")
    );
}

fn condition(described: &Description, test: &Test) -> String {
    let name = &described.fields[test.field].name;
    format!("state.{name} {} {}", test.is.operator(), test.value)
}
