//! Prints scenarios.

use super::literal::{literal, word};
use super::page::{Page, Piece, quoted, text};
use crate::source::Spanned;
use crate::syntax::ast::{
    Action, Expect, ExpectedEffect, Literal, Name, Scenario, ScenarioCall, ScenarioStep,
};

pub(super) fn scenario(page: &mut Page, scenario: &Scenario) {
    let name = quoted(&scenario.name.node);
    let given = scenario.given.as_ref();
    let given = given.map_or_else(String::new, |given| {
        format!(" given {}", quoted(&given.node))
    });
    page.always_block(&format!("scenario {name}{given}"), |page| {
        for step in &scenario.steps {
            page.statement(&Piece::Row(self::step(step)), ";");
        }
    });
}

fn step(step: &ScenarioStep) -> Vec<Piece> {
    let mut parts = match &step.action {
        Action::Call(found) => call(found),
        Action::Wait(period) => vec![text(format!("wait {}", period.node))],
        Action::Batch(_, calls) => {
            let calls = calls.iter().map(|found| Piece::Row(call(found))).collect();
            vec![behind("batch", Piece::List('[', calls, ']'))]
        }
    };
    parts.extend(
        step.repeat
            .map(|count| text(format!("repeat {}", count.node))),
    );
    parts.extend(given("context", step.context.as_ref()));
    parts.extend(said("actor", step.actor.as_ref()));
    parts.extend(said("at", step.at.as_ref()));
    parts.extend(expected(&step.expect));
    parts
}

fn call(call: &ScenarioCall) -> Vec<Piece> {
    let key = if call.tool { "tool" } else { "do" };
    let mut parts = vec![text(format!("{key} {}", word(&call.what.node)))];
    parts.extend(given("with", call.with.as_ref()));
    parts.extend(said("plan_id", call.plan_id.as_ref()));
    let revision = call.expect_revision;
    parts.extend(revision.map(|number| text(format!("expect_revision {}", number.node))));
    parts
}

fn expected(expect: &Expect) -> Vec<Piece> {
    let mut parts = Vec::new();
    parts.extend(said("then", expect.then.as_ref()));
    parts.extend(said("ended", expect.ended.as_ref()));
    parts.extend(given("data", expect.data.as_ref()));
    parts.extend(given("reply", expect.reply.as_ref()));
    if let Some(emits) = &expect.emits {
        let effects = emits.node.iter().map(effect).collect();
        parts.push(behind("emits", Piece::List('[', effects, ']')));
    }
    parts.extend(listed("advertises", expect.advertises.as_ref(), word));
    parts.extend(given("runs", expect.runs.as_ref()));
    parts.extend(said("denied", expect.denied.as_ref()));
    parts.extend(listed("messages", expect.messages.as_ref(), quoted));
    parts
}

fn effect(effect: &ExpectedEffect) -> Piece {
    let name = word(&effect.name.node);
    match &effect.fields {
        Some(fields) => behind(&name, literal(fields)),
        None => text(name),
    }
}

fn behind(key: &str, piece: Piece) -> Piece {
    Piece::Behind(format!("{key} "), Box::new(piece))
}

fn given(key: &str, value: Option<&Literal>) -> Option<Piece> {
    value.map(|value| behind(key, literal(value)))
}

fn said(key: &str, value: Option<&Name>) -> Option<Piece> {
    value.map(|value| behind(key, text(word(&value.node))))
}

fn listed(
    key: &str,
    names: Option<&Spanned<Vec<Name>>>,
    show: fn(&str) -> String,
) -> Option<Piece> {
    let items = names?.node.iter().map(|name| text(show(&name.node)));
    Some(behind(key, Piece::List('[', items.collect(), ']')))
}
