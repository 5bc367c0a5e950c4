//! Work for sessions: events that are sent and stored one after another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::Object;
use plan_machine::gate::{EventContext, Gate, ToolCall};
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{Session, SessionIdentity, Sessions};

plan_machine::machine! {
    /// A note that is rewritten again and again, with or without an effect for the host.
    machine Note;
    data { text: string? }
    effect written { text: string }
    command begin = "/note";
    command end = "/done";
    tool write { text: string }
    tool announce { text: string }
    state none { on begin => OPEN; }
    state OPEN {
        on write { set text = event.text; }
        on announce { set text = event.text; emit written { text: event.text }; }
        on end => CLOSED next none;
    }
    final state CLOSED;
}

/// Returns sessions of the machine `Note`.
///
/// # Panics
/// Never: the machine has no conflicts.
#[must_use]
pub fn sessions(store: Arc<dyn Store>) -> Sessions {
    let machines = Gate::builder().with(note::Machine).join();
    Sessions::new(store, machines.expect("one machine"))
}

/// Returns the identity of the session with this number.
///
/// # Panics
/// Never: every number is valid.
#[must_use]
pub fn identity(number: u32) -> SessionIdentity {
    let identity = SessionIdentity::new("bench", &format!("session-{number:08}"));
    identity.expect("an identity")
}

/// Returns a call that writes a short plan.
#[must_use]
pub fn call(tool: &str, number: u32) -> ToolCall {
    let mut args = Object::new();
    args.push("text", format!("# Plan {number}\n\n1. Look.\n2. Leap.\n"));
    ToolCall::new(tool, args)
}

/// Sends this many events to a session that has started, and returns how long it took.
///
/// # Panics
/// If the store fails.
pub async fn send(session: Session, tool: &'static str, events: u32) -> Duration {
    let around = EventContext::now().by("bench");
    let calls: Vec<ToolCall> = (0..events).map(|number| call(tool, number)).collect();
    let began = Instant::now();
    for call in &calls {
        let done = session.decide(std::slice::from_ref(call), &around).await;
        done.expect("written");
    }
    began.elapsed()
}

/// Runs this many sessions in parallel, with this many events each, and returns how long it took.
///
/// # Panics
/// If the store fails.
pub async fn side_by_side(
    sessions: &Sessions,
    tool: &'static str,
    count: u32,
    events: u32,
) -> Duration {
    let began = Instant::now();
    let working = (0..count).map(|number| {
        let session = sessions.session(&identity(number));
        tokio::spawn(async move {
            let around = EventContext::now().by("bench");
            session.command("/note", &around).await.expect("begun");
            send(session, tool, events - 1).await
        })
    });
    for work in working.collect::<Vec<_>>() {
        work.await.expect("no panic");
    }
    began.elapsed()
}

/// Creates this many sessions, each with a short plan, and returns how many of them are still in memory although
/// nothing uses them.
///
/// # Panics
/// If the store fails.
pub async fn leave_idle(store: &Arc<dyn Store>, count: u32) -> usize {
    let writer = sessions(Arc::clone(store));
    let around = EventContext::now().by("bench");
    for number in 0..count {
        let session = writer.session(&identity(number));
        session.command("/note", &around).await.expect("begun");
        let written = session.decide(&[call("write", number)], &around).await;
        written.expect("written");
        drop(session);
        writer.forget_idle(Duration::ZERO);
    }
    writer.in_memory()
}

/// Opens the first sessions of a store and reads their plans.
///
/// # Panics
/// If the store fails.
pub async fn open(sessions: &Sessions, count: u32) -> Vec<Session> {
    let mut open = Vec::new();
    for number in 0..count {
        let session = sessions.session(&identity(number));
        session.plans().await.expect("plans");
        open.push(session);
    }
    open
}
