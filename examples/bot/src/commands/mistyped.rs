//! Lines that begin like a command and are none: what is wrong with them, and what was probably meant.
//!
//! Planning files take any words for a title and runs take any words for their instructions, so these lines are
//! refused before they open or start something that nobody wanted.

use plan_machine::Token;
use plan_machine::command::{Pattern, nearest};
use plan_machine::description::EventKind;
use plan_machine_sessions::SessionPlan;

use super::help::OWN;
use crate::mode::Mode;
use crate::model::in_a_line;

/// Subcommands that people know from elsewhere, and the commands that do it here.
const ELSEWHERE: [(&str, &str); 2] = [("stop", "/plan cancel"), ("help", "/help")];

/// The bot's own subcommands of `/plan`.
const OWN_SECONDS: [&str; 2] = ["show", "end"];

/// Short words with which a title begins, near to a command or not: `an` is no mistyped `on` where more words follow.
const ORDINARY: [&str; 20] = [
    "a", "an", "as", "at", "by", "do", "for", "how", "if", "in", "it", "my", "no", "of", "one",
    "or", "our", "the", "to", "up",
];

/// How many characters of what was typed a message repeats.
const LONGEST: usize = 60;

/// Why a line is not sent to the plans of a session in this mode.
pub(super) fn refused(mode: Mode, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is = |at: usize, word: &str| {
        words
            .get(at)
            .is_some_and(|typed| typed.eq_ignore_ascii_case(word))
    };
    if is(0, "/auto") && is(1, "on") {
        return words.get(2).and_then(|word| option(word, words.len() == 3));
    }
    if !is(0, "/plan") {
        return None;
    }
    let is_blank = quoted_title(line).is_some_and(|title| title.trim().is_empty());
    let Some(second) = words.get(1).filter(|_| !is_blank) else {
        return Some(
            "`/plan` needs more words: `/plan TITLE` opens planning files, and `/help` lists the commands that begin with `/plan`"
                .to_owned(),
        );
    };
    if second.starts_with('"') || mode.has(line) {
        return None;
    }
    let title = words[1..].join(" ");
    let modes = Mode::with(line);
    if !modes.is_empty() {
        let begin = if second.eq_ignore_ascii_case("on") && mode == Mode::PlanBuilder {
            "Here, say what to plan. "
        } else {
            ""
        };
        let quote_it = match words.len() {
            2 => String::new(),
            _ => format!(" {}", quote_it(&title)),
        };
        let (of, switch) = (listed_modes(&modes), modes[0]);
        return Some(format!(
            "`/plan {second}` is a command of {of}, and this conversation is in {mode}. {begin}`/mode {switch}` changes the mode.{quote_it}"
        ));
    }
    let near = meant(mode, second, words.len() == 2)?;
    Some(format!(
        "unknown command `/plan {second}`; did you mean {near}? {}",
        quote_it(&title)
    ))
}

/// How planning files get a title that begins like a command.
pub(crate) fn quote_it(title: &str) -> String {
    let title = in_a_line(title, LONGEST);
    format!("(For planning files with this title, put it in quotes: `/plan \"{title}\"`.)")
}

/// The title of `/plan "TITLE"`.
pub(super) fn quoted_title(line: &str) -> Option<&str> {
    let (first, rest) = line.split_once(char::is_whitespace)?;
    let title = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    first.eq_ignore_ascii_case("/plan").then_some(title)
}

/// What the first word of a title was probably meant to be, as it is typed.
fn meant(mode: Mode, word: &str, alone: bool) -> Option<String> {
    let elsewhere = ELSEWHERE
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(word));
    if let Some((_, here)) = elsewhere {
        return Some(format!("`{here}`"));
    }
    let is_ordinary = |known: &&str| known.eq_ignore_ascii_case(word);
    if !alone && ORDINARY.iter().any(is_ordinary) {
        return None;
    }
    let own = OWN
        .iter()
        .filter_map(|(text, _)| text.split_whitespace().next());
    let mut own = own.filter(|known| alone && known[1..].eq_ignore_ascii_case(word));
    if let Some(known) = own.next() {
        return Some(format!("`{known}`"));
    }
    // Of equally good ones, this mode's come first.
    let here: Vec<&str> = mode.seconds().chain(OWN_SECONDS).collect();
    if let Some(near) = near(word, &here) {
        return Some(format!("`/plan {near}`"));
    }
    let others = Mode::ALL.into_iter().flat_map(Mode::seconds);
    let near = near(word, &others.collect::<Vec<_>>())?;
    let modes = Mode::with(&format!("/plan {near}"));
    Some(format!(
        "`/plan {near}`, a command of {}",
        listed_modes(&modes)
    ))
}

/// The word that another one is the beginning of, or is near to.
fn near<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase();
    let begun = |known: &&&str| word.len() > 2 && known.starts_with(&word);
    let begun = known.iter().find(begun).copied();
    begun.or_else(|| nearest(&word, known.iter().copied()))
}

fn listed_modes(modes: &[Mode]) -> String {
    let names: Vec<&str> = modes.iter().map(|mode| mode.name()).collect();
    match names[..] {
        [one] => format!("the mode {one}"),
        _ => format!("the modes {}", listed(&names)),
    }
}

/// Names in a sentence.
pub(super) fn listed(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// What is wrong with the first word after `/auto on`, where it looks like an option.
fn option(word: &str, is_last: bool) -> Option<String> {
    const GOAL: &str = "`/auto on --goal GOAL INSTRUCTIONS...`";
    if word.eq_ignore_ascii_case("--goal") {
        return is_last.then(|| format!("`--goal` needs a goal and something to do: {GOAL}"));
    }
    let name = word.trim_start_matches(['-', '–', '—']);
    if name == word || !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let typed = in_a_line(word, LONGEST);
    let name = name.split('=').next().unwrap_or(name);
    let meant = match nearest(name, ["goal"]) {
        Some(_) => format!("did you mean {GOAL}?"),
        None => format!("there is only {GOAL}."),
    };
    Some(format!(
        "`/auto on` has no option `{typed}`; {meant} (Put the word in quotes where the instructions begin with it.)"
    ))
}

/// What is wrong with a line that names a plan or a run that there is not.
pub(super) fn no_such_plan(mode: Mode, line: &str, plans: &[SessionPlan]) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut best: Option<(usize, &str)> = None;
    let machines = mode.descriptions();
    for machine in machines {
        for event in machine.events {
            let EventKind::Command { text, .. } = event.kind else {
                continue;
            };
            let Ok(pattern) = Pattern::parse(text) else {
                continue;
            };
            let names_one = pattern.arguments().any(|(name, _)| name == "plan_id");
            let begins = pattern.begins(line);
            if names_one && begins > best.map_or(1, |(most, _)| most) {
                best = Some((begins, machine.name));
            }
        }
    }
    let (begins, machine) = best?;
    let named = *words.get(begins)?;
    let own = plans.iter().filter(|held| held.machine == machine);
    let own: Vec<&str> = own.map(|held| held.plan.id.as_str()).collect();
    if own.contains(&named) || named.parse::<Token>().is_ok() {
        return None;
    }
    let described = machines.iter().find(|one| one.name == machine)?;
    let is_over = |held: &&SessionPlan| {
        let state = described.state_named(&held.plan.state);
        state.is_some_and(|at| described.state(at).is_final)
    };
    let open = plans.iter().filter(|held| held.machine == machine);
    let open = open.filter(|held| !is_over(held));
    let open: Vec<&str> = open.map(|held| held.plan.id.as_str()).collect();
    let named = in_a_line(named, LONGEST);
    let (noun, none) = if machine == "AutoRun" {
        ("run", "no run is going on")
    } else {
        ("plan", "there is no other plan either")
    };
    Some(match open[..] {
        [] => format!("there is no {noun} `{named}`, and {none}"),
        _ => format!("there is no {noun} `{named}`, only {}", listed(&open)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_an_option_is_one_or_is_refused() {
        for line in [
            "/auto on --gaol ship Count.",
            "/auto on -goal ship Count.",
            "/auto on —goal ship Count.",
            "/auto on --goal=ship Count.",
        ] {
            let told = refused(Mode::WorkByPlan, line).expect(line);
            assert!(
                told.contains("did you mean `/auto on --goal GOAL INSTRUCTIONS...`?"),
                "{told}"
            );
        }
        assert!(refused(Mode::WorkByPlan, "/auto on --quiet Count.").is_some());
        assert!(refused(Mode::WorkByPlan, "/auto on --goal").is_some());
        for line in [
            "/auto on --goal ship Count.",
            "/auto on Count --gaol.",
            "/auto on -5 is cold: say why.",
            "/auto on - milk",
            "/auto on \"--gaol\" is a word.",
        ] {
            assert_eq!(refused(Mode::WorkByPlan, line), None, "{line}");
        }
    }

    #[test]
    fn a_title_that_begins_like_a_command_of_any_mode_is_refused() {
        for mode in Mode::ALL {
            for word in [
                "of", "onn", "of", "off", "execut", "rsume", "stop", "help", "Show", "done",
                "reject", "stop-on", "where", "end",
            ] {
                let line = format!("/plan {word}");
                let refused = refused(mode, &line).is_some();
                assert!(refused || mode.has(&line), "{mode}: {line}");
            }
            for title in [
                "a trip to the lake",
                "Move the house",
                "where to go",
                "an outing",
                "Of mice and men",
                "no more waste",
                "how to get there",
                "one step at a time",
                "\"on the road\"",
            ] {
                assert_eq!(
                    refused(mode, &format!("/plan {title}")),
                    None,
                    "{mode}: {title}"
                );
            }
        }
    }

    #[test]
    fn a_quoted_title_is_read_without_its_quotes() {
        assert_eq!(quoted_title("/plan \"on the road\""), Some("on the road"));
        assert_eq!(quoted_title("/PLAN  \"off\" "), Some("off"));
        for line in ["/plan on", "/plan \"on", "/plan \"", "/files \"close\""] {
            assert_eq!(quoted_title(line), None, "{line}");
        }
    }
}
