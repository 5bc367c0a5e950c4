//! Clocks that are wrong, very many timers at once, and stores that list sessions that cannot be woken.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine::gate::Gate;
use plan_machine::interpret::InterpretedMachine;
use plan_machine_sessions::journal::Entry;
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{SessionIdentity, Sessions};
use plan_machine_tests::ticking::{SPEC as TICKING, at};

use super::super::{identity, machine_set};
use super::counting_store::CountingStore;
use super::{
    EXPIRING, HOUR, YEAR, approved, around, entries, is_sound, machines, memory, runs, state, typed,
};

/// A machine with any number of plans, each with a timer.
const REMINDERS: &str = "
machine: Reminders
instances: many
commands: { remind: /remind, forget: '/forget {plan_id?}' }
effects: { remind_now: { fields: { plan: id } } }
states:
  none: { on: { remind: WAITING } }
  WAITING:
    on: { forget: DONE }
    after: { 1h: { to: DONE, emit: { remind_now: { plan: plan.id } } } }
  DONE: { final: true }
";

fn store() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

fn names(many: usize) -> Vec<SessionIdentity> {
    let names = (0..many).map(|number| identity(&format!("timers-{number:06}")));
    names.collect()
}

#[tokio::test]
async fn a_clock_a_year_ahead_fires_a_timer_early_and_no_correct_clock_fires_it_again() {
    let store = store();
    let session =
        || Sessions::new(Arc::clone(&store), machines(EXPIRING)).session(&identity("timers-1"));
    approved(&session()).await;
    let (ahead, correct) = (session(), session());
    assert!(runs(&correct, 10).await);
    assert_eq!(ahead.wake(at(YEAR)).await.expect("woken").answer, 1);
    assert!(
        !runs(&correct, 20).await,
        "it has expired for everybody, whatever their clocks say"
    );
    assert_eq!(correct.wake(at(2 * HOUR)).await.expect("woken").answer, 0);
    typed(&correct, "/end", 30).await;
    let entries = entries(&session()).await;
    let events: Vec<&str> = entries.iter().map(Entry::event).collect();
    assert_eq!(events, ["begin", "approve", "APPROVED after 1h", "end"]);
    is_sound(&session(), EXPIRING).await;
}

#[tokio::test]
async fn the_time_of_a_session_does_not_go_back_in_another_process() {
    let store = store();
    let session =
        || Sessions::new(Arc::clone(&store), machines(EXPIRING)).session(&identity("timers-1"));
    typed(&session(), "/plan", YEAR).await;
    typed(&session(), "/approve", 0).await;
    assert_eq!(
        session().due().await,
        Ok(Some(at(YEAR + HOUR))),
        "the timer starts at the latest time that the session has seen"
    );
    assert!(runs(&session(), 2 * HOUR).await);
    assert!(!runs(&session(), YEAR + HOUR).await);
    is_sound(&session(), EXPIRING).await;
}

/// Starts a thousand timers in a session of this store and fires all of them but one, whose plan has ended.
async fn a_thousand_timers_fire(store: Arc<dyn Store>) {
    const MANY: usize = 1000;
    let store = Arc::new(CountingStore::new(store));
    let sessions = Sessions::new(store.clone(), machines(REMINDERS));
    let session = sessions.session(&identity("timers-1"));
    for _ in 0..MANY {
        typed(&session, "/remind", 0).await;
    }
    typed(&session, "/forget plan-7", 1).await;
    assert_eq!(store.take_commits(), MANY + 1);
    assert_eq!(
        session.wake(at(YEAR)).await.expect("woken").answer,
        MANY - 1
    );
    assert_eq!(store.take_commits(), 1);
    assert_eq!(session.wake(at(YEAR)).await.expect("woken").answer, 0);
    assert_eq!(session.due().await, Ok(None));
    let entries = entries(&session).await;
    let fired = entries
        .iter()
        .filter(|one| one.event() == "WAITING after 1h");
    let plans: Vec<String> = fired
        .map(|one| {
            assert_eq!(one.step.at, at(HOUR));
            one.step.acceptance.plans[0].id.to_string()
        })
        .collect();
    let distinct: BTreeSet<&String> = plans.iter().collect();
    assert_eq!((plans.len(), distinct.len()), (MANY - 1, MANY - 1));
    assert!(!plans.contains(&"plan-7".to_owned()));
    let effects = session.effects().await.expect("the effects");
    assert_eq!(effects.len(), MANY - 1);
    is_sound(&session, REMINDERS).await;
}

#[tokio::test]
async fn a_thousand_timers_of_one_session_fire_in_one_commit_each_once() {
    a_thousand_timers_fire(store()).await;
}

#[tokio::test]
async fn a_thousand_timers_of_one_session_fire_in_one_commit_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("s.db")).expect("a store");
    a_thousand_timers_fire(Arc::new(store)).await;
}

#[tokio::test]
async fn timers_fire_in_the_order_of_their_instants_whichever_plan_they_belong_to() {
    let session = memory(REMINDERS).session(&identity("timers-1"));
    for start in [0, 5, 9] {
        typed(&session, "/remind", start).await;
    }
    assert_eq!(session.wake(at(YEAR)).await.expect("woken").answer, 3);
    let entries = entries(&session).await;
    let fired = entries[3..].iter();
    let fired: Vec<_> = fired
        .map(|one| (one.step.at, one.step.acceptance.plans[0].id.to_string()))
        .collect();
    let expected = [(0, "plan-1"), (5, "plan-2"), (9, "plan-3")];
    let expected = expected.map(|(start, plan)| (at(start + HOUR), plan.to_owned()));
    assert_eq!(fired, expected);
}

#[tokio::test]
async fn a_thousand_sessions_that_are_due_at_once_are_woken_once_each() {
    let store = Arc::new(CountingStore::new(store()));
    let sessions = Sessions::new(store.clone(), machines(TICKING));
    let all = names(1000);
    for name in &all {
        typed(&sessions.session(name), "/begin", 0).await;
    }
    store.take_commits();
    for round in 1..=2 {
        let woken = sessions.wake(at(round * YEAR)).await.expect("woken");
        assert!(woken.failed.is_empty(), "{:?}", woken.failed);
        let distinct: BTreeSet<_> = woken.fired.iter().collect();
        assert_eq!((woken.fired.len(), distinct.len()), (1000, 1000));
        assert_eq!(store.take_commits(), 1000);
    }
    for name in &all {
        assert_eq!(sessions.session(name).seq().await, Ok(3), "{name}");
    }
}

#[tokio::test]
async fn sessions_that_cannot_be_woken_do_not_hold_up_the_others() {
    let store = store();
    let all = names(250);
    let (broken, sound) = all.split_at(249);
    let sessions = Sessions::new(Arc::clone(&store), machines(TICKING));
    for (name, start) in broken.iter().map(|name| (name, 0)).chain([(&sound[0], 1)]) {
        typed(&sessions.session(name), "/begin", start).await;
    }
    // This host does not know the machine of most sessions.
    let (known, ticking) = (sound[0].clone(), machines(TICKING));
    let host = Sessions::choosing(Arc::clone(&store), move |name| {
        if *name == known {
            ticking.clone()
        } else {
            machine_set()
        }
    });
    let woken = host.wake(at(YEAR)).await.expect("a list");
    assert_eq!(woken.fired, sound);
    let failed: BTreeSet<_> = woken.failed.iter().map(|(name, _)| name).collect();
    assert_eq!((woken.failed.len(), failed.len()), (249, 249));
    let due = sessions.due(at(YEAR), 1000).await.expect("a list");
    assert_eq!(due, broken, "failed sessions stay due");
    let woken = sessions.wake(at(YEAR)).await.expect("a list");
    assert_eq!(woken.fired, broken);
}

#[tokio::test]
async fn a_session_whose_spec_has_lost_its_timers_is_listed_once_more() {
    let store = store();
    let timed = Sessions::new(Arc::clone(&store), machines(EXPIRING));
    approved(&timed.session(&identity("timers-1"))).await;
    let after = "after: { 1h: { to: DRAFT, emit: { expired: { plan: plan.id } } } }";
    let without = EXPIRING.replace(after, "exit: { emit: { expired: { plan: plan.id } } }");
    assert_ne!(without, EXPIRING);
    let timeless = Sessions::new(Arc::clone(&store), machines(&without));
    let woken = timeless.wake(at(YEAR)).await.expect("a list");
    assert!(
        woken.fired.is_empty() && woken.failed.is_empty(),
        "{woken:?}"
    );
    assert_eq!(timeless.due(at(YEAR), 10).await, Ok(Vec::new()));
    let session = timeless.session(&identity("timers-1"));
    assert_eq!(state(&session).await, "APPROVED");
    assert_eq!(session.seq().await, Ok(2), "no entry was added");
}

#[tokio::test]
async fn the_timers_of_a_parked_plan_fire_when_its_session_is_woken_with_its_machine_again() {
    let store = store();
    let own = Sessions::new(Arc::clone(&store), machines(EXPIRING));
    approved(&own.session(&identity("timers-1"))).await;
    let other = InterpretedMachine::read("ticking.yaml", TICKING).expect("a valid spec");
    let other = Gate::builder().with(other).parks("Expiring").join();
    let other = Sessions::new(Arc::clone(&store), other.expect("a valid set of machines"));
    let woken = other.wake(at(YEAR)).await.expect("a list");
    assert!(
        woken.fired.is_empty() && woken.failed.is_empty(),
        "{woken:?}"
    );
    let parked = other.session(&identity("timers-1")).parked().await;
    assert_eq!(parked.expect("a plan")[0].plan.state, "APPROVED");

    let back = Sessions::new(Arc::clone(&store), machines(EXPIRING));
    assert_eq!(back.due(at(YEAR), 10).await, Ok(Vec::new()), "not listed");
    let session = back.session(&identity("timers-1"));
    assert_eq!(session.wake(at(YEAR)).await.expect("woken").answer, 1);
    assert_eq!(state(&session).await, "DRAFT");
    is_sound(&session, EXPIRING).await;
}

#[tokio::test]
async fn waking_a_session_that_does_not_exist_leaves_no_trace() {
    let sessions = memory(TICKING);
    let woken = sessions.session(&identity("timers-1")).wake(at(YEAR)).await;
    assert_eq!(woken.expect("an answer").answer, 0);
    assert_eq!(sessions.list(None, 10).await.expect("a list"), []);
}

#[tokio::test]
async fn what_fires_before_an_event_is_not_counted_as_woken_afterwards() {
    let store = store();
    let open = || Sessions::new(Arc::clone(&store), machines(EXPIRING));
    let (one, other) = (open(), open());
    let name = identity("timers-1");
    approved(&one.session(&name)).await;
    assert!(!runs(&other.session(&name), HOUR).await, "it has expired");
    assert_eq!(
        one.session(&name)
            .wake(at(HOUR))
            .await
            .expect("woken")
            .answer,
        0
    );
    let woken = one.wake(around(HOUR).now).await.expect("a list");
    assert!(woken.fired.is_empty(), "{woken:?}");
    assert_eq!(entries(&one.session(&name)).await.len(), 3);
}

/// A machine whose timer wraps a value once more each time it fires.
const WRAPPING: &str = "
machine: Wrapping
data: { value: json? }
commands: { begin: /begin, done: /done }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on: { done: { to: ENDED, next: none } }
    after: { 1s: { to: OPEN, set: { value: { before: value } } } }
  ENDED: { final: true }
";

#[tokio::test]
async fn a_value_that_is_wrapped_again_and_again_is_refused_before_it_cannot_be_read() {
    let sessions = memory(WRAPPING);
    let session = sessions.session(&identity("timers-1"));
    typed(&session, "/begin", 0).await;
    let mut fired = 0;
    for second in 1..400 {
        fired += session.wake(at(second)).await.expect("woken").answer;
    }
    // The timer that would wrap the value once more does nothing, and is spent.
    assert_eq!(fired, 129);
    assert_eq!(session.due().await, Ok(None));
    typed(&session, "/done", 500).await;
    is_sound(&session, WRAPPING).await;
}
