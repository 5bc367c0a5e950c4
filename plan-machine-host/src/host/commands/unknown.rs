//! Lines that match no command, and the commands that were probably intended.

use plan_machine::Token;
use plan_machine::command::{Pattern, nearest};
use plan_machine::description::{Description, Event, EventKind};
use plan_machine_sessions::SessionPlan;

use super::super::parts::{Conversation, Mode};
use super::ALONE;
use super::help::{OWN, notation};
use crate::error::HostError;
use crate::words::in_a_line;

/// The maximum number of typed characters that a message repeats.
const LONGEST: usize = 60;

impl Conversation<'_> {
    /// Describes what is wrong with a line that matches no command.
    pub(super) async fn explain_unknown(
        &self,
        line: &str,
        error: &str,
    ) -> Result<String, HostError> {
        let mode = self.mode();
        let plans = self.session.plans().await?;
        let names_none = no_such_plan(mode, line, &plans);
        Ok(names_none.unwrap_or_else(|| unknown(mode, line, error)))
    }
}

/// Returns the error for a line that matches no command. The error suggests a similar command, if there is one.
fn unknown(mode: &Mode, line: &str, error: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let word = words.first().copied().unwrap_or_default();
    let own = OWN.iter().map(|(text, _)| text);
    let beside = mode.handlers().iter();
    let beside = beside.flat_map(|handler| handler.commands().iter().map(|(text, _)| text));
    let first = |text: &&'static str| text.split_whitespace().next();
    let own = own.chain(beside).filter_map(first).chain(ALONE);
    if let Some(near) = nearest(word, own).filter(|near| *near != word) {
        let rest = words.iter().skip(1).copied();
        let meant: Vec<&str> = [near].into_iter().chain(rest).collect();
        let meant = in_a_line(&meant.join(" "), LONGEST);
        return format!("unknown command `{word}`; did you mean `{meant}`?");
    }
    let error = error.replacen("no command matches", "unknown command", 1);
    let Some((what, meant)) = error.split_once("; did you mean ") else {
        return format!("{error}; `/help` lists what you can type now");
    };
    let mut tables = mode.tables();
    let is_its = |machine: &&'static Description| {
        let mut texts = machine.events.iter().filter_map(command);
        texts.any(|text| meant.contains(text))
    };
    let noun = tables
        .find(is_its)
        .map_or("plan", |machine| mode.noun(machine.name));
    let meant = notation(meant, noun);
    if word.eq_ignore_ascii_case("/plan")
        && words.len() > 2
        && let Some(other) = mode.otherwise(&words[1..].join(" "))
    {
        return format!("{what}; did you mean {meant} {other}");
    }
    format!("{what}; did you mean {meant} (`/help` lists what you can type now.)")
}

/// Describes what is wrong with a line that names a nonexistent plan.
fn no_such_plan(mode: &Mode, line: &str, plans: &[SessionPlan]) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut best: Option<(usize, &'static Description)> = None;
    for machine in mode.tables() {
        let texts = machine.events.iter().filter_map(command);
        for pattern in texts.filter_map(|text| Pattern::parse(text).ok()) {
            let names_one = pattern.arguments().any(|(name, _)| name == "plan_id");
            let begins = pattern.begins(line);
            if names_one && begins > best.map_or(1, |(most, _)| most) {
                best = Some((begins, machine));
            }
        }
    }
    let (begins, machine) = best?;
    let named = *words.get(begins)?;
    let own = || plans.iter().filter(|held| held.machine == machine.name);
    if own().any(|held| held.plan.id == named) || named.parse::<Token>().is_ok() {
        return None;
    }
    let is_over = |held: &&SessionPlan| {
        let state = machine.state_named(&held.plan.state);
        state.is_some_and(|at| machine.state(at).is_final)
    };
    let open = own().filter(|held| !is_over(held));
    let open: Vec<&str> = open.map(|held| held.plan.id.as_str()).collect();
    let named = in_a_line(named, LONGEST);
    let noun = mode.noun(machine.name);
    Some(match open[..] {
        [] if noun == "plan" => {
            format!("there is no plan `{named}`, and no other plan is open")
        }
        [] => format!("there is no {noun} `{named}`, and no {noun} is active"),
        _ => format!("there is no {noun} `{named}`, only {}", listed(&open)),
    })
}

/// Returns the text of an event's command, or `None` if the event is not a command.
fn command(event: &Event) -> Option<&'static str> {
    match event.kind {
        EventKind::Command { text, .. } => Some(text),
        _ => None,
    }
}

/// Formats names as a list for a sentence: `a, b and c`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lifecycles::{AutoRuns, WorkByPlan};

    fn explained(line: &str, error: &str) -> String {
        let mut mode = Mode::new("work_by_plan", Arc::new(WorkByPlan::default()));
        mode.handlers.push(Arc::new(AutoRuns::default()));
        unknown(&mode, line, error)
    }

    #[test]
    fn a_suggestion_has_the_notation_of_help_and_ends_with_its_question_mark() {
        assert_eq!(
            explained(
                "/auto offf",
                "no command matches `/auto offf`; did you mean `/auto off {plan_id?}`?"
            ),
            "unknown command `/auto offf`; did you mean `/auto off [RUN]`? (`/help` lists what you can type now.)"
        );
        assert_eq!(
            explained("/foo", "no command matches `/foo`"),
            "unknown command `/foo`; `/help` lists what you can type now"
        );
    }

    #[test]
    fn a_mistyped_command_of_the_host_is_recognised() {
        assert_eq!(
            explained("/sesions", "no command matches `/sesions`"),
            "unknown command `/sesions`; did you mean `/sessions`?"
        );
        assert_eq!(
            explained("/plann on", "no command matches `/plann on`"),
            "unknown command `/plann`; did you mean `/plan on`?"
        );
        assert_eq!(
            explained("/exi", "no command matches `/exi`"),
            "unknown command `/exi`; did you mean `/exit`?"
        );
    }
}
