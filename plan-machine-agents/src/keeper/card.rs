//! Cards: the full content that a person approves, with the commands that decide about it.

use plan_machine::description::{Description, EventKind, Handling};
use plan_machine::gate::Gate;
use plan_machine::machine::PlanView;
use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::visible::visible;

use crate::project::Documents;

/// The maximum length of a card that a hook shows, in characters. `plan-machine status` shows longer cards.
const LONGEST: usize = 60_000;

/// A plan that waits for a person's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanCard {
    /// The name of the machine.
    pub machine: String,
    /// The id of the plan.
    pub plan: String,
    /// The state of the plan.
    pub state: String,
    /// The token of the content, with all its digits.
    pub token: String,
    /// The content that the token identifies, and the commands with which a person decides.
    pub text: String,
}

impl PlanCard {
    /// Returns whether the card is short enough for a hook's message.
    #[must_use]
    pub fn fits_a_message(&self) -> bool {
        self.text.chars().count() <= LONGEST
    }
}

/// Returns the cards of all plans that wait for a person.
pub(super) fn cards(documents: &Documents, gate: &Gate) -> Vec<PlanCard> {
    let mut cards = Vec::new();
    for (at, machine) in gate.machines().iter().enumerate() {
        let tables = machine.description();
        for plan in machine.plans() {
            let commands = decisions(tables, &plan);
            if commands.is_empty() {
                continue;
            }
            let prefix = gate.machine_set().prefix().as_char();
            let mut text = format!("{} is {} and waits for you:\n", plan.id, plan.state);
            text.push_str(&content(documents, at, &plan));
            text.push('\n');
            for command in commands {
                let typed = command.replacen('/', &prefix.to_string(), 1);
                let typed = typed.replace("{token?}", short(&plan.token));
                let typed = typed.replace("{plan_id}", &plan.id.to_string());
                text.extend([typed.as_str(), "\n"]);
            }
            cards.push(PlanCard {
                machine: tables.name.to_owned(),
                plan: plan.id.to_string(),
                state: plan.state.to_string(),
                token: plan.token.clone(),
                text: visible(text.trim_end()),
            });
        }
    }
    cards
}

/// Returns the texts of the reviewed commands that a plan accepts in its state.
fn decisions(tables: &Description, plan: &PlanView) -> Vec<&'static str> {
    let Some(state) = tables.state_named(&plan.state) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (at, event) in (0_u16..).zip(tables.events) {
        if let EventKind::Command {
            text,
            reviewed: true,
            ..
        } = event.kind
            && tables.handling(state, at) == Handling::Takes
        {
            found.push(text);
        }
    }
    found
}

/// Returns the content that a person reviews.
fn content(documents: &Documents, at: usize, plan: &PlanView) -> String {
    let Some(member) = documents.session.members.get(at) else {
        return String::new();
    };
    let machine = &member.machine;
    let mut names: Vec<&str> = Vec::new();
    for path in &machine.review {
        let name = machine.field(path.field).name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = String::new();
    for name in &names {
        let Some(value) = plan.data.get(name) else {
            continue;
        };
        if names.len() > 1 {
            text.extend([name, ":\n"]);
        }
        text.push_str(&in_lines(value));
    }
    text
}

/// Formats a value: a text unchanged, and a list with one line for each item.
fn in_lines(value: &Json) -> String {
    match value {
        Json::Text(text) => format!("{}\n", text.trim_end()),
        Json::List(items) => {
            let items = items.iter().zip(1..);
            let lines = items.map(|(item, number)| format!("{number}. {item}"));
            format!("{}\n", lines.collect::<Vec<_>>().join("\n"))
        }
        other => format!("{other}\n"),
    }
}
