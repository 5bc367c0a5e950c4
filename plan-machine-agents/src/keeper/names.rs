//! The names of conversations, calls and senders in a session.

use plan_machine_kernel::digest::{hex, sha256};
use plan_machine_kernel::json::Json;
use plan_machine_sessions::{InvalidIdentity, SessionIdentity};

use crate::agents::{self, Agent};
use crate::event::AgentEvent;

/// The signal that a machine gets when a call has run, if the machine declares the signal. It contains those of the
/// inputs `tool`, `args`, `failed` and `call` that the machine declares. If a machine has counted a call but gets no
/// such signal for it, the call may or may not have run.
pub(super) const ENDED: &str = "call_ended";

/// The prefix of a digest that is used instead of an agent's id.
const DIGEST: &str = "sha256-";

/// The maximum length of a call's id that is used unchanged, in bytes.
const LONGEST: usize = 256;

/// Returns the identity of a conversation's session: the agent and the agent's id for the conversation. An id that is
/// not valid in an identity, or that looks like a digest, is replaced with its digest.
///
/// # Errors
///
/// If the agent's name is not a valid channel.
pub fn identity(agent: &str, conversation: &str) -> Result<SessionIdentity, InvalidIdentity> {
    if !conversation.starts_with(DIGEST)
        && let Ok(identity) = SessionIdentity::new(agent, conversation)
    {
        return Ok(identity);
    }
    let digest = hex(&sha256(&[conversation.as_bytes()])[..20]);
    SessionIdentity::new(agent, &format!("{DIGEST}{digest}"))
}

/// Returns the agent of a session; `None` if another client has begun it.
pub(super) fn agent_of(session: &SessionIdentity) -> Option<&'static dyn Agent> {
    let channel = session.channel();
    // In a shared store, the channel also names the project.
    let agent = agents::agent_and_project(channel).map_or(channel, |(agent, _)| agent);
    agents::agent(agent)
}

/// Returns whether a person can type commands as prompts in the agent of a session. This is impossible if the agent does
/// not prove who typed a prompt.
pub(super) fn are_typed(session: &SessionIdentity) -> bool {
    agent_of(session).is_some_and(|agent| agent.proof().is_some())
}

/// Returns the id of a call in its session. An agent's own id is unique only within a turn of the agent or a subagent.
pub(super) fn call_id(event: &AgentEvent, id: &str) -> String {
    let part = |part: Option<&str>| part.map_or(Json::Null, Json::from);
    let parts = [
        part(event.turn.as_deref()),
        part(event.subagent.as_deref()),
        Json::from(id),
    ];
    let text = Json::from(parts.to_vec()).to_string();
    if text.len() <= LONGEST {
        return text;
    }
    format!("{DIGEST}{}", hex(&sha256(&[text.as_bytes()])))
}

/// Returns the sender of an event: the agent, or one of its subagents.
pub(crate) fn actor(agent: &str, event: &AgentEvent) -> String {
    match &event.subagent {
        Some(subagent) => {
            let short: String = subagent.chars().take(200).collect();
            format!("{agent}/{short}")
        }
        None => agent.to_owned(),
    }
}

/// Returns the name of the person at this computer.
#[must_use]
pub fn person() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let mut names = names.filter_map(|name| std::env::var(name).ok());
    let name = names.find(|name| !name.trim().is_empty());
    let name = name.unwrap_or_else(|| "user".to_owned());
    name.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::AgentEventKind;

    #[test]
    fn every_conversation_has_its_own_session() {
        let plain = identity("codex", "019a-bcde-f").expect("an identity");
        assert_eq!(plain.to_string(), "codex:019a-bcde-f");
        let odd = identity("goose", "20260101_1/ä").expect("an identity");
        assert!(odd.to_string().starts_with("goose:sha256-"), "{odd}");
        // An id that looks like a digest is not accepted as the digest of another conversation.
        let forged = identity("goose", odd.conversation()).expect("an identity");
        assert_ne!(forged, odd);
    }

    #[test]
    fn call_ids_differ_by_turn_subagent_and_id() {
        let event = |turn: Option<&str>, subagent: Option<&str>| AgentEvent {
            name: "PreToolUse".to_owned(),
            kind: AgentEventKind::Other,
            conversation: "c".to_owned(),
            turn: turn.map(str::to_owned),
            subagent: subagent.map(str::to_owned),
            folder: None,
        };
        let ids = [
            call_id(&event(None, None), "x"),
            call_id(&event(Some("t"), None), "x"),
            call_id(&event(None, Some("t")), "x"),
            call_id(&event(Some("t"), Some("a")), "x"),
            call_id(&event(Some("t"), Some("a")), "y"),
            call_id(&event(Some(&"t".repeat(900)), None), "x"),
            call_id(&event(Some(&"t".repeat(901)), None), "x"),
        ];
        for (at, id) in ids.iter().enumerate() {
            assert!(id.len() < 300 && !ids[..at].contains(id), "{id}");
        }
    }

    #[test]
    fn commands_are_typed_only_in_agents_that_prove_who_typed_them() {
        for (session, expected) in [
            ("codex:talk-1", true),
            ("codex@shop-1a2b3c4d:talk-1", true),
            ("claude-code:talk-1", true),
            ("opencode:talk-1", true),
            ("gemini:talk-1", false),
            ("goose@shop-1a2b3c4d:talk-1", false),
            ("cursor:talk-1", false),
            ("a-client:talk-1", false),
        ] {
            let identity = session.parse().expect("an identity");
            assert_eq!(are_typed(&identity), expected, "{session}");
        }
    }
}
