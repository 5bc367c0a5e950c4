//! Reads scenarios: the actions and their expected results.

use plan_machine_kernel::timers::Period;

use super::entries::positive;
use super::reader::{Entries, Reader, literal};
use super::tree::{Node, NodeKind};
use crate::source::Spanned;
use crate::syntax::ast::{
    Action, Expect, ExpectedEffect, NEGATIVE_REVISION, Name, Scenario, ScenarioCall, ScenarioStep,
    belongs_to_a_call,
};

pub(super) const KEYS: [&str; 20] = [
    "do",
    "tool",
    "batch",
    "wait",
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
pub(super) const CALL_KEYS: [&str; 5] = ["do", "tool", "with", "plan_id", "expect_revision"];

pub(super) const SCENARIO_KEYS: [&str; 2] = ["given", "steps"];

/// Reads a scenario.
pub(super) fn scenario(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Scenario {
    let Written {
        given,
        steps,
        damaged,
    } = written(reader, node, step);
    Scenario {
        name: name.clone(),
        given,
        steps,
        damaged,
    }
}

/// A scenario as written, whose steps have the type `S`.
pub(crate) struct Written<S> {
    pub(crate) given: Option<Name>,
    pub(crate) steps: Vec<S>,
    /// Whether a part could not be read, which was reported.
    pub(crate) damaged: bool,
}

/// Reads a step. If the step cannot be read, the function reports the reason and returns `None`.
type ReadStep<S> = fn(&mut Reader<'_>, &Node) -> Option<S>;

/// Reads a scenario: a list of steps, or a map with `given` (the scenario whose steps run first) and `steps`.
pub(crate) fn written<S>(reader: &mut Reader<'_>, node: &Node, step: ReadStep<S>) -> Written<S> {
    let before = reader.problems();
    let mut made = Written {
        given: None,
        steps: Vec::new(),
        damaged: false,
    };
    match &node.kind {
        NodeKind::Sequence(_) => made.steps = steps(reader, node, step),
        NodeKind::Mapping(_) => given(reader, node, step, &mut made),
        NodeKind::Scalar(_) => {
            let message =
                "expected a scenario as a list of steps, or as `{ given: SCENARIO, steps: [ … ] }`";
            reader.shape(node.span, message);
        }
    }
    made.damaged = reader.problems() > before;
    made
}

fn given<S>(reader: &mut Reader<'_>, node: &Node, step: ReadStep<S>, made: &mut Written<S>) {
    let entries = reader.map(node, "a scenario");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "given" => made.given = reader.text(node, "`given`, the name of a scenario,"),
            "steps" => made.steps = steps(reader, node, step),
            _ => reader.unknown_key(key, "a scenario", &SCENARIO_KEYS),
        }
    }
    for wanted in SCENARIO_KEYS {
        if !entries.iter().any(|(key, _)| key.node == wanted) {
            let message = format!("this scenario is a map without `{wanted}`, which is required");
            reader.shape(node.span, message);
        }
    }
}

fn steps<S>(reader: &mut Reader<'_>, node: &Node, step: ReadStep<S>) -> Vec<S> {
    let steps = reader.list(node, "the steps of a scenario");
    let steps = steps.iter().filter_map(|node| step(reader, node));
    steps.collect()
}

fn step(reader: &mut Reader<'_>, node: &Node) -> Option<ScenarioStep> {
    let mut parts = Parts::default();
    let mut batch = None;
    let mut wait = None;
    let mut repeat = None;
    let mut context = None;
    let mut actor = None;
    let mut at = None;
    let mut expect = Expect::default();
    let before = reader.problems();
    let entries = reader.map(node, "a step");
    if reader.problems() > before {
        return None;
    }
    for (key, node) in entries.iter() {
        match key.as_str() {
            "batch" => batch = Some((node.span, calls(reader, node))),
            "wait" => wait = Some(period(reader, node)),
            "repeat" => repeat = self::repeat(reader, node),
            "context" => context = Some(literal(node)),
            "actor" => actor = reader.text(node, "`actor`"),
            "at" => at = reader.text(node, "`at`"),
            word if CALL_KEYS.contains(&word) => parts.take(reader, key, node),
            word if KEYS.contains(&word) => expectation(reader, &mut expect, key, node),
            _ => reader.unknown_key(key, "a step", &KEYS),
        }
    }
    if batch.is_some() {
        keys_of_a_batch(reader, &entries, &["with", "plan_id", "expect_revision"]);
    }
    let action = match (batch, wait, parts.sent.len()) {
        (Some((span, calls)), None, 0) => Action::Batch(span, calls),
        (None, Some(period), 0) if parts.is_empty() => Action::Wait(period?),
        (None, None, 1) => Action::Call(parts.call()?),
        _ => {
            reader.shape(
                node.span,
                "this step must have exactly one of `do`, `tool`, `batch` and `wait`; with `wait`, it cannot have \
                    `with`, `plan_id` or `expect_revision`",
            );
            return None;
        }
    };
    Some(ScenarioStep {
        span: node.span,
        action,
        repeat,
        context,
        actor,
        at,
        expect,
    })
}

/// Reports the keys of a batch that only its calls can have.
pub(crate) fn keys_of_a_batch(reader: &mut Reader<'_>, entries: &Entries, of_calls: &[&str]) {
    for (key, _) in entries.iter() {
        if of_calls.contains(&key.as_str()) {
            reader.shape(key.span, belongs_to_a_call(&key.node));
        }
    }
}

/// The keys of a call.
#[derive(Default)]
struct Parts {
    sent: Vec<(Name, bool)>,
    with: Option<crate::syntax::ast::Literal>,
    plan_id: Option<Name>,
    expect_revision: Option<Spanned<i64>>,
}

impl Parts {
    fn take(&mut self, reader: &mut Reader<'_>, key: &Name, node: &Node) {
        match key.as_str() {
            "do" => {
                let what = "`do`, an event's name or a command's text,";
                self.sent
                    .extend(reader.text(node, what).map(|what| (what, false)));
            }
            "tool" => self
                .sent
                .extend(reader.text(node, "`tool`").map(|what| (what, true))),
            "with" => self.with = Some(literal(node)),
            "plan_id" => self.plan_id = reader.text(node, "`plan_id`"),
            _ => self.expect_revision = revision(reader, node),
        }
    }

    fn is_empty(&self) -> bool {
        let nothing = self.with.is_none() && self.plan_id.is_none();
        nothing && self.sent.is_empty() && self.expect_revision.is_none()
    }

    fn call(mut self) -> Option<ScenarioCall> {
        let (what, tool) = self.sent.pop()?;
        Some(ScenarioCall {
            what,
            tool,
            with: self.with,
            plan_id: self.plan_id,
            expect_revision: self.expect_revision,
        })
    }
}

/// Reads a period that passes in a scenario.
pub(crate) fn period(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<Period>> {
    let text = reader.text(node, "`wait`, a period such as `1h`,")?;
    match text.node.parse() {
        Ok(period) => Some(Spanned::new(period, node.span)),
        Err(message) => {
            reader.shape(node.span, message);
            None
        }
    }
}

/// Reads how many times a step is sent.
pub(crate) fn repeat(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<i64>> {
    positive(reader, node, "`repeat`")
}

/// Reads the revision that the sender of a call has seen.
pub(crate) fn revision(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<i64>> {
    let number = reader.integer(node, "`expect_revision`")?;
    if number.node < 0 {
        reader.shape(node.span, NEGATIVE_REVISION);
        return None;
    }
    Some(number)
}

fn calls(reader: &mut Reader<'_>, node: &Node) -> Vec<ScenarioCall> {
    let items = reader.list(node, "`batch`");
    items.iter().filter_map(|item| call(reader, item)).collect()
}

fn call(reader: &mut Reader<'_>, node: &Node) -> Option<ScenarioCall> {
    let mut parts = Parts::default();
    for (key, node) in reader.map(node, "a call").iter() {
        if CALL_KEYS.contains(&key.as_str()) {
            parts.take(reader, key, node);
        } else {
            reader.unknown_key(key, "a call", &CALL_KEYS);
        }
    }
    if parts.sent.len() != 1 {
        reader.shape(
            node.span,
            "this call must have exactly one of `do` and `tool`",
        );
        return None;
    }
    parts.call()
}

/// Reads the expected effects, which messages call `what`: each is a name, or a name with the values of some fields.
pub(crate) fn emits(reader: &mut Reader<'_>, node: &Node, what: &str) -> Vec<ExpectedEffect> {
    let mut effects = Vec::new();
    for item in reader.list(node, what).iter() {
        if let NodeKind::Mapping(entries) = &item.kind {
            for (name, fields) in entries.iter() {
                reader.map(fields, "the fields of an effect");
                effects.push(ExpectedEffect {
                    name: name.clone(),
                    fields: Some(literal(fields)),
                });
            }
        } else {
            let name = reader.name(item, "an item");
            effects.extend(name.map(|name| ExpectedEffect { name, fields: None }));
        }
    }
    effects
}

fn expectation(reader: &mut Reader<'_>, expect: &mut Expect, key: &Name, node: &Node) {
    match key.as_str() {
        "then" => expect.then = reader.name(node, "`then`"),
        "ended" => expect.ended = reader.name(node, "`ended`"),
        "data" => expect.data = Some(literal(node)),
        "reply" => expect.reply = Some(literal(node)),
        "emits" => {
            let effects = emits(reader, node, "`emits`");
            expect.emits = Some(Spanned::new(effects, node.span));
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
