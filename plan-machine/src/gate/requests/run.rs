//! Sends requests to a gate in memory.

use std::mem;

use plan_machine_kernel::calls::{Class, Classify, GUARD};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use super::stated::{StatedCalls, StatedClasses};
use crate::dynamic::machine::{Outcome, ShownToken};
use crate::dynamic::request::{
    CallName, Request, RequestBody, WrittenCall, call_in_batch, resolve,
};
use crate::gate::advertise::Shape;
use crate::gate::builder::GateBuilder;
use crate::gate::conflicts::Conflict;
use crate::gate::decision::Decision;
use crate::gate::event_context::EventContext;
use crate::gate::gate_event::{GateEvent, Step};
use crate::gate::state::Gate;
use crate::gate::tool_call::ToolCall;
use crate::gate::turn::TurnId;

/// A gate in memory that receives requests. The same requests always produce the same output, because the time advances
/// only with requests.
pub struct GateRun {
    gate: Gate,
    /// The names by which requests and answers identify the machines, in the order of the gate.
    names: Vec<String>,
    /// The current time, which a `wait` request advances.
    now: Instant,
    stated: StatedCalls,
    /// The token of an event that is sent without one.
    token: ShownToken,
}

/// The answer to a call, or to another request.
pub enum GateAnswer {
    /// A machine answered an event.
    Answered {
        /// The index of the machine.
        at: usize,
        /// The result of the event.
        outcome: Outcome,
    },
    /// The gate decided on a call by a model.
    Decided(Box<Decision>),
    /// A turn began.
    Turn {
        /// Whether the turn began with this request, and not with an earlier one.
        began: bool,
    },
    /// Time passed.
    Waited {
        /// The length of the period that passed.
        period: Period,
        /// The timers that fired.
        fired: Vec<Step>,
    },
}

/// The answers to a request, or the reason why it could not be sent.
type Answers = Result<Vec<GateAnswer>, String>;

impl GateRun {
    /// Opens a gate. Requests and answers identify the machines by the names in their specs.
    ///
    /// # Errors
    ///
    /// If the machines and the host tools conflict.
    pub fn open(gate: GateBuilder) -> Result<Self, Conflict> {
        let stated = StatedCalls::default();
        let gate = gate.wrap_calls(|classifier| {
            Box::new(StatedClasses {
                classifier,
                stated: stated.clone(),
            })
        });
        let gate = gate.open()?;
        let machines = gate.machines().iter();
        Ok(Self {
            names: machines
                .map(|machine| machine.description().name.to_owned())
                .collect(),
            now: START_OF_TIME,
            token: ShownToken::Missing,
            stated,
            gate,
        })
    }

    /// Sets the names of the machines, in the order in which they were added.
    #[must_use]
    pub fn named(mut self, names: Vec<String>) -> Self {
        self.names = names;
        self
    }

    /// Assumes that a person has just seen the plan: a decision without a token uses the current token.
    #[must_use]
    pub fn with_current_tokens(mut self) -> Self {
        self.token = ShownToken::Current;
        self
    }

    /// Returns the gate.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Returns the name of the machine at an index.
    #[must_use]
    pub fn name(&self, at: usize) -> &str {
        &self.names[at]
    }

    /// Sends a request; each call of a batch has its own answer.
    ///
    /// # Errors
    ///
    /// If the request is invalid, for example because it names something that the session does not have, or because
    /// two equal calls of a batch state different classes.
    pub fn send(&mut self, request: Request) -> Answers {
        self.stated.clear();
        let mut around = EventContext::at(request.at.unwrap_or(self.now));
        around.actor = request.actor;
        around.context = match request.context {
            None => Object::new(),
            Some(Json::Object(context)) => context,
            Some(_) => return Err("`context` is not an object".to_owned()),
        };
        match request.body {
            RequestBody::Wait(period) => Ok(vec![self.wait(period)]),
            RequestBody::Turn(turn) => {
                let began = self.gate.begin_turn(&TurnId::new(turn), &around);
                let began = began.map_err(|invalid| invalid.to_string())?;
                Ok(vec![GateAnswer::Turn { began }])
            }
            RequestBody::Batch(calls) => {
                let calls = calls.iter().map(|call| {
                    self.tool_call(&call_in_batch(call)?)?.ok_or_else(|| {
                        "the batch contains an event that is not a tool call; send that event separately"
                            .to_owned()
                    })
                });
                let calls = calls.collect::<Result<Vec<ToolCall>, String>>()?;
                Ok(self.decide(&calls, &around))
            }
            RequestBody::Call(written) => match self.tool_call(&written)? {
                Some(call) => Ok(self.decide(&[call], &around)),
                None => self.event(written, &around),
            },
        }
    }

    /// Fires the timers that are due by an instant, and returns their steps.
    pub fn catch_up(&mut self, until: Instant) -> Vec<Step> {
        let log = self.gate.log.replace(Vec::new());
        self.gate.catch_up(until);
        let events = mem::replace(&mut self.gate.log, log).into_iter().flatten();
        let steps = events.filter_map(|event| match event {
            GateEvent::Taken(step) => Some(*step),
            _ => None,
        });
        steps.collect()
    }

    fn wait(&mut self, period: Period) -> GateAnswer {
        self.now = period.after(self.gate.not_before(self.now));
        let fired = self.catch_up(self.now);
        GateAnswer::Waited { period, fired }
    }

    fn decide(&mut self, calls: &[ToolCall], around: &EventContext) -> Vec<GateAnswer> {
        let decisions = self.gate.decide(calls, around).into_iter();
        let decided = decisions.map(|decision| GateAnswer::Decided(Box::new(decision)));
        decided.collect()
    }

    /// Returns a written call as a tool call, if it is one, and records the class that it states.
    fn tool_call(&self, written: &WrittenCall) -> Result<Option<ToolCall>, String> {
        let CallName::Tool(name) = &written.name else {
            return Ok(None);
        };
        let mut args = written.with.clone();
        if let Some(id) = &written.plan_id {
            args.insert("plan_id", id.as_str());
        }
        if let Some(class) = &written.class {
            let document = self.gate.machine_set.calls().map(Classify::document);
            let document =
                document.ok_or("this session has no calls document, so calls have no classes")?;
            let found = if class == GUARD {
                Some(Class::Guard)
            } else {
                let declared = document.classes.iter().position(|known| known == class);
                declared.map(Class::Declared)
            };
            let found = found.ok_or_else(|| format!("{} has no class `{class}`", document.name))?;
            self.stated.state(name, args.clone().into(), found)?;
        }
        Ok(Some(ToolCall::new(name.as_str(), args)))
    }

    /// Sends a typed line, or an event with the name of its machine, such as `work.approve`. A shared command is
    /// answered by the machines that accept it, or by all of them if none accepts it.
    fn event(&mut self, written: WrittenCall, around: &EventContext) -> Answers {
        let (machines, name) = self.receivers(&written)?;
        let written = WrittenCall {
            name: CallName::Do(name),
            ..written
        };
        let mut answers = Vec::new();
        for at in machines {
            let machine = self.gate.machines()[at].description();
            let plans = self.gate.machines()[at].plans();
            let is_plan = |word: &str| plans.iter().any(|plan| plan.id == word);
            let mut call = resolve(machine, is_plan, &written)?;
            if call.token == ShownToken::Missing {
                call.token = self.token.clone();
            }
            let outcome = self.gate.send(machine.name, &call, around);
            answers.push((at, outcome.map_err(|unknown| unknown.to_string())?));
        }
        let accepted = |(_, outcome): &(usize, Outcome)| !matches!(outcome, Outcome::Denied(_));
        if answers.iter().any(accepted) {
            answers.retain(accepted);
        }
        let answers = answers.into_iter();
        Ok(answers
            .map(|(at, outcome)| GateAnswer::Answered { at, outcome })
            .collect())
    }

    /// Returns the indices of the machines that an event is sent to, and the event as their specs write it.
    fn receivers(&self, written: &WrittenCall) -> Result<(Vec<usize>, String), String> {
        let (CallName::Do(name) | CallName::Tool(name)) = &written.name;
        let prefix = self.gate.machine_set.prefix().as_char();
        if name.trim_start().starts_with(prefix) {
            let machines = self.gate.machines_for(name);
            return machines.map_err(|unknown| unknown.to_string());
        }
        let (machine, event) = name.split_once('.').ok_or_else(|| {
            format!(
                "`{name}` is neither a command, which begins with `{prefix}`, nor `MACHINE.EVENT`"
            )
        })?;
        let at = self.names.iter().position(|name| name == machine);
        let at = at.ok_or_else(|| format!("the session has no machine `{machine}`"))?;
        Ok((vec![at], event.to_owned()))
    }

    /// Returns the state of each machine; for a machine with many plans, the states of all its plans.
    #[must_use]
    pub fn states(&self) -> Object {
        let machines = self.names.iter().zip(self.gate.machines());
        let states = machines.map(|(name, machine)| {
            let tables = machine.description();
            let state: Json = if tables.is_many() {
                let plans = machine.plans().into_iter();
                let plans = plans.map(|plan| Json::from(plan.state.to_string()));
                plans.collect::<Vec<Json>>().into()
            } else {
                tables.state(machine.batch_start().place()).name.into()
            };
            (name.clone(), state)
        });
        states.collect()
    }

    /// Returns the host tools that may run in the current turn, machine by machine; `None` if no turn has begun.
    #[must_use]
    pub fn open_tools(&self) -> Option<Object> {
        let turn = self.gate.turn()?;
        let machines = self.names.iter().zip(self.gate.machines());
        let open = machines.map(|(name, machine)| {
            let open = turn.floor.of(machine.description().name);
            let open = open.into_iter().flatten();
            let open: Vec<Json> = open.map(|tool| tool.as_str().into()).collect();
            (name.clone(), Json::from(open))
        });
        Some(open.collect())
    }

    /// Returns the names of the tools that the model sees now.
    #[must_use]
    pub fn advertised(&self) -> Vec<Json> {
        let tools = self.gate.advertised(Shape::Mcp);
        let tools = tools.as_list().unwrap_or_default().iter();
        tools
            .filter_map(|tool| tool.as_object()?.get("name").cloned())
            .collect()
    }
}
