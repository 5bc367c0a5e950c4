//! The schemas of scenarios: the actions and their expected results.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;

use super::declarations::literal;
use super::parts::{
    Entry, a, about, any_of, closed, excluding, list_of, map_of, one_of_words, reference,
    requiring, requiring_one_of, some_of, types,
};

pub(super) fn definitions() -> Vec<Entry> {
    let mut all = scenario();
    all.extend([("step", step()), ("call", call())]);
    all
}

/// Returns the definitions of a scenario, whose steps are defined elsewhere.
pub(crate) fn scenario() -> Vec<Entry> {
    vec![
        ("scenario", any_of([steps(), reference("given_scenario")])),
        ("given_scenario", given_scenario()),
    ]
}

fn steps() -> Object {
    about("The steps, in order.", list_of(reference("step")))
}

fn given_scenario() -> Object {
    let words = "The scenario whose steps run before the steps of this scenario.";
    let keys = closed([("given", a("text", words)), ("steps", steps())]);
    requiring(&["given", "steps"], keys)
}

fn step() -> Object {
    let keys = closed([
        ("do", sent()),
        ("tool", tool()),
        ("batch", batch()),
        ("wait", wait()),
        (
            "with",
            a("payload", "The payload of the event or of the tool call."),
        ),
        ("plan_id", plan_id()),
        ("expect_revision", revision()),
        ("repeat", a("positive", "How many times the step is sent.")),
        (
            "context",
            a("payload", "The context that the host sends with the step."),
        ),
        (
            "actor",
            a(
                "text",
                "The sender of a command, which `event.actor` reads.",
            ),
        ),
        (
            "at",
            about(
                "The time of the step, such as `2026-01-01T00:00:00Z`.",
                types(&["string"]),
            ),
        ),
        (
            "then",
            a("name", "The state of the plan after the step, or `none`."),
        ),
        (
            "ended",
            a(
                "name",
                "The state of the plan that was replaced or released.",
            ),
        ),
        (
            "data",
            about(
                "The values of some of the plan's fields after the step.",
                types(&["object"]),
            ),
        ),
        ("reply", literal("The reply that the caller gets.")),
        ("emits", emits()),
        (
            "advertises",
            a("names", "All tools that the model sees after the step."),
        ),
        ("runs", runs()),
        ("denied", denied()),
        (
            "messages",
            about(
                "The messages that the caller gets.",
                list_of(reference("text")),
            ),
        ),
    ]);
    // Each call of a batch has its own payload.
    let keys = excluding(
        &["batch", "wait"],
        &["with", "plan_id", "expect_revision"],
        keys,
    );
    requiring_one_of(&["do", "tool", "batch", "wait"], keys)
}

fn batch() -> Object {
    about(
        "The tool calls of one response of the model.",
        some_of(reference("call")),
    )
}

fn wait() -> Object {
    about(
        "The time that passes before the next step, such as `1h`: timers that become due fire.",
        types(&["string"]),
    )
}

/// Returns the schema of the expected effects of a machine.
pub(crate) fn emits() -> Object {
    let words = "All effects of the step, in order. An effect is written as `plan_ready` or, with the values of some \
        of its fields, as `{ plan_ready: { plan: plan-1 } }`.";
    let effect = any_of([reference("name"), map_of(reference("payload"))]);
    about(words, list_of(effect))
}

fn call() -> Object {
    let keys = closed([
        ("do", sent()),
        ("tool", tool()),
        (
            "with",
            a("payload", "The payload of the event or of the tool call."),
        ),
        ("plan_id", plan_id()),
        ("expect_revision", revision()),
    ]);
    requiring_one_of(&["do", "tool"], keys)
}

fn sent() -> Object {
    a(
        "text",
        "The event that is sent: its name, or a command as the user types it.",
    )
}

fn tool() -> Object {
    a(
        "text",
        "The tool that the model calls, such as a host tool.",
    )
}

fn plan_id() -> Object {
    a(
        "text",
        "The plan that the step applies to: `plan-1`, `plan-2`, …",
    )
}

pub(crate) fn revision() -> Object {
    a(
        "whole",
        "The revision of the plan that the sender has seen.",
    )
}

fn runs() -> Object {
    let words = "Whether the host tool runs; for a batch, the list of tools that run.";
    about(
        words,
        any_of([reference("truth"), list_of(reference("text"))]),
    )
}

fn denied() -> Object {
    let kinds = DenialKind::ALL.map(DenialKind::as_str);
    about(
        "The kind of the expected denial; without `denied`, the step must not be denied.",
        one_of_words(&kinds),
    )
}
