//! Stores written by earlier versions can be opened, continued and verified, whatever has changed since then.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use plan_machine::gate::{Decision, EventContext, MachineSet, ToolCall};
use plan_machine::machine::{Call, CallKind, Outcome, ShownToken};
use plan_machine::{Instant, Json, Object};
use plan_machine_sessions::store::{Sqlite, Store};
use plan_machine_sessions::{Session, Sessions};
use plan_machine_tests::stores::{BEFORE, CASTS, Cast, answer, folder};
use rusqlite::Connection;
use tempfile::TempDir;

use super::world::{by, connected, server};

/// The versions whose stores are kept in the repository.
const VERSIONS: [&str; 5] = [
    "0.1",
    "0.1-format-2",
    "0.1-format-3",
    "0.1-format-4",
    WITH_TIMERS,
];

/// The first version whose stored plans have running timers.
const WITH_TIMERS: &str = "0.1-layout-3";

/// Returns the sessions whose specs a version has.
fn casts(version: &str) -> impl Iterator<Item = &'static Cast> + use<> {
    let found = CASTS.iter().filter(|cast| {
        let mut specs = cast.specs.iter();
        specs.all(|spec| folder(version).join(format!("specs/{spec}.yaml")).exists())
    });
    let found: Vec<&Cast> = found.collect();
    // Only the session with timers needs a spec that the versions without timers do not have.
    let expected = CASTS.len() - usize::from(version != WITH_TIMERS);
    assert_eq!(found.len(), expected, "{version} lacks a spec: {found:?}");
    found.into_iter()
}

/// Returns how many sessions a version wrote.
fn written(version: &str) -> usize {
    match version {
        // The stores of the first version also lack the session `ended-from-outside`.
        "0.1" => CASTS.len() - 2,
        WITH_TIMERS => CASTS.len(),
        _ => CASTS.len() - 1,
    }
}

/// Returns copies of both stores of a version, which tests may modify.
async fn stores(version: &str, test: &str) -> (TempDir, Vec<Arc<dyn Store>>) {
    let kept = folder(version);
    let copy = tempfile::tempdir().expect("a folder");
    let path = copy.path().join("plans.db");
    fs::copy(kept.join("plans.db"), &path).expect("a store");
    let file = Sqlite::open_existing(path).expect("a store");
    let database = format!("{test}_{}", version.replace(['.', '-'], "_"));
    let url = server().restored(&database, &kept.join("plans.sql"));
    let stores: Vec<Arc<dyn Store>> = vec![Arc::new(file), Arc::new(connected(&url).await)];
    (copy, stores)
}

/// The expected content of a session.
struct Expected(Object);

impl Expected {
    /// Returns the expected content, or `None` if the version did not write such a session.
    fn of(version: &str, conversation: &str) -> Option<Self> {
        let text = fs::read_to_string(folder(version).join("expected.json")).expect("a file");
        let json = Json::parse(&text).expect("JSON");
        let session = json.as_object().and_then(|all| all.get(conversation));
        let session = session.and_then(Json::as_object);
        session.cloned().map(Self)
    }

    fn list(&self, key: &str) -> &[Json] {
        self.0.get(key).and_then(Json::as_list).expect("a list")
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        self.list(key).iter().filter_map(Json::as_text).collect()
    }

    fn entries(&self) -> u64 {
        let entries = self.0.get("entries").and_then(Json::as_int);
        entries
            .and_then(|entries| u64::try_from(entries).ok())
            .expect("a number")
    }
}

fn session(store: &Arc<dyn Store>, cast: &Cast, machines: MachineSet) -> Session {
    Sessions::new(Arc::clone(store), machines).session(&cast.identity())
}

async fn plans(session: &Session) -> Vec<String> {
    let plans = session.plans().await.expect("plans").into_iter();
    plans
        .map(|held| format!("{} {} {}", held.machine, held.plan.id, held.plan.state))
        .collect()
}

#[tokio::test]
async fn their_plans_effects_and_answers_are_unchanged() {
    for version in VERSIONS {
        let (_folder, stores) = stores(version, "found").await;
        let (mut compared, mut answered) = (0, 0);
        for (store, cast) in stores
            .iter()
            .flat_map(|store| CASTS.iter().map(move |cast| (store, cast)))
        {
            let Some(expected) = Expected::of(version, cast.conversation) else {
                continue;
            };
            let session = session(store, cast, cast.today());
            assert_eq!(session.seq().await, Ok(expected.entries()));
            assert_eq!(plans(&session).await, expected.texts("plans"), "{cast:?}");
            let open = session.effects().await.expect("effects").into_iter();
            let open: Vec<String> = open
                .map(|effect| format!("{} {}", effect.id, effect.effect.name))
                .collect();
            assert_eq!(open, expected.texts("open_effects"), "{cast:?}");
            for call in expected.list("calls") {
                answered_as_the_first_time(&session, call.as_object().expect("a call")).await;
                answered += 1;
            }
            // Newer versions of a spec may have added timers to states. A timer that starts or fires is not a call, and
            // nobody sends it.
            let later = session.audit(expected.entries(), 100).await;
            let later = later.expect("a journal").into_iter();
            let calls: Vec<_> = later.filter(|line| line.actor.is_some()).collect();
            assert!(calls.is_empty(), "no call was accepted twice: {calls:?}");
            compared += 1;
        }
        assert_eq!(compared, stores.len() * written(version), "{version}");
        assert!(answered >= compared, "{version}: {answered} calls");
    }
}

async fn answered_as_the_first_time(session: &Session, call: &Object) {
    let text = |key: &str| call.get(key).and_then(Json::as_text).expect("a text");
    let args = call
        .get("args")
        .and_then(Json::as_object)
        .expect("an object");
    let sent = ToolCall::new(text("tool"), args.clone()).once(text("id"));
    let done = session
        .decide(&[sent], &by("model"))
        .await
        .expect("an answer");
    assert!(done.repeated, "{call:?}");
    assert!(matches!(done.answer[0], Decision::Repeated(_)), "{done:?}");
    assert_eq!(answer(&done.answer[0]), text("answer"), "{call:?}");
}

/// The event that continues each session: the machine, an event that it has had since the first version, its plan and
/// payload, and the state of the plan after the event.
const NEXT: [(&str, &str, &str, &str, &str, &str); 9] = [
    (
        "work-by-plan",
        "WorkByPlan",
        "approve",
        "plan-48",
        "{}",
        "EXECUTING",
    ),
    (
        "plan-mode",
        "PlanMode",
        "cancel",
        "plan-2",
        "{}",
        "CANCELLED",
    ),
    (
        "allowlist-plan",
        "AllowlistPlan",
        "approve",
        "plan-2",
        "{}",
        "EXECUTING",
    ),
    (
        "plan-builder",
        "PlanBuilder",
        "approve",
        "plan-3",
        "{}",
        "approved",
    ),
    (
        "planning-files",
        "PlanningFiles",
        "clear_plan",
        "plan-3",
        r#"{"confirm": true}"#,
        "CLEARED",
    ),
    (
        "auto-runs",
        "AutoRun",
        "auto_off",
        "plan-1",
        "{}",
        "stopped",
    ),
    (
        "side-by-side",
        "WorkByPlan",
        "approve",
        "plan-49",
        "{}",
        "EXECUTING",
    ),
    (
        "side-by-side",
        "AutoRun",
        "auto_off",
        "plan-3",
        "{}",
        "stopped",
    ),
    (
        "budgeted",
        "Budgeted",
        "finish",
        "plan-3",
        "{}",
        "COMPLETED",
    ),
];

/// Returns the context of the next event. The timers of the stored plans would all be due by now, so sessions with
/// timers continue at the time when they were stored.
fn next_event(version: &str) -> EventContext {
    if version == WITH_TIMERS {
        EventContext::default().by("ann")
    } else {
        by("ann")
    }
}

#[tokio::test]
async fn their_plans_continue_and_a_settled_effect_is_not_delivered_again() {
    for version in VERSIONS {
        let (_folder, stores) = stores(version, "continued").await;
        let mut continued = 0;
        for (store, next) in stores
            .iter()
            .flat_map(|store| NEXT.iter().map(move |next| (store, next)))
        {
            let (conversation, machine, event, plan, with, then) = next;
            let Some(cast) = casts(version).find(|cast| cast.conversation == *conversation) else {
                continue;
            };
            let session = session(store, cast, cast.today());
            let mut call = Call::new(CallKind::Event((*event).into()));
            call.plan_id = Some((*plan).to_owned());
            call.token = ShownToken::Current;
            call.with = Json::parse(with)
                .expect("JSON")
                .as_object()
                .expect("an object")
                .clone();
            let before = session.effects().await.expect("effects");
            let done = session
                .send(machine, &call, &next_event(version))
                .await
                .expect("an answer");
            let Outcome::Accepted(taken) = done.answer else {
                panic!("{next:?}: {:?}", done.answer);
            };
            let touched = taken.ended.iter().chain(&taken.plans);
            let states: Vec<&str> = touched.map(|plan| &*plan.state).collect();
            assert_eq!(states, [*then], "{next:?}");
            for effect in &before {
                session.settle(&effect.id).await.expect("settled");
            }
            let open = session.effects().await.expect("effects");
            assert!(
                open.iter().all(|effect| !before.contains(effect)),
                "{next:?}: {open:?}"
            );
            continued += 1;
        }
        // Only the event of the session with timers is left out.
        let events = NEXT.len() - usize::from(version != WITH_TIMERS);
        assert_eq!(continued, stores.len() * events, "{version}");
        parked_plans_are_back(&stores).await;
    }
}

async fn parked_plans_are_back(stores: &[Arc<dyn Store>]) {
    for store in stores {
        let session = session(store, &BEFORE, BEFORE.today());
        let plans = plans(&session).await;
        assert!(
            plans.contains(&"PlanMode plan-1 COLLECTING".to_owned()),
            "{plans:?}"
        );
        let done = session
            .command("/plan off", &by("ann"))
            .await
            .expect("an answer");
        assert!(
            matches!(done.answer[0].outcome, Outcome::Accepted(_)),
            "{done:?}"
        );
    }
}

#[tokio::test]
async fn a_replay_with_the_specs_of_their_version_gives_the_same_bytes() {
    for version in VERSIONS {
        let (_folder, stores) = stores(version, "verified").await;
        for store in &stores {
            for cast in casts(version).chain([&BEFORE]) {
                verified(store, cast, version).await;
            }
        }
    }
}

async fn verified(store: &Arc<dyn Store>, cast: &Cast, version: &str) {
    let session = session(store, cast, cast.today());
    let machines = cast.of(version).expect("the specs");
    let differences = session.verify(&machines).await.expect("a history");
    // If the machines of a session have changed, the session is verified with each set of machines in turn.
    let other = |problem: &str| cast.parks.iter().any(|name| problem.contains(name));
    let differences: Vec<_> = differences
        .iter()
        .filter(|one| !other(&one.problem))
        .collect();
    assert!(differences.is_empty(), "{cast:?}: {differences:?}");
}

#[tokio::test]
async fn their_entries_match_the_fingerprints_of_their_specs() {
    let mut known = 0;
    for version in VERSIONS {
        let (_folder, stores) = stores(version, "known").await;
        for cast in casts(version) {
            let machines = cast.of(version).expect("the specs");
            let session = session(&stores[0], cast, cast.today());
            for entry in session.history(0, 1000).await.expect("a history") {
                let step = &entry.step;
                let mut own = machines.machines();
                // Other machines wrote to the session before its machines changed.
                if let Some(machine) = own.find(|machine| machine.name == step.machine) {
                    assert!(machine.is_of(&step.fingerprint), "{version}: {entry:?}");
                    known += 1;
                }
            }
        }
    }
    assert!(known > 100, "only {known} entries with a known fingerprint");
}

/// Returns the instant at which the next timer of a stored session is due, and checks that it is listed from then on.
async fn due(sessions: &Sessions, session: &Session) -> Instant {
    let due = session.due().await.expect("a session");
    let due = due.expect("a running timer");
    let listed = sessions.due(due, 100).await.expect("sessions");
    assert!(listed.contains(session.identity()), "{listed:?}");
    let second = Duration::from_secs(1);
    let before =
        Instant::from_since_1970(due.since_1970().saturating_sub(second)).expect("an instant");
    let listed = sessions.due(before, 100).await.expect("sessions");
    assert!(!listed.contains(session.identity()), "{listed:?}");
    due
}

#[tokio::test]
async fn their_classes_counts_and_timers_are_read_and_the_timers_fire_once() {
    let version = WITH_TIMERS;
    let cast = CASTS.iter().find(|cast| cast.calls.is_some());
    let cast = cast.expect("a session with classes");
    let (_folder, stores) = stores(version, "timers").await;
    for store in &stores {
        let sessions = Sessions::new(Arc::clone(store), cast.today());
        let session = sessions.session(&cast.identity());
        let history = session.history(0, 1000).await.expect("a history");
        let classes = history.iter();
        let classes: BTreeSet<_> = classes
            .filter_map(|entry| entry.step.call.class.as_deref())
            .collect();
        assert_eq!(classes, BTreeSet::from(["shell_commands", "writes"]));
        assert_eq!(plans(&session).await, ["Budgeted plan-3 EXECUTING"]);
        let held = session.plans().await.expect("plans").remove(0);
        let left = ["writes_left", "shell_commands_left"];
        let left = left.map(|field| held.plan.data.get(field).and_then(Json::as_int));
        assert_eq!(left, [Some(20), Some(9)]);
        let due = due(&sessions, &session).await;
        for fired in [1, 0] {
            assert_eq!(session.wake(due).await.expect("woken").answer, fired);
        }
        assert_eq!(plans(&session).await, ["Budgeted plan-4 READY"]);
        assert_eq!(session.due().await, Ok(None));
        verified(store, cast, version).await;
    }
}

#[tokio::test]
async fn a_file_with_the_first_layout_is_migrated_to_the_current_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let kept = plan_machine_tests::stores::folder("0.1").join("plans.db");
    fs::copy(kept, &path).expect("a store");
    let layout = || -> (i64, i64) {
        let file = Connection::open(&path).expect("the file");
        let version = file.query_row("PRAGMA user_version", [], |row| row.get(0));
        let entries = file.query_row("SELECT count(*) FROM entry", [], |row| row.get(0));
        (version.expect("a number"), entries.expect("a number"))
    };
    let (version, entries) = layout();
    assert_eq!(version, 1);
    let store = Sqlite::open_existing(&path).expect("a store");
    let all = store.sessions(None, 100).await.expect("sessions");
    assert_eq!(all.len(), written("0.1"));
    for listed in all {
        let head = store.head(&listed.session).await.expect("a head");
        let rows = store
            .history(&listed.session, 0, u32::MAX)
            .await
            .expect("entries");
        assert_eq!(head.seq, rows.len() as u64);
        assert_eq!(head.digest, rows.last().map(|row| row.digest));
        assert_eq!(listed.seq, head.seq);
    }
    assert_eq!(store.check().await, Ok(Vec::new()));
    store.close().await.expect("closed");
    assert_eq!(layout(), (3, entries));
}
