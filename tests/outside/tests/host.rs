//! Typed plans, events at run time, and serialization.

use std::fmt::Debug;

use outside::note::{Context, Event, HeldPlans, State, Tool, event, step, types};
use outside::{chain, looks, new_cx, note, plan_builder, publish, text, words};
use plan_machine::{DenialKind, HostTool, Id, Instant, Json};
use serde_json::{Value, from_str, from_value, json, to_string, to_value};

#[test]
fn a_typed_plan_moves_through_its_states() {
    let mut cx = new_cx();
    let sent = publish("hello", &mut cx).expect("a text");
    assert_eq!((sent.text(), sent.state()), ("hello", State::Sent));
    let told: Vec<String> = cx
        .take_effects()
        .iter()
        .map(|one| words(&one.effect))
        .collect();
    assert!(told[0].starts_with("note-1 is ready (1-"), "{told:?}");
    assert_eq!(told[1..], ["published"]);
    let denied = publish("  ", &mut cx).expect_err("a blank text");
    assert_eq!(denied.kind(), DenialKind::InvalidInput);
    assert_eq!(text(sent.into()).as_deref(), Some("hello"));
}

#[test]
fn events_move_the_held_plans() {
    let (mut held, mut cx) = (HeldPlans::default(), new_cx());
    let denied = step(&mut held, Event::ReadNote, &mut cx).expect_err("no plan");
    assert_eq!(denied.allowed_in(), ["WRITTEN", "SENT"]);
    step(&mut held, Event::Begin, &mut cx).expect("a plan");
    let write = event::Write {
        text: "hello".into(),
    };
    step(&mut held, Event::Write(write), &mut cx).expect("a text");
    let accepted = step(&mut held, Event::ReadNote, &mut cx).expect("a reply");
    assert_eq!(accepted.reply().to_json(), Json::from("hello"));
    assert_eq!(held.state(), Some(State::Written));
    assert_eq!(note::MACHINE.name, "Note");
    assert!(looks(Tool::ReadNote) && !looks(Tool::Write));
}

#[test]
fn many_plans_live_side_by_side() {
    let mut number = 0;
    let mut cx = plan_builder::Cx::new(Instant::at_second(0), move || {
        number += 1;
        Id::from(format!("plan-{number}"))
    });
    let mut held = plan_builder::HeldPlans::default();
    for goal in ["move", "stay"] {
        let draft = plan_builder::event::CreateDraft { goal: goal.into() };
        plan_builder::step(&mut held, plan_builder::Event::CreateDraft(draft), &mut cx)
            .expect("a draft");
    }
    assert_eq!(held.len(), 2);
    let denied = plan_builder::step(&mut held, plan_builder::Event::Submit, &mut cx);
    assert_eq!(
        denied.expect_err("two plans accept it").kind(),
        DenialKind::Ambiguous
    );
}

#[test]
fn memory_is_read_from_the_nearest_scope_outward() {
    let keys = chain("t1").expect("keys");
    assert_eq!(keys, ["task:t1", "session:web:4711", "global"]);
}

/// Serializes a value and deserializes it again.
fn there_and_back<T>(value: &T, written: Value)
where
    T: serde::Serialize + for<'de> serde::Deserialize<'de> + PartialEq + Debug,
{
    assert_eq!(to_value(value).expect("JSON"), written);
    assert_eq!(&from_value::<T>(written).expect("the value"), value);
    let text = to_string(value).expect("a text");
    assert_eq!(&from_str::<T>(&text).expect("the value"), value);
}

#[test]
fn inputs_and_outputs_can_be_stored() {
    let mut cx = new_cx();
    let sent = publish("hello", &mut cx).expect("a text");
    let token = sent.token();

    there_and_back(&Event::Begin, json!({ "do": "begin", "with": {} }));
    there_and_back(
        &Event::Write(event::Write {
            text: "hello".into(),
        }),
        json!({ "do": "write", "with": { "text": "hello" } }),
    );
    there_and_back(
        &Event::Publish(event::Publish { token }),
        json!({ "do": "publish", "with": { "token": token.to_string() } }),
    );
    there_and_back(
        &Event::Delivered(event::Delivered {
            at: Instant::at_second(0),
        }),
        json!({ "do": "delivered", "with": { "at": "1970-01-01T00:00:00Z" } }),
    );
    there_and_back(
        &Event::from(HostTool::new("shell", Json::from("ls"))),
        json!({ "tool": "shell", "with": "ls" }),
    );
    let effects = cx.take_effects();
    there_and_back(
        &effects[0].effect,
        json!({ "ready": { "note": "note-1", "token": effects_token(&effects[0].effect) } }),
    );
    there_and_back(&effects[1].effect, json!({ "published": {} }));
    there_and_back(
        sent.data(),
        json!({ "text": "hello", "lines": [{ "words": "by hand" }] }),
    );
    there_and_back(
        &types::Line {
            words: "one".into(),
            by: Some("ann".into()),
        },
        json!({ "words": "one", "by": "ann" }),
    );
    there_and_back(&Context { user: None }, json!({}));
    there_and_back(&State::Written, json!("WRITTEN"));
    there_and_back(&Tool::AddLine, json!("add_line"));
    let bad = from_str::<Event>(r#"{ "do": "write", "with": { "text": 1, "txt": "" } }"#);
    let told = bad.expect_err("two problems").to_string();
    assert!(told.contains("`text`") && told.contains("`txt`"), "{told}");
}

fn effects_token(effect: &note::Effect) -> &str {
    match effect {
        note::Effect::Ready { token, .. } => token,
        note::Effect::Published => "",
    }
}
