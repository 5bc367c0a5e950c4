//! A simple reference implementation of turns, and random events for it. The reference reads only
//! the tables of the machines and the states of their plans. It does not compute the floor of a
//! turn as a gate does.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use plan_machine::description::{Description, Event, EventKind};
use plan_machine::gate::{EventContext, Gate, MachineSet, RunningMachine, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, CallKind, Env, ShownToken, StoredPlans};
use plan_machine::{Json, Object};

use crate::dice::Dice;
use crate::specs;

/// The host tools that no spec of the corpus names.
const OTHERS: [&str; 2] = ["a_tool_of_the_host", "another_tool"];

/// Returns sets of machines: each machine of the corpus alone, and together with the one before it
/// if the two do not conflict.
///
/// # Panics
///
/// If a spec of the corpus is invalid, or if every pair of machines conflicts.
pub fn machine_sets() -> &'static [MachineSet] {
    static ALL: OnceLock<Vec<MachineSet>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |at: usize| {
            let all = specs("valid");
            InterpretedMachine::read(&all[at].name, &all[at].text).expect("a valid spec")
        };
        let many = specs("valid").len();
        let one = (0..many).map(|at| {
            let alone = Gate::builder().with(read(at)).any_host_tool().join();
            alone.expect("a machine without conflicts")
        });
        let two = (1..many).filter_map(|at| {
            let both = Gate::builder().with(read(at - 1)).with(read(at));
            both.any_host_tool().join().ok()
        });
        let two: Vec<MachineSet> = two.collect();
        assert!(!two.is_empty(), "every pair conflicts");
        one.chain(two).collect()
    })
}

/// A random event.
#[derive(Debug)]
pub enum Act {
    /// A person sends a message, which begins a turn.
    Message,
    /// A person or the host sends an event to a machine.
    Event {
        /// The machine.
        machine: &'static Description,
        /// The event.
        call: Call,
    },
    /// A model responds with these calls.
    Response(Vec<ToolCall>),
    /// The process is killed and started again.
    Restart,
}

/// Returns a random event for these machines. Calls to host tools are frequent, because a turn
/// restricts only such calls.
pub fn act(machines: &MachineSet, dice: &mut Dice) -> Act {
    let tables: Vec<&'static Description> = machines.machines().collect();
    let machine = *dice.pick(&tables);
    match dice.below(10) {
        0 => Act::Message,
        1 => Act::Restart,
        2..6 => event(machine, dice),
        _ => {
            let many = 1 + dice.below(3);
            Act::Response((0..many).map(|_| tool(&tables, dice)).collect())
        }
    }
}

fn event(machine: &'static Description, dice: &mut Dice) -> Act {
    let sent = |event: &&Event| matches!(event.kind, EventKind::Command { .. } | EventKind::Signal);
    let events: Vec<&Event> = machine.events.iter().filter(sent).collect();
    if events.is_empty() {
        return Act::Message;
    }
    let event = *dice.pick(&events);
    let mut call = Call::new(CallKind::Event(event.name.into()));
    call.with = payload(event.schema, dice);
    call.token = ShownToken::Current;
    Act::Event { machine, call }
}

fn tool(machines: &[&'static Description], dice: &mut Dice) -> ToolCall {
    if dice.below(2) == 0 {
        let tools = host_tools(machines);
        return ToolCall::new(dice.pick(&tools).clone(), Object::new());
    }
    let machine = *dice.pick(machines);
    let own = |event: &&Event| matches!(event.kind, EventKind::Tool { .. });
    let own: Vec<&Event> = machine.events.iter().filter(own).collect();
    if own.is_empty() {
        return ToolCall::new(OTHERS[0], Object::new());
    }
    let event = *dice.pick(&own);
    ToolCall::new(event.name, payload(event.schema, dice))
}

/// Returns the host tools that the machines name, and some that no machine names.
fn host_tools(machines: &[&'static Description]) -> Vec<String> {
    let events = machines.iter().flat_map(|machine| machine.events);
    let named = events.filter(|event| matches!(event.kind, EventKind::External));
    let named = named.map(|event| event.name);
    named.chain(OTHERS).map(str::to_owned).collect()
}

/// Returns a payload that usually matches a schema.
fn payload(schema: &str, dice: &mut Dice) -> Object {
    let schema = Json::parse(schema).unwrap_or_default();
    let fields = schema
        .as_object()
        .and_then(|schema| schema.get("properties"));
    let fields = fields
        .and_then(Json::as_object)
        .into_iter()
        .flat_map(Object::iter);
    let sent = fields.filter(|(key, _)| *key != "plan_id");
    sent.map(|(key, schema)| (key.to_owned(), value(schema, dice)))
        .collect()
}

fn value(schema: &Json, dice: &mut Dice) -> Json {
    let Some(schema) = schema.as_object() else {
        return Json::Null;
    };
    if let Some(choices) = schema.get("enum").and_then(Json::as_list) {
        return dice.pick(choices).clone();
    }
    match schema.get("type").and_then(Json::as_text) {
        Some("integer" | "number") => Json::from(dice.below(3) as u64),
        Some("boolean") => Json::from(dice.below(2) == 0),
        Some("array") => Json::List(Vec::new()),
        Some("object") => Json::Object(payload(&Json::from(schema.clone()).to_string(), dice)),
        _ => Json::from(*dice.pick(&["a", "# Plan", "two words"])),
    }
}

/// Whether each machine would run each host tool, by machine and tool.
pub type Open = BTreeMap<(&'static str, String), bool>;

/// Returns which host tools each machine would run now, according to the tables and the states of
/// the plans. If the result depends on alternatives, a call without arguments is tried.
#[must_use]
pub fn open(gate: &Gate) -> Open {
    let tables: Vec<_> = gate.machine_set().machines().collect();
    let tools = host_tools(&tables);
    let machines = gate.machines().iter();
    let open = machines.flat_map(|machine| {
        let tables = machine.description();
        let stored = machine.stored();
        let plan = stored.slot.and_then(|at| stored.plans.get(at));
        let state = plan.and_then(|plan| tables.state_named(&plan.state));
        let state = state.filter(|_| !tables.is_many()).unwrap_or(0);
        tools.iter().map(move |tool| {
            let named = tables.event_named(tool);
            let handling = tables.handling(state, named.unwrap_or(tables.other_tools()));
            let runs =
                handling.may_run() && (!handling.is_chosen() || tried(&**machine, &stored, tool));
            ((tables.name, tool.clone()), runs)
        })
    });
    open.collect()
}

/// Returns whether a machine with these plans lets a call without arguments run.
fn tried(machine: &dyn RunningMachine, plans: &StoredPlans, tool: &str) -> bool {
    let mut env = Env {
        now: EventContext::default().now,
        new_id: "the-next-plan".into(),
        context: &Object::new(),
        host_tools: None,
    };
    let call = Call::new(CallKind::HostTool(tool.to_owned().into()));
    let outcome = machine.preview(plans, &call, &mut env);
    outcome.is_ok_and(|outcome| outcome.runs().is_some())
}

/// The reference implementation: the host tools that may run in the turn.
#[derive(Debug, Default)]
pub struct Reference(Option<Open>);

impl Reference {
    /// Begins a turn.
    pub fn begin(&mut self, now: &Open) {
        self.0 = Some(now.clone());
    }

    /// Applies an event from a person or the host. Only an event from a person changes which tools
    /// may run.
    pub fn sent(&mut self, machine: &Description, call: &Call, before: &Open, after: &Open) {
        let (CallKind::Event(name) | CallKind::HostTool(name)) = &call.what;
        let event = machine.event_named(name).map(|at| machine.event(at).kind);
        let by_person = matches!(event, Some(EventKind::Command { .. }));
        if let Some(floor) = self.0.as_mut().filter(|_| by_person) {
            for (key, open) in after {
                if before.get(key) != Some(open) {
                    floor.insert(key.clone(), *open);
                }
            }
        }
    }

    /// Returns whether all machines may run a tool in this turn.
    #[must_use]
    pub fn allows(&self, tool: &str) -> bool {
        let floor = self.0.iter().flatten();
        let mut of_tool = floor.filter(|((_, name), _)| name == tool);
        of_tool.all(|(_, open)| *open)
    }
}

/// Returns whether every machine would run a tool.
#[must_use]
pub fn runs(open: &Open, tool: &str) -> bool {
    let mut of_tool = open.iter().filter(|((_, name), _)| name == tool);
    of_tool.all(|(_, open)| *open)
}
