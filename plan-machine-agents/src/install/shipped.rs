//! The documents that `init` writes: a session, its machine, and the calls documents of the agents.
//!
//! The files in the folder `shipped` are symbolic links to those of the crate `plan-specs`.

use super::error::InstallError;

/// A session that `init` can install.
#[derive(Debug)]
pub struct ShippedSession {
    /// The part of its name after `plan-specs:`.
    pub name: &'static str,
    /// A description in one sentence.
    pub about: &'static str,
    /// The text of the session document.
    text: &'static str,
    /// The file and the text of the machine, which is written next to the session document.
    machine: (&'static str, &'static str),
}

/// The sessions, the most useful one first.
pub const SESSIONS: [ShippedSession; 4] = [
    ShippedSession {
        name: "look_then_act",
        about: "read-only calls run; all other calls are denied until a person has approved the plan, which is one Markdown document",
        text: include_str!("../../shipped/sessions/look_then_act.yaml"),
        machine: (
            "look_then_act.yaml",
            include_str!("../../shipped/agents/look_then_act.yaml"),
        ),
    },
    ShippedSession {
        name: "budgeted",
        about: "like look_then_act, but an approval lets a limited number of writes and shell commands run, and then a person is asked again",
        text: include_str!("../../shipped/sessions/budgeted.yaml"),
        machine: (
            "budgeted.yaml",
            include_str!("../../shipped/agents/budgeted.yaml"),
        ),
    },
    ShippedSession {
        name: "record_then_replay",
        about: "read-only calls run; other calls are recorded, and after the approval, exactly the recorded calls run, in order",
        text: include_str!("../../shipped/sessions/record_then_replay.yaml"),
        machine: (
            "record_then_replay.yaml",
            include_str!("../../shipped/agents/record_then_replay.yaml"),
        ),
    },
    ShippedSession {
        name: "work_by_plan",
        about: "no tool is restricted, but the plan is durable, and a person approves it",
        text: include_str!("../../shipped/sessions/work_by_plan.yaml"),
        machine: (
            "plan_beside_work.yaml",
            include_str!("../../shipped/agents/plan_beside_work.yaml"),
        ),
    },
];

/// The calls documents, each with the name of its agent.
const CALLS: [(&str, &str); 6] = [
    (
        "claude-code",
        include_str!("../../shipped/calls/claude_code.yaml"),
    ),
    ("codex", include_str!("../../shipped/calls/codex.yaml")),
    (
        "opencode",
        include_str!("../../shipped/calls/opencode.yaml"),
    ),
    ("gemini", include_str!("../../shipped/calls/gemini.yaml")),
    ("goose", include_str!("../../shipped/calls/goose.yaml")),
    ("cursor", include_str!("../../shipped/calls/cursor.yaml")),
];

/// The file with the calls document, next to the session document.
pub const CALLS_FILE: &str = "calls.yaml";

/// Returns the calls document of an agent.
///
/// # Errors
///
/// If there is no calls document for the agent.
pub(super) fn calls(agent: &'static str) -> Result<&'static str, InstallError> {
    let mut all = CALLS.into_iter();
    all.find(|(name, _)| *name == agent)
        .map(|(_, text)| text)
        .ok_or(InstallError::NoCalls(agent))
}

/// Returns the session with this name, which may begin with `plan-specs:`.
///
/// # Errors
///
/// If there is no shipped session with this name.
pub fn session(name: &str) -> Result<&'static ShippedSession, InstallError> {
    let short = name.strip_prefix("plan-specs:").unwrap_or(name);
    SESSIONS
        .iter()
        .find(|session| session.name == short)
        .ok_or_else(|| InstallError::UnknownSession {
            name: name.to_owned(),
            known: SESSIONS
                .iter()
                .map(|session| format!("`plan-specs:{}`", session.name))
                .collect::<Vec<_>>()
                .join(", "),
        })
}

impl ShippedSession {
    /// Returns the name of the file with the machine.
    #[must_use]
    pub fn machine_file(&self) -> &'static str {
        self.machine.0
    }

    /// Returns the text of the machine.
    #[must_use]
    pub fn machine(&self) -> &'static str {
        self.machine.1
    }

    /// Returns the session document, which refers to the files next to it.
    #[must_use]
    pub fn document(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            if line.starts_with("calls: ") {
                out.push_str("calls: ");
                out.push_str(CALLS_FILE);
            } else {
                out.push_str(&line.replace("../agents/", ""));
            }
            out.push('\n');
        }
        out
    }
}
