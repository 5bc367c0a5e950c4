//! No event in one session has a visible effect on another session.

use std::sync::Arc;

use plan_machine::gate::{Gate, MachineSet, ToolCall};
use plan_machine::{Object, gate::Shape};
use plan_machine_sessions::store::Memory;
use plan_machine_sessions::{Session, SessionError, SessionIdentity, Sessions};
use proptest::prelude::*;

use super::{around, draft, plan_mode, work_by_plan};

/// Returns sessions with the same conversations in two channels: only the channel and the conversation together
/// identify a session.
fn identities() -> Vec<SessionIdentity> {
    let channels = ["web", "telegram"];
    let conversations = ["conversation-1", "conversation-2"];
    let all = channels.iter().flat_map(|channel| {
        conversations.map(|conversation| {
            SessionIdentity::new(channel, conversation).expect("a valid identity")
        })
    });
    all.collect()
}

/// Returns the machine of a session, which depends on the conversation.
fn machines(session: &SessionIdentity) -> MachineSet {
    let assembly = Gate::builder().host_tool("shell", "Runs a command.", Object::new());
    let assembly = match session.conversation() {
        "conversation-1" => assembly.with(work_by_plan::Machine),
        _ => assembly.with(plan_mode::Machine),
    };
    assembly.join().expect("a valid set of machines")
}

#[derive(Clone, Debug)]
enum Sent {
    Line(&'static str),
    Draft(u8),
    Tool(&'static str),
}

fn sent() -> impl Strategy<Value = Sent> {
    prop_oneof![
        prop::sample::select(vec![
            "/plan on",
            "/plan off",
            "/plan done",
            "/reset",
            "/plan status"
        ])
        .prop_map(Sent::Line),
        any::<u8>().prop_map(Sent::Draft),
        prop::sample::select(vec!["shell", "plan_get", "plan_finalize", "nonsense"])
            .prop_map(Sent::Tool),
    ]
}

async fn send(session: &Session, sent: &Sent, number: usize) {
    // All sessions use the same call ids, because a stored answer belongs to one session only.
    let id = format!("call-{number} {sent:?}");
    match sent {
        // If the line is not a command of this session's machine, the result is an error, and nothing changes.
        Sent::Line(line) => match session.command(line, &around().once(id)).await {
            Ok(_) | Err(SessionError::NoCommand(_)) => {}
            Err(error) => panic!("{line}: {error}"),
        },
        Sent::Draft(text) => {
            session
                .decide(&[draft(&format!("# {text}")).once(id)], &around())
                .await
                .expect("the calls are decided");
        }
        Sent::Tool(name) => {
            let call = ToolCall::new(*name, Object::new()).once(id);
            session
                .decide(&[call], &around())
                .await
                .expect("the calls are decided");
        }
    }
}

/// Returns everything that a host can see of a session.
async fn seen(session: &Session) -> String {
    let plans = session.plans().await.expect("the plans of the session");
    let tools = session
        .advertised(Shape::Mcp)
        .await
        .expect("the advertised tools");
    let prompts = session.prompts().await.expect("the prompts of the session");
    let history = session
        .history(0, u32::MAX)
        .await
        .expect("the history of the session");
    let effects = session.effects().await.expect("the pending effects");
    format!("{plans:?} {tools} {prompts:?} {history:?} {effects:?}")
}

async fn all_seen(sessions: &Sessions) -> Vec<String> {
    let mut all = Vec::new();
    for identity in identities() {
        all.push(seen(&sessions.session(&identity)).await);
    }
    all
}

fn fresh() -> Sessions {
    Sessions::choosing(Arc::new(Memory::new()), machines)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_session_among_others_is_as_it_would_be_alone(
        events in prop::collection::vec((0_usize..4, sent()), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let among = fresh();
            for (number, (at, sent)) in events.iter().enumerate() {
                let before = all_seen(&among).await;
                super::isolation::send(&among.session(&identities()[*at]), sent, number / 4).await;
                let after = all_seen(&among).await;
                for other in (0..4).filter(|other| other != at) {
                    assert_eq!(before[other], after[other], "the event changed session {other}");
                }
            }
            for (at, identity) in identities().iter().enumerate() {
                let alone = fresh();
                let own = events.iter().enumerate().filter(|(_, (of, _))| *of == at);
                for (number, (_, sent)) in own {
                    super::isolation::send(&alone.session(identity), sent, number / 4).await;
                }
                assert_eq!(seen(&alone.session(identity)).await, seen(&among.session(identity)).await);
            }
        });
    }
}
