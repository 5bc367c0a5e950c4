//! Helpers for the tests of stores, such as a server and a machine.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use plan_machine::gate::{Decision, EventContext, Gate, MachineSet, ToolCall};
use plan_machine::machine::Outcome;
use plan_machine::{DenialKind, Object};
use plan_machine_sessions::store::{Postgres, Store};
use plan_machine_sessions::{Committed, Session, SessionError, SessionIdentity, Sessions};
use plan_machine_tests::postgres::Server;

plan_machine::machine!("corpus/valid/work_by_plan.yaml");

/// Returns the server that all tests share, except for those that kill their server.
pub(crate) fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::start)
}

/// Returns a store in its own database.
pub(crate) async fn postgres(database: &str) -> Postgres {
    connected(&server().database(database)).await
}

/// Returns a store that is connected to a database.
pub(crate) async fn connected(url: &str) -> Postgres {
    Postgres::connect(url).await.expect("a store")
}

pub(crate) fn machines() -> MachineSet {
    Gate::builder()
        .with(work_by_plan::Machine)
        .join()
        .expect("one machine")
}

pub(crate) fn sessions(store: impl Store + 'static) -> Sessions {
    Sessions::new(Arc::new(store), machines())
}

pub(crate) fn identity(conversation: &str) -> SessionIdentity {
    SessionIdentity::new("stores", conversation).expect("an identity")
}

pub(crate) fn by(actor: &str) -> EventContext {
    EventContext::now().by(actor)
}

/// Sends a command that must be accepted.
pub(crate) async fn command(session: &Session, line: &str) -> Result<u64, SessionError> {
    let done = session.command(line, &by("ann")).await?;
    let taken =
        |answer: &plan_machine::gate::CommandAnswer| matches!(answer.outcome, Outcome::Accepted(_));
    assert!(done.answer.iter().all(taken), "{:?}", done.answer);
    Ok(done.seq)
}

/// Returns the decision on a model's draft.
pub(crate) async fn drafted(
    session: &Session,
    text: &str,
) -> Result<Committed<Vec<Decision>>, SessionError> {
    let mut args = Object::new();
    args.push("plan_markdown", text);
    let call = ToolCall::new("plan_set_content", args);
    session.decide(&[call], &by("model")).await
}

/// Stores a draft as a model would.
pub(crate) async fn draft(session: &Session, text: &str) -> Result<u64, SessionError> {
    let done = drafted(session, text).await?;
    let decision = &done.answer[0];
    assert!(matches!(decision, Decision::Applied { .. }), "{decision:?}");
    Ok(done.seq)
}

/// Sends events until the session has a plan that is waiting for approval.
pub(crate) async fn ready(session: &Session) {
    command(session, "/plan on").await.expect("a plan");
    draft(session, "# A plan").await.expect("a draft");
}

pub(crate) fn denied(outcome: &Outcome) -> Option<DenialKind> {
    match outcome {
        Outcome::Denied(denial) => Some(denial.kind),
        _ => None,
    }
}

/// Checks that the session is intact: a replay of its events produces the same bytes.
pub(crate) async fn is_whole(session: &Session) {
    let differences = session.verify(&machines()).await.expect("a history");
    assert_eq!(differences, [], "{}", session.identity());
}

/// Returns whether this process has a lock on a file. If locks change while their list is read, the list may be
/// incomplete, so it is read again.
pub(crate) fn is_locked(file: &Path) -> bool {
    let inode = fs::metadata(file).expect("a file").ino();
    let (process, inode) = (std::process::id().to_string(), format!(":{inode}"));
    let is_own = |lock: &str| {
        let mut words = lock.split_whitespace();
        words.clone().any(|word| word == process) && words.any(|word| word.ends_with(&inode))
    };
    (0..100).any(|_| {
        let locks = fs::read_to_string("/proc/locks").expect("all locks");
        locks.lines().any(is_own)
    })
}
