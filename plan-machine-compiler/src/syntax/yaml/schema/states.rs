//! States and their handlers.

use plan_machine_kernel::json::Object;

use super::parts::{
    Entry, a, about, any_of, closed, list_of, map_of, one_of_words, reference, some_of,
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
    closed([
        ("doc", a("text", "What it means for a plan to be here.")),
        (
            "initial",
            a(
                "name",
                "The child state to enter; defaults to the first one listed.",
            ),
        ),
        (
            "final",
            a(
                "truth",
                "Whether a plan that gets here has ended and never changes again.",
            ),
        ),
        (
            "has",
            a(
                "names",
                "Optional fields that are always set here, proved for every path that leads here.",
            ),
        ),
        (
            "prompt",
            a(
                "text",
                "The prompt for the model here, after the prompts of the enclosing states; tool names go in backticks.",
            ),
        ),
        (
            "require",
            about(
                "What must hold for an event here and in the states inside, before the transition's own requirements: `{ approve: [{ that: context.user != owner, else: \"…\" }] }`.",
                map_of(some_of(reference("requirement"))),
            ),
        ),
        (
            "on",
            about(
                "What events do here. What a state handles is what it advertises.",
                map_of(reference("handler")),
            ),
        ),
        (
            "other_tools",
            a(
                "handler",
                "What happens to host tools here: `run`, `deny`, or a transition that records the call (`event.tool`, `event.args`).",
            ),
        ),
        ("enter", a("passage", "What is emitted when a plan enters.")),
        ("exit", a("passage", "What is emitted when a plan leaves.")),
        (
            "states",
            about("The states inside this one.", map_of(reference("state"))),
        ),
    ])
}

fn handler() -> Object {
    let words = "A state's name (short for `{ to: NAME }`), a transition, a list of alternatives (the first whose `when` holds is taken), `deny`, or for a host tool `run`.";
    let schemas = [
        one_of_words(&["deny", "run"]),
        reference("name"),
        reference("transition"),
        some_of(reference("alternative")),
    ];
    about(words, any_of(schemas))
}

fn alternative() -> Object {
    any_of([reference("name"), reference("transition")])
}

fn passage() -> Object {
    let words = "Effects: `{ plan_ready: { plan: plan.id } }`, or a list of them.";
    closed([("emit", a("emits", words))])
}

fn emission() -> Object {
    about(
        "An effect with the values of its fields.",
        map_of(reference("values")),
    )
}
