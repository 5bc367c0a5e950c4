//! Everything that was acknowledged can be read back: in every store, and for any input that a session accepts.

use std::sync::Arc;

use plan_machine::gate::{Decision, EventContext, Gate, MAX_INPUT_BYTES, MachineSet, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::Outcome;
use plan_machine::{DenialKind, Instant, Json, Object};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, SessionIdentity, Sessions};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::world::postgres;

/// A machine that stores everything that it is sent: in plans, effects, replies and context.
const KEEPER: &str = "
machine: Keeper
context: { note: { type: json, max: 4194304, optional: true } }
types:
  Kept: { fields: { tool: string, args: { type: json, max: 4194304 } } }
data:
  kept: { type: [Kept], max: 50 }
  note: { type: json, max: 4194304, optional: true }
  said: string?
commands:
  begin: /begin
  say: \"/say {words...}\"
  wrap: /wrap
  end: /end
signals:
  told: { input: { value: { type: json, max: 4194304 } } }
tools:
  keep: { doc: Keep a value., input: { value: { type: json, max: 4194304 } } }
  read_kept: { doc: Read what is kept., read: true }
effects:
  noted: { fields: { plan: id, value: json } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    other_tools:
      append: { kept: { tool: event.tool, args: event.args } }
      reply: event.args
    on:
      keep: { set: { note: event.value }, emit: { noted: { plan: plan.id, value: event.value } }, reply: { value: event.value } }
      told: { set: { note: event.value }, emit: { noted: { plan: plan.id, value: { told: event.value } } } }
      say: { set: { said: event.words, note: context.note }, reply: \"You said {event.words}\" }
      wrap: { set: { note: [{ inner: note }] } }
      read_kept: { reply: { kept: kept, note: note } }
      end: { to: OVER, next: none }
  OVER: { final: true }
";

fn keeper() -> MachineSet {
    let machine = InterpretedMachine::read("keeper.yaml", KEEPER).expect("a valid spec");
    let parts = Gate::builder().with(machine).any_host_tool();
    parts.join().expect("one machine")
}

/// One event.
#[derive(Clone, Debug)]
enum Input {
    Tool {
        name: String,
        args: Object,
        id: Option<String>,
    },
    Line(String),
    Signal(Object),
}

/// An input and its context.
#[derive(Clone, Debug)]
struct Event {
    input: Input,
    context: Option<Json>,
    actor: String,
    at: u64,
}

/// Generates any value that a host can build, including values that JSON cannot represent.
fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Int),
        any::<u64>().prop_map(Json::Uint),
        any::<f64>().prop_map(Json::Float),
        any::<String>().prop_map(Json::Text),
        "[\\x00-\\x20\"\\\\{}\\[\\]]{0,20}".prop_map(Json::Text),
    ];
    let tree = leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![Just("same".to_owned()), any::<String>()];
        let members = prop::collection::vec((key, inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Json::List),
            members.prop_map(|members| {
                let mut object = Object::new();
                for (key, value) in members {
                    object.push(key, value);
                }
                Json::Object(object)
            }),
        ]
    });
    let depth = prop_oneof![3 => Just(0_usize), 2 => 50..80_usize, 1 => 100..300_usize];
    (tree, depth).prop_map(|(value, depth)| nested(value, depth))
}

fn nested(value: Json, depth: usize) -> Json {
    (0..depth).fold(value, |inner, level| match level % 2 {
        0 => Json::List(vec![inner]),
        _ => Object::from_iter([("in", inner)]).into(),
    })
}

fn with(value: Json) -> Object {
    Object::from_iter([("value", value)])
}

fn event() -> impl Strategy<Value = Event> {
    let name = prop_oneof![Just("keep"), Just("shell"), Just("read_kept")];
    let name = prop_oneof![4 => name.prop_map(str::to_owned), 1 => any::<String>()];
    let id = prop::option::of(any::<String>());
    let tool = (name, value(), id).prop_map(|(name, value, id)| Input::Tool {
        args: if name == "read_kept" {
            Object::new()
        } else {
            with(value)
        },
        name,
        id,
    });
    let input = prop_oneof![
        4 => tool,
        1 => any::<String>().prop_map(|words| Input::Line(format!("/say {words}"))),
        1 => Just(Input::Line("/wrap".to_owned())),
        2 => value().prop_map(|value| Input::Signal(with(value))),
    ];
    let context = prop::option::weighted(0.3, value());
    (input, context, any::<String>(), 0..253_402_300_800_u64).prop_map(
        |(input, context, actor, at)| Event {
            input,
            context,
            actor,
            at,
        },
    )
}

fn around(event: &Event) -> EventContext {
    let at = std::time::Duration::new(event.at, 7);
    let at = Instant::from_since_1970(at).expect("before the year 10000");
    let around = EventContext::at(at).by(event.actor.as_str());
    match &event.context {
        Some(note) => around.with("note", note.clone()),
        None => around,
    }
}

/// Sends an event and returns whether something was stored.
async fn send(session: &Session, event: &Event) -> bool {
    let around = around(event);
    let before = session.seq().await.expect("a number");
    match &event.input {
        Input::Tool { name, args, id } => {
            let mut call = ToolCall::new(name.as_str(), args.clone());
            call.id.clone_from(id);
            let sent = session.decide(&[call], &around).await;
            sent.expect("a decision");
        }
        Input::Line(line) => {
            let sent = session.command(line, &around).await;
            assert!(matches!(sent, Ok(_) | Err(SessionError::NoCommand(_))));
        }
        Input::Signal(with) => {
            let plan = session.plans().await.expect("plans")[0].plan.id.clone();
            let sent = session.signal_by_name("Keeper", "told", &plan, with.clone(), &around);
            sent.await.expect("an answer");
        }
    }
    session.seq().await.expect("a number") > before
}

/// Sends events, reopens the session, reads everything back, and continues. Returns the number of accepted events.
async fn acknowledged(store: Arc<dyn Store>, name: &str, events: &[Event]) -> usize {
    let identity = SessionIdentity::new("stores", name).expect("an identity");
    let session = Sessions::new(Arc::clone(&store), keeper()).session(&identity);
    let now = EventContext::default();
    session.command("/begin", &now).await.expect("begun");
    let mut taken = 0;
    for event in events {
        taken += usize::from(send(&session, event).await);
    }
    let (plans, effects) = (session.plans().await, session.effects().await);
    let anew = Sessions::new(store, keeper()).session(&identity);
    assert_eq!(anew.plans().await, plans, "the plans");
    assert_eq!(anew.effects().await, effects, "the effects");
    let history = anew.history(0, u32::MAX).await.expect("a history");
    assert_eq!(history.len(), taken + 1);
    assert_eq!(anew.verify(&keeper()).await, Ok(Vec::new()));
    for event in events {
        if let Input::Tool { id: Some(_), .. } = event.input {
            assert!(!send(&anew, event).await, "the call was answered before");
        }
    }
    let ended = anew
        .command("/end", &now)
        .await
        .expect("the session continues");
    assert!(ended.answer[0].outcome.is_accepted(), "{ended:?}");
    taken
}

/// Checks with random events that everything that a store has acknowledged can be read back.
fn law(store: &Arc<dyn Store>, cases: u32, runtime: &tokio::runtime::Runtime) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let number = std::cell::Cell::new(0_u32);
    let taken = std::cell::Cell::new(0_usize);
    let tried = TestRunner::new(config).run(&prop::collection::vec(event(), 1..5), |events| {
        number.set(number.get() + 1);
        let name = format!("acknowledged-{}", number.get());
        let kept = runtime.block_on(acknowledged(Arc::clone(store), &name, &events));
        taken.set(taken.get() + kept);
        Ok(())
    });
    tried.expect("the law holds");
    assert!(taken.get() > usize::try_from(cases).expect("a few") / 2);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

#[test]
fn entries_that_memory_acknowledged_can_be_read_back() {
    law(
        &(Arc::new(Memory::new()) as Arc<dyn Store>),
        300,
        &runtime(),
    );
}

#[test]
fn entries_that_sqlite_acknowledged_can_be_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("plans.db")).expect("a store");
    law(&(Arc::new(store) as Arc<dyn Store>), 40, &runtime());
}

#[test]
fn entries_that_postgres_acknowledged_can_be_read_back() {
    let runtime = runtime();
    let store = runtime.block_on(postgres("acknowledged"));
    law(&(Arc::new(store) as Arc<dyn Store>), 40, &runtime);
}

fn tool(value: Json) -> Event {
    Event {
        input: Input::Tool {
            name: "shell".to_owned(),
            args: with(value),
            id: Some("call-1".to_owned()),
        },
        context: None,
        actor: "model".to_owned(),
        at: 0,
    }
}

#[tokio::test]
async fn arguments_nested_deeper_than_the_limit_are_denied_with_a_message() {
    let session = Sessions::new(Arc::new(Memory::new()), keeper());
    let session = session.session(&SessionIdentity::new("stores", "too-deep").expect("a name"));
    let now = EventContext::default();
    session.command("/begin", &now).await.expect("begun");
    for depth in [64, 122, 123, 128, 500] {
        let call = ToolCall::new("shell", with(nested(Json::Null, depth)));
        let done = session.decide(&[call], &now).await.expect("a decision");
        let Decision::Denied(denial) = &done.answer[0] else {
            panic!("{depth}: {done:?}");
        };
        assert_eq!(denial.kind, DenialKind::InvalidInput);
        assert_eq!(
            denial.messages,
            ["expected the arguments to nest at most 64 levels deep, found more"]
        );
    }
    assert_eq!(session.seq().await, Ok(1));
}

#[tokio::test]
async fn the_largest_input_is_read_again_in_every_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Sqlite::open(folder.path().join("plans.db")).expect("a store");
    let stores: [Arc<dyn Store>; 3] = [
        Arc::new(Memory::new()),
        Arc::new(file),
        Arc::new(postgres("largest_input").await),
    ];
    let around = r#"{"value":""}"#.len();
    let largest = tool(Json::from("x".repeat(MAX_INPUT_BYTES - around)));
    let deepest = tool(nested(Json::Null, 63));
    for store in stores {
        assert_eq!(
            acknowledged(store, "largest-input", std::slice::from_ref(&largest)).await,
            1
        );
    }
    let deep = [deepest];
    let deep = acknowledged(Arc::new(Memory::new()), "deepest-input", &deep);
    assert_eq!(deep.await, 1);
}

#[tokio::test]
async fn a_value_that_a_machine_nests_ever_deeper_is_rejected_while_it_can_still_be_read() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let identity = SessionIdentity::new("stores", "ever-deeper").expect("a name");
    let session = Sessions::new(Arc::clone(&store), keeper()).session(&identity);
    let now = EventContext::default();
    session.command("/begin", &now).await.expect("begun");
    let mut wrapped = 0;
    let outcome = loop {
        let done = session.command("/wrap", &now).await.expect("an answer");
        let outcome = done.answer[0].outcome.clone();
        if !outcome.is_accepted() {
            break outcome;
        }
        wrapped += 1;
        assert!(wrapped < 200, "the value should be rejected at some point");
    };
    let Outcome::Denied(denial) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(denial.kind, DenialKind::LimitReached, "{denial}");
    let anew = Sessions::new(store, keeper()).session(&identity);
    assert_eq!(anew.verify(&keeper()).await, Ok(Vec::new()));
    let ended = anew
        .command("/end", &now)
        .await
        .expect("the session continues");
    assert!(ended.answer[0].outcome.is_accepted(), "{ended:?}");
}
