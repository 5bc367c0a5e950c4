//! What can be typed now, in one notation, and what a mistyped line may have meant.

use plan_machine::command::nearest;
use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::Gate;
use plan_machine_sessions::Session;

use super::quote_it;
use crate::bot::Bot;
use crate::diagram::leads_on;
use crate::mode::Mode;
use crate::outgoing::Said;

/// Typed where there is a damaged plan.
const END: &str = "/plan end PLAN";

/// Typed where something is remembered.
const PROMOTE: &str = "/promote NUMBER";

/// The arguments that take the rest of a line and may be left out. The plans refuse the other ones where they are
/// blank.
const MAY_BE_BLANK: [&str; 1] = ["reason"];

/// The bot's own commands, and what each does.
pub(super) const OWN: [(&str, &str); 13] = [
    ("/plan show [PLAN]", "Show the plan as it is."),
    (
        END,
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
        PROMOTE,
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
        let damaged = session.damaged().await;
        let is_damaged = !damaged.map_err(|error| error.to_string())?.is_empty();
        let remembers = self.remembers_something(session.identity())?;
        let own = OWN.into_iter().filter(|(text, _)| match *text {
            END => is_damaged,
            PROMOTE => remembers,
            _ => true,
        });
        let own = own.map(|(text, doc)| (text.to_owned(), doc));
        let words = match self.chats.mode(session.identity()) {
            Mode::PlanBuilder => {
                "Say what to plan: the planner makes a plan of it, piece by piece."
            }
            Mode::WorkByPlan | Mode::PlanMode => "Say something to the model.",
        };
        let lines = [("WORDS...".to_owned(), words)].into_iter();
        let lines: Vec<(String, &str)> = lines.chain(now).chain(own).collect();
        let widest = lines.iter().map(|(text, _)| text.len()).max();
        let widest = widest.unwrap_or_default();
        let lines = lines
            .iter()
            .map(|(text, doc)| format!("{text:<widest$}  {}", doc.trim()));
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

/// A command's text as people read it: `/plan reject [PLAN] [REASON...]`.
fn notation(text: &str) -> String {
    let (mut read, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((argument, behind)) = after.split_once('}') else {
            break;
        };
        read.push_str(before);
        read.push_str(&shown(argument, text.contains("/auto")));
        rest = behind;
    }
    read + rest
}

/// An argument of a command: what may be left out is in brackets.
fn shown(argument: &str, of_run: bool) -> String {
    let name = argument.trim_end_matches(['?', '.']);
    let shown = match name {
        "plan_id" if of_run => "RUN".to_owned(),
        "plan_id" => "PLAN".to_owned(),
        "task_title" => "TITLE".to_owned(),
        _ => name.to_uppercase(),
    };
    match argument {
        _ if argument.ends_with('?') => format!("[{shown}]"),
        _ if !argument.ends_with("...") => shown,
        _ if MAY_BE_BLANK.contains(&name) => format!("[{shown}...]"),
        _ => format!("{shown}..."),
    }
}

/// The error of a line that no command matches: a command of the bot's own that is near is suggested.
pub(super) fn unknown(line: &str, error: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let word = words.first().copied().unwrap_or_default();
    let own = OWN
        .iter()
        .filter_map(|(text, _)| text.split_whitespace().next());
    if let Some(near) = nearest(word, own).filter(|near| *near != word) {
        return format!("unknown command `{word}`; did you mean `{near}`?");
    }
    let Some((what, meant)) = error.split_once("; did you mean ") else {
        return format!("{error}; `/help` lists what can be typed now");
    };
    let meant = notation(meant);
    if word.eq_ignore_ascii_case("/plan") && words.len() > 2 {
        let title = quote_it(&words[1..].join(" "));
        return format!("{what}; did you mean {meant} {title}");
    }
    format!("{what}; did you mean {meant} (`/help` lists what can be typed now.)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_has_one_notation() {
        assert_eq!(
            notation("/plan reject {plan_id?} {reason...}"),
            "/plan reject [PLAN] [REASON...]"
        );
        assert_eq!(notation("/plan execute {plan_id}"), "/plan execute PLAN");
        assert_eq!(notation("/auto off {plan_id?}"), "/auto off [RUN]");
        assert_eq!(notation("/plan {task_title...}"), "/plan TITLE...");
    }

    #[test]
    fn a_suggestion_has_the_notation_of_help_and_ends_with_its_question_mark() {
        assert_eq!(
            unknown(
                "/auto offf",
                "no command matches `/auto offf`; did you mean `/auto off {plan_id?}`?"
            ),
            "no command matches `/auto offf`; did you mean `/auto off [RUN]`? (`/help` lists what can be typed now.)"
        );
        assert_eq!(
            unknown("/foo", "no command matches `/foo`"),
            "no command matches `/foo`; `/help` lists what can be typed now"
        );
    }

    #[test]
    fn a_mistyped_command_of_the_bot_is_recognised() {
        assert_eq!(
            unknown("/sesions", "no command matches `/sesions`"),
            "unknown command `/sesions`; did you mean `/sessions`?"
        );
    }
}
