//! What can be typed now, in one notation, and what a mistyped line may have meant.

use plan_machine::command::nearest;
use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::Gate;
use plan_machine::session::Session;

use crate::bot::Bot;
use crate::diagram::leads_on;
use crate::outgoing::Said;

/// The bot's own commands, and what each does.
const OWN: [(&str, &str); 13] = [
    ("/plan show [PLAN]", "Show the plan as it is."),
    (
        "/plan end PLAN",
        "End a plan that is damaged. The journal keeps it as it was.",
    ),
    (
        "/where",
        "Draw where the plans are, what leads on, and what becomes of tools.",
    ),
    (
        "/mode [MODE]",
        "Show the mode, or plan in another way: work_by_plan, plan_mode or plan_builder.",
    ),
    ("/new [MODE]", "Start a new conversation."),
    ("/sessions", "List the conversations of this chat."),
    (
        "/switch NAME",
        "Go on with another conversation, by its number, title or key.",
    ),
    (
        "/title [TEXT]",
        "Show the title of this conversation, or change it.",
    ),
    (
        "/memory [TEXT]",
        "Show what is remembered here, or remember something.",
    ),
    (
        "/promote NUMBER",
        "Let every conversation remember an item of /memory.",
    ),
    (
        "/files",
        "Show where the planning files of this conversation are.",
    ),
    ("/help", "Show what can be typed now."),
    (
        "/quit",
        "Leave, as do /exit and Ctrl-D. Everything is kept.",
    ),
];

impl Bot {
    /// Lists what can be typed now.
    pub(super) async fn help(&self, session: &Session) -> Result<Vec<Said>, String> {
        let now = session.at_gate(available).await;
        let now = now.map_err(|error| error.to_string())?;
        let own = OWN.map(|(text, doc)| (text.to_owned(), doc));
        let lines = now.into_iter().chain(own);
        let lines = lines.map(|(text, doc)| format!("{text:<32} {}", doc.trim()));
        Ok(vec![Said::List(lines.collect())])
    }
}

/// The commands that some plan of a session takes now, or the place without one.
fn available(gate: &Gate) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for running in gate.machines() {
        let machine = running.description();
        let plans = running.plans();
        let states = plans
            .iter()
            .filter_map(|plan| machine.state_named(&plan.state));
        let mut states: Vec<u16> = states.filter(|at| leads_on(machine, *at)).collect();
        if states.is_empty() || machine.is_many() {
            states.push(0);
        }
        let takes = |event: u16| {
            let mut states = states.iter();
            states.any(|state| machine.handling(*state, event) == Handling::Takes)
        };
        for (at, event) in (0_u16..).zip(machine.events) {
            if let EventKind::Command { text, .. } = event.kind
                && takes(at)
            {
                found.push((notation(text), event.doc));
            }
        }
    }
    found
}

/// A command's text as help shows it: `/plan reject [PLAN_ID] [REASON...]`.
fn notation(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let Some(name) = word
            .strip_prefix('{')
            .and_then(|word| word.strip_suffix('}'))
        else {
            return word.to_owned();
        };
        let shown = name.trim_end_matches(['?', '.']).to_uppercase();
        match name {
            _ if name.ends_with("...") => format!("[{shown}...]"),
            _ if name.ends_with('?') => format!("[{shown}]"),
            _ => shown,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The error of a line that no command matches: a command of the bot's own that is near is suggested.
pub(super) fn unknown(line: &str, error: &str) -> String {
    let word = line.split_whitespace().next().unwrap_or_default();
    let own = OWN
        .iter()
        .filter_map(|(text, _)| text.split_whitespace().next());
    match nearest(word, own).filter(|near| *near != word) {
        Some(near) => format!("there is no command `{word}`; did you mean `{near}`?"),
        None => format!("{error}; `/help` lists what can be typed now"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_has_one_notation() {
        assert_eq!(
            notation("/plan reject {plan_id?} {reason...}"),
            "/plan reject [PLAN_ID] [REASON...]"
        );
        assert_eq!(notation("/plan execute {plan_id}"), "/plan execute PLAN_ID");
    }

    #[test]
    fn a_mistyped_command_of_the_bot_is_recognised() {
        assert_eq!(
            unknown("/sesions", "no command matches `/sesions`"),
            "there is no command `/sesions`; did you mean `/sessions`?"
        );
    }
}
