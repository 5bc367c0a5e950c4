//! Implements the trait [`Machine`] for compiled machines. A payload is decoded only after the plan that
//! accepts the event is known, so that the sender first learns whether the event is allowed at all.

use std::str::FromStr;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::digest::Token;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::START;

use super::outcome::{acceptance, address, denial};
use super::plan_set::PlanSet;
use super::{restore, timers};
use crate::core::cx::{CallFate, Cx, ListedPlan};
use crate::core::denied::{DenialReason, DeniedStep};
use crate::core::description::{Description, EventKind};
use crate::core::held::{PlanHolder, Target};
use crate::core::host_tool::{self, HostTool, Verdict};
use crate::core::id::Id;
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;
use crate::core::seal::Runtime;
use crate::core::step::{allowed, asked, host_target};
use crate::core::steps::FloorTime;
use crate::core::value::{Problems, Value, ValuePath};
use crate::dynamic::machine::{
    Acceptance, BatchStart, Call, CallKind, Env, Machine, Outcome, PlanTimers, PlanView,
    RestoreError, ShownToken, StoredPlans, UnknownEvent,
};

impl<L: Lifecycle> Machine for L {
    type HeldPlans = PlanSet<L>;

    fn description(&self) -> &'static Description {
        L::MACHINE
    }

    fn meaning(&self) -> &str {
        L::MEANING
    }

    fn empty(&self) -> PlanSet<L> {
        PlanSet::empty()
    }

    fn step(
        &self,
        held: &mut PlanSet<L>,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent> {
        let meant = match meant(L::MACHINE, call) {
            Err(unknown) if unknown.event == START => {
                return Ok(timers::start(held, call, env.now));
            }
            meant => meant?,
        };
        let stepped = match meant {
            CallMeaning::Own(event) => match timers::late::<L>(event, call)? {
                Some(late) => timers::fire(held, event, late, call, env),
                None => own_event(held, event, call, env),
            },
            CallMeaning::HostTool(name) => step_host_tool(held, name, call, env),
        };
        Ok(stepped.unwrap_or_else(|denied| {
            let denied = if L::WORDING_READS_CONTEXT {
                denied.in_context(|| valid_context::<L>(held, env))
            } else {
                denied
            };
            Outcome::Denied(denial(&denied))
        }))
    }

    fn could_run(&self, held: &PlanSet<L>, tool: &str, now: Instant) -> bool {
        let plan = held.held.plans().first().filter(|_| !L::MACHINE.is_many());
        L::could_run(plan.map(AnyPlan::record), tool, FloorTime { now })
    }

    fn batch_start(&self, held: &PlanSet<L>) -> BatchStart {
        BatchStart::at(held.held.deciding_state())
    }

    fn plans(&self, held: &PlanSet<L>) -> Vec<PlanView> {
        held.all().map(AnyPlan::view).collect()
    }

    fn slot(&self, held: &PlanSet<L>) -> Option<usize> {
        let holds = !L::MACHINE.is_many() && !held.held.plans().is_empty();
        holds.then_some(held.ended.len())
    }

    fn timers(&self, held: &PlanSet<L>) -> PlanTimers {
        timers::timers(held)
    }

    fn plan_id(&self, held: &PlanSet<L>, plan: usize) -> Option<Id> {
        held.all().nth(plan).map(|plan| plan.id().clone())
    }

    fn editions(&self, held: &PlanSet<L>) -> Editions {
        held.held.editions()
    }

    fn set_editions(&self, held: &mut PlanSet<L>, editions: Editions) {
        held.held.set_editions(editions, Runtime::calls());
    }

    fn slot_plan(&self, held: &PlanSet<L>) -> Option<Id> {
        let plan = held.held.plans().first().filter(|_| !L::MACHINE.is_many());
        plan.map(|plan| plan.id().clone())
    }

    fn restore(&self, stored: &StoredPlans) -> Result<PlanSet<L>, RestoreError> {
        restore::plan_set(stored)
    }

    fn needs_ended(&self) -> bool {
        L::LISTS || L::MACHINE.is_many()
    }

    fn forget_ended(&self, held: &mut PlanSet<L>) {
        held.ended = Vec::new();
    }
}

/// The meaning of a call for a machine.
enum CallMeaning<'c> {
    /// An event that the machine defines, by its index.
    Own(u16),
    /// A host tool, by its name.
    HostTool(&'c str),
}

fn meant<'c>(
    machine: &'static Description,
    call: &'c Call,
) -> Result<CallMeaning<'c>, UnknownEvent> {
    let name = match &call.what {
        CallKind::Event(name) => match machine.event_named(name) {
            Some(event) if !host_tool::is_named(machine, event) => {
                return Ok(CallMeaning::Own(event));
            }
            Some(_) => name,
            None => return Err(UnknownEvent::new(machine, name)),
        },
        CallKind::HostTool(name) => name,
    };
    Ok(match host_tool::own(machine, name) {
        Some(event) => CallMeaning::Own(event),
        None => CallMeaning::HostTool(name),
    })
}

/// Applies an event that the machine defines.
fn own_event<L: Lifecycle>(
    session: &mut PlanSet<L>,
    event: u16,
    call: &Call,
    env: &mut Env<'_>,
) -> Result<Outcome, DeniedStep> {
    let target = allowed::<L>(&session.held, event, &address(call))?;
    let state = asked::<L>(&session.held, &target);
    let deny = |reason| DeniedStep::new(L::MACHINE, state, event, reason);
    let mut problems = Problems::in_step(session.held.editions());
    let token = match &call.token {
        ShownToken::Shown(shown) => Token::from_str(shown).ok(),
        _ => None,
    };
    let decoded = L::decode(
        event,
        &call.with,
        token.unwrap_or(Token::OF_NOTHING),
        &mut problems,
    );
    let context = context::<L>(env.context, &mut problems);
    let (Some(decoded), Some(context), true) = (decoded, context, problems.is_empty()) else {
        return Err(deny(DenialReason::invalid(problems)));
    };
    if token.is_none() && is_reviewed::<L>(event) {
        let message = match &call.token {
            ShownToken::Current => None,
            ShownToken::Shown(shown) => Some(messages::stale_token(shown)),
            ShownToken::Missing => Some(messages::missing_token(
                L::MACHINE.event(event).shown_name(),
            )),
        };
        if let Some(message) = message {
            return Err(deny(DenialReason::one(DenialKind::Stale, message)));
        }
    }
    let mut cx = Cx::of_one_step(env.now, env.new_id.clone(), context);
    cx.trusts_tokens = call.token == ShownToken::Current;
    let (accepted, _) = take(session, target, decoded, cx)?;
    Ok(Outcome::Accepted(Box::new(accepted)))
}

fn is_reviewed<L: Lifecycle>(event: u16) -> bool {
    let kind = &L::MACHINE.event(event).kind;
    matches!(kind, EventKind::Command { reviewed: true, .. })
}

fn context<L: Lifecycle>(context: &Object, problems: &mut Problems) -> Option<L::Context> {
    L::Context::decode(
        &Json::Object(context.clone()),
        &ValuePath::Context,
        problems,
    )
}

/// Returns the host's context data, decoded and encoded again; `None` if the data is not valid.
fn valid_context<L: Lifecycle>(session: &PlanSet<L>, env: &Env<'_>) -> Option<Object> {
    let mut problems = Problems::in_step(session.held.editions());
    let context = context::<L>(env.context, &mut problems)?;
    match context.encode() {
        Json::Object(context) if problems.is_empty() => Some(context),
        _ => None,
    }
}

/// Applies a call to a host tool: it runs, is denied, or is accepted as an event.
fn step_host_tool<L: Lifecycle>(
    session: &mut PlanSet<L>,
    name: &str,
    call: &Call,
    env: &mut Env<'_>,
) -> Result<Outcome, DeniedStep> {
    let machine = L::MACHINE;
    let mut sent = HostTool::new(name, call.with.clone());
    sent.class = call.class.as_deref().map(str::to_owned);
    let event = host_tool::entry(machine, sent.decided_by());
    let state = session.held.deciding_state();
    let deny = |reason| DeniedStep::new(machine, state, event, reason);
    host_tool::deny_unknown(machine, name, event, env.host_tools).map_err(deny)?;
    let target = host_target::<L>(&session.held, event, name, &address(call))?;
    let batch = call.batch.map(BatchStart::place);
    let verdict = host_tool::decide(machine, &mut sent, event, state, batch).map_err(deny)?;
    let mut problems = Problems::in_step(session.held.editions());
    let Some(context) = context::<L>(env.context, &mut problems).filter(|_| problems.is_empty())
    else {
        return Err(deny(DenialReason::invalid(problems)));
    };
    let run = || Outcome::Run {
        tool: name.to_owned(),
        state: machine.state(state).name.to_owned(),
    };
    match verdict {
        Verdict::Runs => Ok(run()),
        Verdict::IsRecorded => {
            let cx = Cx::of_one_step(env.now, env.new_id.clone(), context);
            let (acceptance, _) = take(session, target, L::of_host_tool(sent), cx)?;
            Ok(Outcome::Accepted(Box::new(acceptance)))
        }
        Verdict::IsChosen => {
            let mut cx = Cx::of_one_step(env.now, env.new_id.clone(), context);
            cx.batch = batch;
            let (mut acceptance, fate) = take(session, target, L::of_host_tool(sent), cx)?;
            match fate {
                CallFate::Run => return Ok(run()),
                CallFate::Counted => {
                    acceptance.runs = Some(name.to_owned());
                    acceptance.reply = Json::Null;
                }
                CallFate::Recorded => {}
            }
            Ok(Outcome::Accepted(Box::new(acceptance)))
        }
    }
}

/// Applies an event; also returns what happens to a call to a host tool, if alternatives decide this.
fn take<L: Lifecycle>(
    session: &mut PlanSet<L>,
    target: Target,
    mut event: L::Event,
    mut cx: Cx<L>,
) -> Result<(Acceptance, CallFate), DeniedStep> {
    if L::LISTS {
        cx.plans = session
            .all()
            .map(|plan| ListedPlan::of(plan.record()))
            .collect();
    }
    let accepted = session
        .held
        .take(target, &mut event, &mut cx, Runtime::calls())?;
    let plans = accepted.plans();
    let reply = accepted.reply().to_json();
    let ended = accepted.into_ended();
    let acceptance = acceptance(session, &plans, ended, reply, &mut cx);
    Ok((acceptance, cx.fate))
}
