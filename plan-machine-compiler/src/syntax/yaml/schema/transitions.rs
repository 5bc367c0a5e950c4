//! Transitions: the target, the requirements, the changes.

use plan_machine_kernel::json::Object;

use super::super::transitions::FRESH;
use super::parts::{
    Entry, a, about, any_of, closed, list_of, map_of, reference, requiring, requiring_one_of,
};

pub(super) fn definitions() -> Vec<Entry> {
    vec![
        ("transition", transition()),
        ("next", next()),
        ("fresh_next", fresh_next()),
        ("requirement", requirement()),
        ("update", update()),
        ("removal", removal()),
        ("insertion", insertion()),
    ]
}

fn transition() -> Object {
    closed([
        (
            "to",
            a(
                "name",
                "The state that the plan moves to; without it the plan stays in its state.",
            ),
        ),
        ("next", reference("next")),
        (
            "when",
            a("condition", "The condition for this alternative."),
        ),
        (
            "require",
            about(
                "What must hold; the message of each requirement that does not is reported.",
                list_of(reference("requirement")),
            ),
        ),
        ("set", a("values", "Fields and their new values.")),
        (
            "clear",
            a("names", "Fields that return to their starting value."),
        ),
        (
            "update",
            about("Lists in which items change.", map_of(reference("update"))),
        ),
        (
            "remove",
            about(
                "Lists from which an item is removed.",
                map_of(reference("removal")),
            ),
        ),
        (
            "insert",
            about(
                "Lists into which an item is inserted.",
                map_of(reference("insertion")),
            ),
        ),
        ("append", a("values", "Lists to which an item is appended.")),
        (
            "emit",
            a(
                "emits",
                "Effects: `{ plan_ready: { plan: plan.id } }`, or a list of them.",
            ),
        ),
        (
            "reply",
            a(
                "value",
                "What the caller gets back; without it, the state's name.",
            ),
        ),
    ])
}

fn next() -> Object {
    let words = "What the slot holds afterwards: `none`, a state (a new plan there that starts with a copy of this one's data), or `{ fresh: STATE }` (one that starts empty). Without it, this plan.";
    about(words, any_of([reference("name"), reference("fresh_next")]))
}

fn fresh_next() -> Object {
    let keys = closed([(
        FRESH,
        a("name", "The state in which the new, empty plan starts."),
    )]);
    requiring(&[FRESH], keys)
}

fn requirement() -> Object {
    let keys = closed([
        ("that", a("condition", "What must hold.")),
        (
            "else",
            a(
                "text",
                "The message to the caller if it does not hold; `{expr}` is replaced.",
            ),
        ),
    ]);
    requiring(&["that", "else"], keys)
}

fn position() -> Object {
    a("condition", "The item's position, from 0.")
}

fn update() -> Object {
    let keys = closed([
        ("at", position()),
        (
            "where",
            a("condition", "Which items change; each is read as `item`."),
        ),
        (
            "set",
            a("values", "The items' fields and their new values."),
        ),
        (
            "clear",
            a("names", "Optional fields of the items to unset."),
        ),
    ]);
    requiring_one_of(&["at", "where"], keys)
}

fn removal() -> Object {
    requiring(&["at"], closed([("at", position())]))
}

fn insertion() -> Object {
    let keys = closed([
        ("at", a("condition", "The new item's position, from 0.")),
        ("value", a("value", "The new item.")),
    ]);
    requiring(&["at", "value"], keys)
}
