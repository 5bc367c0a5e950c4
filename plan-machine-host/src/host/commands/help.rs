//! The commands that can be typed now, in a uniform notation.

use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::Gate;

use super::super::diagram::leads_on;
use super::super::parts::{Conversation, Mode};
use crate::error::HostError;
use crate::outgoing::Content;

/// The command that is listed only if a plan is damaged.
const END: &str = "/plan end PLAN";

/// The command that is listed only if there are memories.
const PROMOTE: &str = "/promote NUMBER";

/// The command that is listed only if there are several modes.
const MODE: &str = "/mode [MODE]";

/// The arguments that take the rest of a line and may be omitted. Plans reject a line that omits any other such
/// argument.
const MAY_BE_BLANK: [&str; 1] = ["reason"];

/// The host's own commands, and their descriptions.
pub(crate) const OWN: [(&str, &str); 12] = [
    (
        "/plan show [PLAN]",
        "Show the open plans, or one plan, even if it has ended.",
    ),
    (
        END,
        "End a damaged plan. The journal keeps the plan unchanged.",
    ),
    (
        "/where",
        "Draw the states and transitions of the plans, and show which tools may run.",
    ),
    (MODE, "Show the mode, or switch to another one: "),
    ("/new [MODE]", "Start a new conversation."),
    ("/sessions", "List the conversations of this chat."),
    (
        "/switch NAME",
        "Switch to another conversation, by its number, title or key.",
    ),
    (
        "/title [TEXT]",
        "Show the title of this conversation, or change it.",
    ),
    (
        "/memory [TEXT]",
        "Show the memories of this conversation, or add one.",
    ),
    (PROMOTE, "Share an item of /memory with every conversation."),
    ("/help", "Show what you can type now."),
    ("/quit", "Leave, like /exit and Ctrl-D. All data is saved."),
];

impl Conversation<'_> {
    /// Lists the commands that can be typed now.
    pub(super) async fn help(&self) -> Result<Vec<Content>, HostError> {
        let mode = self.mode();
        let now = self.session.at_gate(|gate| available(gate, mode)).await?;
        let is_damaged = !self.session.damaged().await?.is_empty();
        let remembers = self.remembers_something()?;
        let modes = self.host.modes.names();
        let own = OWN.into_iter().filter(|(text, _)| match *text {
            END => is_damaged,
            PROMOTE => remembers,
            MODE => modes.len() > 1,
            _ => true,
        });
        let own = own.map(|(text, doc)| match text {
            MODE => (text.to_owned(), format!("{doc}{}.", either(&modes))),
            _ => (text.to_owned(), doc.to_owned()),
        });
        let talk = mode.handler().invitation();
        let (talk, _) = talk.unwrap_or(("Say something to the model.", ""));
        let talk = [("WORDS...".to_owned(), talk.to_owned())].into_iter();
        let now = now.into_iter().map(|(text, doc)| (text, doc.to_owned()));
        let beside = self.host.modes.commands();
        let beside = beside.map(|(text, doc)| ((*text).to_owned(), (*doc).to_owned()));
        let lines: Vec<(String, String)> = talk.chain(now).chain(beside).chain(own).collect();
        let widest = lines.iter().map(|(text, _)| text.len()).max();
        let widest = widest.unwrap_or_default();
        let lines = lines
            .iter()
            .map(|(text, doc)| format!("{text:<widest$}  {}", doc.trim()));
        Ok(vec![Content::List(lines.collect())])
    }
}

/// Formats alternatives: `a, b or c`.
fn either(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.join(""),
    }
}

/// Returns the commands that some plan of a session, or an empty slot, accepts now.
fn available(gate: &Gate, mode: &Mode) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for running in gate.machines() {
        let machine = running.description();
        let noun = mode.noun(machine.name);
        let plans = running.plans();
        let states = plans
            .iter()
            .filter_map(|plan| machine.state_named(&plan.state));
        let mut states: Vec<u16> = states.filter(|at| leads_on(machine, *at)).collect();
        // A damaged plan occupies its slot, so no command starts another plan.
        let mut damaged = gate.damaged().iter();
        let is_free = !damaged.any(|plan| plan.machine == machine.name);
        if machine.is_many() || (states.is_empty() && is_free) {
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
                found.push((notation(text, noun), event.doc));
            }
        }
    }
    found
}

/// Formats the text of a command for people: `/plan reject [PLAN] [REASON...]`.
pub(crate) fn notation(text: &str, noun: &str) -> String {
    let (mut read, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((argument, behind)) = after.split_once('}') else {
            break;
        };
        read.push_str(before);
        read.push_str(&shown(argument, noun));
        rest = behind;
    }
    read + rest
}

/// Formats an argument of a command, in brackets if it is optional.
fn shown(argument: &str, noun: &str) -> String {
    let name = argument.trim_end_matches(['?', '.']);
    let shown = match name {
        // The language itself defines this argument.
        "plan_id" => noun.to_uppercase(),
        _ => name.rsplit('_').next().unwrap_or(name).to_uppercase(),
    };
    match argument {
        _ if argument.ends_with('?') => format!("[{shown}]"),
        _ if !argument.ends_with("...") => shown,
        _ if MAY_BE_BLANK.contains(&name) => format!("[{shown}...]"),
        _ => format!("{shown}..."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_has_one_notation() {
        assert_eq!(
            notation("/plan reject {plan_id?} {reason...}", "plan"),
            "/plan reject [PLAN] [REASON...]"
        );
        assert_eq!(
            notation("/plan execute {plan_id}", "plan"),
            "/plan execute PLAN"
        );
        assert_eq!(notation("/auto off {plan_id?}", "run"), "/auto off [RUN]");
        assert_eq!(notation("/plan {task_title...}", "plan"), "/plan TITLE...");
    }
}
