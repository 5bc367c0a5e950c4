//! States and what they do with events.

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
        ("doc", a("text", "What it means that a plan is here.")),
        (
            "initial",
            a(
                "name",
                "The state inside this one that is entered; the first unless said.",
            ),
        ),
        (
            "final",
            a(
                "truth",
                "Whether a plan that comes here has ended and never changes again.",
            ),
        ),
        (
            "has",
            a(
                "names",
                "Optional data that is certainly set here, proved for every way that leads here.",
            ),
        ),
        (
            "prompt",
            a(
                "text",
                "What the model is told here, after the prompts of the states around; a tool stands in backticks.",
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
                "What becomes of the host's tools here: `run`, `deny`, or a transition that records the call (`event.tool`, `event.args`).",
            ),
        ),
        (
            "enter",
            a("passage", "What is emitted when a plan comes in."),
        ),
        (
            "exit",
            a("passage", "What is emitted when a plan goes out."),
        ),
        (
            "states",
            about("The states inside this one.", map_of(reference("state"))),
        ),
    ])
}

fn handler() -> Object {
    let words = "A state's name (short for `{ to: NAME }`), a transition, a list of alternatives (the first whose `when` holds is taken), `deny`, or for a host's tool `run`.";
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
    let words = "Effects: `{ plan_ready: { plan: plan.id } }`, or a list of such.";
    closed([("emit", a("emits", words))])
}

fn emission() -> Object {
    about(
        "An effect with the values of its fields.",
        map_of(reference("values")),
    )
}
