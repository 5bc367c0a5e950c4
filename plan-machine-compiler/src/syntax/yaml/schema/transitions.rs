//! The schemas of transitions: targets, requirements and changes.

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
                "The state that the plan moves to; without `to`, the plan stays in its state.",
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
                "The requirements; the caller gets the message of every requirement that is not met.",
                list_of(reference("requirement")),
            ),
        ),
        ("set", a("values", "Fields and their new values.")),
        (
            "clear",
            a("names", "Fields that are reset to their initial value."),
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
                "The emitted effects: `{ plan_ready: { plan: plan.id } }`, or a list of such maps.",
            ),
        ),
        (
            "reply",
            a(
                "value",
                "The reply that the caller gets; without `reply`, the caller gets the name of the state.",
            ),
        ),
        (
            "run",
            a(
                "truth",
                "Whether the host runs the call to a host tool after the changes of this transition are stored.",
            ),
        ),
    ])
}

fn next() -> Object {
    let words = "The content of the slot after the step: `none`, a state (a new plan in this state, with a copy \
        of the current plan's data), or `{ fresh: STATE }` (a new plan that starts empty). Without `next`, \
        the current plan keeps the slot.";
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
        ("that", a("condition", "The condition that must hold.")),
        (
            "else",
            a(
                "text",
                "The message to the caller if the condition does not hold; `{expr}` is replaced by its value.",
            ),
        ),
    ]);
    requiring(&["that", "else"], keys)
}

fn position() -> Object {
    a("condition", "The position of the item, counted from 0.")
}

fn update() -> Object {
    let keys = closed([
        ("at", position()),
        (
            "where",
            a(
                "condition",
                "The condition that selects the items to change; each item is read as `item`.",
            ),
        ),
        (
            "first",
            a(
                "condition",
                "The condition that selects the first item for which it holds; each item is read as `item`.",
            ),
        ),
        (
            "set",
            a("values", "The items' fields and their new values."),
        ),
        (
            "clear",
            a("names", "The optional fields to unset in these items."),
        ),
    ]);
    requiring_one_of(&["at", "where", "first"], keys)
}

fn removal() -> Object {
    requiring(&["at"], closed([("at", position())]))
}

fn insertion() -> Object {
    let keys = closed([
        (
            "at",
            a("condition", "The position of the new item, counted from 0."),
        ),
        ("value", a("value", "The new item.")),
    ]);
    requiring(&["at", "value"], keys)
}
