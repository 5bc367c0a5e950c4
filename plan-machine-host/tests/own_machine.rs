//! A host with a custom machine, which is not one of the shipped lifecycles.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plan_machine::gate::ConfirmedCall;
use plan_machine::{Object, short_token};
use plan_machine_host::chats::Transport;
use plan_machine_host::model::script::Script;
use plan_machine_host::tools::{ToolFuture, ToolInfo, Tools};
use plan_machine_host::{
    Attendant, Card, Content, ContentFuture, Conversation, Handler, Host, HostError, Outgoing, Stop,
};
use plan_machine_sessions::store::{Memory, Store};
use tempfile::TempDir;

plan_machine::machine! {
    machine Letter;
    review text;
    data { text: string? }
    command begin = "/letter";
    command approve = "/approve {token?}" reviewed;
    command stop = "/stop";
    tool write_letter { text: string nonblank }
    effect read_it { plan: id, token: string }
    state none { on begin => DRAFTING; }
    state planning {
        other_tools deny;
        on write_letter => READY { set text = event.text; }
        on stop => STOPPED next none;
        state DRAFTING;
        state READY {
            has text;
            enter { emit read_it { plan: plan.id, token: plan.token }; }
            on approve => SENDING;
        }
    }
    state SENDING { has text; on stop => STOPPED next none; }
    final state STOPPED;
}

const SCRIPT: &str = r#"
- user: Write.
  model:
    - calls: [send, { write_letter: { text: "Dear Ann" } }]
    - text: "{result.1}"
- user: Send.
  model:
    - calls: [send]
    - text: "{result}"
"#;

/// A handler that shows a card, unless it is set to fail.
#[derive(Default)]
struct Letters {
    fails: AtomicBool,
}

impl Attendant for Letters {}

impl Handler for Letters {
    type Machine = letter::Machine;

    fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: letter::Effect) -> ContentFuture<'a> {
        let letter::Effect::ReadIt { plan, token } = effect;
        Box::pin(async move {
            if self.fails.load(Ordering::Relaxed) {
                return Err(HostError::input("the printer is out of paper"));
            }
            at.card(&plan, &token).await
        })
    }
}

/// A tool that counts how many times it ran.
#[derive(Default)]
struct Post(AtomicUsize);

impl Tools for Post {
    fn infos(&self) -> Vec<ToolInfo> {
        vec![ToolInfo {
            name: "send",
            description: "Send the letter.",
            schema: Object::new(),
        }]
    }

    fn run<'a>(&'a self, _: ConfirmedCall, _: &'a Stop) -> ToolFuture<'a> {
        Box::pin(async move {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok("It is on its way.".to_owned())
        })
    }
}

fn host(store: &Arc<Memory>, data: &Path, post: &Arc<Post>, fails: bool) -> Host {
    let letters = Letters {
        fails: AtomicBool::new(fails),
    };
    let script = Script::read("letters", SCRIPT).expect("a script");
    let store: Arc<dyn Store> = Arc::<Memory>::clone(store);
    let tools: Arc<dyn Tools> = Arc::<Post>::clone(post);
    Host::builder(store, Arc::new(script), tools)
        .mode("letters", letters)
        .open(data.to_owned())
        .expect("a host")
}

fn chat() -> Transport {
    Transport {
        channel: "test".to_owned(),
        chat: "1".to_owned(),
    }
}

fn cards(all: &[Outgoing]) -> Vec<&Card> {
    let cards = all.iter().filter_map(|one| match &one.content {
        Content::Card(card) => Some(card),
        _ => None,
    });
    cards.collect()
}

fn words(all: &[Outgoing]) -> Vec<&str> {
    let words = all.iter().filter_map(|one| match &one.content {
        Content::Model(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

#[tokio::test]
async fn tools_run_once_a_person_has_approved_what_was_on_the_card() {
    let (store, data, post) = (
        Arc::default(),
        TempDir::new().expect("a folder"),
        Arc::default(),
    );
    let host = host(&store, data.path(), &post, false);
    host.handle(&chat(), "/letter").await;
    let said = host.handle(&chat(), "Write.").await;
    assert!(words(&said)[0].starts_with("not_allowed: "), "{said:?}");
    assert_eq!(post.0.load(Ordering::Relaxed), 0);
    let card = cards(&said)[0];
    assert_eq!(card.body, "text: Dear Ann");
    let short = short_token(&card.token);
    assert_eq!(card.commands, [format!("/approve {short}")]);

    let stale = host.handle(&chat(), "/approve 1-00000000").await;
    assert!(
        matches!(&stale[0].content, Content::Error(why) if why.contains("review the plan again")),
        "{stale:?}"
    );
    host.handle(&chat(), &format!("/approve {}", card.token))
        .await;
    let said = host.handle(&chat(), "Send.").await;
    assert_eq!(words(&said), ["It is on its way."]);
    assert_eq!(post.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_effect_that_failed_is_done_by_the_next_host() {
    let (store, data, post) = (
        Arc::default(),
        TempDir::new().expect("a folder"),
        Arc::default(),
    );
    let first = host(&store, data.path(), &post, true);
    first.handle(&chat(), "/letter").await;
    let said = first.handle(&chat(), "Write.").await;
    let failed =
        |one: &Outgoing| one.content == Content::Error("the printer is out of paper".to_owned());
    assert!(said.iter().any(failed), "{said:?}");
    drop(first);
    let second = host(&store, data.path(), &post, false);
    let said = second.take_up().await.expect("taken up");
    assert_eq!(cards(&said).len(), 1, "{said:?}");
    let again = host(&store, data.path(), &post, false).take_up().await;
    let again = again.expect("taken up");
    assert_eq!(
        cards(&again).len(),
        1,
        "the plan is still waiting: {again:?}"
    );
}

#[tokio::test]
async fn help_lists_the_commands_of_the_machine_that_can_be_typed_now() {
    let (store, data, post) = (
        Arc::default(),
        TempDir::new().expect("a folder"),
        Arc::default(),
    );
    let host = host(&store, data.path(), &post, false);
    host.handle(&chat(), "/letter").await;
    let said = host.handle(&chat(), "/help").await;
    let Content::List(lines) = &said[0].content else {
        panic!("{said:?}")
    };
    let has = |command: &str| lines.iter().any(|line| line.starts_with(command));
    assert!(
        has("/stop") && !has("/approve") && !has("/letter"),
        "{lines:?}"
    );
    assert!(!has("/mode"), "there is only one mode: {lines:?}");
}

#[tokio::test]
async fn the_hosts_command_for_damaged_plans_may_be_typed_in_capitals() {
    let (store, data, post) = (
        Arc::default(),
        TempDir::new().expect("a folder"),
        Arc::default(),
    );
    let host = host(&store, data.path(), &post, false);
    for line in ["/plan end plan-1", "/plan END plan-1", "/PLAN End plan-1"] {
        let said = host.handle(&chat(), line).await;
        let is_known = |one: &Outgoing| matches!(&one.content, Content::Error(why) if why.contains("no plan is damaged"));
        assert!(said.iter().any(is_known), "{line}: {said:?}");
    }
}

#[test]
fn a_host_without_a_mode_is_refused() {
    let data = TempDir::new().expect("a folder");
    let script = Script::read("letters", SCRIPT).expect("a script");
    let host = Host::builder(Arc::new(Memory::new()), Arc::new(script), Arc::new(()));
    let refused = host.open(data.path().to_owned()).err();
    let refused = refused.expect("no mode").to_string();
    let expected = "the host has no mode: call `mode` or `session` before `open`";
    assert_eq!(refused, expected);
}
