//! An answer to an agent, in the same form for every agent.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible;

/// The maximum length of a reason for a model, in characters.
const MAX_REASON: usize = 4000;

/// The answer to an event.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentAnswer {
    /// No output: the gate has no objection to a call, and the user's own rules still apply.
    Silence,
    /// The call must not run, for this reason.
    Deny(String),
    /// The prompt is answered here and does not reach the model. The text is for the person.
    Block(String),
    /// The event proceeds, and the model gets this text.
    Context(String),
    /// The call runs with these arguments instead of its own.
    Rewrite(Object),
    /// The event proceeds, and the person gets this text.
    Show(String),
    /// The event proceeds, the model gets the context, and the person gets the cards.
    ShowAgain {
        /// The text for the model.
        context: String,
        /// The text for the person.
        cards: String,
    },
}

/// What a hook writes, and its exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookOutput {
    /// The exit status, which is 0 or 2.
    pub status: u8,
    /// The text on standard output.
    pub stdout: String,
    /// The text on standard error.
    pub stderr: String,
}

impl HookOutput {
    /// Returns the empty output.
    #[must_use]
    pub fn silent() -> Self {
        Self {
            status: 0,
            stdout: String::new(),
            stderr: String::new(),
        }
    }

    /// Returns the one form of a denial that every agent honors: exit status 2, the reason on standard error, and
    /// nothing on standard output. The reason is never blank, because some agents run a call if its denial has no
    /// reason.
    #[must_use]
    pub fn denial(reason: &str) -> Self {
        let reason = shortened(reason);
        let reason = if reason.trim().is_empty() {
            CLOSED.to_owned()
        } else {
            reason
        };
        Self {
            status: 2,
            stdout: String::new(),
            stderr: format!("{}\n", reason.trim_end()),
        }
    }

    /// Returns the output of a blocked prompt: the text for the person, in full.
    #[must_use]
    pub fn block(text: &str) -> Self {
        let text = visible(text);
        let text = if text.trim().is_empty() {
            CLOSED
        } else {
            &text
        };
        Self {
            status: 2,
            stdout: String::new(),
            stderr: format!("{}\n", text.trim_end()),
        }
    }

    /// Returns the output with one JSON object.
    #[must_use]
    pub fn json(object: Object) -> Self {
        Self {
            status: 0,
            stdout: format!("{}\n", Json::from(object)),
            stderr: String::new(),
        }
    }
}

/// The reason for a denial if there is no better one.
pub const CLOSED: &str = "plan-machine: the gate is closed";

/// Shortens a text, and escapes its invisible characters.
pub(crate) fn shortened(text: &str) -> String {
    let mut letters = text.chars();
    let short: String = letters.by_ref().take(MAX_REASON).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("{}{more}", visible(&short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_has_a_reason_on_standard_error_and_status_two() {
        let denial = HookOutput::denial("no writes");
        assert_eq!((denial.status, denial.stdout.as_str()), (2, ""));
        assert_eq!(denial.stderr, "no writes\n");
    }

    #[test]
    fn no_denial_is_blank() {
        for blank in ["", " \n\t "] {
            assert_eq!(HookOutput::denial(blank).stderr, format!("{CLOSED}\n"));
            assert_eq!(HookOutput::block(blank).stderr, format!("{CLOSED}\n"));
        }
    }

    #[test]
    fn a_long_reason_is_shortened() {
        let denial = HookOutput::denial(&"x".repeat(10_000));
        assert!(denial.stderr.len() < 5000 && denial.stderr.ends_with("…\n"));
    }
}
