//! Denied calls. Journals do not contain them, so a host reports them to the server, which shows each one when it happens
//! and keeps the last ones in memory.

use std::sync::Arc;

use plan_machine::gate::{EventContext, ToolCall};
use plan_machine_agents::audit::DeniedCall;
use plan_machine_kernel::json::Json;
use plan_machine_sessions::SessionIdentity;

use crate::content::{shortened, shortened_json};
use crate::live::Hub;
use crate::views::{DenialList, denied_event_json};

/// The maximum length of each text that is kept about a denied call, in characters.
const LONGEST: usize = 2000;

/// The feed to which a host reports the calls that were denied.
#[derive(Clone, Debug)]
pub struct DenialFeed {
    hub: Arc<Hub>,
    list: Arc<DenialList>,
}

impl DenialFeed {
    pub(crate) fn new(hub: Arc<Hub>, list: Arc<DenialList>) -> Self {
        Self { hub, list }
    }

    /// Shows a denied call in the timeline of its session, and sends it to the clients that follow the session. `seq` is
    /// the number of the session's last entry.
    pub fn report(
        &self,
        session: &SessionIdentity,
        call: &ToolCall,
        reason: &str,
        seq: u64,
        around: &EventContext,
    ) {
        let args = shortened_json(&Json::Object(call.args.clone()), LONGEST).to_string();
        let denied = DeniedCall {
            at: around.now,
            session: session.to_string(),
            actor: shortened(around.actor.as_deref().unwrap_or_default(), LONGEST),
            tool: shortened(&call.name, LONGEST),
            args: shortened(&args, LONGEST),
            reason: shortened(reason, LONGEST),
        };
        let event = denied_event_json(&denied, Some(seq));
        self.list.add(denied);
        self.hub.denied(session, &event);
    }
}
