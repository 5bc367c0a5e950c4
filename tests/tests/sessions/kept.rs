//! Plans that a host has stored itself: restoring them detects some changes, and only a comparison with the journal
//! detects the others.

use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Machine as _, StoredPlans};
use plan_machine::{AnyPlan, Json};
use plan_machine_sessions::{Session, SessionError};

use super::{around, identity, in_memory, ready, work_by_plan};
use work_by_plan::MACHINE;

fn interpreted() -> InterpretedMachine {
    let spec = include_str!("../../corpus/valid/work_by_plan.yaml");
    InterpretedMachine::read("work_by_plan.yaml", spec).expect("a valid spec")
}

/// Returns the plans of the session's machine, as a host would store them.
async fn kept(session: &Session) -> StoredPlans {
    let stored = session.at_gate(|gate| gate.machines()[0].stored()).await;
    stored.expect("a session that can be read")
}

/// Returns a session with a plan that is waiting for approval, and the plans as a host would store them.
async fn unapproved(name: &str) -> (Session, StoredPlans) {
    let session = in_memory().session(&identity(name));
    ready(&session).await;
    let stored = kept(&session).await;
    assert_eq!(stored.plans[0].state, "READY");
    (session, stored)
}

/// Replaces the Markdown text of the plan.
fn set(stored: &mut StoredPlans, text: impl Into<Json>) {
    let data = &mut stored.plans[0].data;
    data.remove("markdown");
    data.push("markdown", text);
}

async fn refused(session: &Session, stored: &StoredPlans) -> String {
    match session.check_stored(&MACHINE, stored).await {
        Err(SessionError::OtherPlans { machine, problem }) => {
            assert_eq!(machine, "WorkByPlan");
            problem
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn plans_that_the_host_stored_unchanged_match_the_journal() {
    let (session, stored) = unapproved("kept-as-it-was").await;
    assert_eq!(session.check_stored(&MACHINE, &stored).await, Ok(()));
    // The plans are written as JSON and parsed again, as a host would do.
    let text = serde_json::to_string(&stored).expect("the plans are written as JSON");
    let read: StoredPlans = serde_json::from_str(&text).expect("the plans are parsed");
    assert_eq!(session.check_stored(&MACHINE, &read).await, Ok(()));
    let empty = in_memory().session(&identity("kept-nothing"));
    let nothing = StoredPlans::default();
    assert_eq!(empty.check_stored(&MACHINE, &nothing).await, Ok(()));
}

#[tokio::test]
async fn a_plan_that_was_not_approved_is_restored_and_not_confirmed_by_the_journal() {
    let (session, mut stored) = unapproved("kept-approved").await;
    stored.plans[0].state = "EXECUTING".into();
    // The changed plan is valid for its machine, so restoring it does not detect the change.
    assert!(AnyPlan::<work_by_plan::Machine>::restore(&stored.plans[0]).is_ok());
    assert!(work_by_plan::Machine.restore(&stored).is_ok());
    let problem = refused(&session, &stored).await;
    assert_eq!(
        problem,
        "the plan plan-1 is in EXECUTING, but according to the entries, it should be in READY"
    );
}

#[tokio::test]
async fn every_change_is_reported() {
    let (session, stored) = unapproved("kept-changed").await;
    let changed = |change: fn(&mut StoredPlans)| {
        let mut changed = stored.clone();
        change(&mut changed);
        changed
    };
    for (changed, problem) in [
        (
            changed(|stored| set(stored, "# v2")),
            "the contents of the plan plan-1 differ from those in the entries",
        ),
        (
            changed(|stored| stored.plans[0].edition = 0),
            "the plan plan-1 is at revision 2 and edition 0, \
             but according to the entries, it should be at revision 2 and edition 1",
        ),
        (
            changed(|stored| {
                stored.plans[0]
                    .timers
                    .push("after_1h", "2030-01-01T00:00:00Z");
            }),
            "the timers of the plan plan-1 differ from those in the entries",
        ),
        (
            changed(|stored| stored.slot = None),
            "the slot contains nothing, but according to the entries, it should contain plan-1",
        ),
        (
            changed(|stored| stored.plans[0].id = "plan-2".into()),
            "the slot contains plan-2, but according to the entries, it should contain plan-1",
        ),
        (
            changed(|stored| {
                let mut other = stored.plans[0].clone();
                other.id = "plan-2".into();
                stored.plans.push(other);
            }),
            "no entry mentions the plan plan-2",
        ),
        (
            changed(|stored| *stored = StoredPlans::default()),
            "the slot contains nothing, but according to the entries, it should contain plan-1",
        ),
    ] {
        assert_eq!(refused(&session, &changed).await, problem);
    }
}

#[tokio::test]
async fn an_older_copy_does_not_match_the_journal() {
    let (session, older) = unapproved("kept-older").await;
    session
        .command("/reset", &around())
        .await
        .expect("the plan is ended");
    assert_eq!(
        refused(&session, &older).await,
        "the slot contains plan-1, but according to the entries, it should contain nothing"
    );
    let mut fewer = StoredPlans::default();
    assert_eq!(
        refused(&session, &fewer).await,
        "the last used edition is 0, but according to the entries, it should be 1"
    );
    fewer.editions = kept(&session).await.editions;
    assert_eq!(session.check_stored(&MACHINE, &fewer).await, Ok(()));
}

/// A change to stored plans that no machine would make.
type Damage = fn(&mut StoredPlans);

/// Checks that plans which no machine could have stored are not restored. The compiled and the interpreted machine
/// report the same messages.
#[tokio::test]
async fn plans_that_no_machine_could_have_stored_are_not_restored() {
    let (_, stored) = unapproved("kept-impossible").await;
    let impossible: [(Damage, &str); 9] = [
        (
            |stored| stored.slot = Some(1),
            "the stored plans cannot be read: `slot` is 1, but 1 plan is stored",
        ),
        (
            |stored| stored.slot = None,
            "the plan plan-1 cannot be read: its state is READY, but it is not in the slot; a plan leaves the slot only when it ends",
        ),
        (
            |stored| stored.plans.push(stored.plans[0].clone()),
            "the stored plans cannot be read: duplicate plan id plan-1",
        ),
        (
            |stored| stored.plans[0].revision = u64::MAX,
            "the plan plan-1 cannot be read: `revision` is 18446744073709551615, but it can be at most 9007199254740991",
        ),
        (
            |stored| stored.plans[0].edition = 1 << 53,
            "the plan plan-1 cannot be read: `edition` is 9007199254740992, but it can be at most 9007199254740991",
        ),
        (
            |stored| stored.editions = Some(u64::MAX),
            "the stored plans cannot be read: `editions` is 18446744073709551615, but it can be at most 9007199254740991",
        ),
        (
            |stored| stored.plans[0].state = "none".into(),
            "the plan plan-1 cannot be read: unknown state `none`",
        ),
        (
            |stored| drop(stored.plans[0].data.remove("markdown")),
            "the plan plan-1 cannot be read: `markdown` is not set, but READY needs it",
        ),
        (
            |stored| set(stored, true),
            "the plan plan-1 cannot be read: `markdown` is not a string",
        ),
    ];
    for (change, problem) in impossible {
        let mut changed = stored.clone();
        change(&mut changed);
        let compiled = work_by_plan::Machine.restore(&changed).map(drop);
        let meant = interpreted().restore(&changed).map(drop);
        assert_eq!(compiled, meant, "{problem}");
        assert_eq!(compiled.expect_err(problem).to_string(), problem);
    }
}
