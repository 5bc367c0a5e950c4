//! The schemas of states and their handlers.

use plan_machine_kernel::json::Object;

use super::declarations::unavailable;
use super::parts::{
    Entry, about, any_of, closed, list_of, map, map_of, one, one_of_words, reference, some_of,
};

pub(super) fn definitions() -> Vec<Entry> {
    vec![
        ("state", state()),
        ("handler", handler()),
        ("alternative", alternative()),
        ("passage", passage()),
        (
            "emits",
            any_of([reference("emission"), list_of(reference("emission"))]),
        ),
        ("emission", emission()),
    ]
}

fn state() -> Object {
    let keys = about_the_state().into_iter().chain(events());
    closed(keys.chain(passing_and_children()))
}

fn about_the_state() -> [Entry; 6] {
    [
        one(
            "doc",
            "text",
            "What it means for a plan to be in this state.",
        ),
        one(
            "title",
            "text",
            "The name of the state in messages for people and models.",
        ),
        one(
            "initial",
            "name",
            "The child state to enter; defaults to the first one listed.",
        ),
        one(
            "final",
            "truth",
            "Whether a plan that reaches this state has ended and never changes again.",
        ),
        one(
            "has",
            "names",
            "Optional fields that are always set in this state; this is proved for every path that leads to \
                the state.",
        ),
        one(
            "prompt",
            "text",
            "The prompt for the model in this state, which follows the prompts of the enclosing states; \
                tool names go in backticks.",
        ),
    ]
}

fn events() -> [Entry; 5] {
    [
        (
            "unavailable",
            about(
                "What senders read about events that this state, or a state inside it, denies: \
                    `{ plan_on: \"Plan work is already on.\" }`.",
                map_of(unavailable()),
            ),
        ),
        (
            "require",
            about(
                "The requirements for an event in this state and in the states inside it, checked before the \
                    transition's own requirements: `{ approve: [{ that: context.user != owner, else: \"…\" }] }`.",
                map_of(some_of(reference("requirement"))),
            ),
        ),
        map(
            "on",
            "handler",
            "How this state handles events. A state advertises exactly the tools that it handles.",
        ),
        one(
            "other_tools",
            "handler",
            "How calls to host tools without their own entry are handled in this state: `run`, `deny`, or a \
                transition that records the call (`event.tool`, `event.args`) or, with `run: true`, lets it run.",
        ),
        (
            "after",
            about(
                "The timers of this state: `{ 1h: EXPIRED }`. A timer starts when the state is entered, fires once \
                    after its period, and is cancelled when the state is left.",
                timers(),
            ),
        ),
    ]
}

fn passing_and_children() -> [Entry; 3] {
    [
        one(
            "enter",
            "passage",
            "The effects that are emitted when a plan enters this state.",
        ),
        one(
            "exit",
            "passage",
            "The effects that are emitted when a plan leaves this state.",
        ),
        map("states", "state", "The states inside this one."),
    ]
}

fn timers() -> Object {
    let mut schema = map_of(reference("handler"));
    schema.insert("propertyNames", period());
    schema
}

/// Returns the schema of a timer's period, such as `1h30m`: the longest unit comes first.
fn period() -> Object {
    let mut schema = Object::new();
    schema.push("pattern", "^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$");
    schema
}

fn handler() -> Object {
    let words = "A state's name (short for `{ to: NAME }`), a transition, a list of alternatives (the first \
        whose `when` holds is taken), `deny`, or, for a host tool, `run`.";
    let schemas = [
        one_of_words(&["deny", "run"]),
        reference("name"),
        reference("transition"),
        some_of(reference("alternative")),
    ];
    about(words, any_of(schemas))
}

fn alternative() -> Object {
    any_of([
        one_of_words(&["deny", "run"]),
        reference("name"),
        reference("transition"),
    ])
}

fn passage() -> Object {
    let words = "The emitted effects: `{ plan_ready: { plan: plan.id } }`, or a list of such maps.";
    closed([one("emit", "emits", words)])
}

fn emission() -> Object {
    about(
        "An effect with the values of its fields.",
        map_of(reference("values")),
    )
}
