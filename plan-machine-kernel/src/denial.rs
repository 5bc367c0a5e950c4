//! The reasons why an event can be denied.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The kind of a denial. A denied step changes nothing; the kind tells the sender how to proceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DenialKind {
    /// The current state, or a rule of the gate, does not allow the event.
    NotAllowed,
    /// The payload or the context data does not match its types and bounds.
    InvalidInput,
    /// A condition of the transition does not hold.
    Refused,
    /// The sender has not seen the current version of the plan.
    Stale,
    /// A bound on data or on live plans would be exceeded.
    LimitReached,
    /// Neither a machine nor the host defines the tool.
    UnknownTool,
    /// There is no such plan.
    NotFound,
    /// The event could be meant for several plans.
    Ambiguous,
}

impl DenialKind {
    /// All kinds, in the order in which the language reference lists them.
    pub const ALL: [Self; 8] = [
        Self::NotAllowed,
        Self::InvalidInput,
        Self::Refused,
        Self::Stale,
        Self::LimitReached,
        Self::UnknownTool,
        Self::NotFound,
        Self::Ambiguous,
    ];

    /// Returns the name of the kind in specs, journals and replies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotAllowed => "not_allowed",
            Self::InvalidInput => "invalid_input",
            Self::Refused => "refused",
            Self::Stale => "stale",
            Self::LimitReached => "limit_reached",
            Self::UnknownTool => "unknown_tool",
            Self::NotFound => "not_found",
            Self::Ambiguous => "ambiguous",
        }
    }
}

impl fmt::Display for DenialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error for a word that is not the name of a kind of denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDenialKind;

impl fmt::Display for UnknownDenialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown kind of denial; expected one of ")?;
        for (position, kind) in DenialKind::ALL.into_iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}`{kind}`")?;
        }
        Ok(())
    }
}

impl Error for UnknownDenialKind {}

impl FromStr for DenialKind {
    type Err = UnknownDenialKind;

    fn from_str(name: &str) -> Result<Self, UnknownDenialKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or(UnknownDenialKind)
    }
}

/// Returns the messages of a denial as one line. Sentences follow each other; phrases are separated by semicolons.
#[must_use]
pub fn joined(messages: &[String]) -> String {
    let mut line = String::new();
    for message in messages {
        if !line.is_empty() {
            line.push_str(if line.ends_with(['.', '!', '?']) {
                " "
            } else {
                "; "
            });
        }
        line.push_str(message);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_separated_by_semicolons_and_sentences_by_spaces() {
        let line = |messages: &[&str]| {
            let messages = messages.iter().map(|message| (*message).to_owned());
            joined(&messages.collect::<Vec<_>>())
        };
        assert_eq!(line(&["too long", "too deep"]), "too long; too deep");
        assert_eq!(
            line(&["Ask first.", "Then write."]),
            "Ask first. Then write."
        );
        assert_eq!(line(&["alone"]), "alone");
        assert_eq!(line(&[]), "");
    }

    #[test]
    fn every_kind_reads_back_from_its_name() {
        for kind in DenialKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("Stale".parse::<DenialKind>(), Err(UnknownDenialKind));
    }

    #[test]
    fn the_error_names_all_kinds() {
        let message = UnknownDenialKind.to_string();
        assert!(
            DenialKind::ALL
                .iter()
                .all(|kind| message.contains(kind.as_str())),
            "{message}"
        );
    }
}
