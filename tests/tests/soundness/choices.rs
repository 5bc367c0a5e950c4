//! The small set of payloads and contexts that brute-force search tries.

use plan_machine_compiler::model::Machine;
use plan_machine_compiler::model::expr::{BinaryOp, Expr, ExprKind};
use plan_machine_compiler::model::machine::{ChangeKind, EventKind, Transition};
use plan_machine_compiler::model::types::{Field, Type};
use plan_machine_compiler::model::value::Value;
use plan_machine_compiler::semantics::{Call, CallKind, EventContext, ShownToken};
use plan_machine_kernel::json::{Json, Object};

/// Host tools that no spec declares: those that conditions name, and those of every host. The interpreter accepts an
/// empty name like any other.
const OTHER_TOOLS: [&str; 7] = [
    "grep",
    "wrench",
    "x",
    "y",
    UNMENTIONED[0],
    UNMENTIONED[1],
    "",
];
/// Names that no spec mentions: one that satisfies every bound, and one that exceeds most bounds. A target that can
/// always be reached can be reached on a host whose only other tool has such a name.
pub(crate) const UNMENTIONED: [&str; 2] = ["q", "a_tool_that_only_this_host_has"];
/// Small numbers, numbers whose sums overflow, and numbers whose sum with 1 or 2 equals a number in a condition.
const NUMBERS: [i64; 12] = [
    0,
    1,
    2,
    3,
    -1,
    -2,
    1 << 62,
    (1 << 62) - 1,
    i64::MAX - 2,
    i64::MAX - 1,
    i64::MAX,
    i64::MIN,
];
/// Numbers whose sum with a large number, or with the value of a field, equals a number in a condition.
const SUMMANDS: [i64; 7] = [
    (1 << 62) - 2,
    (1 << 62) + 1,
    (1 << 62) + 2,
    -(1 << 62),
    1 - (1 << 62),
    2 - (1 << 62),
    i64::MAX - 3,
];
/// The maximum number of payloads of one event that are tried: every pair of numbers.
const MAX_PAYLOADS: usize = 361;
/// The maximum number of contexts that are tried.
const MAX_CONTEXTS: usize = 24;

/// Returns every event with every payload of the set, and whether the set is complete.
pub(crate) fn calls(machine: &Machine) -> (Vec<Call>, bool) {
    let (calls, complete) = calls_with_some_lists(machine);
    let mut events = machine.events.iter();
    let sends_lists = events.any(|event| event.input.iter().any(is_list));
    (calls, complete && !sends_lists)
}

/// Returns every event with every payload of the set, and whether the set is complete except for lists. The set
/// contains only a few lists, so it is never complete for them.
pub(crate) fn calls_with_some_lists(machine: &Machine) -> (Vec<Call>, bool) {
    let mut all = Vec::new();
    let mut complete = true;
    for event in machine.event_ids() {
        // Nobody sends a timer.
        if machine.timer(event).is_some() {
            continue;
        }
        let declared = machine.event(event);
        let names: &[&str] = match declared.kind {
            EventKind::External => &[declared.name.as_str()],
            EventKind::Other => &OTHER_TOOLS,
            _ => &[],
        };
        for name in names {
            all.extend(arguments().into_iter().map(|with| {
                let mut call = Call::new(CallKind::HostTool((*name).to_owned().into()));
                call.with = with;
                call
            }));
        }
        if !names.is_empty() {
            continue;
        }
        let (payloads, every) = objects(machine, &declared.input, MAX_PAYLOADS);
        complete &= every;
        for payload in payloads {
            let mut call = Call::new(CallKind::Event(event));
            call.with = payload;
            call.token = ShownToken::Current;
            all.push(call);
        }
    }
    (all, complete)
}

/// Returns arguments for other host tools: the shortest possible ones, and ones that are longer than most bounds.
fn arguments() -> Vec<Object> {
    let mut long = Object::new();
    long.insert("path", "a path of some length");
    vec![Object::new(), long]
}

pub(crate) fn contexts(machine: &Machine) -> (Vec<EventContext>, bool) {
    let (contexts, complete) = objects(machine, &machine.context, MAX_CONTEXTS);
    let all = contexts
        .into_iter()
        .map(|context| EventContext { context, at: None });
    (all.collect(), complete)
}

/// Returns every combination of the fields' values, or a selection if there are too many.
fn objects(machine: &Machine, fields: &[Field], most: usize) -> (Vec<Object>, bool) {
    let each: Vec<Vec<Option<Json>>> = fields.iter().map(|field| values(machine, field)).collect();
    let count: usize = each.iter().map(Vec::len).product();
    // With a stride that is coprime to the count, the selection varies all fields.
    let stride = if count > most {
        count / most * 2 + 1
    } else {
        1
    };
    let objects = (0..count.min(most)).map(|at| {
        let mut rest = at * stride % count;
        let mut object = Object::new();
        for (field, values) in fields.iter().zip(&each) {
            if let Some(value) = &values[rest % values.len()] {
                object.insert(field.name.clone(), value.clone());
            }
            rest /= values.len();
        }
        object
    });
    (objects.collect(), count <= most)
}

/// Returns the numbers that are sent; there are more of them if the machine adds large numbers or fields.
fn numbers(machine: &Machine) -> Vec<i64> {
    let mut adds = false;
    for change in machine.transitions.iter().flat_map(|taken| &taken.changes) {
        if let ChangeKind::Set(value) = &change.kind {
            value.walk(&mut |inner| {
                adds |= match &inner.kind {
                    ExprKind::Value(Value::Int(number)) => *number > 1 << 61,
                    ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, one, other) => {
                        let is_literal = |expr: &Expr| matches!(expr.kind, ExprKind::Value(_));
                        !is_literal(one) && !is_literal(other)
                    }
                    _ => false,
                };
            });
        }
    }
    let more = SUMMANDS.into_iter().filter(|_| adds);
    NUMBERS.into_iter().chain(more).collect()
}

fn values(machine: &Machine, field: &Field) -> Vec<Option<Json>> {
    let mut all: Vec<Option<Json>> = Vec::new();
    if field.ty.is_optional() {
        all.push(None);
    }
    let texts = |texts: &[&str]| texts.iter().map(|text| Some(Json::from(*text))).collect();
    let set: Vec<Option<Json>> = match field.ty.required() {
        Type::Bool => vec![Some(Json::Bool(true)), Some(Json::Bool(false))],
        Type::Int => numbers(machine)
            .into_iter()
            .map(|number| Some(Json::Int(number)))
            .collect(),
        Type::Enum(id) => {
            let values: Vec<&str> = machine
                .type_def(*id)
                .values()
                .iter()
                .map(String::as_str)
                .collect();
            texts(&values)
        }
        Type::List(_) => lists().into_iter().map(Some).collect(),
        // Conditions compare strings with "x" and "y"; "z" is neither.
        _ if field.nonblank => texts(&["x", "y", "z"]),
        _ => texts(&["x", "", " \n", "y", "z"]),
    };
    all.extend(set);
    all
}

fn is_list(field: &Field) -> bool {
    matches!(field.ty.required(), Type::List(_))
}

/// Returns whether a transition reads a list of its event, so that lists outside the set may have other results.
pub(crate) fn reads_sent_list(machine: &Machine, transition: &Transition) -> bool {
    let event = machine.handler(transition.handler).event;
    let sent = &machine.event(event).input;
    let mut reads = false;
    for expr in read_by(transition) {
        expr.walk(&mut |inner| {
            reads |= matches!(inner.kind, ExprKind::Event(field) if is_list(&sent[field.index()]));
        });
    }
    reads
}

/// Returns the expressions that determine whether a transition is taken and what it changes.
fn read_by(transition: &Transition) -> impl Iterator<Item = &Expr> {
    let when = transition.when.iter().map(|when| &when.expr);
    let required = transition.require.iter().map(|one| &one.that.expr);
    let changes = transition.changes.iter();
    let written = changes.flat_map(|change| change.kind.expressions());
    let emitted = transition.emit.iter().flat_map(|emit| &emit.fields);
    when.chain(required)
        .chain(written)
        .chain(emitted.flatten())
        .chain(&transition.reply)
}

/// Returns lists with no, one or two items, with and without optional fields.
fn lists() -> Vec<Json> {
    let part = |hue: &str, done: bool, shade: Option<&str>| {
        let mut part = Object::new();
        part.insert("hue", hue);
        if done {
            part.insert("done", true);
        }
        if let Some(shade) = shade {
            part.insert("shade", shade);
        }
        Json::Object(part)
    };
    vec![
        Json::List(vec![]),
        Json::List(vec![part("red", false, None)]),
        Json::List(vec![part("green", true, None)]),
        Json::List(vec![part("red", true, None)]),
        Json::List(vec![part("blue", false, Some("red"))]),
        Json::List(vec![
            part("red", false, None),
            part("green", true, Some("blue")),
        ]),
        Json::List(vec![part("blue", true, None), part("blue", false, None)]),
        Json::List(vec![
            part("green", true, Some("blue")),
            part("blue", false, Some("red")),
        ]),
    ]
}
