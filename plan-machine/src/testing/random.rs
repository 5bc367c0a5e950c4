//! Random events, valid and invalid. They are generated from the tables alone, so that every machine can be tested.

use std::borrow::Cow;
use std::collections::BTreeSet;

use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use crate::core::description::{Description, Event, EventKind, Handling};
use crate::dynamic::machine::{Call, CallKind, PlanView, ShownToken};

/// Pseudorandom numbers that are the same on every run (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// Returns true with a probability of one in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}

const TEXTS: [&str; 14] = [
    "",
    " ",
    "x",
    "a b",
    "# v1",
    "coder",
    "plan-1",
    "quoted \"text\"",
    "# Plan\n\n## Phase 1\nStatus: complete\n",
    "## Status\n\nStatus: complete\n",
    "Findings",
    "Phase 1",
    "é😀",
    "2026-01-01T00:00:00Z",
];

const HOST_TOOLS: [&str; 3] = ["read_file", "shell", "nobody_knows"];

/// A random event, with its context.
pub(super) struct RandomEvent {
    pub(super) call: Call,
    pub(super) context: Object,
    pub(super) at: Option<Instant>,
    pub(super) host_tools: Option<BTreeSet<String>>,
}

/// Generates random events for a session.
pub(super) struct Sender<'d> {
    pub(super) machine: &'d Description,
    pub(super) dice: &'d mut Dice,
    /// The events accepted so far, each with the state in which it was accepted: events that are not among them are
    /// preferred.
    pub(super) transitions: &'d BTreeSet<(String, String)>,
}

impl Sender<'_> {
    /// Returns an event for a session with these plans; `slot` is the index of the plan in the slot.
    pub(super) fn event(&mut self, plans: &[PlanView], slot: Option<usize>) -> RandomEvent {
        let mut call = self.call(plans, slot);
        if self.dice.once_in(12) {
            call.expect_revision = Some(u64::try_from(self.dice.below(6)).unwrap_or(0));
        }
        let many = self.machine.is_many();
        if (many && !self.dice.once_in(4)) || self.dice.once_in(15) {
            call.plan_id = self.plan_id(plans);
        }
        let context = self.payload(self.machine.context);
        let at = self.dice.once_in(3).then(|| {
            let second = u32::try_from(self.dice.below(2_000_000_000)).unwrap_or(0);
            Instant::at_second(second)
        });
        let known = HOST_TOOLS[..2].iter().map(|name| (*name).to_owned());
        let host_tools = self.dice.once_in(4).then(|| known.collect());
        RandomEvent {
            call,
            context,
            at,
            host_tools,
        }
    }

    fn plan_id(&mut self, plans: &[PlanView]) -> Option<String> {
        if self.dice.once_in(10) {
            return Some("plan-99".to_owned());
        }
        self.dice.one_of(plans).map(|plan| plan.id.to_string())
    }

    fn call(&mut self, plans: &[PlanView], slot: Option<usize>) -> Call {
        if self.dice.once_in(6) {
            return self.host_tool();
        }
        let event = self.choose(plans, slot);
        let mut call = Call::new(CallKind::Event(event.name.into()));
        call.with = self.payload(event.schema);
        call.with.remove("plan_id");
        call.token = match self.dice.below(12) {
            0 => ShownToken::Missing,
            1 => ShownToken::Shown("1-02c18244".to_owned()),
            2 => ShownToken::Shown("nonsense".to_owned()),
            roll @ 3..=6 => match plans.last() {
                Some(plan) if roll == 3 => ShownToken::Shown(short(&plan.token).to_owned()),
                Some(plan) if roll == 4 => ShownToken::Shown(with_another_digit(&plan.token)),
                Some(plan) => ShownToken::Shown(plan.token.clone()),
                None => ShownToken::Current,
            },
            _ => ShownToken::Current,
        };
        call
    }

    /// Returns a host tool: one that the spec names, one that it does not name, or one of the machine's own tools sent
    /// as a host tool.
    fn host_tool(&mut self) -> Call {
        let named = self
            .machine
            .events
            .iter()
            .filter(|event| matches!(event.kind, EventKind::External | EventKind::Tool { .. }));
        let mut tools: Vec<&str> = named.map(|event| event.name).collect();
        tools.extend(HOST_TOOLS);
        let name = self.dice.one_of(&tools).copied().unwrap_or("shell");
        let mut call = Call::new(CallKind::HostTool(name.to_owned().into()));
        call.class = self.class();
        let own = self.machine.events.iter().find(|event| event.name == name);
        call.with = match own {
            Some(event) if matches!(event.kind, EventKind::Tool { .. }) => {
                self.payload(event.schema)
            }
            _ => self.object(0),
        };
        call.with.remove("plan_id");
        call
    }

    /// Sometimes returns a class for a call: the name of any entry for host tools.
    fn class(&mut self) -> Option<Cow<'static, str>> {
        let events = self.machine.events.iter();
        let named = events.filter(|event| matches!(event.kind, EventKind::External));
        let named: Vec<&'static str> = named.map(|event| event.name).collect();
        if self.dice.below(4) > 0 {
            return None;
        }
        self.dice.one_of(&named).copied().map(Cow::Borrowed)
    }

    /// Chooses an event, usually one that some plan, or `none`, handles now: a run in which most events are denied
    /// covers little.
    fn choose(&mut self, plans: &[PlanView], slot: Option<usize>) -> &'static Event {
        let machine = self.machine;
        let own: Vec<u16> = (0_u16..)
            .zip(machine.events)
            .filter(|(_, event)| {
                !matches!(
                    event.kind,
                    EventKind::External | EventKind::OtherTools | EventKind::Timer { .. }
                )
            })
            .map(|(at, _)| at)
            .collect();
        let mut states: Vec<u16> = match slot {
            Some(at) => machine.state_named(&plans[at].state).into_iter().collect(),
            None => vec![0],
        };
        if machine.is_many() {
            states.extend(
                plans
                    .iter()
                    .filter_map(|plan| machine.state_named(&plan.state)),
            );
        }
        let takes = |event: &u16| {
            states
                .iter()
                .any(|state| machine.handling(*state, *event) == Handling::Takes)
        };
        let handled: Vec<u16> = own.iter().copied().filter(takes).collect();
        let is_new = |event: &&u16| {
            let name = machine.event(**event).name;
            let known = |state: &u16| {
                let state = machine.state(*state).name;
                self.transitions
                    .contains(&(state.to_owned(), name.to_owned()))
            };
            !states.iter().any(known)
        };
        let new: Vec<u16> = handled.iter().filter(is_new).copied().collect();
        let among = if handled.is_empty() || self.dice.once_in(6) {
            &own
        } else if !new.is_empty() && self.dice.once_in(2) {
            &new
        } else {
            &handled
        };
        let chosen = self.dice.one_of(among).copied().unwrap_or(0);
        machine.event(chosen)
    }

    /// Returns a payload for a schema, usually a valid one.
    fn payload(&mut self, schema: &str) -> Object {
        let Ok(Json::Object(schema)) = Json::parse(schema) else {
            return Object::new();
        };
        let mut object = self.object_of(&schema, 0);
        if self.dice.once_in(25) {
            object.insert("nobody_asked", self.any(0));
        }
        object
    }

    fn object_of(&mut self, schema: &Object, depth: usize) -> Object {
        let properties = schema.get("properties").and_then(Json::as_object);
        let required = schema
            .get("required")
            .and_then(Json::as_list)
            .unwrap_or_default();
        let mut object = Object::new();
        for (name, schema) in properties.into_iter().flat_map(Object::iter) {
            let must = required.iter().any(|other| other.as_text() == Some(name));
            let left_out = if must {
                self.dice.once_in(40)
            } else {
                self.dice.once_in(2)
            };
            if left_out {
                continue;
            }
            let value = if self.dice.once_in(30) {
                self.any(depth)
            } else {
                self.value(schema, depth)
            };
            object.push(name.to_owned(), value);
        }
        object
    }

    /// Returns a value for a schema. Sometimes the value exceeds a bound or is a blank string.
    fn value(&mut self, schema: &Json, depth: usize) -> Json {
        let Some(schema) = schema.as_object() else {
            return self.any(depth);
        };
        if let Some(values) = schema.get("enum").and_then(Json::as_list) {
            return self.dice.one_of(values).cloned().unwrap_or_default();
        }
        match schema.get("type").and_then(Json::as_text) {
            Some("string") if schema.get("format").is_some() => {
                let second = u32::try_from(self.dice.below(2_000_000_000)).unwrap_or(0);
                Json::Text(Instant::at_second(second).to_string())
            }
            Some("string") => self.text(schema),
            Some("integer") => Json::Int(self.int()),
            Some("boolean") => Json::Bool(self.dice.once_in(2)),
            Some("array") => {
                let item = schema.get("items").cloned().unwrap_or_default();
                let most = if depth > 3 { 1 } else { 4 };
                let count = self.dice.below(most);
                Json::List((0..count).map(|_| self.value(&item, depth + 1)).collect())
            }
            Some("object") => Json::Object(self.object_of(schema, depth + 1)),
            _ => self.any(depth),
        }
    }

    fn text(&mut self, schema: &Object) -> Json {
        let max = schema.get("maxLength").and_then(Json::as_int);
        match max.and_then(|max| usize::try_from(max).ok()) {
            Some(max) if max < 200 && self.dice.once_in(8) => {
                Json::Text("y".repeat(max + self.dice.below(2)))
            }
            _ => Json::from(self.dice.one_of(&TEXTS).copied().unwrap_or("x")),
        }
    }

    /// Returns an integer, usually one that could be a position in a list.
    fn int(&mut self) -> i64 {
        const INTS: [i64; 14] = [0, 0, 0, 0, 1, 1, 2, 2, 3, 5, 50, -1, i64::MAX, i64::MIN];
        self.dice.one_of(&INTS).copied().unwrap_or(0)
    }

    /// Returns an arbitrary JSON value.
    fn any(&mut self, depth: usize) -> Json {
        match self.dice.below(if depth > 2 { 6 } else { 8 }) {
            0 => Json::Null,
            1 => Json::Bool(true),
            2 => Json::Int(self.int()),
            3 => Json::Float(2.5),
            4 | 5 => Json::from(self.dice.one_of(&TEXTS).copied().unwrap_or("x")),
            6 => Json::List(vec![self.any(depth + 1)]),
            _ => Json::Object(self.object(depth + 1)),
        }
    }

    fn object(&mut self, depth: usize) -> Object {
        let mut object = Object::new();
        if !self.dice.once_in(3) {
            object.push("path", self.any(depth + 1));
        }
        object
    }
}

/// Returns a token that differs from this one only in its last digit: the token of other content in the same edition.
fn with_another_digit(token: &str) -> String {
    let mut token = token.to_owned();
    let last = token.pop();
    token.push(if last == Some('0') { '1' } else { '0' });
    token
}
