//! Reads scenarios: the actions and their expected results.

use super::reader::Reader;
use super::statements::UsedNames;
use super::tokens::Bracket;
use crate::source::Spanned;
use crate::syntax::ast::{
    Action, Expect, ExpectedEffect, NEGATIVE_REVISION, Name, Scenario, ScenarioCall, ScenarioStep,
    belongs_to_a_call,
};

const BEGINNINGS: [&str; 4] = ["do", "tool", "batch", "wait"];
const CALL_KEYS: [&str; 3] = ["with", "plan_id", "expect_revision"];
const KEYS: [&str; 16] = [
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

/// Reads `scenario "a plan is revised" given "a plan is ready" { … }`, without the first word.
pub(super) fn scenario(reader: &mut Reader<'_>) -> Option<Scenario> {
    let name = reader.scalar("a string that says what the scenario shows")?;
    let given = match reader.eat_word("given") {
        Some(_) => Some(reader.scalar("the name of a scenario as a string")?),
        None => None,
    };
    let run = reader.expect_group(Bracket::Curly)?;
    let mut steps = Vec::new();
    reader.within(run, |reader| {
        reader.statements(|reader, _| {
            steps.push(step(reader)?);
            reader.finish()
        });
    });
    Some(Scenario {
        name,
        given,
        steps,
        damaged: false,
    })
}

/// Reads `do plan_get with { … } then READY reply "…"`.
fn step(reader: &mut Reader<'_>) -> Option<ScenarioStep> {
    let start = reader.here();
    let key = reader.key("a scenario", &BEGINNINGS)?;
    let action = if key.node == "batch" {
        let place = reader.here();
        let run = reader.expect_group(Bracket::Square)?;
        let calls = reader.list(run, batched);
        if calls.is_empty() && run.start < run.end {
            // The reason why no call could be read was already reported.
            return None;
        }
        Action::Batch(place.to(reader.before()), calls)
    } else if key.node == "wait" {
        Action::Wait(reader.period()?)
    } else {
        Action::Call(call(reader, &key)?)
    };
    let mut step = ScenarioStep {
        span: start,
        action,
        repeat: None,
        context: None,
        actor: None,
        at: None,
        expect: Expect::default(),
    };
    let mut seen = UsedNames::default();
    while reader
        .peek_word()
        .is_some_and(|word| !BEGINNINGS.contains(&word))
    {
        let key = reader.key("a step", &KEYS)?;
        seen.is_new(reader, "key", &key);
        clause(reader, &mut step, &key)?;
    }
    step.span = start.to(reader.before());
    Some(step)
}

/// Reads a call of a batch.
fn batched(reader: &mut Reader<'_>) -> Option<ScenarioCall> {
    let key = reader.key("a batch", &["do", "tool"])?;
    let mut made = call(reader, &key)?;
    let mut seen = UsedNames::default();
    while !reader.is_done() {
        let key = reader.key("a call", &CALL_KEYS)?;
        seen.is_new(reader, "key", &key);
        call_clause(reader, &mut made, &key)?;
    }
    Some(made)
}

fn call(reader: &mut Reader<'_>, key: &Name) -> Option<ScenarioCall> {
    let tool = key.node == "tool";
    let what = if tool {
        "a tool's name"
    } else {
        "an event's name or a command's text"
    };
    Some(ScenarioCall {
        what: reader.scalar(what)?,
        tool,
        with: None,
        plan_id: None,
        expect_revision: None,
    })
}

fn call_clause(reader: &mut Reader<'_>, call: &mut ScenarioCall, key: &Name) -> Option<()> {
    match key.as_str() {
        "with" => call.with = Some(reader.literal()?),
        "plan_id" => call.plan_id = Some(reader.scalar("a plan's id")?),
        _ => {
            let number = reader.integer("`expect_revision`")?;
            if number.node < 0 {
                reader.shape(number.span, NEGATIVE_REVISION);
            }
            call.expect_revision = (number.node >= 0).then_some(number);
        }
    }
    Some(())
}

fn clause(reader: &mut Reader<'_>, step: &mut ScenarioStep, key: &Name) -> Option<()> {
    match key.as_str() {
        word if CALL_KEYS.contains(&word) => match &mut step.action {
            Action::Call(call) => call_clause(reader, call, key)?,
            Action::Wait(_) => {
                let message =
                    format!("a step that waits sends nothing, so it cannot have `{word}`");
                reader.shape(key.span, message);
                reader.literal()?;
            }
            Action::Batch(..) => {
                reader.shape(key.span, belongs_to_a_call(word));
                reader.literal()?;
            }
        },
        "repeat" => step.repeat = Some(reader.positive("`repeat`")?),
        "context" => step.context = Some(reader.literal()?),
        "actor" => step.actor = Some(reader.scalar("the name of the sender")?),
        "at" => step.at = Some(reader.scalar("an instant")?),
        _ => expectation(reader, &mut step.expect, key)?,
    }
    Some(())
}

fn expectation(reader: &mut Reader<'_>, expect: &mut Expect, key: &Name) -> Option<()> {
    match key.as_str() {
        "then" => expect.then = Some(reader.name("a state's name")?),
        "ended" => expect.ended = Some(reader.name("a state's name")?),
        "data" => expect.data = Some(reader.literal()?),
        "reply" => expect.reply = Some(reader.literal()?),
        "emits" => expect.emits = Some(listed(reader, effect)?),
        "advertises" => {
            expect.advertises = Some(listed(reader, |reader| reader.name("a tool's name"))?);
        }
        "runs" => expect.runs = Some(reader.literal()?),
        "denied" => expect.denied = Some(reader.name("a kind of denial")?),
        _ => expect.messages = Some(listed(reader, |reader| reader.scalar("a string"))?),
    }
    Some(())
}

/// Reads `plan_ready` or `plan_ready { plan: "plan-1" }`.
fn effect(reader: &mut Reader<'_>) -> Option<ExpectedEffect> {
    let name = reader.name("an effect's name")?;
    let fields = if reader.opens(Bracket::Curly) {
        Some(reader.literal()?)
    } else {
        None
    };
    Some(ExpectedEffect { name, fields })
}

/// Reads `[a, b]`.
fn listed<T>(
    reader: &mut Reader<'_>,
    read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Spanned<Vec<T>>> {
    let start = reader.here();
    let run = reader.expect_group(Bracket::Square)?;
    let items = reader.list(run, read);
    Some(Spanned::new(items, start.to(reader.before())))
}
