//! The floor of a turn is part of the stored session: a restart in the middle of a turn changes nothing.

use std::sync::Arc;

use plan_machine::Object;
use plan_machine::gate::{Decision, EventContext, Gate, MachineSet, Shape, ToolCall, TurnId};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, CallKind};
use plan_machine_sessions::journal::EntryKind;
use plan_machine_sessions::store::{Memory, Store};
use plan_machine_sessions::{Session, SessionError, Sessions, Transaction};
use plan_machine_tests::dice::Dice;
use plan_machine_tests::turns::{Act, Reference, act, machine_sets, open};
use proptest::prelude::*;

use super::formats::rewritten;
use super::{around, identity, plan_mode};

const HELD_BACK: &str = "available after the user's next message";

const LOCK: &str = "
machine: Lock
commands: { lock: /lock }
tools: { unlock: { doc: Ends planning. } }
states:
  none: { on: { lock: LOCKED } }
  LOCKED: { other_tools: deny, on: { unlock: { to: DONE, next: none } } }
  DONE: { final: true }
";

fn machines() -> MachineSet {
    let machines = Gate::builder().with(plan_mode::Machine);
    let machines = machines.host_tool("shell", "Runs a command.", Object::new());
    machines.join().expect("machines without conflicts")
}

/// Returns the session as a new process opens it.
fn started(store: &Arc<dyn Store>, machines: MachineSet) -> Session {
    Sessions::new(Arc::clone(store), machines).session(&identity("turn-by-turn"))
}

fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

async fn message(session: &Session, turn: &str) -> u64 {
    let done = session.begin_turn(&TurnId::new(turn), &around()).await;
    done.expect("a turn").seq
}

async fn typed(session: &Session, line: &str) {
    let done = session.command(line, &around()).await.expect("a command");
    assert!(done.answer[0].outcome.is_accepted(), "{done:?}");
}

async fn decide(session: &Session, tool: &str) -> Decision {
    let call = [ToolCall::new(tool, Object::new())];
    let done = session.decide(&call, &around()).await.expect("a decision");
    done.answer.into_iter().next().expect("a decision")
}

/// Checks that `shell` is neither allowed nor shown to the model.
async fn held_back(session: &Session) {
    let answer = decide(session, "shell").await.answer().expect("a denial");
    assert!(answer.contains(HELD_BACK), "{answer}");
    let shown = session.advertised(Shape::Mcp).await.expect("tools");
    assert_eq!(shown.to_string(), "[]");
}

async fn runs(session: &Session) {
    let Decision::Run(allowed) = decide(session, "shell").await else {
        panic!("the call must be allowed");
    };
    let confirmed = session.confirm(allowed).await;
    assert!(confirmed.is_ok(), "{confirmed:?}");
}

async fn finalize(session: &Session) {
    let decision = decide(session, "plan_finalize").await;
    assert!(matches!(decision, Decision::Applied { .. }), "{decision:?}");
}

async fn no_differences(session: &Session, machines: &MachineSet) {
    let differences = session.verify(machines).await.expect("a session");
    assert_eq!(differences, []);
}

#[tokio::test]
async fn a_model_that_ends_its_own_planning_acts_only_after_the_next_message() {
    let store = memory();
    let session = started(&store, machines());
    typed(&session, "/plan on").await;
    message(&session, "t1").await;
    finalize(&session).await;
    held_back(&session).await;
    // A process that is killed and started again continues the turn, even if the message is delivered again.
    let session = started(&store, machines());
    held_back(&session).await;
    let again = session.begin_turn(&TurnId::new("t1"), &around()).await;
    assert!(again.expect("a turn").repeated);
    typed(&session, "/plan status").await;
    held_back(&started(&store, machines())).await;
    message(&session, "t2").await;
    runs(&session).await;
    no_differences(&session, &machines()).await;
}

#[tokio::test]
async fn a_command_in_the_middle_of_a_turn_closes_the_tools_for_the_rest_of_it() {
    let store = memory();
    let session = started(&store, machines());
    message(&session, "t1").await;
    runs(&session).await;
    typed(&session, "/plan on").await;
    let session = started(&store, machines());
    finalize(&session).await;
    held_back(&session).await;
    held_back(&started(&store, machines())).await;
    no_differences(&session, &machines()).await;
}

#[tokio::test]
async fn the_tools_that_an_approval_opens_run_at_once() {
    let store = memory();
    let session = started(&store, machines());
    typed(&session, "/plan on").await;
    message(&session, "t1").await;
    let recorded = decide(&session, "shell").await;
    assert!(
        matches!(recorded, Decision::Recorded { .. }),
        "{recorded:?}"
    );
    finalize(&session).await;
    let plans = session.plans().await.expect("plans");
    typed(&session, &format!("/plan approve {}", plans[0].plan.token)).await;
    runs(&session).await;
    let session = started(&store, machines());
    runs(&session).await;
    typed(&session, "/plan off").await;
    runs(&session).await;
    no_differences(&session, &machines()).await;
}

#[tokio::test]
async fn a_turn_that_another_process_began_also_applies_here() {
    let store = memory();
    let (here, there) = (started(&store, machines()), started(&store, machines()));
    typed(&here, "/plan on").await;
    message(&there, "t1").await;
    finalize(&here).await;
    held_back(&here).await;
    message(&there, "t2").await;
    runs(&here).await;
}

#[tokio::test]
async fn an_entry_contains_the_floor_only_if_it_has_changed() {
    let store = memory();
    let session = started(&store, machines());
    message(&session, "t1").await;
    message(&session, "t2").await;
    typed(&session, "/plan on").await;
    typed(&session, "/plan status").await;
    message(&session, "t3").await;
    let rows = store.history(session.identity(), 0, 9).await.expect("rows");
    let floor = |at: usize| {
        rows[at]
            .body
            .find("\"floor\":")
            .map(|from| &rows[at].body[from..])
    };
    let first = r#""floor":[{"machine":"PlanMode","open":["other_tools"]}]"#;
    assert!(
        floor(0).is_some_and(|text| text.starts_with(first)),
        "{rows:?}"
    );
    assert_eq!(floor(1), None, "the second turn has the floor of the first");
    assert!(
        floor(2).is_some_and(|text| text.starts_with(r#""floor":[]"#)),
        "{rows:?}"
    );
    assert_eq!((floor(3), floor(4)), (None, None));
    let entries = session.history(0, 9).await.expect("entries");
    let began = |at: usize| matches!(entries[at].kind, EntryKind::TurnBegan { .. });
    assert_eq!([0, 1, 2, 3, 4].map(began), [true, true, false, false, true]);
}

#[tokio::test]
async fn a_snapshot_contains_the_turn() {
    let store = memory();
    let session = started(&store, machines());
    typed(&session, "/plan on").await;
    message(&session, "t1").await;
    finalize(&session).await;
    for _ in 0..300 {
        typed(&session, "/plan status").await;
    }
    let read = store.read(session.identity()).await.expect("a session");
    let snapshot = read.snapshot.expect("a snapshot");
    assert!(
        snapshot.body.contains(r#""turn":{"id":"t1","#),
        "{}",
        snapshot.body
    );
    let session = started(&store, machines());
    held_back(&session).await;
    no_differences(&session, &machines()).await;
}

#[tokio::test]
async fn a_machine_that_joins_in_the_middle_of_a_turn_does_not_open_a_tool() {
    let store = memory();
    let lock = InterpretedMachine::read("lock.yaml", LOCK).expect("a valid spec");
    let other = Gate::builder().with(lock).parks("PlanMode");
    let other = other.host_tool("shell", "Runs a command.", Object::new());
    let other = other.join().expect("machines without conflicts");
    let plans = Gate::builder().with(plan_mode::Machine).parks("Lock");
    let plans = plans.host_tool("shell", "Runs a command.", Object::new());
    let plans = plans.join().expect("machines without conflicts");
    typed(&started(&store, other.clone()), "/lock").await;
    let session = started(&store, plans.clone());
    message(&session, "t1").await;
    runs(&session).await;
    // The person switches to the other machine, in which the tool is closed.
    let session = started(&store, other.clone());
    decide(&session, "unlock").await;
    held_back(&session).await;
    held_back(&started(&store, other.clone())).await;
    // The machine that the session had when the turn began has not changed.
    runs(&started(&store, plans)).await;
    message(&session, "t2").await;
    runs(&session).await;
}

#[tokio::test]
async fn a_replay_finds_a_floor_that_was_changed() {
    let store = memory();
    let session = started(&store, machines());
    typed(&session, "/plan on").await;
    message(&session, "t1").await;
    finalize(&session).await;
    let forged = rewritten(&session, |body| {
        body.replace(r#""open":[]"#, r#""open":["other_tools"]"#)
    });
    let session = started(&forged.await, machines());
    runs(&session).await;
    let differences = session.verify(&machines()).await.expect("a session");
    let problems: Vec<&str> = differences.iter().map(|one| one.problem.as_str()).collect();
    assert_eq!(
        problems,
        ["the host tools that PlanMode allows in this turn differ from the stored ones"]
    );
}

#[tokio::test]
async fn a_transaction_may_begin_a_turn_and_act_in_it() {
    let session = started(&memory(), machines());
    let on = Call::new(CallKind::Event("plan_on".into()));
    let both = |all: &mut Transaction<'_>| {
        all.begin_turn(&TurnId::new("t1"))?;
        all.send("PlanMode", &on, Some("c1"))
    };
    let done = session
        .transaction(&around(), &["c1"], both)
        .await
        .expect("a transaction");
    assert_eq!(done.seq, 2);
    let entries = session.history(0, 9).await.expect("entries");
    assert_eq!(entries[1].call_id.as_deref(), Some("c1"));
    // The answer that is stored under the call id belongs to the second entry.
    let again = session
        .transaction(&around(), &["c1"], both)
        .await
        .expect("a transaction");
    let again = again.answer.expect("an answer");
    assert!(again.repeated && again.outcome.is_accepted(), "{again:?}");
    assert_eq!(session.seq().await, Ok(2));
    let long = TurnId::new("x".repeat(2000));
    let refused = session.begin_turn(&long, &around()).await;
    assert!(
        matches!(refused, Err(SessionError::Input(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_transaction_is_repeated_only_if_everything_in_it_was_sent_before() {
    let session = started(&memory(), machines());
    let on = Call::new(CallKind::Event("plan_on".into()));
    let both = |turn: &'static str| {
        let on = on.clone();
        move |all: &mut Transaction<'_>| {
            all.begin_turn(&TurnId::new(turn)).expect("a turn");
            all.send("PlanMode", &on, Some("c1")).expect("an answer");
        }
    };
    for (turn, repeated, seq) in [("t1", false, 2), ("t1", true, 2), ("t2", false, 3)] {
        let done = session.transaction(&around(), &["c1"], both(turn)).await;
        let done = done.expect("a transaction");
        assert_eq!((done.repeated, done.seq), (repeated, seq), "{turn}");
    }
    let nothing = session.transaction(&around(), &["c1"], |_| ()).await;
    assert!(
        !nothing.expect("a transaction").repeated,
        "nothing was sent"
    );
    let turn = |all: &mut Transaction<'_>| all.begin_turn(&TurnId::new("t2"));
    let again = session.transaction(&around(), &[], turn).await;
    let again = again.expect("a transaction");
    assert_eq!((again.answer, again.repeated), (Ok(false), true));
}

/// Sends random events to a session, reopens it now and then, and compares its decisions with a
/// simple reference implementation.
async fn walk(seed: u64) {
    let mut dice = Dice::new(seed);
    let machines = dice.pick(machine_sets()).clone();
    let store = memory();
    let mut session = started(&store, machines.clone());
    let mut floor = Reference::default();
    let around = EventContext::default();
    for number in 0..24 {
        let before = session.at_gate(open).await.expect("a session");
        match act(&machines, &mut dice) {
            Act::Restart => session = started(&store, machines.clone()),
            Act::Message => {
                message(&session, &format!("t{number}")).await;
                floor.begin(&before);
            }
            Act::Event { machine, call } => {
                let sent = session.send(machine.name, &call, &around).await;
                sent.expect("an event of the machine");
                let after = session.at_gate(open).await.expect("a session");
                floor.sent(machine, &call, &before, &after);
            }
            Act::Response(calls) => {
                let done = session.decide(&calls, &around).await.expect("decisions");
                for (call, decision) in calls.iter().zip(done.answer) {
                    let allowed = floor.allows(&call.name);
                    let text = decision.answer().unwrap_or_default();
                    assert!(!text.contains(HELD_BACK) || !allowed, "{text}");
                    if let Decision::Run(call) = decision {
                        assert!(allowed, "{} could not run when the turn began", call.tool());
                    }
                }
            }
        }
    }
    no_differences(&session, &machines).await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn in_a_stored_turn_a_host_tool_runs_only_if_it_could_run_before_or_a_person_opened_it(seed: u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(walk(seed));
    }
}
