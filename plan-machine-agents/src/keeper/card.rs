//! Cards: the full content that a person approves, with the commands that decide about it.

use plan_machine::description::{Description, EventKind, Handling};
use plan_machine::gate::Gate;
use plan_machine::machine::PlanView;
use plan_machine_compiler::model::Machine;
use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::visible::visible;
use plan_machine_sessions::SessionIdentity;

use super::decision::PlanDecision;
use super::names::{ENDED, agent_of, are_typed};
use crate::agents::Agent;
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
    /// The content that the token identifies, and the prompts with which a person decides. If a prompt in the agent of
    /// the session is never a command, this is the text for a terminal.
    pub text: String,
    /// The content that the token identifies, and the commands with which a person decides in a terminal.
    pub terminal_text: String,
}

impl PlanCard {
    /// Returns whether the card is short enough for a hook's message.
    #[must_use]
    pub fn fits_a_message(&self) -> bool {
        self.text.chars().count() <= LONGEST
    }
}

/// Returns the sentence that says where a person can always see the plan of a session, and decide about it.
pub(super) fn elsewhere(session: &SessionIdentity) -> String {
    format!(
        "In a terminal, `plan-machine status --session {session}` shows the plan, and `plan-machine approve TOKEN` \
         approves it; the page of `plan-machine serve` does both."
    )
}

/// Returns the note below cards that the agent might not show.
pub(super) fn not_counted(session: &SessionIdentity) -> String {
    format!(
        "This does not count as shown to you, because this agent might not show it. {}",
        elsewhere(session)
    )
}

/// Returns the cards of all plans of a session that wait for a person.
pub(super) fn cards(
    documents: &Documents,
    session: &SessionIdentity,
    gate: &Gate,
) -> Vec<PlanCard> {
    let mut cards = Vec::new();
    for (at, machine) in gate.machines().iter().enumerate() {
        let tables = machine.description();
        for plan in machine.plans() {
            let decisions = decisions(tables, &plan);
            if decisions.is_empty() {
                continue;
            }
            let prefix = gate.machine_set().prefix().as_char();
            let content = content(documents, at, &plan);
            let member = documents.session.members.get(at);
            let line = member.and_then(|member| unreported(&member.machine, session));
            let unreported = line.map_or(String::new(), |line| format!("\n{line}\n"));
            let with = |line: &dyn Fn(&ReviewedCommand) -> String| {
                let lines: Vec<String> = decisions.iter().map(line).collect();
                let lines = lines.join("\n");
                visible(&format!(
                    "This plan is waiting for your decision:\n{content}{unreported}\n{lines}"
                ))
            };
            let terminal_text = with(&|decision| decision.in_terminal(prefix, &plan));
            let text = if are_typed(session) {
                with(&|decision| decision.typed(prefix, &plan))
            } else {
                terminal_text.clone()
            };
            cards.push(PlanCard {
                machine: tables.name.to_owned(),
                plan: plan.id.to_string(),
                state: plan.state.to_string(),
                token: plan.token.clone(),
                text,
                terminal_text,
            });
        }
    }
    cards
}

/// Returns what the agent of a session does not report, as a sentence for cards; `None` if nothing is known to be
/// missing, or if the machine does not depend on reports about calls.
#[must_use]
pub fn unreported(machine: &Machine, session: &SessionIdentity) -> Option<&'static str> {
    let depends = machine.events.iter().any(|event| event.name == ENDED);
    agent_of(session)
        .filter(|_| depends)
        .and_then(Agent::unreported)
}

/// A command with which a person decides about a plan.
struct ReviewedCommand {
    event: &'static str,
    text: &'static str,
}

impl ReviewedCommand {
    /// Returns the command as a person types it as a prompt.
    fn typed(&self, prefix: char, plan: &PlanView) -> String {
        let typed = self.text.replacen('/', &prefix.to_string(), 1);
        let typed = typed.replace("{token?}", short(&plan.token));
        typed.replace("{plan_id}", &plan.id.to_string())
    }

    /// Returns the command as a person types it in a terminal.
    fn in_terminal(&self, prefix: char, plan: &PlanView) -> String {
        if PlanDecision::Approve.is_named(self.event) {
            return format!("plan-machine approve {}", short(&plan.token));
        }
        format!("plan-machine command {}", self.typed(prefix, plan))
    }
}

/// Returns the reviewed commands that a plan accepts in its state.
fn decisions(tables: &Description, plan: &PlanView) -> Vec<ReviewedCommand> {
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
            found.push(ReviewedCommand {
                event: event.name,
                text,
            });
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
    let names = machine.reviewed_names();
    let mut text = String::new();
    for name in &names {
        let Some(value) = plan.data.get(name) else {
            continue;
        };
        if names.len() > 1 {
            text.extend([name, ":\n"]);
        }
        text.push_str(&in_lines(value, &reviewed_parts(machine, name)));
    }
    text
}

/// Returns which fields of a list's items a person reviews; empty if a person reviews whole items.
fn reviewed_parts<'m>(machine: &'m Machine, list: &str) -> Vec<&'m str> {
    let mut parts = Vec::new();
    for path in &machine.review {
        let field = machine.field(path.field);
        let first = path.parts.first().filter(|_| field.name == list);
        let fields = machine.item_fields(field);
        parts.extend(first.and_then(|id| Some(fields.get(id.index())?.name.as_str())));
    }
    parts
}

/// Formats a value: a text without the white space at its end, and a list with one numbered line for each item. If
/// `parts` is not empty, a line contains only these fields of its item.
fn in_lines(value: &Json, parts: &[&str]) -> String {
    match value {
        Json::Text(text) => format!("{}\n", text.trim_end()),
        Json::List(items) => {
            let items = items.iter().zip(1..);
            let lines = items.map(|(item, number)| format!("{number}. {}", in_words(item, parts)));
            format!("{}\n", lines.collect::<Vec<_>>().join("\n"))
        }
        other => format!("{other}\n"),
    }
}

/// Formats an item of a list: the values of its fields, without their names, if only some fields are reviewed.
fn in_words(item: &Json, parts: &[&str]) -> String {
    let Some(object) = item.as_object().filter(|_| !parts.is_empty()) else {
        return item.to_string();
    };
    let values = parts.iter().filter_map(|part| object.get(part));
    let values = values.map(|value| match value {
        // Only plain text loses its quotes. Any other text could look like another item.
        Json::Text(text) if text.chars().all(is_plain) => text.clone(),
        other => other.to_string(),
    });
    values.collect::<Vec<_>>().join(" ")
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.:".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_of_at_most_sixty_thousand_characters_fits_a_message() {
        // The limit counts characters, not bytes.
        for (length, fits) in [(0, true), (60_000, true), (60_001, false)] {
            let card = PlanCard {
                machine: "Plan".to_owned(),
                plan: "plan-1".to_owned(),
                state: "READY".to_owned(),
                token: "1-02c18244ed851867ff5741fba8ac4f93".to_owned(),
                text: "é".repeat(length),
                terminal_text: String::new(),
            };
            assert_eq!(card.fits_a_message(), fits, "{length}");
        }
    }

    #[test]
    fn only_the_reviewed_fields_of_an_item_are_shown() {
        let steps = r#"[{"tool":"Bash","args":{"command":"ls"},"mark":"waiting"},{"tool":"a\nb"}]"#;
        let steps = Json::parse(steps).expect("JSON");
        assert_eq!(
            in_lines(&steps, &["tool", "args"]),
            "1. Bash {\"command\":\"ls\"}\n2. \"a\\nb\"\n"
        );
        let plain = Json::parse(r#"["a",{"b":1}]"#).expect("JSON");
        assert_eq!(in_lines(&plain, &[]), "1. \"a\"\n2. {\"b\":1}\n");
    }
}
