//! Runs lines of input against a session, in memory or in a store.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan_machine::Machine as _;
use plan_machine::description::{Description, EventKind};
use plan_machine::gate::{EventContext, Gate, TurnId};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, Outcome, StoredPlans};
use plan_machine::request::{self, Request, RequestBody, RequestPlace, WrittenCall};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{EventOutcome, SessionError, SessionIdentity, Sessions, Transaction};
use tokio::runtime::Runtime;

use super::answer::Answer;
use crate::output::Failure;
use crate::store;

/// The function that receives the answers.
pub(super) type Tell<'t> = &'t mut dyn FnMut(Answer) -> Result<(), Failure>;

/// A session to which the lines of input are sent.
pub(super) struct Session {
    model: Checked<Machine>,
    machine: &'static Description,
    kept: plan_machine_sessions::Session,
    clock: Clock,
    /// The time of a manual clock, which only `wait` moves.
    now: Mutex<Instant>,
    runtime: Runtime,
}

/// The clock for events whose line does not set a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// A clock that only `wait` moves, so that a run can be repeated exactly.
    Manual,
    /// A clock that shows the system time.
    System,
}

/// The storage of a session.
pub(super) struct SessionStorage {
    pub(super) store: Arc<dyn Store>,
    pub(super) identity: SessionIdentity,
    pub(super) clock: Clock,
    /// The address of the store, without its password.
    pub(super) address: String,
}

impl Session {
    /// Returns a session for a host with these tools; with `None`, for a host that accepts every tool.
    pub(super) fn new(
        model: Checked<Machine>,
        host_tools: Option<BTreeSet<String>>,
        kept: SessionStorage,
        runtime: Runtime,
    ) -> Result<Self, Failure> {
        let machine = InterpretedMachine::of(model.clone());
        let tables = machine.description();
        let (address, identity) = (&kept.address, &kept.identity);
        let way_out =
            format!("plan-machine log --store {address} end {identity} {{plan}} --why TEXT");
        let mut parts = Gate::builder().with(machine).ends_damaged_plans_by(way_out);
        match host_tools {
            None => parts = parts.any_host_tool(),
            Some(mut tools) => {
                // The external tools in the spec are also host tools, and need not be listed again.
                tools.extend(external(tables).map(str::to_owned));
                for tool in tools.iter().filter(|tool| !defines(tables, tool)) {
                    parts = parts.host_tool(tool, "", Object::new());
                }
            }
        }
        let machines = parts.join();
        let machines = machines.map_err(|conflict| Failure::usage(conflict.to_string()))?;
        Ok(Self {
            model,
            machine: tables,
            kept: Sessions::new(kept.store, machines).session(&kept.identity),
            clock: kept.clock,
            now: Mutex::new(START_OF_TIME),
            runtime,
        })
    }

    /// Closes the session's store after all work is done.
    pub(super) fn close<T>(
        &self,
        name: &str,
        store: &dyn Store,
        done: Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.runtime.block_on(store::close(name, store, done))
    }

    /// Returns the machine of the session.
    pub(super) fn machine(&self) -> &Checked<Machine> {
        &self.model
    }

    /// Returns the current plans of the session.
    pub(super) fn held(&self) -> Result<StoredPlans, SessionError> {
        let look = self.kept.at_gate(|gate| {
            let machine = gate.machines().first();
            machine.map(|machine| machine.stored()).unwrap_or_default()
        });
        self.runtime.block_on(look)
    }

    /// Sends the request, or the list of requests, that a line of JSON contains.
    pub(super) fn line(&self, text: &str, tell: Tell<'_>) -> Result<(), Failure> {
        match Json::parse(text) {
            Ok(Json::List(requests)) => {
                for request in &requests {
                    self.request(request, RequestPlace::Trace, tell)?;
                }
                Ok(())
            }
            Ok(request) => self.request(&request, RequestPlace::Line, tell),
            Err(error) => {
                let reason = format!(
                    "the line is not JSON: {} at column {}",
                    error.message, error.column
                );
                tell(Answer::Error(reason))
            }
        }
    }

    /// Sends one request.
    pub(super) fn request(
        &self,
        request: &Json,
        place: RequestPlace,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        let request = match request::request(request, place) {
            Ok(request) => request,
            Err(reason) => return tell(Answer::Error(reason)),
        };
        for answer in self.answers(request) {
            tell(answer)?;
        }
        Ok(())
    }

    /// Returns the answers to a request, one per call.
    fn answers(&self, request: Request) -> Vec<Answer> {
        let mut context = Context::of(request.context);
        let mut around = match (request.at, self.clock) {
            (Some(at), _) => EventContext::at(at),
            (None, Clock::Manual) => EventContext::at(*self.now()),
            (None, Clock::System) => EventContext::now(),
        };
        around.actor = request.actor;
        around.context = std::mem::take(&mut context.sent);
        let (calls, in_batch) = match request.body {
            RequestBody::Wait(period) => return vec![self.wait(period)],
            RequestBody::Turn(turn) => return vec![self.turn(&TurnId::new(turn), &around)],
            RequestBody::Call(written) => (vec![Ok(written)], false),
            RequestBody::Batch(calls) => (calls.iter().map(request::call_in_batch).collect(), true),
        };
        let ids: Vec<&str> = calls
            .iter()
            .filter_map(|call: &Result<WrittenCall, String>| call.as_ref().ok()?.call_id.as_deref())
            .collect();
        let work = |all: &mut Transaction<'_>| {
            let batch = in_batch.then(|| all.gate().begin_batch());
            let sent = calls.iter().map(|written| {
                let written = written.as_ref().map_err(Clone::clone)?;
                let call = self.call(all.gate(), written, in_batch)?;
                let (machine, id) = (self.machine.name, written.call_id.as_deref());
                let sent = match &batch {
                    None => all.send(machine, &call, id),
                    Some(batch) => all.send_in(batch, machine, &call, id),
                };
                let sent = sent.map_err(|unknown| unknown.to_string())?;
                let sent = context.judge(sent);
                Ok(Answer::of(self.machine, all.gate(), &sent))
            });
            let sent: Vec<Result<Answer, String>> = sent.collect();
            sent
        };
        match self
            .runtime
            .block_on(self.kept.transaction(&around, &ids, work))
        {
            Ok(done) => {
                let answers = done.answer.into_iter();
                let answers = answers.map(|answer| answer.unwrap_or_else(Answer::Error));
                answers.collect()
            }
            Err(error) => vec![Answer::Error(error.to_string()); calls.len()],
        }
    }

    fn now(&self) -> MutexGuard<'_, Instant> {
        // No code panics while it holds this lock.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time pass, so that timers fire.
    fn wait(&self, period: Period) -> Answer {
        if self.clock == Clock::System {
            let reason = "`wait` does not work with `--store`, because a stored session uses the system clock";
            return Answer::Error(reason.to_owned());
        }
        let fired = self.runtime.block_on(async {
            // A line may have set a later time than that of the clock.
            let clock = *self.now();
            let reached = self.kept.at_gate(Gate::clock).await?;
            let now = period.after(reached.map_or(clock, |reached| reached.max(clock)));
            *self.now() = now;
            let woken = self.kept.wake(now).await?;
            let before = woken.seq - woken.answer as u64;
            self.kept.history(before, u32::MAX).await
        });
        match fired {
            Ok(entries) => {
                let steps = entries
                    .into_iter()
                    .map(|entry| (entry.event().to_owned(), entry.step));
                Answer::of_wait(period, steps)
            }
            Err(error) => Answer::Error(error.to_string()),
        }
    }

    /// Begins a turn, and returns the answer.
    fn turn(&self, turn: &TurnId, around: &EventContext) -> Answer {
        let begin = |all: &mut Transaction<'_>| {
            let began = all.begin_turn(turn)?;
            Ok(Answer::of_turn(self.machine, all.gate(), !began))
        };
        let done = self
            .runtime
            .block_on(self.kept.transaction(around, &[], begin));
        let done = done.and_then(|done| done.answer);
        done.unwrap_or_else(|error: SessionError| Answer::Error(error.to_string()))
    }

    /// Resolves a written call, given the plans at a gate.
    fn call(&self, gate: &Gate, written: &WrittenCall, in_batch: bool) -> Result<Call, String> {
        let is_plan = |word: &str| {
            let mut plans = gate.machines().iter().flat_map(|one| one.plans());
            plans.any(|plan| plan.id == word)
        };
        let call = request::resolve(self.machine, is_plan, written)?;
        if in_batch && !request::is_tool_call(self.machine, &call) {
            return Err(
                "the batch contains an event that is not a tool call; send that event separately"
                    .to_owned(),
            );
        }
        Ok(call)
    }
}

/// Returns the host tools listed in a spec.
fn external(machine: &Description) -> impl Iterator<Item = &'static str> {
    let events = machine.events.iter();
    let listed = events.filter(|event| matches!(event.kind, EventKind::External));
    listed.map(|event| event.name)
}

/// Returns whether a machine defines a tool.
fn defines(machine: &Description, tool: &str) -> bool {
    let mut events = machine.events.iter();
    events.any(|event| event.name == tool && matches!(event.kind, EventKind::Tool { .. }))
}

/// The host's context data. The step itself denies an invalid context, so a context that is not an object is sent as an
/// object that no machine accepts.
struct Context {
    sent: Object,
    is_object: bool,
}

impl Context {
    fn of(given: Option<Json>) -> Self {
        let (sent, is_object) = match given {
            None => (Object::new(), true),
            Some(Json::Object(object)) => (object, true),
            Some(other) => ([("", other)].into_iter().collect(), false),
        };
        Self { sent, is_object }
    }

    /// Replaces the message of a denial if the context is not an object.
    fn judge(&self, mut sent: EventOutcome) -> EventOutcome {
        if let Outcome::Denied(denial) = &mut sent.outcome
            && denial.kind == DenialKind::InvalidInput
            && !self.is_object
        {
            let messages = &mut denial.messages;
            messages.retain(|text| !text.contains("`context."));
            messages.push("`context` is not an object".to_owned());
        }
        sent
    }
}
