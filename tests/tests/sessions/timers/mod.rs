//! Timers of stored sessions: they fire before anything else is considered, each once, at their own instants.

mod approvals;
mod counting_store;
mod extremes;
mod journals;
mod stored;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use plan_machine::Object;
use plan_machine::gate::{Decision, EventContext, Gate, MachineSet, ToolCall, TurnId};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::journal::Entry;
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, Sessions};
use plan_machine_tests::ticking::{SPEC as TICKING, at};

use super::identity;

const HOUR: u64 = 3600;
const YEAR: u64 = 365 * 24 * HOUR;

const EXPIRING: &str = "
machine: Expiring
commands: { begin: /plan, approve: /approve, end: /end }
effects: { expired: { fields: { plan: id } } }
states:
  none: { other_tools: deny, on: { begin: DRAFT } }
  DRAFT: { other_tools: deny, on: { approve: APPROVED, end: { to: ENDED, next: none } } }
  APPROVED:
    other_tools: run
    on: { end: { to: ENDED, next: none } }
    after: { 1h: { to: DRAFT, emit: { expired: { plan: plan.id } } } }
  ENDED: { final: true }
";

fn machines(spec: &str) -> MachineSet {
    let machine = InterpretedMachine::read("timers.yaml", spec).expect("a valid spec");
    let gate = Gate::builder().with(machine);
    let gate = gate.host_tool("shell", "Runs a command.", Object::new());
    gate.join().expect("a valid set of machines")
}

fn memory(spec: &str) -> Sessions {
    Sessions::new(Arc::new(Memory::new()), machines(spec))
}

fn around(seconds: u64) -> EventContext {
    EventContext::at(at(seconds)).by("ann")
}

async fn typed(session: &Session, line: &str, seconds: u64) {
    let done = session.command(line, &around(seconds)).await;
    let done = done.expect("an answer");
    assert!(done.answer[0].outcome.is_accepted(), "{done:?}");
}

async fn approved(session: &Session) {
    typed(session, "/plan", 0).await;
    typed(session, "/approve", 0).await;
}

async fn runs(session: &Session, seconds: u64) -> bool {
    let call = [ToolCall::new("shell", Object::new())];
    let done = session.decide(&call, &around(seconds)).await;
    matches!(done.expect("a decision").answer[0], Decision::Run(_))
}

async fn entries(session: &Session) -> Vec<Entry> {
    session.history(0, 10_000).await.expect("the entries")
}

async fn state(session: &Session) -> String {
    let plans = session.plans().await.expect("the plans");
    plans
        .last()
        .map_or("none".to_owned(), |plan| plan.plan.state.to_string())
}

/// Checks that the entries of a session replay to the same results.
async fn is_sound(session: &Session, spec: &str) {
    assert_eq!(session.verify(&machines(spec)).await, Ok(Vec::new()));
}

#[tokio::test]
async fn an_approval_that_expired_while_no_process_was_awake_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || {
        let store: Arc<dyn Store> =
            Arc::new(Sqlite::open(folder.path().join("s.db")).expect("a store"));
        Sessions::new(store, machines(EXPIRING)).session(&identity("timers-1"))
    };
    approved(&open()).await;
    assert!(runs(&open(), HOUR - 1).await);
    let later = open();
    assert!(!runs(&later, HOUR).await, "the approval has expired");
    let entries = entries(&later).await;
    let last = entries.last().expect("an entry");
    assert_eq!(last.event(), "APPROVED after 1h");
    assert_eq!(last.step.at, at(HOUR), "at its due instant");
    let effects = later.effects().await.expect("the effects");
    assert_eq!(
        effects.len(),
        1,
        "the expiry is reported even if the call is denied"
    );
    is_sound(&later, EXPIRING).await;
}

#[tokio::test]
async fn a_decision_that_expires_before_it_is_confirmed_does_not_run() {
    let sessions = memory(EXPIRING);
    let session = sessions.session(&identity("timers-1"));
    approved(&session).await;
    let call = [ToolCall::new("shell", Object::new())];
    let almost = at(HOUR)
        .since_1970()
        .saturating_sub(Duration::from_nanos(1));
    let almost = Instant::from_since_1970(almost).expect("an instant");
    for is_awake in [false, true] {
        let decided = session.decide(&call, &EventContext::at(almost)).await;
        let Decision::Run(allowed) = decided.expect("a decision").answer.remove(0) else {
            panic!("the approval is still valid");
        };
        if is_awake {
            session.wake(at(HOUR)).await.expect("woken");
        }
        let confirmed = session.confirm(allowed).await;
        assert!(
            matches!(confirmed, Err(SessionError::NotConfirmed(_))),
            "{confirmed:?}"
        );
    }
}

#[tokio::test]
async fn an_expiry_continues_the_turn_and_opens_nothing() {
    const OPENING: &str = "
machine: Opening
commands: { begin: /plan }
states:
  none: { other_tools: run, on: { begin: LOCKED } }
  LOCKED: { other_tools: deny, after: { 1h: { to: ENDED, next: none } } }
  ENDED: { final: true }
";
    let session = memory(OPENING).session(&identity("timers-1"));
    typed(&session, "/plan", 0).await;
    let turn = |id: &str| TurnId::new(id);
    session
        .begin_turn(&turn("m-1"), &around(1))
        .await
        .expect("a turn");
    assert!(!runs(&session, 1).await);
    assert!(
        !runs(&session, 2 * HOUR).await,
        "the turn began while the plan was locked"
    );
    assert_eq!(state(&session).await, "none");
    session
        .begin_turn(&turn("m-2"), &around(2 * HOUR))
        .await
        .expect("a turn");
    assert!(runs(&session, 2 * HOUR).await);
}

#[tokio::test]
async fn a_timer_of_one_second_fires_once_after_a_year_of_sleep() {
    let session = memory(TICKING).session(&identity("timers-1"));
    typed(&session, "/begin", 0).await;
    let woken = session.wake(at(YEAR)).await.expect("an answer");
    assert_eq!(woken.answer, 1);
    assert_eq!(
        session.due().await,
        Ok(Some(at(YEAR + 1))),
        "it starts again now"
    );
    assert_eq!(entries(&session).await.len(), 2);
    is_sound(&session, TICKING).await;
}

#[tokio::test]
async fn a_clock_that_goes_back_neither_fires_twice_nor_loses_anything() {
    let session = memory(EXPIRING).session(&identity("timers-1"));
    approved(&session).await;
    assert!(!runs(&session, YEAR).await);
    typed(&session, "/approve", 10).await;
    let entries = entries(&session).await;
    let times: Vec<Instant> = entries.iter().map(|entry| entry.step.at).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(
        session.due().await,
        Ok(Some(at(YEAR + HOUR))),
        "from the latest time that was seen"
    );
    assert_eq!(session.wake(at(20)).await.expect("an answer").answer, 0);
    is_sound(&session, EXPIRING).await;
}

#[tokio::test]
async fn plans_stored_before_their_states_had_timers_start_them_when_they_are_first_used() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let without = EXPIRING.replace(
        "after: { 1h: { to: DRAFT, emit: { expired: { plan: plan.id } } } }",
        "exit: { emit: { expired: { plan: plan.id } } }",
    );
    let session = |spec: &str| {
        Sessions::new(Arc::clone(&store), machines(spec)).session(&identity("timers-1"))
    };
    approved(&session(&without)).await;
    let later = session(EXPIRING);
    assert!(runs(&later, YEAR).await, "the timer starts now");
    assert_eq!(later.due().await, Ok(Some(at(YEAR + HOUR))));
    assert_eq!(
        entries(&later).await.last().map(Entry::event),
        Some("start timers")
    );
    assert!(!runs(&session(EXPIRING), YEAR + HOUR).await);
    let differences = later
        .verify(&machines(EXPIRING))
        .await
        .expect("readable entries");
    assert!(
        differences.iter().all(|one| one.other_spec),
        "{differences:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_hosts_that_wake_sessions_at_once_fire_each_timer_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.db");
    let open = || {
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(&path).expect("a store"));
        Sessions::new(store, machines(EXPIRING))
    };
    let names: Vec<String> = (0..40)
        .map(|number| format!("timers-{number:03}"))
        .collect();
    let first = open();
    for name in &names {
        approved(&first.session(&identity(name))).await;
    }
    assert_eq!(first.due(at(HOUR - 1), 1000).await.expect("a list"), []);
    let hosts: Vec<_> = (0..8)
        .map(|_| {
            let sessions = open();
            tokio::spawn(async move { sessions.wake(at(HOUR)).await.expect("woken") })
        })
        .collect();
    let mut fired = Vec::new();
    for host in hosts {
        let woken = host.await.expect("a host");
        assert!(woken.failed.is_empty(), "{:?}", woken.failed);
        fired.extend(woken.fired);
    }
    let distinct: BTreeSet<_> = fired.iter().collect();
    assert_eq!((fired.len(), distinct.len()), (names.len(), names.len()));
    let anew = open();
    for name in &names {
        let session = anew.session(&identity(name));
        assert_eq!(entries(&session).await.len(), 3, "{name}");
        is_sound(&session, EXPIRING).await;
    }
    assert_eq!(anew.due(at(YEAR), 1000).await.expect("a list"), []);
}

#[tokio::test]
async fn nobody_can_send_a_timer() {
    let session = memory(EXPIRING).session(&identity("timers-1"));
    approved(&session).await;
    for name in ["APPROVED after 1h", "start timers"] {
        let sent = session
            .signal_by_name("Expiring", name, "plan-1", Object::new(), &around(1))
            .await;
        assert!(sent.is_err(), "{sent:?}");
    }
    assert_eq!(state(&session).await, "APPROVED");
}
