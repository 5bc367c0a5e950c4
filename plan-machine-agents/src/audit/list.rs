//! The list: one line of JSON for each denied call.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use crate::project::ProjectError;
use crate::project::files;

/// The size at which a list is renamed and a new one begins. Only the last renamed list is kept.
const MAX_BYTES: u64 = 1 << 20;

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
    /// The arguments as JSON, shortened.
    pub args: String,
    /// The reason for the denial, shortened.
    pub reason: String,
}

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

/// Shortens a text.
fn cut(text: &str) -> String {
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(MAX_TEXT).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Adds a denial to a list.
///
/// # Errors
///
/// If the list cannot be written. The call stays denied.
pub fn add(list: &Path, denied: &DeniedCall) -> Result<(), ProjectError> {
    if fs::metadata(list).is_ok_and(|list| list.len() > MAX_BYTES) {
        // If two processes do this at once, a few lines may be lost.
        let _ = fs::rename(list, older(list));
    }
    files::append(list, &denied.line())
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
