//! Denied calls, as a listener receives them. Journals do not contain them.

use std::sync::Arc;

use plan_machine::gate::{EventContext, ToolCall};
use plan_machine_sessions::SessionIdentity;

/// A call of the model that was denied, by the plans or by the host itself.
#[derive(Clone, Debug, PartialEq)]
pub struct DenialReport {
    /// The session.
    pub session: SessionIdentity,
    /// The number of the session's last entry when the call was denied.
    pub seq: u64,
    /// The call. It has no arguments if the model's arguments could not be read.
    pub call: ToolCall,
    /// The reason, as the model reads it.
    pub reason: String,
    /// When the call was denied, and who made it.
    pub context: EventContext,
}

/// Receives denied calls.
pub type DenialListener = Arc<dyn Fn(DenialReport) + Send + Sync>;
