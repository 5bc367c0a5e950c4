//! The list: one line of JSON for each denied call.

use std::borrow::Borrow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use crate::project::ProjectError;
use crate::project::files;

/// The size at which a list is renamed and a new one begins. Only the last renamed list is kept.
const MAX_BYTES: u64 = 1 << 20;

/// A claim that is older than this belongs to a process that was killed: renaming a list takes much less time.
const LONGEST_CLAIM: Duration = Duration::from_secs(60);

/// The maximum length of each stored text that an agent chooses, in characters. A line is therefore shorter than the
/// pieces in which new lines of a list are read.
const MAX_TEXT: usize = 2000;

/// A denied call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeniedCall {
    /// The time of the denial.
    pub at: Instant,
    /// The session; empty if the event could not be read.
    pub session: String,
    /// Who made the call, that is, the shortened name of the agent or of one of its subagents; empty if the event could
    /// not be read.
    pub actor: String,
    /// The tool, shortened; empty if the event could not be read.
    pub tool: String,
    /// The arguments of the call as JSON, shortened.
    pub args: String,
    /// The reason for the denial, shortened.
    pub reason: String,
}

/// The maximum time between the event of a denied call and its line in the list. A hook ends after thirty seconds.
const LISTED_WITHIN: Duration = Duration::from_secs(60);

impl DeniedCall {
    fn line(&self) -> String {
        let mut object = Object::new();
        object.push("at", self.at.to_string());
        object.push("session", self.session.as_str());
        object.push("actor", cut(&self.actor));
        object.push("tool", cut(&self.tool));
        object.push("args", cut(&self.args));
        object.push("reason", cut(&self.reason));
        Json::from(object).to_string()
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        let Ok(Json::Object(object)) = Json::parse(line) else {
            return None;
        };
        let text = |key: &str| Some(object.get(key)?.as_text()?.to_owned());
        Some(Self {
            at: text("at")?.parse().ok()?,
            session: text("session")?,
            actor: text("actor")?,
            tool: text("tool")?,
            args: text("args")?,
            reason: text("reason")?,
        })
    }
}

/// Shortens a text to the maximum length of a stored text.
fn cut(text: &str) -> String {
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(MAX_TEXT).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Returns whether `cut` is the form in which the list stores `text`: complete or shortened.
fn is_cut_from(cut: &str, text: &str) -> bool {
    let start = cut.strip_suffix('…');
    cut == text || start.is_some_and(|start| text.starts_with(start))
}

/// Removes the line of a call that was denied in an event from lines that are sorted by time; returns whether such a
/// line was found. Lines have no call ids, so the function removes the first line with the same sender, tool and reason
/// that was written shortly after the event. It removes only one line, because each repetition of a call has a line of
/// its own.
pub fn remove_line<D: Borrow<DeniedCall>>(
    lines: &mut Vec<D>,
    at: Instant,
    actor: Option<&str>,
    tool: &str,
    reason: &str,
) -> bool {
    let latest = at.since_1970() + LISTED_WITHIN;
    let all = lines.iter().map(Borrow::borrow).enumerate();
    let mut near = all
        .skip_while(|(_, line): &(usize, &DeniedCall)| line.at < at)
        .take_while(|(_, line)| line.at.since_1970() <= latest);
    let found = near.find(|(_, line)| {
        Some(line.actor.as_str()) == actor
            && is_cut_from(&line.tool, tool)
            && is_cut_from(&line.reason, reason)
    });
    let found = found.map(|(at, _)| at);
    found.map(|at| lines.remove(at)).is_some()
}

/// Adds a denial to a list.
///
/// # Errors
///
/// If the list cannot be written. The call stays denied.
pub fn add(list: &Path, denied: &DeniedCall) -> Result<(), ProjectError> {
    if is_full(list) {
        begin_anew(list);
    }
    files::append(list, &denied.line())
}

fn is_full(list: &Path) -> bool {
    fs::metadata(list).is_ok_and(|list| list.len() > MAX_BYTES)
}

/// Renames a full list, so that the next denial begins a new one. Several processes may find the same full list, and a
/// late process must not replace the renamed list with the new one. So only the process that has created the claim
/// renames the list, and only if the list is still full. If nothing is renamed, the list grows a little longer.
fn begin_anew(list: &Path) {
    let claim = claim(list);
    if !files::create(&claim, "").unwrap_or(false) {
        // A process that was killed must not keep its claim.
        let made = fs::metadata(&claim).and_then(|claim| claim.modified());
        // A claim from the future was created before the clock was set back.
        let is_old = |made: SystemTime| made.elapsed().map_or(true, |age| age > LONGEST_CLAIM);
        if made.is_ok_and(is_old) {
            let _ = fs::remove_file(&claim);
        }
        return;
    }
    if is_full(list) {
        let _ = fs::rename(list, older(list));
    }
    let _ = fs::remove_file(&claim);
}

/// Returns the name of the file that exists while a process renames a list.
fn claim(list: &Path) -> PathBuf {
    list.with_extension("claim")
}

/// Returns the denials in a list, oldest first. Lines that cannot be read are left out.
///
/// # Errors
///
/// If the list cannot be read.
pub fn read(list: &Path) -> Result<Vec<DeniedCall>, ProjectError> {
    let mut all = Vec::new();
    for file in [older(list), list.to_owned()] {
        let bytes = files::read(&file)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        all.extend(text.lines().filter_map(DeniedCall::read));
    }
    Ok(all)
}

/// Returns the name that a list gets when a new one begins.
pub(super) fn older(list: &Path) -> PathBuf {
    list.with_extension("1.jsonl")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::audit) fn denied(reason: &str) -> DeniedCall {
        DeniedCall {
            at: Instant::at_second(7),
            session: "codex:c1".to_owned(),
            actor: "codex".to_owned(),
            tool: "Bash".to_owned(),
            args: "{\"command\":\"rm x\"}".to_owned(),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn an_event_removes_the_first_line_that_was_written_shortly_after_it() {
        let denied = |second: u32, reason: &str| DeniedCall {
            at: Instant::at_second(second),
            ..denied(reason)
        };
        let all = [
            denied(9, "no"),
            denied(10, "closed"),
            denied(11, "no"),
            denied(12, "no"),
            denied(200, "no, be…"),
        ];
        let left = |at: u32, actor: &str, tool: &str, reason: &str| {
            let mut lines = all.to_vec();
            let at = Instant::at_second(at);
            let is_removed = remove_line(&mut lines, at, Some(actor), tool, reason);
            assert_eq!(is_removed, lines.len() < all.len());
            let left = lines.iter().map(|line| line.at.since_1970().as_secs());
            left.collect::<Vec<u64>>()
        };
        assert_eq!(left(10, "codex", "Bash", "no"), [9, 10, 12, 200]);
        assert_eq!(left(180, "codex", "Bash", "no, because"), [9, 10, 11, 12]);
        for (at, actor, tool, reason) in [
            (10, "codex/a1", "Bash", "no"),
            (10, "codex", "Read", "no"),
            (10, "codex", "Bash", "yes"),
            (13, "codex", "Bash", "no"),
            (100, "codex", "Bash", "no, because"),
        ] {
            assert_eq!(left(at, actor, tool, reason), [9, 10, 11, 12, 200]);
        }
    }

    #[test]
    fn denials_are_read_back_in_their_order() {
        let place = tempfile::tempdir().expect("a folder");
        let list = place.path().join("state/audit.jsonl");
        add(&list, &denied("one")).expect("added");
        add(&list, &denied("two")).expect("added");
        assert_eq!(read(&list).expect("read"), [denied("one"), denied("two")]);
    }

    #[test]
    fn the_list_is_bounded() {
        let place = tempfile::tempdir().expect("a folder");
        let list = place.path().join("audit.jsonl");
        for _ in 0..2000 {
            add(&list, &denied(&"x".repeat(5000))).expect("added");
        }
        let size = fs::metadata(&list).expect("a list").len()
            + fs::metadata(older(&list)).expect("a list").len();
        assert!(size < 3 * MAX_BYTES, "{size}");
        assert!(!read(&list).expect("read").is_empty());
    }

    /// Returns a list that is full, and its text.
    fn full(folder: &Path) -> (PathBuf, String) {
        let list = folder.join("audit.jsonl");
        while !is_full(&list) {
            add(&list, &denied(&"x".repeat(1900))).expect("added");
        }
        let text = fs::read_to_string(&list).expect("a list");
        (list, text)
    }

    #[test]
    fn a_process_that_comes_late_does_not_replace_the_renamed_list() {
        let place = tempfile::tempdir().expect("a folder");
        let (list, text) = full(place.path());
        // Both processes have found the full list.
        begin_anew(&list);
        add(&list, &denied("new")).expect("added");
        begin_anew(&list);
        let renamed = fs::read_to_string(older(&list)).expect("a renamed list");
        assert!(renamed == text, "{} bytes", renamed.len());
        let all = read(&list).expect("read");
        assert_eq!(all.last(), Some(&denied("new")));
    }

    #[test]
    fn a_list_is_renamed_by_one_process_at_a_time_even_after_a_kill() {
        let place = tempfile::tempdir().expect("a folder");
        let (list, _) = full(place.path());
        assert!(files::create(&claim(&list), "").expect("a claim"));
        add(&list, &denied("one")).expect("added");
        assert!(!older(&list).exists() && claim(&list).exists());
        let old = fs::File::options().write(true).open(claim(&list));
        let old = old.and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH));
        old.expect("an old claim");
        for reason in ["two", "three"] {
            add(&list, &denied(reason)).expect("added");
        }
        assert!(older(&list).exists() && !claim(&list).exists());
        let all = read(&list).expect("read");
        let reasons: Vec<&str> = all.iter().rev().map(|one| one.reason.as_str()).collect();
        assert_eq!(reasons[..3], ["three", "two", "one"]);
    }

    #[test]
    fn a_line_is_bounded_whatever_the_agent_sends() {
        let place = tempfile::tempdir().expect("a folder");
        let list = place.path().join("audit.jsonl");
        let long = "\u{1}".repeat(1_000_000);
        let call = DeniedCall {
            actor: long.clone(),
            tool: long.clone(),
            args: long,
            ..denied("one")
        };
        add(&list, &call).expect("added");
        let size = fs::metadata(&list).expect("a list").len();
        assert!(size < 1 << 16, "{size}");
        assert_eq!(read(&list).expect("read").len(), 1);
    }
}
