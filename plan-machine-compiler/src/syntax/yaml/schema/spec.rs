//! The schema of the top level of a spec.

use plan_machine_kernel::json::Object;

use super::super::spec::{DENY, INSTANCES};
use super::parts::{
    Entry, a, about, closed, free_map_of, list, map, map_of, one, one_of_words, reference,
    requiring,
};

pub(super) fn spec() -> Object {
    let keys = about_the_machine()
        .into_iter()
        .chain(declared())
        .chain(behaviour());
    let spec = requiring(&["machine", "states"], closed(keys));
    about(
        "The lifecycle of an agent's plan, and the tools that a model may use during it.",
        spec,
    )
}

fn about_the_machine() -> [Entry; 8] {
    [
        one(
            "machine",
            "name",
            "The machine's name, such as `WorkByPlan`.",
        ),
        one("doc", "text", "What the machine is for."),
        one(
            "version",
            "positive",
            "The version of the spec, 1 by default; every record stores it.",
        ),
        (
            "deny",
            about("`warnings`: treat warnings as errors.", one_of_words(&DENY)),
        ),
        (
            "instances",
            about(
                "How many plans a session can have: `one` in its slot (the default), or `many`.",
                one_of_words(&INSTANCES),
            ),
        ),
        one(
            "max_live",
            "positive",
            "With `instances: many`: the maximum number of live plans.",
        ),
        list(
            "review",
            "path",
            "The data that a person approves; a `reviewed` command carries the token of exactly these fields.",
        ),
        one(
            "summary",
            "names",
            "The data fields that are shown in lists of plans.",
        ),
    ]
}

fn declared() -> [Entry; 8] {
    [
        one(
            "context",
            "fields",
            "The values that the host sends with every event; expressions read them as `context.field`.",
        ),
        map(
            "types",
            "type_declaration",
            "Enums and records that the spec declares.",
        ),
        one("data", "fields", "The fields of a plan's record."),
        map(
            "commands",
            "command",
            "Events from the user, each with the text that the user types.",
        ),
        map("signals", "signal", "Events from the host program."),
        map(
            "tools",
            "tool",
            "Events from the model: the tools that this machine defines.",
        ),
        map(
            "effects",
            "effect",
            "The requests that a step can `emit` to the host.",
        ),
        one(
            "external_tools",
            "external_tools",
            "The host tools that states can name under `on`. A tool is written as `shell` or, with a text for \
                denials, as `{ shell: { unavailable: \"…\" } }`.",
        ),
    ]
}

fn behaviour() -> [Entry; 4] {
    [
        one(
            "other_tools",
            "handler",
            "With `instances: many`: how calls to host tools are handled unless `none` handles the tool: `run` \
                (the default), `deny`, or a transition that records the call.",
        ),
        ("states", states()),
        (
            "invariants",
            about(
                "The properties that the machine must have; they are proved when the spec is compiled.",
                map_of(a(
                    "condition",
                    "An invariant, such as `never (none and advertises plan_get)` or `EXECUTING only by approve`.",
                )),
            ),
        ),
        (
            "scenarios",
            about(
                "Example runs with their expected results, each named by a sentence; they are run when the spec \
                    is compiled.",
                free_map_of(reference("scenario")),
            ),
        ),
    ]
}

/// Returns the schema of the tree of states; `none` is at its top level.
fn states() -> Object {
    let words = "The tree of states. A plan is always in a leaf; a composite shares its settings with the \
        states inside it.";
    let none = a(
        "state",
        "The session has no plan. An event that is handled here with `to` starts a plan.",
    );
    let mut schema = map_of(reference("state"));
    let properties: Object = [("none", none)].into_iter().collect();
    schema.push("properties", properties);
    about(words, schema)
}
