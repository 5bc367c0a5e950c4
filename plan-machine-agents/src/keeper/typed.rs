//! Names the commands that a person can use. In some agents, a prompt is never a command, so texts for these agents must
//! name commands for a terminal.

use plan_machine::description::{Description, EventKind};
use plan_machine_kernel::digest::Token;
use plan_machine_sessions::SessionIdentity;

use super::decision::PlanDecision;
use super::names::are_typed;
use super::open::Keeper;

/// A command as a person types it, without its arguments.
struct TypedCommand {
    words: String,
    approves: bool,
}

impl Keeper {
    /// Returns a text for the agent of a session, with the commands that work there. Only commands in backticks are
    /// rewritten.
    pub(super) fn with_usable_commands(&self, session: &SessionIdentity, text: String) -> String {
        if are_typed(session) || !text.contains('`') {
            return text;
        }
        let prefix = self.documents.session.prefix.as_char();
        let commands: Vec<TypedCommand> = self
            .machines
            .machines()
            .flat_map(|tables| commands(tables, prefix))
            .collect();
        in_terminal(&text, session, &commands)
    }
}

fn commands(tables: &Description, prefix: char) -> impl Iterator<Item = TypedCommand> {
    tables.events.iter().filter_map(move |event| {
        let EventKind::Command { text, reviewed, .. } = event.kind else {
            return None;
        };
        let words = text.split(" {").next().unwrap_or(text);
        Some(TypedCommand {
            words: words.replacen('/', &prefix.to_string(), 1),
            approves: reviewed && PlanDecision::Approve.is_named(event.name),
        })
    })
}

/// Rewrites the commands in backticks.
fn in_terminal(text: &str, session: &SessionIdentity, commands: &[TypedCommand]) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        // Every second part is in backticks.
        let found = commands
            .iter()
            .filter(|command| at % 2 == 1 && is_use(part, &command.words))
            .max_by_key(|command| command.words.len());
        match found {
            Some(command) if command.approves => format!("plan-machine approve {}", token(part)),
            Some(_) => format!("plan-machine command --session {session} {part}"),
            None => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Returns whether a line begins with the words of a command.
fn is_use(line: &str, words: &str) -> bool {
    let rest = line.strip_prefix(words);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Returns the token at the end of a line, or a placeholder.
fn token(line: &str) -> &str {
    let last = line.split_whitespace().next_back().unwrap_or_default();
    if last.parse::<Token>().is_ok() {
        last
    } else {
        "TOKEN"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_backticks_become_commands_for_a_terminal() {
        let command = |words: &str, approves| TypedCommand {
            words: words.to_owned(),
            approves,
        };
        let commands = [
            command(".plan on", false),
            command(".plan approve", true),
            command(".plan", false),
        ];
        let session = "goose:20260101_1".parse().expect("an identity");
        for (text, expected) in [
            (
                "`.plan on` begins a plan.",
                "`plan-machine command --session goose:20260101_1 .plan on` begins a plan.",
            ),
            (
                "See `a`; `.plan approve` approves",
                "See `a`; `plan-machine approve TOKEN` approves",
            ),
            (
                "`.plan approve plan-1 1-02c18244`",
                "`plan-machine approve 1-02c18244`",
            ),
            ("`.planning` or .plan on", "`.planning` or .plan on"),
        ] {
            assert_eq!(in_terminal(text, &session, &commands), expected);
        }
    }
}
