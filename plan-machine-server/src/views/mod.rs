//! What the page and programs see, as JSON.

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

pub use card::{Card, card_json, cards};
pub use denials::DenialList;
pub use history::{History, Version, version_json};
pub use lists::{inbox_json, named_json, recent_json};
pub use maybe::maybe;
pub use outcome::{decision_json, denial_json};
pub use plans::{plan_states, plans_json};
pub use proofs::{ProofState, Proofs};
pub use session::{damaged_session_json, session_json};
pub use timeline::timeline_json;
