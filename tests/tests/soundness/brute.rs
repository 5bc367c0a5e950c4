//! Concrete runs of the interpreter, breadth first and at random: everything that a small set of
//! payloads and contexts leads to, up to a number of steps.

use std::collections::HashMap;

use plan_machine_compiler::model::machine::{EventKind, Property};
use plan_machine_compiler::model::types::{Field, Type};
use plan_machine_compiler::model::{Checked, EventId, Machine};
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::semantics::{
    Accepted, Call, Held, Outcome, Record, Sandbox, Surroundings, Token, What, call_of_line,
};
use plan_machine_kernel::json::{Json, Object};

use crate::meaning::{Step, is_broken_at_the_start, truth};

/// How many payloads of one event are tried.
const MAX_PAYLOADS: usize = 48;
/// How many contexts.
const MAX_CONTEXTS: usize = 24;

/// A run that breaks something.
pub(crate) struct Run {
    pub steps: usize,
    pub told: String,
}

/// What one call led to in one context.
struct Went {
    to: usize,
    /// The record that took the step, and the one that it started, afterwards.
    touched: Vec<Record>,
}

/// What can be sent from a place: the call, and what came of it in each context.
struct Sent {
    event: EventId,
    entry: Option<EventId>,
    went: Vec<Option<Went>>,
}

struct Visit<'m> {
    sandbox: Sandbox<'m>,
    steps: usize,
    from: Option<(usize, String)>,
    sent: Vec<Sent>,
}

/// Everything that was run.
pub(crate) struct Search<'m> {
    machine: &'m Checked<Machine>,
    visits: Vec<Visit<'m>>,
    places: HashMap<String, usize>,
    /// Nothing was left out: every place was followed with every payload of the set.
    pub closed: bool,
    /// The shortest run that breaks each invariant.
    pub broken: Vec<Option<Run>>,
}

fn place(held: &Held) -> String {
    let record = held.in_slot();
    record.map_or("none".to_owned(), |record| {
        let succeeds = record.previous.is_some();
        format!("{:?} {succeeds} {:?}", record.leaf(), record.data)
    })
}

impl<'m> Search<'m> {
    /// Runs a machine breadth first; fails where a run leaves what was explored.
    pub(crate) fn of(
        machine: &'m Checked<Machine>,
        explored: &Explored<'_>,
        budget: usize,
    ) -> Result<Self, String> {
        let (calls, all_calls) = calls(machine);
        let (contexts, all_contexts) = contexts(machine);
        let start = Visit {
            sandbox: Sandbox::new(machine),
            steps: 0,
            from: None,
            sent: Vec::new(),
        };
        let mut search = Self {
            machine,
            places: HashMap::from([(place(start.sandbox.held()), 0)]),
            visits: vec![start],
            closed: all_calls && all_contexts,
            broken: machine
                .invariants
                .iter()
                .map(|invariant| {
                    is_broken_at_the_start(machine, &invariant.property).then(|| Run {
                        steps: 0,
                        told: "before anything".to_owned(),
                    })
                })
                .collect(),
        };
        let mut left = budget;
        let mut next = 0;
        while next < search.visits.len() {
            for call in &calls {
                if left < contexts.len() {
                    search.closed = false;
                    return Ok(search);
                }
                left -= contexts.len();
                search.send(next, call, &contexts, explored)?;
            }
            next += 1;
        }
        Ok(search)
    }

    fn send(
        &mut self,
        from: usize,
        call: &Call,
        contexts: &[Surroundings],
        explored: &Explored<'_>,
    ) -> Result<(), String> {
        let mut sent: Option<Sent> = None;
        let mut went = Vec::new();
        for around in contexts {
            let mut sandbox = self.visits[from].sandbox.clone();
            let Outcome::Accepted(accepted) = sandbox.step(call, around) else {
                went.push(None);
                continue;
            };
            let before = self.visits[from].sandbox.held();
            let step = Step {
                machine: self.machine,
                before,
                accepted: &accepted,
                after: sandbox.held(),
            };
            let told = told(self.machine, call, around, sandbox.held());
            check_inside(&step, explored)
                .map_err(|problem| format!("{problem}\nafter {}\n{told}", self.way(from)))?;
            let steps = self.visits[from].steps + 1;
            for (at, invariant) in self.machine.invariants.iter().enumerate() {
                if self.broken[at].is_none() && step.breaks(&invariant.property) {
                    self.broken[at] = Some(Run {
                        steps,
                        told: format!("{}\n{told}", self.way(from)),
                    });
                }
            }
            let entry = self.machine.transition(accepted.taken[0]).handler;
            let entry = self.machine.handler(entry).event;
            sent.get_or_insert(Sent {
                event: accepted.event,
                entry: Some(entry),
                went: Vec::new(),
            });
            let touched = touched(&accepted, sandbox.held());
            let key = place(sandbox.held());
            let next = self.visits.len();
            let to = *self.places.entry(key).or_insert(next);
            if to == next {
                self.visits.push(Visit {
                    sandbox,
                    steps,
                    from: Some((from, told)),
                    sent: Vec::new(),
                });
            }
            went.push(Some(Went { to, touched }));
        }
        if let Some(mut sent) = sent {
            sent.went = went;
            self.visits[from].sent.push(sent);
        }
        Ok(())
    }

    fn way(&self, to: usize) -> String {
        let mut lines = Vec::new();
        let mut at = to;
        while let Some((from, told)) = &self.visits[at].from {
            lines.push(told.clone());
            at = *from;
        }
        lines.reverse();
        lines.join("\n")
    }

    /// From where a target is reached: whatever the context is, or with the best of luck.
    fn reaching(&self, property: &Property, lucky: bool) -> Vec<bool> {
        let Property::CanReach(target, by) = property else {
            return Vec::new();
        };
        let is_true = |record: Option<&Record>| truth(self.machine, record, target) == Some(true);
        let at_once = |visit: &Visit<'_>| is_true(visit.sandbox.held().in_slot());
        let mut reached: Vec<bool> = self.visits.iter().map(at_once).collect();
        let is_allowed = |sent: &Sent| {
            by.is_empty()
                || by
                    .iter()
                    .any(|event| sent.event == *event || sent.entry == Some(*event))
        };
        loop {
            let mut grew = false;
            for at in 0..self.visits.len() {
                let leads = |went: &Option<Went>| {
                    went.as_ref().is_some_and(|went| {
                        reached[went.to] || went.touched.iter().any(|record| is_true(Some(record)))
                    })
                };
                let mut sent = self.visits[at].sent.iter().filter(|sent| is_allowed(sent));
                let found = !reached[at]
                    && sent.any(|sent| {
                        if lucky {
                            sent.went.iter().any(leads)
                        } else {
                            sent.went.iter().all(leads)
                        }
                    });
                if found {
                    reached[at] = true;
                    grew = true;
                }
            }
            if !grew {
                return reached;
            }
        }
    }

    fn is_source(&self, at: usize) -> bool {
        self.visits[at].sandbox.held().slot.is_some()
    }

    /// The nearest plan from which a target cannot be reached, if the context is against it or
    /// even with luck.
    pub(crate) fn stuck(&self, property: &Property, lucky: bool) -> Option<Run> {
        let reached = self.reaching(property, lucky);
        let at = (0..reached.len()).find(|at| self.is_source(*at) && !reached[*at])?;
        Some(Run {
            steps: self.visits[at].steps,
            told: self.way(at),
        })
    }

    /// Whether the target is reached from what is held.
    pub(crate) fn reaches_from(&self, held: &Held, property: &Property) -> Option<bool> {
        let at = *self.places.get(&place(held))?;
        Some(self.reaching(property, false)[at])
    }
}

/// The records that a step had to do with.
fn touched(accepted: &Accepted, after: &Held) -> Vec<Record> {
    let all = accepted.records.iter().copied().chain(accepted.ended);
    all.map(|at| after.records[at].clone()).collect()
}

/// Whether a step, and what it led to, is among what was explored.
fn check_inside(step: &Step<'_>, explored: &Explored<'_>) -> Result<(), String> {
    if !explored.is_complete() {
        return Ok(());
    }
    if let Some(record) = step
        .after
        .records
        .iter()
        .find(|record| !explored.holds(record))
    {
        return Err(format!("outside of what was explored: {record:?}"));
    }
    let source = step.before.slot;
    let created = step.after.records.get(step.before.records.len());
    let inside = explored.has_step(
        step.before.in_slot(),
        step.accepted.taken[0],
        source.map(|at| &step.after.records[at]),
        created,
    );
    if inside {
        Ok(())
    } else {
        Err("a step that was not explored".to_owned())
    }
}

/// Walks at random, and fails where a walk leaves what was explored or breaks what is proved.
pub(crate) fn walk(
    machine: &Checked<Machine>,
    explored: &Explored<'_>,
    is_proved: &[bool],
    mut seed: u64,
    walks: usize,
) -> Result<(), String> {
    const STEPS: usize = 14;
    let (calls, _) = calls(machine);
    let (contexts, _) = contexts(machine);
    let mut roll = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap_or(0)
    };
    for _ in 0..walks {
        let mut sandbox = Sandbox::new(machine);
        let mut lines = Vec::new();
        for _ in 0..STEPS * 3 {
            let (call, around) = (&calls[roll(calls.len())], &contexts[roll(contexts.len())]);
            let before = sandbox.held().clone();
            let Outcome::Accepted(accepted) = sandbox.step(call, around) else {
                continue;
            };
            let step = Step {
                machine,
                before: &before,
                accepted: &accepted,
                after: sandbox.held(),
            };
            lines.push(told(machine, call, around, sandbox.held()));
            check_inside(&step, explored)
                .map_err(|problem| format!("{problem}\nafter {}", lines.join("\n")))?;
            for (invariant, proved) in machine.invariants.iter().zip(is_proved) {
                if *proved && step.breaks(&invariant.property) {
                    let text = &invariant.text;
                    return Err(format!("`{text}` is proved, but:\n{}", lines.join("\n")));
                }
            }
            if lines.len() == STEPS {
                break;
            }
        }
    }
    Ok(())
}

/// Where a trace of the compiler ends.
pub(crate) struct Replayed {
    pub before: Held,
    pub last: Option<Box<Accepted>>,
    pub after: Held,
}

/// Runs a trace again, and holds each step against what it says.
pub(crate) fn replay(machine: &Checked<Machine>, trace: &[Json]) -> Result<Replayed, String> {
    let mut sandbox = Sandbox::new(machine);
    let mut replayed = Replayed {
        before: sandbox.held().clone(),
        last: None,
        after: sandbox.held().clone(),
    };
    for json in trace {
        let step = json.as_object().ok_or("a step that is no object")?;
        let call = call_of(machine, sandbox.held(), step)?;
        let mut around = Surroundings::default();
        if let Some(context) = step.get("context").and_then(Json::as_object) {
            around.context = context.clone();
        }
        replayed.before = sandbox.held().clone();
        match sandbox.step(&call, &around) {
            Outcome::Accepted(accepted) => replayed.last = Some(accepted),
            other => return Err(format!("{json} was not accepted: {other:?}")),
        }
        let state = &machine.state(sandbox.held().leaf()).name;
        if step.get("state").and_then(Json::as_text) != Some(state) {
            return Err(format!("{json} led to {state}"));
        }
        let record = sandbox.held().in_slot();
        let data =
            record.map(|record| plan_machine_compiler::semantics::data_json(machine, record));
        if step.get("data") != data.as_ref() {
            return Err(format!("{json} left {data:?}"));
        }
    }
    replayed.after = sandbox.held().clone();
    Ok(replayed)
}

fn call_of(machine: &Machine, held: &Held, step: &Object) -> Result<Call, String> {
    let text = |key: &str| step.get(key).and_then(Json::as_text);
    let mut call = match (text("tool"), text("do")) {
        (Some(tool), _) => Call::new(What::HostTool(tool.to_owned())),
        (None, Some(line)) if line.starts_with('/') => call_of_line(machine, held, line)?,
        (None, Some(name)) => {
            let event = machine.event_named(name).ok_or("an unknown event")?;
            Call::new(What::Event(event))
        }
        _ => return Err("a step without an event".to_owned()),
    };
    if text("token") == Some("current") {
        call.token = Token::Current;
    }
    if let Some(with) = step
        .get("with")
        .and_then(Json::as_object)
        .filter(|with| !with.is_empty())
    {
        call.with = with.clone();
    }
    Ok(call)
}

/// A step as a failing test tells it.
fn told(machine: &Machine, call: &Call, around: &Surroundings, after: &Held) -> String {
    let name = match &call.what {
        What::Event(event) => machine.event(*event).name.as_str(),
        What::HostTool(name) => name.as_str(),
    };
    let state = &machine.state(after.leaf()).name;
    let data = after.in_slot().map_or(String::new(), |record| {
        plan_machine_compiler::semantics::data_json(machine, record).to_string()
    });
    format!(
        "{name} {} in {} → {state} {data}",
        call.with, around.context
    )
}

/// Every event with every payload of the set, and whether none was left out.
fn calls(machine: &Machine) -> (Vec<Call>, bool) {
    let mut all = Vec::new();
    let mut complete = true;
    for event in machine.event_ids() {
        let declared = machine.event(event);
        let what = match declared.kind {
            EventKind::External => What::HostTool(declared.name.clone()),
            EventKind::Other => What::HostTool("wrench".to_owned()),
            _ => What::Event(event),
        };
        let fields: &[Field] = match what {
            What::Event(_) => &declared.input,
            What::HostTool(_) => &[],
        };
        let (payloads, every) = objects(machine, fields, MAX_PAYLOADS);
        complete &= every;
        for payload in payloads {
            let mut call = Call::new(what.clone());
            call.with = payload;
            call.token = Token::Current;
            all.push(call);
        }
    }
    (all, complete)
}

fn contexts(machine: &Machine) -> (Vec<Surroundings>, bool) {
    let (contexts, complete) = objects(machine, &machine.context, MAX_CONTEXTS);
    let all = contexts
        .into_iter()
        .map(|context| Surroundings { context, at: None });
    (all.collect(), complete)
}

/// Every combination of the fields' values; some of them where there are too many.
fn objects(machine: &Machine, fields: &[Field], most: usize) -> (Vec<Object>, bool) {
    let each: Vec<Vec<Option<Json>>> = fields.iter().map(|field| values(machine, field)).collect();
    let count: usize = each.iter().map(Vec::len).product();
    // A stride that shares no factor with the count passes through all fields.
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
                object.insert(field.name.as_str(), value.clone());
            }
            rest /= values.len();
        }
        object
    });
    (objects.collect(), count <= most)
}

fn values(machine: &Machine, field: &Field) -> Vec<Option<Json>> {
    let mut all: Vec<Option<Json>> = Vec::new();
    if field.ty.is_optional() {
        all.push(None);
    }
    let texts = |texts: &[&str]| texts.iter().map(|text| Some(Json::from(*text))).collect();
    let set: Vec<Option<Json>> = match field.ty.required() {
        Type::Bool => vec![Some(Json::Bool(true)), Some(Json::Bool(false))],
        Type::Int => [0, 1, 2, 3, -1, i64::MAX, i64::MIN]
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
        _ if field.nonblank => texts(&["x", "y"]),
        _ => texts(&["x", "", " \n", "y"]),
    };
    all.extend(set);
    all
}

/// Lists of parts: none, one, two, with and without what is optional.
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
        Json::List(vec![part("blue", false, Some("red"))]),
        Json::List(vec![
            part("red", false, None),
            part("green", true, Some("blue")),
        ]),
        Json::List(vec![part("blue", true, None), part("blue", false, None)]),
    ]
}
