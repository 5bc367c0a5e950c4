//! Entries, snapshots and answers contain the number of their format. Data in an older format is read and replayed by
//! the rules of that format; data in a newer format is refused.

use std::sync::Arc;

use plan_machine::gate::{Decision, Gate, MachineSet, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::{DenialKind, Object};
use plan_machine_sessions::journal::{Chain, Format, Snapshot};
use plan_machine_sessions::store::{Commit, Memory, NextDue, Row, Store, StoredAnswer};
use plan_machine_sessions::{Session, SessionError, Sessions, UnreadableReason};

use super::{around, draft, identity, in_memory, machine_set, ready, states};

/// Returns a store that contains a session whose entries, snapshot and answers have been changed, with matching
/// digests, as if another version had written them.
pub(super) async fn rewritten(
    session: &Session,
    change: impl Fn(&str) -> String,
) -> Arc<dyn Store> {
    let (identity, store) = (session.identity(), session.store());
    let mut chain = Chain::start(identity);
    let mut rows = Vec::new();
    for row in store
        .history(identity, 0, u32::MAX)
        .await
        .expect("the history of the session")
    {
        let body = change(&row.body);
        chain = chain.then(&body);
        rows.push(Row {
            seq: row.seq,
            body,
            digest: chain.digest(),
        });
    }
    let snapshot = store
        .read(identity)
        .await
        .expect("the stored session")
        .snapshot;
    let snapshot = snapshot.map(|row| {
        let at = usize::try_from(row.seq).expect("an index");
        let chain = Chain::at(rows[at - 1].digest);
        let mut snapshot = Snapshot::read(&row.body).expect("a snapshot");
        snapshot.chain = chain;
        let body = change(&snapshot.to_text());
        Row {
            seq: row.seq,
            digest: chain.beside("snapshot", &body),
            body,
        }
    });
    let answers = store
        .answers(identity, 0, u64::MAX)
        .await
        .expect("the stored answers");
    let answers = answers.into_iter().map(|given| {
        let body = change(&given.body);
        StoredAnswer {
            digest: Chain::start(identity).beside(&given.call_id, &body),
            body,
            ..given
        }
    });
    let changed = Memory::new();
    let commit = Commit {
        session: identity.clone(),
        expected: 0,
        after: None,
        rows,
        effects: Vec::new(),
        answers: answers.collect(),
        snapshot,
        due: NextDue::Unchanged,
    };
    changed.append(commit).await.expect("the commit is stored");
    Arc::new(changed)
}

fn opened(store: &Arc<dyn Store>) -> Session {
    Sessions::new(Arc::clone(store), machine_set()).session(&identity("format-numbers"))
}

/// Returns a session in the current format that contains a call with an id, and this many further drafts.
async fn written(drafts: u32) -> Session {
    let session = in_memory().session(&identity("format-numbers"));
    ready(&session).await;
    let call = draft("# under an id").once("call-1");
    session
        .decide(&[call], &around())
        .await
        .expect("the draft is stored");
    for number in 0..drafts {
        let call = draft(&format!("# {number}"));
        session
            .decide(&[call], &around())
            .await
            .expect("the draft is stored");
    }
    session
}

/// Returns the start of an entry with the format number, as this version writes it.
fn number() -> String {
    format!("{{\"format\":{},", Format::CURRENT)
}

/// Returns the text as the first version wrote it, without a format number.
fn without_a_number(body: &str) -> String {
    let older = body.replace(&number(), "{");
    assert_ne!(older, body);
    older
}

/// Returns the text with a format number that only a newer version supports.
fn of_the_future(body: &str) -> String {
    let newer = body.replace(&number(), "{\"format\":7,");
    assert_ne!(newer, body);
    newer
}

const NEWER: &str = "written by a newer version of plan-machine: format 7, but this version reads only formats up to 4";

#[tokio::test]
async fn entries_without_a_number_are_replayed_by_the_rules_of_their_format() {
    for drafts in [0, 150] {
        let store = rewritten(&written(drafts).await, without_a_number).await;
        let session = opened(&store);
        let last = session.seq().await.expect("the number of the last entry");
        assert_eq!(states(&session).await, ["READY"]);
        let call = draft("# under an id").once("call-1");
        let done = session
            .decide(&[call], &around())
            .await
            .expect("the event is answered");
        assert!(done.repeated);
        session
            .decide(&[draft("# new")], &around())
            .await
            .expect("the draft is stored");
        assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
        let rows = store
            .history(session.identity(), last - 1, 2)
            .await
            .expect("the stored rows");
        assert!(!rows[0].body.contains("\"format\""), "{}", rows[0].body);
        assert!(rows[1].body.starts_with(&number()), "{}", rows[1].body);
    }
}

plan_machine::machine!("corpus/valid/json_bounds.yaml");

/// Returns a machine that records calls in its plan: once interpreted, and once compiled.
fn keepers() -> [MachineSet; 2] {
    let spec = include_str!("../../corpus/valid/json_bounds.yaml");
    let interpreted = InterpretedMachine::read("json_bounds.yaml", spec).expect("a valid spec");
    let gates = [
        Gate::builder().with(interpreted),
        Gate::builder().with(json_bounds::Machine),
    ];
    gates.map(|gate| {
        gate.any_host_tool()
            .join()
            .expect("a valid set of machines")
    })
}

fn writing(text: &str) -> ToolCall {
    ToolCall::new("write_file", Object::from_iter([("text", text)]))
}

#[tokio::test]
async fn a_call_in_an_earlier_format_that_exceeds_todays_bound_is_replayed_and_its_plan_continues()
{
    for keeper in keepers() {
        let sessions = Sessions::new(Arc::new(Memory::new()), keeper.clone());
        let session = sessions.session(&identity("format-numbers"));
        session
            .command("/begin", &around())
            .await
            .expect("the plan is started");
        for text in ["MARKER", "short"] {
            let done = session.decide(&[writing(text)], &around()).await;
            let decision = &done.expect("a decision").answer[0];
            assert!(
                matches!(decision, Decision::Recorded { .. }),
                "{decision:?}"
            );
        }
        let long = "x".repeat(100_000);
        let earlier = |body: &str| without_a_number(body).replace("MARKER", &long);
        let store = rewritten(&session, earlier).await;
        let session = Sessions::new(store, keeper.clone()).session(&identity("format-numbers"));
        assert_eq!(session.verify(&keeper).await, Ok(Vec::new()));
        let calls = [writing("new"), writing(&long)];
        let done = session.decide(&calls, &around()).await;
        let done = done.expect("decisions").answer;
        assert!(
            matches!(done[0], Decision::Recorded { .. }),
            "{:?}",
            done[0]
        );
        let Decision::Denied(denial) = &done[1] else {
            panic!("{:?}", done[1]);
        };
        assert_eq!(denial.kind, DenialKind::LimitReached);
        let said = "`calls[3].args` has 100011 bytes as JSON, but at most 65536 are allowed: send less, or give the field a larger `max` in the spec";
        assert_eq!(denial.messages, [said]);
        assert_eq!(session.verify(&keeper).await, Ok(Vec::new()));
    }
}

#[tokio::test]
async fn an_entry_of_a_newer_version_is_refused_and_left_as_it_is() {
    let store = rewritten(&written(0).await, of_the_future).await;
    let session = opened(&store);
    for refused in [
        session.plans().await.map(drop),
        session.history(0, 1).await.map(drop),
        session.verify(&machine_set()).await.map(drop),
        session.command("/plan done", &around()).await.map(drop),
    ] {
        let error = refused.expect_err("the data is newer");
        assert!(
            error.to_string().ends_with(&format!("entry 1 was {NEWER}")),
            "{error}"
        );
    }
    assert_eq!(session.seq().await, Ok(3));
}

#[tokio::test]
async fn a_snapshot_from_a_newer_version_is_rejected() {
    let newer = |body: &str| {
        let is_snapshot = body.contains("\"machines\":");
        if is_snapshot {
            of_the_future(body)
        } else {
            body.to_owned()
        }
    };
    let store = rewritten(&written(150).await, newer).await;
    let error = opened(&store).plans().await.expect_err("the data is newer");
    assert!(
        error
            .to_string()
            .ends_with(&format!("the snapshot after entry 128 was {NEWER}")),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_of_a_newer_version_is_refused() {
    let newer = |body: &str| {
        let is_answer = body.contains("\"answers\":");
        if is_answer {
            of_the_future(body)
        } else {
            body.to_owned()
        }
    };
    let store = rewritten(&written(0).await, newer).await;
    let session = opened(&store);
    let call = draft("# under an id").once("call-1");
    let error = session
        .decide(&[call], &around())
        .await
        .expect_err("the data is newer");
    let told = error.to_string();
    let answer =
        format!("cannot repeat an answer: the stored answer to the call `call-1` was {NEWER}");
    assert!(told.contains(&answer), "{told}");
    assert_eq!(
        states(&session).await,
        ["READY"],
        "the rest of the session can be used"
    );
}

#[tokio::test]
async fn the_first_format_has_no_entry_that_ends_a_plan() {
    let ends = |body: &str| {
        let ended = body.replace(
            "\"do\":\"plan_set_content\"",
            "\"abandon\":\"plan-1\",\"why\":\"x\"",
        );
        without_a_number(&ended)
    };
    let store = rewritten(&written(0).await, ends).await;
    let error = opened(&store)
        .plans()
        .await
        .expect_err("the first format has no such entry");
    let SessionError::Unreadable { why, .. } = error else {
        panic!("{error}");
    };
    assert!(
        matches!(why, UnreadableReason::Altered { seq: 2, .. }),
        "{why}"
    );
}
