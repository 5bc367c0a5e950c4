//! Lines that match no command, and the commands that were probably intended.

use plan_machine::Token;
use plan_machine::command::{Pattern, nearest};
use plan_machine::description::{Description, Event, EventKind};
use plan_machine_sessions::SessionPlan;

use super::super::parts::{Conversation, Mode};
use super::ALONE;
use super::help::{OWN, notation};
use crate::error::HostError;
use crate::words::{in_a_line, unquoted};

/// The maximum number of typed characters that a message repeats.
const LONGEST: usize = 60;

impl Conversation<'_> {
    /// Describes what is wrong with a line that matches no command.
    pub(super) async fn explain_unknown(
        &self,
        line: &str,
        error: &str,
    ) -> Result<String, HostError> {
        let near = match token_in_capitals(line) {
            Some(near) => Some(near),
            None => self.explain_no_such_plan(line).await?,
        };
        Ok(near.unwrap_or_else(|| unknown(self.mode(), line, error)))
    }

    /// Describes what is wrong with a line that names a plan which this mode does not have.
    async fn explain_no_such_plan(&self, line: &str) -> Result<Option<String>, HostError> {
        let mode = self.mode();
        let plans = self.session.plans().await?;
        let Some(told) = no_such_plan(mode, line, &plans) else {
            return Ok(None);
        };
        let other = self.explain_named_elsewhere(line).await?;
        Ok(Some(other.unwrap_or(told)))
    }

    /// Says which other mode has the plan that a line names; returns `None` if the line names no such plan.
    pub(super) async fn explain_named_elsewhere(
        &self,
        line: &str,
    ) -> Result<Option<String>, HostError> {
        let place = place_of_id(self.mode(), line);
        match place.and_then(|(at, _)| line.split_whitespace().nth(at)) {
            Some(named) => self.explain_other_mode(unquoted(named)).await,
            None => Ok(None),
        }
    }

    /// Describes what is wrong with a line that matches a command although its id is mistyped. A command such as
    /// `/plan reject {plan_id?} {reason...}` would accept the id as a part of its text and apply to another plan.
    pub(super) async fn explain_misnamed(&self, line: &str) -> Result<Option<String>, HostError> {
        let mode = self.mode();
        let Some(named) = named_anyhow(mode, line) else {
            return Ok(None);
        };
        let damaged = self.session.damaged().await?;
        if damaged.iter().any(|one| one.plan.id == unquoted(named)) {
            return Ok(None);
        }
        self.explain_no_such_plan(line).await
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

/// Returns the word of a line that looks like the id of a plan, if the line's command accepts any word in its place.
fn named_anyhow<'l>(mode: &Mode, line: &'l str) -> Option<&'l str> {
    mode.tables().find_map(|machine| {
        let texts = machine.events.iter().filter_map(command);
        let mut texts = texts.filter(|text| {
            let has_text = text.contains("{plan_id?}") && text.ends_with("...}");
            has_text || text.contains("{plan_id}")
        });
        texts.find_map(|text| {
            let begins = Pattern::parse(text).ok()?.begins(line);
            let mut words = line.split_whitespace().skip(begins);
            let named = words.next()?;
            let is_id = |noun| id_like(named, noun).is_some() || is_near_id(named, noun);
            let mut nouns = mode.tables().map(|machine| mode.noun(machine.name));
            // Two words: `plan 9`.
            let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
            let is_apart = named.eq_ignore_ascii_case(mode.noun(machine.name))
                && words.next().is_some_and(is_number);
            (begins > 1 && (is_apart || nouns.any(is_id))).then_some(named)
        })
    })
}

/// Returns the id that a word was meant to be, if only its case or its dash is wrong: `plan-1` for `Plan1` or `plan_1`.
pub(crate) fn id_like(word: &str, noun: &str) -> Option<String> {
    let word = word.to_lowercase();
    let rest = word.strip_prefix(noun)?;
    let number = rest.strip_prefix(['-', '_']).unwrap_or(rest);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("{noun}-{number}"))
}

/// Returns whether a word looks like a mistyped id: `paln-9`, `"plan-9"`, `plan-9,` or `plan-1-9`.
fn is_near_id(word: &str, noun: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    let word = word.to_lowercase();
    let Some(at) = word.find(|letter: char| letter.is_ascii_digit()) else {
        return word.starts_with(&format!("{noun}-"));
    };
    let (letters, number) = word.split_at(at);
    let letters = letters.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let is_number = number
        .chars()
        .all(|letter| letter.is_ascii_digit() || letter == '-');
    is_number && nearest(letters, [noun]).is_some()
}

/// Describes what is wrong with a line that contains a token in capitals.
fn token_in_capitals(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_token = |word: &str| word.parse::<Token>().is_ok();
    let is_near = |word: &&str| !is_token(word) && is_token(&word.to_ascii_lowercase());
    let at = words.iter().position(is_near)?;
    let token = words[at].to_ascii_lowercase();
    let meant = with_word(&words, at, &token);
    Some(format!(
        "unknown token `{}`; did you mean `{meant}`?",
        words[at]
    ))
}

/// Returns a line with another word at an index.
fn with_word(words: &[&str], at: usize, word: &str) -> String {
    let mut meant = words.to_vec();
    meant[at] = word;
    in_a_line(&meant.join(" "), LONGEST)
}

/// Returns the index of the word with which a line names a plan, and the machine of that plan.
fn place_of_id(mode: &Mode, line: &str) -> Option<(usize, &'static Description)> {
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
    best
}

/// Returns the literal word that was probably intended by the word at an index: `again` for `agian` after
/// `/plan resume`.
fn near_literal(mode: &Mode, words: &[&str], at: usize) -> Option<&'static str> {
    let texts = mode.tables().flat_map(|machine| machine.events.iter());
    let literals = texts.filter_map(command).filter_map(|text| {
        let mut literals = text.split_whitespace();
        let is_typed = |word: &&str| {
            let literal = literals.next();
            literal.is_some_and(|literal| literal.eq_ignore_ascii_case(word))
        };
        if !words[..at].iter().all(is_typed) {
            return None;
        }
        literals.next().filter(|literal| !literal.starts_with('{'))
    });
    nearest(words[at], literals)
}

/// Describes what is wrong with a line that names a nonexistent plan.
fn no_such_plan(mode: &Mode, line: &str, plans: &[SessionPlan]) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (begins, machine) = place_of_id(mode, line)?;
    let named = unquoted(words.get(begins)?);
    let own = || plans.iter().filter(|held| held.machine == machine.name);
    if own().any(|held| held.plan.id == named) || named.parse::<Token>().is_ok() {
        return None;
    }
    if let Some(near) = near_literal(mode, &words, begins) {
        let meant = with_word(&words, begins, near);
        let line = in_a_line(line, LONGEST);
        return Some(format!("unknown command `{line}`; did you mean `{meant}`?"));
    }
    let noun = mode.noun(machine.name);
    let meant = id_like(named, noun);
    let is_meant = |held: &&SessionPlan| {
        let id = held.plan.id.as_str();
        id.eq_ignore_ascii_case(named) || meant.as_deref() == Some(id)
    };
    if let Some(near) = own().find(is_meant) {
        let meant = with_word(&words, begins, near.plan.id.as_str());
        let named = in_a_line(named, LONGEST);
        return Some(format!(
            "there is no {noun} `{named}`; did you mean `{meant}`?"
        ));
    }
    let is_over = |held: &&SessionPlan| {
        let state = machine.state_named(&held.plan.state);
        state.is_some_and(|at| machine.state(at).is_final)
    };
    let open = own().filter(|held| !is_over(held));
    let open: Vec<String> = open.map(|held| format!("`{}`", held.plan.id)).collect();
    let open: Vec<&str> = open.iter().map(String::as_str).collect();
    let named = in_a_line(named, LONGEST);
    let kind = if noun == "plan" { "open" } else { "active" };
    Some(match open[..] {
        [] if noun == "plan" => {
            format!("there is no plan `{named}`, and no other plan is open")
        }
        [] => format!("there is no {noun} `{named}`, and no {noun} is active"),
        [id] => format!("there is no {noun} `{named}`; {kind} {noun}: {id}"),
        _ => format!(
            "there is no {noun} `{named}`; {kind} {noun}s: {}",
            listed(&open)
        ),
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
