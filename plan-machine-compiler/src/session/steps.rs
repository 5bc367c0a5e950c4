//! Reads the scenarios of a session document.

use super::ast::{Call, Expect, Scenario, Step};
use super::reader::{Reader, literal};
use super::tree::Node;
use super::yaml_scenarios::{keys_of_a_batch, period};
use crate::source::Spanned;
use crate::syntax::ast::{Literal, Name};

pub(super) const KEYS: [&str; 15] = [
    "do",
    "tool",
    "batch",
    "wait",
    "class",
    "with",
    "plan_id",
    "context",
    "at",
    "then",
    "reply",
    "advertises",
    "runs",
    "denied",
    "messages",
];
const CALL_KEYS: [&str; 5] = ["do", "tool", "class", "with", "plan_id"];
/// The keys of a call in a batch: a model only calls tools.
pub(super) const BATCH_KEYS: [&str; 4] = ["tool", "class", "with", "plan_id"];

/// Reads a scenario, which is a list of steps.
pub(super) fn scenario(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Scenario {
    let before = reader.problems();
    let steps = reader.list(node, "the steps of a scenario");
    let steps = steps.iter().filter_map(|node| step(reader, node)).collect();
    Scenario {
        name: name.clone(),
        steps,
        damaged: reader.problems() > before,
    }
}

fn step(reader: &mut Reader<'_>, node: &Node) -> Option<Step> {
    let mut parts = Parts::default();
    let mut made = Step {
        span: node.span,
        calls: Vec::new(),
        batch: false,
        wait: None,
        context: None,
        at: None,
        expect: Expect::default(),
    };
    let before = reader.problems();
    let entries = reader.map(node, "a step");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "batch" => {
                let items = reader.list(node, "`batch`");
                made.calls = items.iter().filter_map(|item| call(reader, item)).collect();
                made.batch = true;
            }
            "wait" => made.wait = period(reader, node),
            "context" => made.context = Some(literal(node)),
            "at" => made.at = reader.text(node, "`at`"),
            word if CALL_KEYS.contains(&word) => parts.take(reader, key, node),
            word if KEYS.contains(&word) => expectation(reader, &mut made.expect, key, node),
            _ => reader.unknown_key(key, "a step", &KEYS),
        }
    }
    if made.batch {
        keys_of_a_batch(reader, &entries, &["class", "with", "plan_id"]);
    }
    let is_empty = parts.is_empty();
    let single = parts.call();
    if reader.problems() > before {
        return None;
    }
    match (made.batch, made.wait, single) {
        (true, None, None) if is_empty && !made.calls.is_empty() => {}
        (false, None, Some(call)) => made.calls = vec![call],
        (false, Some(_), None) if is_empty => {}
        _ => {
            let message = "this step does not have exactly one of `do`, `tool`, `wait` and a `batch` with calls";
            reader.shape(node.span, message);
            return None;
        }
    }
    Some(made)
}

fn call(reader: &mut Reader<'_>, node: &Node) -> Option<Call> {
    let mut parts = Parts::default();
    let before = reader.problems();
    for (key, node) in reader.map(node, "a call").iter() {
        if BATCH_KEYS.contains(&key.as_str()) {
            parts.take(reader, key, node);
        } else {
            reader.unknown_key(key, "a call", &BATCH_KEYS);
        }
    }
    let call = parts.call();
    if call.is_none() && reader.problems() == before {
        reader.shape(node.span, "this call of a batch has no `tool`");
    }
    call
}

/// The keys of a call.
#[derive(Default)]
struct Parts {
    sent: Vec<(Name, bool)>,
    class: Option<Name>,
    with: Option<Literal>,
    plan_id: Option<Name>,
}

impl Parts {
    fn take(&mut self, reader: &mut Reader<'_>, key: &Name, node: &Node) {
        match key.as_str() {
            "do" => {
                let what = reader.text(node, "`do`, a typed line or `MACHINE.EVENT`,");
                self.sent.extend(what.map(|what| (what, false)));
            }
            "tool" => {
                let what = reader.text(node, "`tool`");
                self.sent.extend(what.map(|what| (what, true)));
            }
            "class" => self.class = reader.name(node, "`class`"),
            "with" => self.with = Some(literal(node)),
            _ => self.plan_id = reader.text(node, "`plan_id`"),
        }
    }

    fn is_empty(&self) -> bool {
        let Self {
            sent,
            class,
            with,
            plan_id,
        } = self;
        sent.is_empty() && class.is_none() && with.is_none() && plan_id.is_none()
    }

    fn call(mut self) -> Option<Call> {
        let (what, tool) = self.sent.pop()?;
        self.sent.is_empty().then_some(Call {
            what,
            tool,
            class: self.class,
            with: self.with,
            plan_id: self.plan_id,
        })
    }
}

fn expectation(reader: &mut Reader<'_>, expect: &mut Expect, key: &Name, node: &Node) {
    match key.as_str() {
        "then" => {
            let entries = reader.map(node, "`then`");
            for (machine, node) in entries.iter() {
                let state = reader.name(node, "a state");
                expect
                    .then
                    .extend(state.map(|state| (machine.clone(), state)));
            }
        }
        "reply" => expect.reply = Some(literal(node)),
        "advertises" => {
            let names = reader.names(node, "`advertises`");
            expect.advertises = Some(Spanned::new(names, node.span));
        }
        "runs" => expect.runs = Some(literal(node)),
        "denied" => expect.denied = reader.name(node, "`denied`"),
        _ => {
            let items = reader.list(node, "`messages`");
            let texts = items
                .iter()
                .filter_map(|item| reader.text(item, "a message"));
            expect.messages = Some(Spanned::new(texts.collect(), node.span));
        }
    }
}
