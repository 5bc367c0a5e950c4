//! Formats the run of a gate as text: the lines that were sent, and their results.

use std::fmt::Write;

use plan_machine_kernel::json::Json;
use plan_machine_kernel::suggest::nearest;

use super::short::{self, own_names};
use super::tell;
use crate::core::description::{Description, EventKind};
use crate::dynamic::machine::{Acceptance, CallKind, Denial, Outcome};
use crate::dynamic::request::{CallName, Request, RequestBody, RequestPlace, request};
use crate::gate::requests::{GateAnswer, GateRun};
use crate::gate::{Decision, Gate, GateBuilder, Step};

/// Sends lines to a new gate, one after another, and formats the results: for several machines with turns, batches,
/// classes of calls and senders. The function `gate` of a module that `session!` generates returns the builder of its
/// session; add the host tools to it.
///
/// A line is one of these:
///
/// - a command as a person types it, such as `/plan on`, with the prefix of the gate
/// - a name with its payload: `plan_finalize {"summary": "Two steps."}`. The name of a command or signal is sent to the
///   machine that declares it; write `PlanMode.approve` if several machines do. Any other name is a call by a model,
///   unless it looks like a misspelling of a name that a machine defines.
/// - a line as read by `plan-machine run`, with the machines' own names: `{"turn": "t1"}` for a message from a person,
///   `{"batch": […]}` for the calls of one model response, `{"wait": "1h"}` to let time pass, or
///   `{"tool": "Bash", "with": {"command": "git status"}}`, which may state its `class`
///
/// A decision without a token uses the current token, and the time is constant unless a line sets it or waits, so that
/// the output is always the same. The states of the machines and the tools that the model sees are shown whenever they
/// change.
///
/// ```
/// use plan_machine::gate::Gate;
/// use plan_machine::testing;
///
/// plan_machine::machine! {
///     machine Note;
///     command begin = "/note";
///     tool give_up;
///     state none { on begin => OPEN; }
///     state OPEN { other_tools deny; on give_up => CLOSED next none; }
///     final state CLOSED;
/// }
///
/// let gate = Gate::builder().with(note::Machine).any_host_tool();
/// let run = testing::trace_gate(gate, &["/note", r#"{"turn": "t1"}"#, "give_up", "shell", r#"{"turn": "t2"}"#, "shell"]);
/// assert!(run.contains("`shell` could not run when this turn began"));
/// assert!(run.ends_with("shell\n  shell runs\n"));
/// ```
///
/// # Panics
///
/// If the machines and the host tools conflict.
#[must_use]
pub fn trace_gate(gate: GateBuilder, lines: &[&str]) -> String {
    let run = GateRun::open(gate).unwrap_or_else(|conflict| panic!("{conflict}"));
    let mut trace = GateTrace {
        run: run.with_current_tokens(),
        text: String::new(),
        position: String::new(),
    };
    trace.line("", "start");
    trace.tell_position();
    for line in lines {
        trace.line("", line);
        match requests(trace.run.gate(), line) {
            Ok(requests) => {
                for request in requests {
                    trace.send(request);
                }
            }
            Err(message) => trace.line("  ", &format!("error: {message}")),
        }
        trace.tell_position();
    }
    trace.text
}

struct GateTrace {
    run: GateRun,
    text: String,
    /// The states and the tools that were shown last.
    position: String,
}

impl GateTrace {
    // Writing to a `String` cannot fail.
    fn line(&mut self, indent: &str, line: &str) {
        let _ = writeln!(self.text, "{indent}{line}");
    }

    /// Fires the timers that are due by the time of a request, and then sends the request.
    fn send(&mut self, request: Result<Request, String>) {
        let at = request.as_ref().ok().and_then(|request| request.at);
        let fired = at.map(|at| self.run.catch_up(at)).unwrap_or_default();
        self.tell_fired(&fired);
        match request.and_then(|request| self.run.send(request)) {
            Ok(answers) => {
                for answer in answers {
                    self.tell(&answer);
                }
            }
            Err(message) => self.line("  ", &format!("error: {message}")),
        }
    }

    fn tell(&mut self, answer: &GateAnswer) {
        match answer {
            GateAnswer::Answered { at, outcome } => {
                let machine = self.run.name(*at).to_owned();
                self.tell_outcome(&machine, outcome);
            }
            GateAnswer::Decided(decision) => self.tell_decision(decision),
            GateAnswer::Turn { began } => self.tell_turn(*began),
            GateAnswer::Waited { fired, .. } if fired.is_empty() => {
                self.line("  ", "no timer was due");
            }
            GateAnswer::Waited { fired, .. } => self.tell_fired(fired),
        }
    }

    fn tell_outcome(&mut self, machine: &str, outcome: &Outcome) {
        match outcome {
            Outcome::Accepted(acceptance) => self.tell_accepted(machine, acceptance),
            Outcome::Run { tool, .. } => self.line("  ", &format!("{tool} runs")),
            Outcome::Denied(denial) => self.tell_denied(Some(machine), denial),
        }
    }

    fn tell_decision(&mut self, decision: &Decision) {
        match decision {
            Decision::Applied {
                machine,
                acceptance,
            } => self.tell_accepted(machine, acceptance),
            Decision::Recorded {
                machine,
                acceptance,
            } => {
                self.tell_accepted(&format!("recorded by {machine}"), acceptance);
            }
            Decision::Run(allowed) => {
                let class = allowed.class();
                let class =
                    class.map_or(String::new(), |class| format!(", with the class {class}"));
                self.line("  ", &format!("{} runs{class}", allowed.tool()));
                for counted in allowed.counted() {
                    self.line("  ", &format!("counted by {}", counted.machine));
                    tell::changes(&counted.acceptance, &mut |line: String| {
                        self.line("    ", &line);
                    });
                }
            }
            Decision::Denied(denial) => self.tell_denied(None, denial),
            // A gate alone does not store the ids of calls.
            Decision::Repeated(earlier) => self.line("  ", &earlier.answer()),
        }
    }

    fn tell_accepted(&mut self, by: &str, acceptance: &Acceptance) {
        self.line("  ", by);
        tell::accepted(acceptance, &mut |line: String| self.line("    ", &line));
    }

    fn tell_denied(&mut self, machine: Option<&str>, denial: &Denial) {
        let by = machine.map_or(String::new(), |machine| format!(", by {machine}"));
        self.line("  ", &format!("denied: {}{by}", denial.kind));
        tell::reasons(denial, &mut |line: String| self.line("  ", &line));
    }

    fn tell_turn(&mut self, began: bool) {
        let (Some(turn), Some(open)) = (self.run.gate().turn(), self.run.open_tools()) else {
            return;
        };
        let id = turn.id.as_str();
        let told = if began {
            format!("turn {id}, open {open}")
        } else {
            format!("turn {id} had already begun")
        };
        self.line("  ", &told);
    }

    /// Formats the timers that fired. A timer has no sender, so there is no reply.
    fn tell_fired(&mut self, fired: &[Step]) {
        for step in fired {
            let (CallKind::Event(timer) | CallKind::HostTool(timer)) = &step.call.what;
            let told = format!("{timer} of {} fired at {}", step.machine, step.at);
            self.line("  ", &told);
            tell::changes(&step.acceptance, &mut |line: String| {
                self.line("    ", &line);
            });
        }
    }

    /// Shows the states of the machines and the tools that the model sees, if they have changed.
    fn tell_position(&mut self) {
        let tools = self.run.advertised();
        let tools: Vec<&str> = tools.iter().filter_map(Json::as_text).collect();
        let tools = if tools.is_empty() {
            "none".to_owned()
        } else {
            tools.join(", ")
        };
        let position = format!("states {}, tools {tools}", self.run.states());
        if position != self.position {
            self.line("  ", &position);
            self.position = position;
        }
    }
}

/// Returns the requests of a line: one, or those of a list.
fn requests(gate: &Gate, line: &str) -> Result<Vec<Result<Request, String>>, String> {
    if !line.trim_start().starts_with(['{', '[']) {
        return Ok(vec![short(gate, line)]);
    }
    let (all, place) = match Json::parse(line).map_err(|error| error.to_string())? {
        Json::List(all) => (all, RequestPlace::Trace),
        one => (vec![one], RequestPlace::Line),
    };
    Ok(all.iter().map(|one| request(one, place)).collect())
}

/// Parses a command, or a name with its payload.
fn short(gate: &Gate, line: &str) -> Result<Request, String> {
    let prefix = gate.machine_set().prefix().as_char();
    let written = if line.trim_start().starts_with(prefix) {
        short::written(CallName::Do(line.to_owned()), "")?
    } else {
        let (name, payload) = short::split(line);
        short::written(called(gate, name)?, payload)?
    };
    Ok(Request {
        body: RequestBody::Call(written),
        context: None,
        at: None,
        actor: None,
    })
}

/// Returns the event or tool that a name means.
fn called(gate: &Gate, name: &str) -> Result<CallName, String> {
    let machines: Vec<&Description> = gate
        .machines()
        .iter()
        .map(|one| one.description())
        .collect();
    let is_machine = |name: &str| machines.iter().any(|machine| machine.name == name);
    if name
        .split_once('.')
        .is_some_and(|(machine, _)| is_machine(machine))
    {
        return Ok(CallName::Do(name.to_owned()));
    }
    let mut owners = machines.iter().filter_map(|machine| {
        let event = machine.event(machine.event_named(name)?);
        let is_own = !matches!(event.kind, EventKind::External);
        is_own.then_some((machine.name, event))
    });
    match (owners.next(), owners.next()) {
        (Some((_, event)), None) if matches!(event.kind, EventKind::Tool { .. }) => {
            Ok(CallName::Tool(name.to_owned()))
        }
        (Some((machine, _)), None) => Ok(CallName::Do(format!("{machine}.{name}"))),
        (Some((one, _)), Some((other, _))) => Err(format!(
            "several machines define `{name}`; write `{one}.{name}` or `{other}.{name}`"
        )),
        (None, _) => match nearest(name, machines.iter().flat_map(|one| own_names(one))) {
            Some(near) => Err(short::misspelled(name, near)),
            None => Ok(CallName::Tool(name.to_owned())),
        },
    }
}
