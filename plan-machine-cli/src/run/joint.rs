//! Sends lines of input to the machines of a session document, through a gate in memory.

use std::io::BufRead;
use std::sync::{Arc, Mutex};

use plan_machine::gate::{Decision, EventContext, Gate, GateEvent, ToolCall, TurnId};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Acceptance, CallKind, Denial, Outcome};
use plan_machine::request::{self, CallName, Request, RequestBody, RequestPlace, WrittenCall};
use plan_machine_calls::{Class, Classified, Classifier, Classify};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::session::Session;
use plan_machine_kernel::calls::{ClassId, Document};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use super::answer::{Answer, denied_json, push_taken};
use crate::classify::classifier;
use crate::lines::{self, Line};
use crate::output::{Exit, Failure, Out};

/// A session of several machines.
pub(super) struct Joint {
    /// The names of the machines in the document, in the order of the gate.
    names: Vec<String>,
    gate: Gate,
    /// The time, which only `wait` moves.
    now: Instant,
    /// The rules that map calls to classes.
    calls: Option<Document>,
    given: StatedCalls,
}

/// The answers to a request, or the reason why it could not be sent.
type Answers = Result<Vec<Object>, String>;

impl Joint {
    /// Joins the machines of a document. The host accepts any tool.
    pub(super) fn new(session: &Checked<Session>) -> Result<Self, Failure> {
        let mut parts = Gate::builder()
            .any_host_tool()
            .command_prefix(session.prefix);
        let given = Arc::default();
        if let Some(calls) = &session.calls {
            parts = parts.calls(GivenClasses {
                classifier: classifier(&calls.calls, ".".as_ref()),
                given: Arc::clone(&given),
            });
        }
        for member in &session.members {
            parts = parts.with(InterpretedMachine::of(member.machine.clone()));
        }
        let gate = parts.open();
        let names = session.members.iter().map(|member| member.name.clone());
        Ok(Self {
            names: names.collect(),
            calls: session
                .calls
                .as_ref()
                .map(|calls| calls.calls.document.clone()),
            given,
            now: START_OF_TIME,
            gate: gate.map_err(|conflict| Failure::usage(conflict.to_string()))?,
        })
    }

    /// Reads JSON objects, one per line, and answers each with a JSON object.
    pub(super) fn pipe(
        mut self,
        mut input: impl BufRead,
        out: &mut Out<'_>,
    ) -> Result<Exit, Failure> {
        let mut exit = Exit::Fine;
        while let Some(line) = lines::next(&mut input)? {
            let answers = match line {
                Line::Text(text) if text.trim().is_empty() => Vec::new(),
                Line::Text(text) => self.line(&text),
                Line::Bad(reason) => vec![Answer::Error(reason)],
            };
            for answer in answers {
                if answer.is_error() {
                    exit = Exit::Usage;
                }
                out.line(answer.json())?;
            }
            out.flush()?;
            if out.is_gone() {
                break;
            }
        }
        Ok(exit)
    }

    fn line(&mut self, text: &str) -> Vec<Answer> {
        let (requests, place) = match Json::parse(text) {
            Ok(Json::List(requests)) => (requests, RequestPlace::Trace),
            Ok(request) => (vec![request], RequestPlace::Line),
            Err(error) => {
                let reason = format!(
                    "the line is not JSON: {} at column {}",
                    error.message, error.column
                );
                return vec![Answer::Error(reason)];
            }
        };
        let mut answers = Vec::new();
        for request in &requests {
            let sent = request::request(request, place).and_then(|request| self.send(request));
            match sent {
                Ok(all) => answers.extend(all.into_iter().map(Answer::Stepped)),
                Err(reason) => answers.push(Answer::Error(reason)),
            }
        }
        answers
    }

    fn send(&mut self, request: Request) -> Answers {
        let mut around = EventContext::at(request.at.unwrap_or(self.now));
        around.actor = request.actor;
        around.context = match request.context {
            None => Object::new(),
            Some(Json::Object(context)) => context,
            Some(_) => return Err("`context` is not an object".to_owned()),
        };
        let calls = match request.asked {
            RequestBody::Wait(period) => return Ok(vec![self.wait(period)]),
            RequestBody::Turn(turn) => {
                let began = self.gate.begin_turn(&TurnId::new(turn), &around);
                let began = began.map_err(|invalid| invalid.to_string())?;
                return Ok(vec![self.turn(began)]);
            }
            RequestBody::Batch(calls) => {
                let calls = calls.iter().map(|call| {
                    let call = request::call_in_batch(call)?;
                    self.give_class(&call)?;
                    tool(&call).ok_or("the batch contains an event that is not a tool call; send that event separately".to_owned())
                });
                calls.collect::<Result<Vec<ToolCall>, String>>()?
            }
            RequestBody::Call(written) => match tool(&written) {
                Some(call) => {
                    self.give_class(&written)?;
                    vec![call]
                }
                None => return self.event(written, &around),
            },
        };
        let decisions = self.gate.decide(&calls, &around);
        if let Ok(mut given) = self.given.lock() {
            given.clear();
        }
        let decisions = decisions.into_iter();
        Ok(decisions.map(|decision| self.decided(decision)).collect())
    }

    /// Lets time pass, so that timers fire.
    fn wait(&mut self, period: Period) -> Object {
        self.now = period.after(self.now);
        self.gate.record();
        self.gate.catch_up(self.now);
        let steps = self.gate.happened().into_iter();
        let fired = steps.filter_map(|happened| match happened {
            GateEvent::Taken(step) => {
                let (CallKind::Event(timer) | CallKind::HostTool(timer)) = &step.call.what;
                Some((timer.to_string(), *step))
            }
            _ => None,
        });
        match Answer::of_wait(period, fired) {
            Answer::Stepped(line) => self.with_states(line),
            Answer::Error(_) => Object::new(),
        }
    }

    /// Records the class that a call states.
    fn give_class(&self, written: &WrittenCall) -> Result<(), String> {
        let Some(class) = &written.class else {
            return Ok(());
        };
        let document = self.calls.as_ref();
        let document =
            document.ok_or("this session has no calls document, so calls have no classes")?;
        let found = document.classes.iter().position(|known| known == class);
        let found = found.ok_or_else(|| format!("{} has no class `{class}`", document.name))?;
        if let (Some(call), Ok(mut given)) = (tool(written), self.given.lock()) {
            given.push((call.name, call.args.into(), found));
        }
        Ok(())
    }

    /// Sends a typed line, or an event with the name of its machine, such as `work.approve`.
    fn event(&mut self, written: WrittenCall, around: &EventContext) -> Answers {
        let CallName::Do(name) = &written.name else {
            return Ok(Vec::new());
        };
        let prefix = self.gate.machine_set().prefix().as_char();
        let (machines, name) = if name.trim_start().starts_with(prefix) {
            let takers = self.gate.machines_for(name);
            takers.map_err(|unknown| unknown.to_string())?
        } else {
            let (machine, event) = name.split_once('.').ok_or_else(|| {
                format!("`{name}` is neither a command, which begins with `{prefix}`, nor `MACHINE.EVENT`")
            })?;
            let mut names = self.names.iter();
            let at = names.position(|name| name == machine);
            let at = at.ok_or_else(|| format!("the session has no machine `{machine}`"))?;
            (vec![at], event.to_owned())
        };
        let written = WrittenCall {
            name: CallName::Do(name),
            ..written
        };
        let mut answers = Vec::new();
        for at in machines {
            let machine = self.gate.machines()[at].description();
            let plans = self.gate.machines()[at].plans();
            let is_plan = |word: &str| plans.iter().any(|plan| plan.id == word);
            let call = request::resolve(machine, is_plan, &written)?;
            let outcome = self.gate.send(machine.name, &call, around);
            answers.push((at, outcome.map_err(|unknown| unknown.to_string())?));
        }
        let accepted = |(_, outcome): &(usize, Outcome)| !matches!(outcome, Outcome::Denied(_));
        if answers.iter().any(accepted) {
            answers.retain(accepted);
        }
        let answers = answers.into_iter();
        Ok(answers
            .map(|(at, outcome)| self.answered(at, outcome))
            .collect())
    }

    fn answered(&self, at: usize, outcome: Outcome) -> Object {
        let machine = Some(self.names[at].as_str());
        match outcome {
            Outcome::Accepted(taken) => self.accepted(machine, &taken),
            Outcome::Run { tool, .. } => self.runs(&tool, &[]),
            Outcome::Denied(denial) => self.denied(machine, &denial),
        }
    }

    fn decided(&self, decision: Decision) -> Object {
        let name = |machine: &str| {
            let at = self.gate.position(machine);
            at.map(|at| self.names[at].as_str())
        };
        match decision {
            Decision::Applied { machine, taken } | Decision::Recorded { machine, taken } => {
                self.accepted(name(&machine), &taken)
            }
            Decision::Run(allowed) => {
                let counted = allowed.counted().iter();
                let counted = counted.filter_map(|counted| name(counted.machine));
                self.runs(allowed.tool(), &counted.collect::<Vec<&str>>())
            }
            Decision::Denied(denial) => self.denied(None, &denial),
            Decision::Repeated(_) => Object::new(),
        }
    }

    fn turn(&self, began: bool) -> Object {
        let mut line = Object::new();
        line.push("accepted", true);
        if !began {
            line.push("repeated", true);
        }
        if let Some(turn) = self.gate.turn() {
            line.push("turn", turn.id.as_str());
            let mut all = Object::new();
            for (name, machine) in self.names.iter().zip(self.gate.machines()) {
                let open = turn.floor.of(machine.description().name);
                let open = open.into_iter().flatten();
                let open: Vec<Json> = open.map(|tool| tool.as_str().into()).collect();
                all.push(name.clone(), open);
            }
            line.push("open", all);
        }
        self.with_states(line)
    }

    fn accepted(&self, machine: Option<&str>, taken: &Acceptance) -> Object {
        let mut line = Object::new();
        line.push("accepted", true);
        if let Some(machine) = machine {
            line.push("machine", machine);
        }
        push_taken(&mut line, taken, &taken.effects);
        self.with_states(line)
    }

    /// Returns the answer for a call that runs, with the machines that have counted it.
    fn runs(&self, tool: &str, counted: &[&str]) -> Object {
        let mut line = Object::new();
        line.push("accepted", true);
        line.push("run", tool);
        if !counted.is_empty() {
            let counted = counted.iter().map(|machine| Json::from(*machine));
            line.push("counted_by", counted.collect::<Vec<Json>>());
        }
        self.with_states(line)
    }

    fn denied(&self, machine: Option<&str>, denial: &Denial) -> Object {
        let mut line = Object::new();
        line.push("accepted", false);
        if let Some(machine) = machine {
            line.push("machine", machine);
        }
        line.push("denied", denied_json(denial));
        self.with_states(line)
    }

    /// Adds the states of the plans of each machine, and the tools that the model sees.
    fn with_states(&self, mut line: Object) -> Object {
        let mut states = Object::new();
        for (name, machine) in self.names.iter().zip(self.gate.machines()) {
            let tables = machine.description();
            let state: Json = if tables.is_many() {
                let plans = machine.plans().into_iter();
                let plans = plans.map(|plan| Json::from(plan.state.to_string()));
                plans.collect::<Vec<Json>>().into()
            } else {
                tables.state(machine.batch_start().place()).name.into()
            };
            states.push(name.clone(), state);
        }
        line.push("states", states);
        let tools = self.gate.advertised(plan_machine::gate::Shape::Mcp);
        let tools = tools.as_list().unwrap_or_default().iter();
        let names = tools.filter_map(|tool| tool.as_object()?.get("name").cloned());
        line.push("advertised", names.collect::<Vec<Json>>());
        line
    }
}

/// The calls that state their class. Such a call may have no arguments, because the trace of a broken invariant applies
/// to any call of a class.
type StatedCalls = Arc<Mutex<Vec<(String, Json, ClassId)>>>;

/// Finds the classes of calls, except where a call states its class.
struct GivenClasses {
    classifier: Classifier,
    given: StatedCalls,
}

impl Classify for GivenClasses {
    fn document(&self) -> &Document {
        self.classifier.document()
    }

    fn classify(&self, tool: &str, arguments: &Json) -> Classified {
        let found = self.classifier.classify(tool, arguments);
        let given = self.given.lock().ok();
        let given = given.and_then(|given| {
            let mut given = given.iter();
            let same = |one: &&(String, Json, ClassId)| one.0 == tool && one.1 == *arguments;
            given.find(same).map(|(.., class)| *class)
        });
        match (given, found.class) {
            (Some(class), Class::Declared(_)) => Classified {
                class: Class::Declared(class),
                rule: None,
                why: None,
            },
            _ => found,
        }
    }
}

/// Returns a written call as a tool call, if it is one.
fn tool(written: &WrittenCall) -> Option<ToolCall> {
    let CallName::Tool(name) = &written.name else {
        return None;
    };
    let mut args = written.with.clone();
    if let Some(id) = &written.plan_id {
        args.insert("plan_id", id.as_str());
    }
    Some(ToolCall::new(name.as_str(), args))
}
