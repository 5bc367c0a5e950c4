//! What journals, answers and snapshots keep when timers fire before an event.

use std::sync::Arc;

use plan_machine::Object;
use plan_machine::gate::{Decision, ToolCall};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::journal::Sender;
use plan_machine_sessions::store::{Memory, Store};
use plan_machine_tests::ticking::at;

use super::super::identity;
use super::{EXPIRING, HOUR, YEAR, around, entries, is_sound, machines, memory, typed};

const NOTING: &str = "
machine: Noting
data: { notes: { type: int, default: 0 }, hours: { type: int, default: 0 } }
commands: { begin: /begin, end: /end }
tools: { note: { doc: Count a note. } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on: { note: { set: { notes: notes + 1 }, reply: 'Noted.' }, end: { to: ENDED, next: none } }
    after: { 1h: { to: OPEN, set: { hours: hours + 1 } } }
  ENDED: { final: true }
";

#[tokio::test]
async fn a_call_that_comes_after_timers_is_answered_once_under_its_own_id() {
    let session = memory(NOTING).session(&identity("timers-1"));
    typed(&session, "/begin", 0).await;
    let call = [ToolCall::new("note", Object::new()).once("call-1")];
    let done = session.decide(&call, &around(2 * HOUR)).await;
    let done = done.expect("a decision");
    assert!(matches!(done.answer[0], Decision::Applied { .. }));
    assert_eq!(done.answer[0].answer().as_deref(), Some("Noted."));
    assert_eq!(done.seq, 3);
    let entries = entries(&session).await;
    let ids: Vec<_> = entries.iter().map(|one| one.call_id.as_deref()).collect();
    assert_eq!(ids, [None, None, Some("call-1")], "the timer has no id");
    let store = session.store();
    let mut answers = Vec::new();
    for key in Sender::ALL.map(|sender| sender.key("call-1")) {
        let answer = store.answer(session.identity(), &key).await;
        answers.extend(answer.expect("an answer"));
    }
    let seqs: Vec<u64> = answers.iter().map(|answer| answer.seq).collect();
    assert_eq!(seqs, [3], "the answer belongs to the entry of the call");
    let again = session.decide(&call, &around(3 * HOUR)).await;
    let again = again.expect("a decision");
    assert!(matches!(again.answer[0], Decision::Repeated(_)));
    assert_eq!(again.answer[0].answer().as_deref(), Some("Noted."));
    assert_eq!(
        again.seq, 4,
        "the timer fires although the call is repeated"
    );
    is_sound(&session, NOTING).await;
}

#[tokio::test]
async fn a_batch_fires_a_timer_once_before_its_first_call() {
    let events = async |spec: &str, lines: &[&str], tool: &str| {
        let session = memory(spec).session(&identity("timers-1"));
        for line in lines {
            typed(&session, line, 0).await;
        }
        let batch = [tool; 2].map(|tool| ToolCall::new(tool, Object::new()));
        let done = session.decide(&batch, &around(HOUR)).await;
        let decisions = done.expect("decisions").answer;
        is_sound(&session, spec).await;
        let entries = entries(&session).await;
        let events = entries.iter().map(|one| one.event().to_owned());
        (decisions, events.collect::<Vec<String>>())
    };
    let (decisions, fired) = events(EXPIRING, &["/plan", "/approve"], "shell").await;
    assert!(
        matches!(decisions[..], [Decision::Denied(_), Decision::Denied(_)]),
        "the approval has expired for both calls: {decisions:?}"
    );
    assert_eq!(fired, ["begin", "approve", "APPROVED after 1h"]);
    let (_, fired) = events(NOTING, &["/begin"], "note").await;
    assert_eq!(fired, ["begin", "OPEN after 1h", "note", "note"]);
}

#[tokio::test]
async fn the_time_of_a_session_is_kept_in_its_snapshots() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let open =
        || Sessions::new(Arc::clone(&store), machines(EXPIRING)).session(&identity("timers-1"));
    let session = open();
    for line in ["/plan", "/end"].into_iter().cycle().take(1000) {
        typed(&session, line, YEAR).await;
        let read = store.read(session.identity()).await.expect("the session");
        if line == "/end" && read.snapshot.is_some() && read.tail.is_empty() {
            break;
        }
    }
    let read = store.read(session.identity()).await.expect("the session");
    assert!(read.tail.is_empty(), "only the snapshot is read");
    let later = open();
    typed(&later, "/plan", 0).await;
    let entries = entries(&later).await;
    assert_eq!(entries.last().map(|one| one.step.at), Some(at(YEAR)));
}
