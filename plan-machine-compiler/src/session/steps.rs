//! Reads the scenarios of a session document.

use super::ast::{Call, Expect, Scenario, Step};
use super::reader::{Reader, literal};
use super::tree::Node;
use super::yaml_scenarios::{self, keys_of_a_batch, period};
use crate::resolve::scenarios::WAITS;
use crate::source::Spanned;
use crate::syntax::ast::{Literal, Name};

pub(super) const KEYS: [&str; 22] = [
    "do",
    "tool",
    "batch",
    "wait",
    "turn",
    "class",
    "with",
    "plan_id",
    "expect_revision",
    "repeat",
    "context",
    "actor",
    "at",
    "then",
    "ended",
    "data",
    "reply",
    "emits",
    "advertises",
    "runs",
    "denied",
    "messages",
];
const CALL_KEYS: [&str; 6] = ["do", "tool", "class", "with", "plan_id", "expect_revision"];
/// The keys of a call in a batch. The model sends the calls of a batch, and a model can only call tools.
pub(super) const BATCH_KEYS: [&str; 4] = ["tool", "class", "with", "plan_id"];

/// The phrase that messages use for a step that begins a turn.
pub(super) const BEGINS_A_TURN: &str = "begins a turn";

/// Reads a scenario.
pub(super) fn scenario(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Scenario {
    let written = yaml_scenarios::written(reader, node, step);
    Scenario {
        name: name.clone(),
        given: written.given,
        steps: written.steps,
        damaged: written.damaged,
    }
}

fn step(reader: &mut Reader<'_>, node: &Node) -> Option<Step> {
    let mut parts = Parts::default();
    let mut made = Step {
        span: node.span,
        calls: Vec::new(),
        batch: false,
        wait: None,
        turn: None,
        repeat: None,
        context: None,
        actor: None,
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
            "turn" => made.turn = reader.text(node, "`turn`"),
            "repeat" => made.repeat = yaml_scenarios::repeat(reader, node),
            "context" => made.context = Some(literal(node)),
            "actor" => made.actor = reader.text(node, "`actor`"),
            "at" => made.at = reader.text(node, "`at`"),
            word if CALL_KEYS.contains(&word) => parts.take(reader, key, node),
            word if KEYS.contains(&word) => expectation(reader, &mut made.expect, key, node),
            _ => reader.unknown_key(key, "a step", &KEYS),
        }
    }
    if made.batch {
        keys_of_a_batch(reader, &entries, &["class", "with", "plan_id"]);
    }
    let by_model = made.batch || parts.sent.iter().any(|(_, tool)| *tool);
    if let Some(revision) = parts.expect_revision.filter(|_| by_model) {
        let message = "only a step with `do` can have `expect_revision`, because a model's calls have no revision";
        reader.shape(revision.span, message);
    }
    let is_empty = parts.is_empty();
    let sends_nothing = parts.sent.is_empty();
    let single = parts.call();
    if reader.problems() > before {
        return None;
    }
    match (made.batch, made.wait, &made.turn, single) {
        (true, None, None, None) if is_empty && !made.calls.is_empty() => {}
        (false, None, None, Some(call)) => made.calls = vec![call],
        (false, Some(_), None, None) | (false, None, Some(_), None) if is_empty => {}
        (false, Some(_), None, None) if sends_nothing => {
            report_unsent(reader, &entries, WAITS);
            return None;
        }
        (false, None, Some(_), None) if sends_nothing => {
            report_unsent(reader, &entries, BEGINS_A_TURN);
            return None;
        }
        _ => {
            let message = "this step must have exactly one of `do`, `tool`, `wait`, `turn` and a `batch` with calls";
            reader.shape(node.span, message);
            return None;
        }
    }
    Some(made)
}

/// Reports the parts of a call in a step that sends nothing; `what` says what the step does instead.
fn report_unsent(reader: &mut Reader<'_>, entries: &[(Name, Node)], what: &str) {
    for (key, node) in entries {
        if CALL_KEYS.contains(&key.as_str()) {
            let key = &key.node;
            let message = format!("a step that {what} sends nothing, so it cannot have `{key}`");
            reader.shape(node.span, message);
        }
    }
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
    expect_revision: Option<Spanned<i64>>,
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
            "plan_id" => self.plan_id = reader.text(node, "`plan_id`"),
            _ => self.expect_revision = yaml_scenarios::revision(reader, node),
        }
    }

    fn is_empty(&self) -> bool {
        let Self {
            sent,
            class,
            with,
            plan_id,
            expect_revision,
        } = self;
        let names_nothing = sent.is_empty() && class.is_none() && plan_id.is_none();
        names_nothing && with.is_none() && expect_revision.is_none()
    }

    fn call(mut self) -> Option<Call> {
        let (what, tool) = self.sent.pop()?;
        self.sent.is_empty().then_some(Call {
            what,
            tool,
            class: self.class,
            with: self.with,
            plan_id: self.plan_id,
            expect_revision: self.expect_revision,
        })
    }
}

fn expectation(reader: &mut Reader<'_>, expect: &mut Expect, key: &Name, node: &Node) {
    match key.as_str() {
        "then" => expect.then = states(reader, node, "`then`"),
        "ended" => expect.ended = states(reader, node, "`ended` in a session"),
        "data" => {
            let entries = reader.map(node, "`data` in a session");
            let each = entries.iter();
            let each = each.map(|(machine, node)| (machine.clone(), literal(node)));
            expect.data = each.collect();
        }
        "reply" => expect.reply = Some(literal(node)),
        "emits" => {
            for (machine, node) in reader.map(node, "`emits` in a session").iter() {
                let effects = yaml_scenarios::emits(reader, node, "`emits` of a machine");
                let effects = Spanned::new(effects, node.span);
                expect.emits.push((machine.clone(), effects));
            }
        }
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

/// Reads the states of machines.
fn states(reader: &mut Reader<'_>, node: &Node, key: &str) -> Vec<(Name, Name)> {
    let entries = reader.map(node, key);
    let states = entries.iter().filter_map(|(machine, node)| {
        let state = reader.name(node, "a state")?;
        Some((machine.clone(), state))
    });
    states.collect()
}
