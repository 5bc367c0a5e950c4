//! Lines that look like a command but are not one: the error in each line, and the command that was probably intended.
//!
//! Planning files accept any text after `/plan` as a title. A title that looks like a mistyped command is refused
//! before it opens planning files by mistake.

use plan_machine::Token;
use plan_machine::command::nearest;

use crate::host::{Mode, Modes, OWN, id_like, listed, notation};
use crate::words::in_a_line;

/// Subcommands that people know from other programs, and the equivalent host commands.
const ELSEWHERE: [(&str, &str); 2] = [("stop", "/plan cancel"), ("help", "/help")];

/// More subcommands that people know from other programs. These may also start a title: `/plan list the guests` opens
/// planning files.
const ELSEWHERE_ALONE: [(&str, &str); 8] = [
    ("list", "/plan show"),
    ("ls", "/plan show"),
    ("delete", "/plan cancel"),
    ("remove", "/plan cancel"),
    ("abort", "/plan cancel"),
    ("exit", "/plan cancel"),
    ("close", "/files close"),
    ("open", "/files"),
];

/// Subcommands with which a plan is started in other programs.
const STARTS: [&str; 3] = ["start", "begin", "new"];

/// The host's own subcommands of `/plan`.
const OWN_SECONDS: [&str; 2] = ["show", "end"];

/// Short words that a title may start with although they resemble a command: `an` is not a mistyped `on` if more words
/// follow.
const ORDINARY: [&str; 20] = [
    "a", "an", "as", "at", "by", "do", "for", "how", "if", "in", "it", "my", "no", "of", "one",
    "or", "our", "the", "to", "up",
];

/// The maximum number of typed characters that a message repeats.
const LONGEST: usize = 60;

/// Returns why a line is not sent to the plans of a session in this mode.
pub(super) fn refused(modes: &Modes, mode: &Mode, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is = |at: usize, word: &str| {
        words
            .get(at)
            .is_some_and(|typed| typed.eq_ignore_ascii_case(word))
    };
    if !is(0, "/plan") {
        return None;
    }
    let is_blank = quoted_title(line).is_some_and(|title| title.trim().is_empty());
    let Some(second) = words.get(1).filter(|_| !is_blank) else {
        return Some(
            "`/plan` needs an argument: `/plan TITLE` opens planning files, and `/help` lists the commands that start with `/plan`"
                .to_owned(),
        );
    };
    if second.starts_with('"') || mode.has(line) {
        return None;
    }
    let title = words[1..].join(" ");
    let others = modes.with(line);
    if !others.is_empty() {
        // If no command starts a plan in this mode, a message does.
        let begin =
            if second.eq_ignore_ascii_case("on") && mode.plans().starting_command().is_none() {
                "To start a plan in this mode, say what to plan. "
            } else {
                ""
            };
        let quote_it = match words.len() {
            2 => String::new(),
            _ => format!(" {}", quote_it(&title)),
        };
        let (of, switch) = (listed_modes(&others), others[0]);
        return Some(format!(
            "`/plan {second}` is a command of {of}, but this conversation is in {mode}. {begin}`/mode {switch}` changes the mode.{quote_it}"
        ));
    }
    let alone = words.len() == 2;
    let third = words.get(2).copied();
    let named = for_one_plan(mode, second, third);
    let near = named.or_else(|| meant(modes, mode, second, alone))?;
    Some(format!(
        "unknown command `/plan {second}`; did you mean {near}? {}",
        quote_it(&title)
    ))
}

/// Returns the command that was probably intended by a line with a token or the id of a plan after `/plan`, either
/// alone or before a subcommand.
fn for_one_plan(mode: &Mode, word: &str, next: Option<&str>) -> Option<String> {
    let word = word.to_lowercase();
    let is_token = word.parse::<Token>().is_ok();
    let of_plan = if is_token {
        word
    } else {
        id_like(&word, "plan")?
    };
    let subcommand = match next {
        None if is_token => "approve",
        None => "show",
        Some(next) => {
            let known = mode.seconds("/plan").chain(OWN_SECONDS);
            known
                .into_iter()
                .find(|known| known.eq_ignore_ascii_case(next))?
        }
    };
    Some(format!("`/plan {subcommand} {of_plan}`"))
}

/// Explains how to give planning files a title that looks like a command.
pub(super) fn quote_it(title: &str) -> String {
    let title = in_a_line(title, LONGEST);
    format!("(For planning files with this title, put the title in quotes: `/plan \"{title}\"`.)")
}

/// Returns the title of `/plan "TITLE"`.
pub(super) fn quoted_title(line: &str) -> Option<&str> {
    let (first, rest) = line.split_once(char::is_whitespace)?;
    let title = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    first.eq_ignore_ascii_case("/plan").then_some(title)
}

/// Returns the command that the first word of a title was probably intended to be, as it is typed.
fn meant(modes: &Modes, mode: &Mode, word: &str, alone: bool) -> Option<String> {
    let alone_too = ELSEWHERE_ALONE.iter().filter(|_| alone);
    let mut elsewhere = ELSEWHERE.iter().chain(alone_too);
    let elsewhere = elsewhere.find(|(known, _)| known.eq_ignore_ascii_case(word));
    if let Some((_, here)) = elsewhere {
        return Some(match here.strip_prefix("/plan ") {
            Some(second) => format!("`{}`", with_arguments(mode, second)),
            None => format!("`{here}`"),
        });
    }
    let is_ordinary = |known: &&str| known.eq_ignore_ascii_case(word);
    if alone && STARTS.iter().any(is_ordinary) {
        let starts = mode.plans().starting_command();
        return Some(starts.map_or_else(
            || "to say what to plan".to_owned(),
            |starts| format!("`{starts}`"),
        ));
    }
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
    // The commands of this mode are tried before those of other modes.
    let here: Vec<&str> = mode.seconds("/plan").chain(OWN_SECONDS).collect();
    if let Some(near) = near(word, &here) {
        return Some(format!("`{}`", with_arguments(mode, near)));
    }
    let others = modes.iter().flat_map(|mode| mode.seconds("/plan"));
    let near = near(word, &others.collect::<Vec<_>>())?;
    let modes = modes.with(&format!("/plan {near}"));
    Some(format!(
        "`/plan {near}`, a command of {}",
        listed_modes(&modes)
    ))
}

/// Returns a subcommand of `/plan` with the arguments that it needs.
fn with_arguments(mode: &Mode, second: &str) -> String {
    let Some(text) = mode.command_with("/plan", second) else {
        return format!("/plan {second}");
    };
    let text = notation(text, "plan");
    let needed = text
        .split_whitespace()
        .filter(|word| !word.starts_with('['));
    needed.collect::<Vec<_>>().join(" ")
}

/// Returns the candidate that a word abbreviates or is similar to.
fn near<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase();
    let begun = |known: &&&str| word.len() > 1 && known.starts_with(&word);
    let begun = known.iter().find(begun).copied();
    begun.or_else(|| nearest(&word, known.iter().copied()))
}

fn listed_modes(modes: &[&Mode]) -> String {
    let names: Vec<&str> = modes.iter().map(|mode| mode.name()).collect();
    match names[..] {
        [one] => format!("the mode {one}"),
        _ => format!("the modes {}", listed(&names)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::modes_of_shipped_specs;

    #[test]
    fn a_title_that_starts_like_a_command_of_any_mode_is_refused() {
        let modes = modes_of_shipped_specs();
        for mode in modes.iter() {
            for word in [
                "of",
                "onn",
                "of",
                "off",
                "execut",
                "rsume",
                "stop",
                "help",
                "Show",
                "done",
                "reject",
                "stop-on",
                "where",
                "end",
                "list",
                "Delete",
                "abort",
                "close",
                "start",
                "exit",
                "1-7f9f9bdc",
                "1-7F9F9BDC",
                "plan-1",
                "Plan-1",
                "PLAN-12",
                "plan1",
                "Plan_1",
                "plan-1 approve",
            ] {
                let line = format!("/plan {word}");
                let refused = refused(&modes, mode, &line).is_some();
                assert!(refused || mode.has(&line), "{mode}: {line}");
            }
            for title in [
                "Holidays",
                "plan-b",
                "Plan-B",
                "plans",
                "plan-1 in detail",
                "start the engine",
                "close the shop",
                "a trip to the lake",
                "Move the house",
                "where to go",
                "an outing",
                "Of mice and men",
                "no more waste",
                "how to get there",
                "one step at a time",
                "list the guests",
                "delete old files",
                "\"on the road\"",
            ] {
                assert_eq!(
                    refused(&modes, mode, &format!("/plan {title}")),
                    None,
                    "{mode}: {title}"
                );
            }
        }
    }

    #[test]
    fn a_subcommand_is_suggested_with_the_arguments_that_it_needs() {
        let modes = modes_of_shipped_specs();
        let told = |mode: &str, line: &str| {
            let mode = modes.named(mode).expect("a mode");
            refused(&modes, mode, line).expect("refused")
        };
        for (mode, line, meant) in [
            (
                "plan_builder",
                "/plan executte plan-2",
                "`/plan execute PLAN`",
            ),
            ("plan_builder", "/plan aprove plan-2", "`/plan approve`"),
            ("plan_mode", "/plan start", "`/plan on`"),
            ("plan_builder", "/plan start", "to say what to plan"),
            (
                "plan_mode",
                "/plan 1-7f9f9bdc",
                "`/plan approve 1-7f9f9bdc`",
            ),
            ("work_by_plan", "/plan plan-1", "`/plan show plan-1`"),
            ("plan_mode", "/plan Plan-1", "`/plan show plan-1`"),
            (
                "plan_mode",
                "/plan 1-7F9F9BDC",
                "`/plan approve 1-7f9f9bdc`",
            ),
            ("plan_mode", "/plan PLAN-1 Cancel", "`/plan cancel plan-1`"),
            ("work_by_plan", "/plan close", "`/files close`"),
        ] {
            let told = told(mode, line);
            let expected = format!("did you mean {meant}? ");
            assert!(told.contains(&expected), "{told}");
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
