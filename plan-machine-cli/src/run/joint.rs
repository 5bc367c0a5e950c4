//! Sends lines of input to the machines of a session document, through a gate in memory.

use std::io::BufRead;
use std::path::PathBuf;

use plan_machine::gate::requests::{GateAnswer, GateRun};
use plan_machine::gate::{Decision, Gate, Step};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Acceptance, CallKind, Denial, Outcome};
use plan_machine::request::{self, RequestPlace};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::session::Session;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers::Period;

use super::answer::{Answer, denied_json, push_acceptance};
use crate::classify::classifier;
use crate::lines::{self, Line};
use crate::output::{Exit, Failure, Out};

/// A session of several machines.
pub(super) struct Joint(GateRun);

impl Joint {
    /// Joins the machines of a document. The host accepts any tool. The given files are those of the document, which
    /// calls must not write.
    pub(super) fn new(session: &Checked<Session>, own: &[PathBuf]) -> Result<Self, Failure> {
        let mut parts = Gate::builder()
            .any_host_tool()
            .command_prefix(session.prefix);
        if let Some(calls) = &session.calls {
            let own = own.iter().map(PathBuf::as_path);
            parts = parts.calls(classifier(&calls.calls, ".".as_ref(), own));
        }
        for member in &session.members {
            parts = parts.with(InterpretedMachine::of(member.machine.clone()));
        }
        let run = GateRun::open(parts);
        let run = run.map_err(|conflict| Failure::usage(conflict.to_string()))?;
        let names = session.members.iter().map(|member| member.name.clone());
        Ok(Self(run.named(names.collect())))
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
            let sent = request::request(request, place).and_then(|request| self.0.send(request));
            match sent {
                Ok(all) => answers.extend(all.into_iter().map(|answer| self.answer(answer))),
                Err(reason) => answers.push(Answer::Error(reason)),
            }
        }
        answers
    }

    fn answer(&self, answer: GateAnswer) -> Answer {
        Answer::Stepped(match answer {
            GateAnswer::Answered { at, outcome } => self.answered(at, outcome),
            GateAnswer::Decided(decision) => self.decided(*decision),
            GateAnswer::Turn { began } => self.turn(began),
            GateAnswer::Waited { period, fired } => self.waited(period, fired),
        })
    }

    fn waited(&self, period: Period, fired: Vec<Step>) -> Object {
        let fired = fired.into_iter().map(|step| {
            let (CallKind::Event(timer) | CallKind::HostTool(timer)) = &step.call.what;
            (timer.to_string(), step)
        });
        match Answer::of_wait(period, fired) {
            Answer::Stepped(line) => self.with_states(line),
            Answer::Error(_) => Object::new(),
        }
    }

    fn answered(&self, at: usize, outcome: Outcome) -> Object {
        let machine = Some(self.0.name(at));
        match outcome {
            Outcome::Accepted(acceptance) => self.accepted(machine, &acceptance),
            Outcome::Run { tool, .. } => self.runs(&tool, &[]),
            Outcome::Denied(denial) => self.denied(machine, &denial),
        }
    }

    fn decided(&self, decision: Decision) -> Object {
        let name = |machine: &str| {
            let at = self.0.gate().position(machine);
            at.map(|at| self.0.name(at))
        };
        match decision {
            Decision::Applied {
                machine,
                acceptance,
            }
            | Decision::Recorded {
                machine,
                acceptance,
            } => self.accepted(name(&machine), &acceptance),
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
        if let (Some(turn), Some(open)) = (self.0.gate().turn(), self.0.open_tools()) {
            line.push("turn", turn.id.as_str());
            line.push("open", open);
        }
        self.with_states(line)
    }

    fn accepted(&self, machine: Option<&str>, acceptance: &Acceptance) -> Object {
        let mut line = Object::new();
        line.push("accepted", true);
        if let Some(machine) = machine {
            line.push("machine", machine);
        }
        push_acceptance(&mut line, acceptance, &acceptance.effects);
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
        line.push("states", self.0.states());
        line.push("advertised", self.0.advertised());
        line
    }
}
