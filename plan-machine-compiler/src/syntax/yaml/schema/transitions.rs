//! The schemas of transitions: targets, requirements and changes.

use plan_machine_kernel::json::Object;

use super::super::transitions::FRESH;
use super::parts::{
    Entry, a, about, any_of, closed, list, map, one, reference, requiring, requiring_one_of,
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
        one(
            "to",
            "name",
            "The state that the plan moves to; without `to`, the plan stays in its state.",
        ),
        ("next", reference("next")),
        one("when", "condition", "The condition for this alternative."),
        list(
            "require",
            "requirement",
            "The requirements; the caller gets the message of every requirement that is not met.",
        ),
        one("set", "values", "Fields and their new values."),
        one(
            "clear",
            "names",
            "Fields that are reset to their initial value.",
        ),
        map("update", "update", "Lists in which items change."),
        map("remove", "removal", "Lists from which an item is removed."),
        map(
            "insert",
            "insertion",
            "Lists into which an item is inserted.",
        ),
        one("append", "values", "Lists to which an item is appended."),
        one(
            "emit",
            "emits",
            "The emitted effects: `{ plan_ready: { plan: plan.id } }`, or a list of such maps.",
        ),
        one(
            "reply",
            "value",
            "The reply that the caller gets; without `reply`, the caller gets the name of the state.",
        ),
        one(
            "run",
            "truth",
            "Whether the host runs the call to a host tool after the changes of this transition are stored.",
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
    let keys = closed([one(
        FRESH,
        "name",
        "The state in which the new, empty plan starts.",
    )]);
    requiring(&[FRESH], keys)
}

fn requirement() -> Object {
    let keys = closed([
        one("that", "condition", "The condition that must hold."),
        one(
            "else",
            "text",
            "The message to the caller if the condition does not hold; `{expr}` is replaced by its value.",
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
        one(
            "where",
            "condition",
            "The condition that selects the items to change; each item is read as `item`.",
        ),
        one(
            "first",
            "condition",
            "The condition that selects the first item for which it holds; each item is read as `item`.",
        ),
        one("set", "values", "The items' fields and their new values."),
        one(
            "clear",
            "names",
            "The optional fields to unset in these items.",
        ),
    ]);
    requiring_one_of(&["at", "where", "first"], keys)
}

fn removal() -> Object {
    requiring(&["at"], closed([("at", position())]))
}

fn insertion() -> Object {
    let keys = closed([
        one(
            "at",
            "condition",
            "The position of the new item, counted from 0.",
        ),
        one("value", "value", "The new item."),
    ]);
    requiring(&["at", "value"], keys)
}
