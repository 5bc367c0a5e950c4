//! The JSON data that the server sends to the page and to programs.

mod answers;
mod calls;
mod card;
mod chart;
mod denials;
mod history;
mod lists;
mod machine;
mod maybe;
mod outcome;
mod plans;
mod proofs;
mod session;
mod timeline;
mod written;

pub(crate) use card::{Card, card_json, cards};
pub(crate) use denials::{DenialList, denied_event_json};
pub(crate) use history::{History, Version, version_json};
pub(crate) use lists::{inbox_json, named_json, recent_json};
pub(crate) use maybe::maybe;
pub(crate) use outcome::{decision_json, denial_json};
pub(crate) use plans::{plan_states, plans_json};
pub(crate) use proofs::{ProofState, Proofs};
pub(crate) use session::{damaged_session_json, session_json};
pub(crate) use timeline::{TimelinePart, timeline_json};
