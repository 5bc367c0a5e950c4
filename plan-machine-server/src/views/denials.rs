//! Calls that were denied. Journals do not contain them: hooks record theirs in a file, and this server keeps in memory
//! the ones that were denied over HTTP or by a host.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use plan_machine_agents::audit::{self, DeniedCall};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::{visible, visible_line};
use plan_machine_sessions::SessionIdentity;

use super::maybe::maybe;

/// The number of denials that are kept in memory.
const MOST: usize = 1000;

/// The last denied calls that no file lists.
#[derive(Debug, Default)]
pub(crate) struct DenialList(Mutex<VecDeque<DeniedCall>>);

impl DenialList {
    /// Adds a denial.
    pub(crate) fn add(&self, denied: DeniedCall) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(denied);
        if all.len() > MOST {
            all.pop_front();
        }
    }

    /// Returns the denials of a session, including those of hooks, oldest first. A list that cannot be read counts as
    /// empty, so that it does not hide the journal.
    #[must_use]
    pub(crate) fn of_session(
        &self,
        session: &SessionIdentity,
        list: Option<&Path>,
    ) -> Vec<DeniedCall> {
        let name = session.to_string();
        let stored = list.and_then(|list| audit::read(list).ok());
        let mut found: Vec<DeniedCall> = stored.unwrap_or_default();
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.extend(own.iter().cloned());
        drop(own);
        found.retain(|denied| denied.session == name);
        found.sort_by_key(|denied| denied.at);
        found
    }
}

/// Returns a denial for a timeline.
pub(super) fn denied_json(denied: &DeniedCall) -> Json {
    let mut object = Object::new();
    object.push("kind", "denied");
    object.push("seq", Json::Null);
    describe(&mut object, denied);
    object.into()
}

/// Returns a denial for a stream of events. `seq` is the number of the session's last entry, if it is known.
#[must_use]
pub(crate) fn denied_event_json(denied: &DeniedCall, seq: Option<u64>) -> Json {
    let mut object = Object::new();
    object.push("sessionId", denied.session.as_str());
    object.push("seq", maybe(seq));
    describe(&mut object, denied);
    object.into()
}

fn describe(object: &mut Object, denied: &DeniedCall) {
    object.push("at", denied.at.to_string());
    object.push("actor", visible_line(&denied.actor));
    object.push("tool", visible_line(&denied.tool));
    object.push("args", visible_line(&denied.args));
    object.push("reason", visible(&denied.reason));
}
