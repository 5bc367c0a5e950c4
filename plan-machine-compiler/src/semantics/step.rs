//! One step, in the order that the language defines.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::digest;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;

use super::bounds::AppliedBounds;
use super::commit::{check_live, commit};
use super::convert::read_fields;
use super::event::{Call, CallKind, Env};
use super::fire;
use super::outcome::{Acceptance, Denial, Outcome};
use super::record::HeldRecords;
use super::review;
use super::route::{self, Target};
use super::transition::{self, Applied, Inputs};
use super::wording::UnavailableText;
use crate::model::machine::{EventKind, Fate, Instances};
use crate::model::value::Value;
use crate::model::{Decision, EventId, Machine, StateId};
use plan_machine_kernel::step::ShownToken;

/// Processes an event. The held records change only if the event is accepted.
pub fn step(machine: &Machine, held: &mut HeldRecords, call: &Call, env: &mut Env<'_>) -> Outcome {
    let start = call.batch.map(|start| machine.leaf_at(start.place()));
    let result = match &call.what {
        CallKind::Event(event) => own_event(machine, held, *event, call, env),
        CallKind::HostTool(name) => host_tool(machine, held, name, call, start, env),
    };
    result.unwrap_or_else(Outcome::Denied)
}

/// Processes an event that the machine defines.
fn own_event(
    machine: &Machine,
    held: &mut HeldRecords,
    event: EventId,
    call: &Call,
    env: &mut Env<'_>,
) -> Result<Outcome, Denial> {
    let target = route::find(machine, held, event, call)?;
    if machine.timer(event).is_some() {
        return fire::fire(machine, held, event, &target, env);
    }
    let allowed = |leaf: StateId| machine.alternatives(leaf, event).is_some();
    for leaf in leaves(held, &target) {
        if !allowed(leaf) {
            let allowed_in = machine.leaves().filter(|leaf| allowed(*leaf)).collect();
            let name = machine.event(event).shown_name();
            let text = UnavailableText::of(machine, held, leaf, event, env);
            return Err(Denial::not_allowed(machine, name, leaf, allowed_in, text));
        }
    }
    let payload = payload(machine, held, &target, event, &call.with, env)?;
    check_tokens(machine, held, &target, event, call)?;
    apply(machine, held, event, &target, &payload, env)
}

/// Processes a call to a host tool: the tool runs, or the call is denied, or the call is accepted as an event.
fn host_tool(
    machine: &Machine,
    held: &mut HeldRecords,
    name: &str,
    call: &Call,
    start: Option<StateId>,
    env: &mut Env<'_>,
) -> Result<Outcome, Denial> {
    let named = machine.event_named(name);
    // A tool that the machine defines is never a host tool.
    let own = |id: &EventId| matches!(machine.event(*id).kind, EventKind::Tool { .. });
    if let Some(event) = named.filter(own) {
        return own_event(machine, held, event, call, env);
    }
    let external = |id: &EventId| matches!(machine.event(*id).kind, EventKind::External);
    let named = match &call.class {
        Some(class) => machine.event_named(class),
        None => named,
    };
    let event = named.filter(external);
    let leaf = if machine.is_many() {
        StateId::NONE
    } else {
        held.leaf()
    };
    if let Some(known) = env.host_tools.filter(|_| event.is_none())
        && !known.contains(name)
    {
        return Err(unknown_tool(machine, name, known, leaf));
    }
    let event = event.unwrap_or_else(|| machine.other_tools());
    let target = if machine.is_many() {
        no_plan_of_many(name, call)?
    } else {
        route::find(machine, held, event, call)?
    };
    match machine.decision(leaf, event) {
        Decision::Deny => {
            let text = UnavailableText::of(machine, held, leaf, event, env);
            Err(denied_tool(machine, name, event, leaf, text))
        }
        Decision::Run => {
            let outcome = run(machine, name, event, leaf, start)?;
            read_context(machine, held, leaf, env)?;
            Ok(outcome)
        }
        Decision::Record(_) | Decision::Choose(_) => {
            let mut with = Object::new();
            with.push("tool", name);
            with.push("args", call.with.clone());
            let mut payload = payload(machine, held, &target, event, &with, env)?;
            payload.began = start.filter(|start| !machine.decision(*start, event).may_run());
            let outcome = apply(machine, held, event, &target, &payload, env)?;
            Ok(chosen(machine, outcome, name, leaf))
        }
    }
}

/// Returns the result of a call for which an alternative was taken: the call is recorded, counted or simply run.
fn chosen(machine: &Machine, outcome: Outcome, name: &str, leaf: StateId) -> Outcome {
    let Outcome::Accepted(mut accepted) = outcome else {
        return outcome;
    };
    let taken = accepted
        .transitions
        .first()
        .map(|id| machine.transition(*id).fate);
    match taken {
        Some(Fate::Run) => Outcome::Run {
            tool: name.to_owned(),
            state: leaf,
        },
        Some(Fate::Count) => {
            accepted.runs = Some(name.to_owned());
            accepted.reply = Json::Null;
            Outcome::Accepted(accepted)
        }
        _ => Outcome::Accepted(accepted),
    }
}

/// Checks that a call to a host tool is not addressed to a plan: in a machine with many plans, no
/// single plan decides what happens to such a call.
fn no_plan_of_many(name: &str, call: &Call) -> Result<Target, Denial> {
    if call.plan_id.is_none() {
        return Ok(Target::NoPlan);
    }
    let message = messages::no_single_plan(name);
    Err(Denial::new(DenialKind::NotAllowed, StateId::NONE, message))
}

fn unknown_tool(
    machine: &Machine,
    name: &str,
    known: &std::collections::BTreeSet<String>,
    leaf: StateId,
) -> Denial {
    // The model can only call tools, never commands or signals.
    let tools = machine
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Tool { .. } | EventKind::External));
    let own = tools.map(|event| event.name.as_str());
    let all = known.iter().map(String::as_str).chain(own);
    let message = messages::unknown_tool(name, all);
    Denial::new(DenialKind::UnknownTool, leaf, message)
}

fn denied_tool(
    machine: &Machine,
    name: &str,
    event: EventId,
    leaf: StateId,
    text: UnavailableText,
) -> Denial {
    let allowed = |leaf: &StateId| {
        machine.can_hold(*leaf) && machine.decision(*leaf, event) != Decision::Deny
    };
    let allowed_in = match machine.instances {
        Instances::One => machine.leaves().filter(allowed).collect(),
        Instances::Many { .. } => Vec::new(),
    };
    if allowed_in.is_empty() {
        let own = event != machine.other_tools() && machine.entry(leaf, event).is_some();
        let entry = if own { name } else { "other_tools" };
        let message = text.or_else(|| messages::denied_everywhere(name, entry));
        return Denial::new(DenialKind::NotAllowed, leaf, message);
    }
    Denial::not_allowed(machine, name, leaf, allowed_in, text)
}

/// Lets a tool run only if the tool could also have run in the state in which its batch started. A batch therefore
/// cannot first leave a planning state and then run a tool that the planning state denies.
fn run(
    machine: &Machine,
    name: &str,
    event: EventId,
    leaf: StateId,
    start: Option<StateId>,
) -> Result<Outcome, Denial> {
    if let Some(start) = start.filter(|start| !machine.decision(*start, event).may_run()) {
        return Err(not_in_this_batch(machine, name, event, leaf, start));
    }
    Ok(Outcome::Run {
        tool: name.to_owned(),
        state: leaf,
    })
}

/// Returns the denial of a tool that could run now, but not in the state in which its batch started.
fn not_in_this_batch(
    machine: &Machine,
    name: &str,
    event: EventId,
    leaf: StateId,
    start: StateId,
) -> Denial {
    let began = machine.shown_state(start);
    let message = messages::not_in_this_batch(name, began);
    let runs = |leaf: &StateId| machine.can_hold(*leaf) && machine.decision(*leaf, event).may_run();
    Denial {
        allowed_in: machine.leaves().filter(runs).collect(),
        ..Denial::new(DenialKind::NotAllowed, leaf, message)
    }
}

fn leaves(held: &HeldRecords, target: &Target) -> Vec<StateId> {
    let leaf = |index: &usize| held.records[*index].leaf();
    match target {
        Target::NoPlan => vec![StateId::NONE],
        Target::One(index) => vec![leaf(index)],
        Target::Each(indices) => indices.iter().map(leaf).collect(),
    }
}

/// Reads the context; an event with an invalid context is denied even if nothing reads the context.
fn read_context(
    machine: &Machine,
    held: &HeldRecords,
    leaf: StateId,
    env: &Env<'_>,
) -> Result<(), Denial> {
    let counted = AppliedBounds::in_step(held.editions);
    match read_fields(machine, &machine.context, env.context, "context.", counted) {
        Ok(_) => Ok(()),
        Err(problems) => Err(Denial::all(DenialKind::InvalidInput, leaf, problems)),
    }
}

/// The payload and the context, checked against their types and bounds; all problems are reported at once.
struct Payload {
    event: Vec<Value>,
    context: Vec<Value>,
    /// For a call to a host tool: the state in which its batch started, if the tool cannot run in that state.
    began: Option<StateId>,
}

fn payload(
    machine: &Machine,
    held: &HeldRecords,
    target: &Target,
    event: EventId,
    with: &Object,
    env: &Env<'_>,
) -> Result<Payload, Denial> {
    let counted = AppliedBounds::in_step(held.editions);
    let of_input = if machine.is_host_tool(event) {
        AppliedBounds::Stated
    } else {
        counted
    };
    let event = read_fields(machine, &machine.event(event).input, with, "", of_input);
    let context = read_fields(machine, &machine.context, env.context, "context.", counted);
    match (event, context) {
        (Ok(event), Ok(context)) => Ok(Payload {
            event,
            context,
            began: None,
        }),
        (event, context) => {
            let found = [event.err(), context.err()];
            let problems = found.into_iter().flatten().flatten().collect();
            let state = leaves(held, target)[0];
            Err(Denial::all(DenialKind::InvalidInput, state, problems))
        }
    }
}

fn check_tokens(
    machine: &Machine,
    held: &HeldRecords,
    target: &Target,
    event: EventId,
    call: &Call,
) -> Result<(), Denial> {
    let EventKind::Command(command) = &machine.event(event).kind else {
        return Ok(());
    };
    if !command.reviewed || call.token == ShownToken::Current {
        return Ok(());
    }
    let records = match target {
        Target::NoPlan => &[][..],
        Target::One(index) => std::slice::from_ref(index),
        Target::Each(indices) => indices,
    };
    for record in records.iter().map(|index| &held.records[*index]) {
        let fits = |shown: &str| {
            let shown = shown.parse::<digest::Token>();
            shown.is_ok_and(|shown| shown.fits(review::token(machine, record)))
        };
        let message = match &call.token {
            ShownToken::Shown(shown) if fits(shown) => continue,
            ShownToken::Shown(shown) => messages::stale_token(shown),
            _ => messages::missing_token(machine.event(event).shown_name()),
        };
        return Err(Denial::new(DenialKind::Stale, record.leaf(), message));
    }
    Ok(())
}

/// Applies an event to its target, or to each of several targets. If one of the targets denies the event, nothing
/// changes.
fn apply(
    machine: &Machine,
    held: &mut HeldRecords,
    event: EventId,
    target: &Target,
    payload: &Payload,
    env: &mut Env<'_>,
) -> Result<Outcome, Denial> {
    let mut accepted = Acceptance::of(event);
    match target {
        Target::NoPlan => {
            let applied = attempt(machine, held, event, None, payload, env)?;
            accepted.reply = commit(machine, held, applied, &mut accepted);
        }
        Target::One(index) => {
            let applied = attempt(machine, held, event, Some(*index), payload, env)?;
            accepted.reply = commit(machine, held, applied, &mut accepted);
        }
        Target::Each(indices) => {
            let mut tried = held.clone();
            for index in indices {
                let applied = attempt(machine, &tried, event, Some(*index), payload, env)?;
                commit(machine, &mut tried, applied, &mut accepted);
            }
            accepted.each = true;
            accepted.reply = replies(machine, &tried, &accepted, payload, env)?;
            *held = tried;
        }
    }
    Ok(Outcome::Accepted(Box::new(accepted)))
}

/// Builds the replies of a command that went to every record: every reply sees the result of the whole step.
fn replies(
    machine: &Machine,
    after: &HeldRecords,
    accepted: &Acceptance,
    payload: &Payload,
    env: &Env<'_>,
) -> Result<Json, Denial> {
    let inputs = Inputs {
        machine,
        held: after,
        event: &payload.event,
        context: &payload.context,
        now: env.now,
        late: env.late,
        budget: &env.budget,
        evaluations: &env.evaluations,
    };
    let taken = accepted.transitions.iter().zip(&accepted.records);
    let replies: Result<Vec<Json>, Denial> = taken
        .map(|(id, index)| {
            let record = &after.records[*index];
            transition::reply_of(inputs, *id, Some(record))
                .map_err(|(kind, messages)| Denial::all(kind, record.leaf(), messages))
        })
        .collect();
    replies.map(Json::List)
}

fn attempt(
    machine: &Machine,
    held: &HeldRecords,
    event: EventId,
    index: Option<usize>,
    payload: &Payload,
    env: &mut Env<'_>,
) -> Result<Applied, Denial> {
    let inputs = Inputs {
        machine,
        held,
        event: &payload.event,
        context: &payload.context,
        now: env.now,
        late: env.late,
        budget: &env.budget,
        evaluations: &env.evaluations,
    };
    let leaf = index.map_or(StateId::NONE, |index| held.records[index].leaf());
    let own = machine.alternatives(leaf, event);
    // A host tool without its own entry is handled by `other_tools`.
    let alternatives = own.or_else(|| machine.alternatives(leaf, machine.other_tools()));
    let alternatives = alternatives.unwrap_or_default();
    let taken = transition::choose(inputs, index, alternatives)
        .map_err(|denial| worded(machine, held, (leaf, event), denial, env))?;
    if let Some(start) = payload
        .began
        .filter(|_| machine.transition(taken).fate.runs())
    {
        let name = tool_name(payload);
        return Err(not_in_this_batch(machine, name, event, leaf, start));
    }
    let applied = transition::take(inputs, index, taken, env.new_id)?;
    check_live(machine, held, &applied)?;
    Ok(applied)
}

/// Replaces the message of a `not_allowed` denial with the text that the spec has for the event, if there is one.
fn worded(
    machine: &Machine,
    held: &HeldRecords,
    (leaf, event): (StateId, EventId),
    mut denial: Denial,
    env: &Env<'_>,
) -> Denial {
    if denial.kind == DenialKind::NotAllowed
        && let Some(message) = denial.messages.pop()
    {
        let text = UnavailableText::of(machine, held, leaf, event, env);
        denial.messages.push(text.or_else(|| message));
    }
    denial
}

/// Returns the name of the host tool that a payload calls.
fn tool_name(payload: &Payload) -> &str {
    match payload.event.first() {
        Some(Value::Text(name)) => name,
        _ => "",
    }
}
