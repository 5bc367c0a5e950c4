//! A stored plan that does not match its machine is damaged: the other plans can still be used, and a person can end
//! the damaged one.

use std::sync::Arc;

use plan_machine::gate::{Decision, Gate, MachineSet, Shape, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Denial, Outcome};
use plan_machine::{DenialKind, Object};
use plan_machine_sessions::store::{Memory, Store};
use plan_machine_sessions::{Session, SessionError, Sessions};

use super::formats::rewritten;
use super::{around, identity, machine_set, ready, states};

/// Returns two machines: `Notes`, which can have many plans, and `Guard`, whose plan decides whether host tools may
/// run. The strings in their data have at most `longest` characters.
fn machines(longest: u32) -> MachineSet {
    let notes = format!(
        "machine: Notes
instances: many
data: {{ title: {{ type: string, max: {longest} }} }}
commands:
  begin: {{ text: \"/note {{title}}\", input: {{ title: string }} }}
  end: \"/done {{plan_id?}}\"
tools:
  list: {{ doc: Lists the notes., read: true }}
states:
  none: {{ on: {{ begin: {{ to: OPEN, set: {{ title: event.title }} }}, list: {{ reply: plans }} }} }}
  OPEN: {{ on: {{ end: DONE }} }}
  DONE: {{ final: true }}
"
    );
    let guard = format!(
        "machine: Guard
data: {{ word: {{ type: string?, max: {longest} }} }}
commands:
  guard: {{ text: \"/guard {{word}}\", input: {{ word: string }} }}
  leave: /leave
tools:
  whisper: {{ doc: Says the word. }}
states:
  none: {{ on: {{ guard: {{ to: LOOSE, set: {{ word: event.word }} }} }} }}
  LOOSE: {{ on: {{ whisper: STRICT, leave: {{ to: GONE, next: none }} }} }}
  STRICT: {{ other_tools: deny, on: {{ leave: {{ to: GONE, next: none }} }} }}
  GONE: {{ final: true }}
"
    );
    let read = |name: &str, spec: &str| InterpretedMachine::read(name, spec).expect("a valid spec");
    Gate::builder()
        .with(read("notes.yaml", &notes))
        .with(read("guard.yaml", &guard))
        .host_tool("shell", "Runs a command.", Object::new())
        .ends_damaged_plans_by("/end {plan}")
        .join()
        .expect("machines without conflicts")
}

fn session(store: &Arc<dyn Store>, machines: MachineSet) -> Session {
    Sessions::new(Arc::clone(store), machines).session(&identity("damaged-plans"))
}

fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

async fn taken(session: &Session, line: &str) {
    let done = session.command(line, &around()).await.expect("an answer");
    let accepted = matches!(done.answer[0].outcome, Outcome::Accepted(_));
    assert!(accepted, "{line}: {done:?}");
}

async fn denied(session: &Session, line: &str) -> Denial {
    let done = session.command(line, &around()).await.expect("an answer");
    match done.answer.into_iter().next().expect("an answer").outcome {
        Outcome::Denied(denial) => denial,
        other => panic!("{line}: {other:?}"),
    }
}

async fn call(session: &Session, tool: &str) -> Decision {
    let call = ToolCall::new(tool, Object::new());
    let done = session
        .decide(&[call], &around())
        .await
        .expect("the calls are decided");
    done.answer.into_iter().next().expect("a decision")
}

async fn ids(session: &Session) -> Vec<String> {
    let plans = session
        .plans()
        .await
        .expect("the plans of the session")
        .into_iter();
    plans.map(|held| held.plan.id.to_string()).collect()
}

async fn damaged_ids(session: &Session) -> Vec<String> {
    let plans = session
        .damaged()
        .await
        .expect("the plans of the session")
        .into_iter();
    plans.map(|damaged| damaged.plan.id.to_string()).collect()
}

#[tokio::test]
async fn a_damaged_plan_does_not_hide_the_others() {
    let store = memory();
    let before = session(&store, machines(100));
    for line in ["/note short", "/note too-long-by-now", "/note last"] {
        taken(&before, line).await;
    }
    let written = before.store().history(before.identity(), 0, 10).await;
    let after = session(&store, machines(5));
    assert_eq!(ids(&after).await, ["plan-1", "plan-3"]);
    let damaged = after.damaged().await.expect("the plans of the session");
    assert_eq!(damaged.len(), 1);
    assert_eq!((damaged[0].machine, damaged[0].in_slot), ("Notes", false));
    assert!(damaged[0].problems[0].contains("title"), "{damaged:?}");
    let denial = denied(&after, "/done plan-2").await;
    assert_eq!(denial.kind, DenialKind::NotAllowed);
    assert!(denial.messages[0].contains("`/end plan-2`"), "{denial}");
    taken(&after, "/done plan-3").await;
    taken(&after, "/note next").await;
    assert_eq!(ids(&after).await, ["plan-1", "plan-3", "plan-4"]);
    assert!(matches!(call(&after, "shell").await, Decision::Run(_)));
    let history = after.store().history(after.identity(), 0, 3).await;
    assert_eq!(history, written, "the stored entries are unchanged");
}

#[tokio::test]
async fn a_damaged_plan_is_kept_as_it_is_in_snapshots() {
    let store = memory();
    let before = session(&store, machines(100));
    for line in [
        "/note short",
        "/note too-long-by-now",
        "/guard too-long-too",
    ] {
        taken(&before, line).await;
    }
    let plans = before.plans().await.expect("the plans of the session");
    let after = session(&store, machines(5));
    for _ in 0..130 {
        taken(&after, "/note more").await;
    }
    let read = store
        .read(after.identity())
        .await
        .expect("the stored session");
    assert!(read.snapshot.is_some());
    let anew = session(&store, machines(5));
    assert_eq!(damaged_ids(&anew).await, ["plan-2", "plan-3"]);
    let again = session(&store, machines(100))
        .plans()
        .await
        .expect("the plans of the session");
    assert_eq!(
        again[..2],
        plans[..2],
        "the notes are in their original order"
    );
    assert_eq!(again.last(), plans.last(), "the guard is in its slot");
    assert_eq!(again.len(), 133);
}

#[tokio::test]
async fn a_damaged_plan_in_a_slot_closes_its_machine_and_the_tools_that_it_may_deny() {
    let store = memory();
    taken(&session(&store, machines(100)), "/guard too-long-by-now").await;
    let after = session(&store, machines(5));
    for line in ["/guard other", "/leave"] {
        let denial = denied(&after, line).await;
        assert!(denial.messages[0].contains("`/end plan-1`"), "{denial}");
        assert!(
            denial.messages[0].contains("until the plan is ended"),
            "{denial}"
        );
    }
    for tool in ["whisper", "shell"] {
        let decision = call(&after, tool).await;
        assert!(matches!(decision, Decision::Denied(_)), "{decision:?}");
    }
    let advertised = after
        .advertised(Shape::OpenAi)
        .await
        .expect("the advertised tools");
    let advertised = advertised.to_string();
    assert!(
        !advertised.contains("whisper") && !advertised.contains("shell"),
        "{advertised}"
    );
    assert!(advertised.contains("list"), "{advertised}");
    taken(&after, "/note more").await;

    let ended = after
        .abandon("Guard", "plan-1", "the spec has changed", &around())
        .await;
    assert_eq!(ended, Ok(3));
    assert!(matches!(call(&after, "shell").await, Decision::Run(_)));
    taken(&after, "/guard new").await;
    assert_eq!(states(&after).await, ["OPEN", "LOOSE"]);
}

#[tokio::test]
async fn a_tool_that_a_machine_never_denies_runs_despite_a_damaged_plan() {
    let machines = |longest: u32| {
        let spec = format!(
            "machine: Free
data: {{ word: {{ type: string, max: {longest} }} }}
commands:
  begin: {{ text: \"/begin {{word}}\", input: {{ word: string }} }}
  end: /end
states:
  none: {{ on: {{ begin: {{ to: OPEN, set: {{ word: event.word }} }} }} }}
  OPEN: {{ on: {{ end: {{ to: OVER, next: none }} }} }}
  OVER: {{ final: true }}
"
        );
        let machine = InterpretedMachine::read("free.yaml", &spec).expect("a valid spec");
        let parts = Gate::builder().with(machine);
        let parts = parts.host_tool("shell", "Runs a command.", Object::new());
        parts.join().expect("a valid set of machines")
    };
    let store = memory();
    taken(&session(&store, machines(100)), "/begin too-long-by-now").await;
    let after = session(&store, machines(5));
    assert_eq!(damaged_ids(&after).await, ["plan-1"]);
    assert!(matches!(call(&after, "shell").await, Decision::Run(_)));
    let advertised = after
        .advertised(Shape::OpenAi)
        .await
        .expect("the advertised tools");
    assert!(advertised.to_string().contains("shell"), "{advertised}");
}

#[tokio::test]
async fn ending_a_damaged_plan_is_an_entry_that_can_be_replayed() {
    let store = memory();
    let before = session(&store, machines(100));
    for line in [
        "/note short",
        "/note too-long-by-now",
        "/guard too-long-too",
    ] {
        taken(&before, line).await;
    }
    let after = session(&store, machines(5));
    for (machine, plan) in [("Notes", "plan-2"), ("Guard", "plan-3")] {
        after
            .abandon(machine, plan, "too long", &around())
            .await
            .expect("the plan is ended");
    }
    assert!(damaged_ids(&after).await.is_empty());
    taken(&after, "/guard new").await;
    let deeds = after.audit(3, 1).await.expect("a line of the audit log");
    assert_eq!(
        (deeds[0].event.as_str(), deeds[0].actor.as_deref()),
        ("abandon", Some("ann"))
    );
    assert_eq!(deeds[0].plans.len(), 1);
    // A host that still has the session open continues with the remaining plans.
    assert_eq!(ids(&before).await, ["plan-1", "plan-4"]);
    assert_eq!(before.verify(&machines(100)).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_replay_finds_an_entry_that_ends_a_plan_other_than_the_held_one() {
    let store = memory();
    let whole = session(&store, machines(100));
    taken(&whole, "/note too-long-by-now").await;
    let shorter = session(&store, machines(5));
    let ended = shorter
        .abandon("Notes", "plan-1", "too long", &around())
        .await;
    assert_eq!(ended, Ok(2));
    for (from, to) in [("\"revision\":1", "\"revision\":9"), ("plan-1", "plan-7")] {
        let change = |body: &str| {
            let is_end = body.contains("\"abandon\"");
            if is_end {
                body.replace(from, to)
            } else {
                body.to_owned()
            }
        };
        let altered = session(&rewritten(&shorter, change).await, machines(100));
        let differences = altered
            .verify(&machines(100))
            .await
            .expect("the result of the verification");
        let differing: Vec<u64> = differences.iter().map(|one| one.seq).collect();
        assert_eq!(differing, [2], "{to}: {differences:?}");
    }
}

#[tokio::test]
async fn a_ready_plan_without_its_field_can_be_ended() {
    for (from, to, wrong) in [
        (
            "\"data\":{\"markdown\":\"# v1\"}",
            "\"data\":{}",
            "markdown",
        ),
        ("\"state\":\"READY\"", "\"state\":\"NOWHERE\"", "NOWHERE"),
        (
            "\"data\":{\"markdown\":\"# v1\"}",
            "\"data\":{\"markdown\":7}",
            "markdown",
        ),
    ] {
        let store = memory();
        let whole = session(&store, machine_set());
        ready(&whole).await;
        let store = rewritten(&whole, |body| body.replace(from, to)).await;
        let session = session(&store, machine_set());
        let damaged = session.damaged().await.expect("the plans of the session");
        assert!(damaged[0].problems[0].contains(wrong), "{damaged:?}");
        let denial = denied(&session, "/plan on").await;
        let command = "`plan-machine log --store STORE end SESSION plan-1 --why TEXT`";
        assert!(denial.messages[0].contains(command), "{denial}");
        assert_eq!(session.seq().await, Ok(2));
        let ended = session
            .abandon("WorkByPlan", "plan-1", "it was edited", &around())
            .await;
        assert_eq!(ended, Ok(3));
        taken(&session, "/plan on").await;
        assert_eq!(states(&session).await, ["COLLECTING"]);
        let differences = session
            .verify(&machine_set())
            .await
            .expect("the result of the verification");
        let differing: Vec<u64> = differences.iter().map(|one| one.seq).collect();
        assert_eq!(differing, [2], "{differences:?}");
    }
}

#[tokio::test]
async fn only_a_damaged_plan_is_ended_from_outside() {
    let store = memory();
    let session = session(&store, machines(100));
    taken(&session, "/guard word").await;
    let sound = session
        .abandon("Guard", "plan-1", "no reason", &around())
        .await;
    assert!(
        matches!(sound, Err(SessionError::NotDamaged { .. })),
        "{sound:?}"
    );
    for (machine, plan) in [
        ("Guard", "plan-2"),
        ("Notes", "plan-1"),
        ("Nothing", "plan-1"),
    ] {
        let missing = session.abandon(machine, plan, "no reason", &around()).await;
        assert!(
            matches!(missing, Err(SessionError::NoPlan { .. })),
            "{missing:?}"
        );
    }
    assert_eq!(session.seq().await, Ok(1));
}
