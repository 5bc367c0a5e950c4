//! Live events, and the text that is sent for each of them.

use axum::body::Bytes;
use plan_machine::machine::{CallKind, PlanView};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible_line;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{Entry, EntryKind};
use plan_machine_sessions::store::Place;
use plan_machine_sessions::watch::WatchedEntry;

use crate::inbox::{WaitingPlan, sender};
use crate::project::ServedProject;

/// An event that is sent to clients.
#[derive(Debug)]
pub(super) enum LiveEvent {
    /// An entry was stored.
    Entry {
        session: SessionIdentity,
        seq: u64,
        place: Place,
        /// The text for clients that follow all sessions.
        all: Bytes,
        /// The text for clients that follow this session.
        own: Bytes,
    },
    /// Something that is not stored: a denied call or a message of a session, or the state of the store.
    Passing {
        session: Option<SessionIdentity>,
        text: Bytes,
    },
    /// The server stops.
    Stop,
}

/// Formats an event. Events that are not stored have no `id`, because a client cannot resume after them.
pub(super) fn formatted(name: &str, id: Option<&str>, data: &Json) -> Bytes {
    // The JSON contains no line breaks, so the data is one line.
    let id = id.map_or(String::new(), |id| format!("id: {id}\n"));
    Bytes::from(format!("{id}event: {name}\ndata: {data}\n\n"))
}

impl LiveEvent {
    /// Returns the event for an entry. `waiting` contains the plans of the session that are waiting now.
    pub(super) fn entry(
        project: &ServedProject,
        seen: &WatchedEntry,
        waiting: &[WaitingPlan],
    ) -> Self {
        let data = data(
            project,
            &seen.session,
            &seen.entry,
            Some(seen.place),
            waiting,
        );
        let (place, seq) = (seen.place.to_string(), seen.entry.seq.to_string());
        Self::Entry {
            session: seen.session.clone(),
            seq: seen.entry.seq,
            place: seen.place,
            all: formatted("entry", Some(&place), &data),
            own: formatted("entry", Some(&seq), &data),
        }
    }
}

/// Returns the text of an entry for a client that follows one session and reads what it has missed.
pub(super) fn of_one(
    project: &ServedProject,
    seen: &WatchedEntry,
    waiting: &[WaitingPlan],
) -> Bytes {
    let data = data(project, &seen.session, &seen.entry, None, waiting);
    formatted("entry", Some(&seen.entry.seq.to_string()), &data)
}

fn data(
    project: &ServedProject,
    session: &SessionIdentity,
    entry: &Entry,
    place: Option<Place>,
    waiting: &[WaitingPlan],
) -> Json {
    let step = &entry.step;
    let tables = project.tables(session, &step.machine);
    let by = match (&entry.kind, &step.call.what) {
        (EntryKind::Taken, CallKind::HostTool(_)) => "model",
        (EntryKind::Taken, CallKind::Event(name)) => {
            let event = tables.and_then(|tables| Some(tables.event(tables.event_named(name)?)));
            event.map_or("host", |event| sender(event.kind))
        }
        _ => "person",
    };
    let mut object = Object::new();
    object.push("sessionId", session.to_string());
    object.push("seq", entry.seq);
    object.push(
        "place",
        place.map_or(Json::Null, |place| place.to_string().into()),
    );
    object.push("at", step.at.to_string());
    let actor = step.actor.as_deref().map(visible_line);
    object.push("actor", actor.map_or(Json::Null, Json::from));
    object.push("by", by);
    object.push("machine", &*step.machine);
    object.push("event", visible_line(entry.event()));
    let state = |plan: &PlanView| {
        let mut object = Object::new();
        object.push("machine", &*step.machine);
        object.push("plan", plan.id.as_str());
        object.push("state", &*plan.state);
        Json::Object(object)
    };
    let states = step.acceptance.plans.iter().map(state);
    object.push("states", states.collect::<Vec<Json>>());
    let ended = step.acceptance.ended.iter().map(state);
    object.push("ended", ended.collect::<Vec<Json>>());
    let waiting = waiting.iter().map(|plan| {
        let mut object = Object::new();
        object.push("machine", plan.machine.as_str());
        object.push("plan", plan.plan.as_str());
        object.push("state", plan.state.as_str());
        object.push("token", plan.token.as_str());
        object.push("since", plan.since.to_string());
        Json::Object(object)
    });
    object.push("waiting", waiting.collect::<Vec<Json>>());
    object.into()
}
