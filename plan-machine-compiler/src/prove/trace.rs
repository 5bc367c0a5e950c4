//! Traces: the events that lead to a situation, as data that can be run again.

use std::fmt::Write as _;

use plan_machine_kernel::command::ArgumentKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::ACTOR_FIELD;
use plan_machine_kernel::timers::Period;

use crate::model::expr::{Expr, ExprKind, Is};
use crate::model::machine::{EventKind, Machine, Require};
use crate::semantics::{Call, CallKind, EventContext, HeldRecords, ShownToken, data_json};

/// One event of a trace, with the result.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// The text of a command, the name of an event or a tool, or `after` with the period of a timer.
    pub event: String,
    /// The time that passes, if the event is a timer.
    pub wait: Option<Period>,
    /// Whether the event is a call to a tool that the machine does not define.
    pub host_tool: bool,
    /// Whether the event is a call to a tool that runs. The machine may take a step as well.
    pub runs: bool,
    /// The payload of the event.
    pub with: Object,
    /// Whether the event carries the current token of the plan.
    pub reviewed: bool,
    /// The id of the record that the event is meant for, if there may be several records.
    pub plan_id: Option<String>,
    /// The context supplied by the host.
    pub context: Object,
    /// The time of the event, if it matters.
    pub at: Option<String>,
    /// The state after the step.
    pub state: String,
    /// The data after the step.
    pub data: Json,
    /// The state and the data of the record that was replaced or released.
    pub ended: Option<(String, Json)>,
    /// After the last step of a trace: the state in which a condition has the wrong value.
    pub judged: Option<String>,
}

impl TraceStep {
    /// Returns the trace step of a call that has been made, with the record that the call ended.
    ///
    /// The step names the sender only if the event's handlers read the sender, because otherwise the sender makes no
    /// difference.
    pub(crate) fn of(
        machine: &Machine,
        call: &Call,
        around: &EventContext,
        ended: Option<usize>,
        after: &HeldRecords,
    ) -> Self {
        let (event, host_tool, reviewed) = match &call.what {
            CallKind::HostTool(name) => (name.to_string(), true, false),
            CallKind::Event(id) => {
                let declared = machine.event(*id);
                match &declared.kind {
                    EventKind::Command(command) => {
                        let bare =
                            bare_text(machine, call).unwrap_or_else(|| declared.name.clone());
                        (bare, false, command.reviewed)
                    }
                    EventKind::Timer(timer) => (format!("after {}", timer.period), false, false),
                    _ => (declared.name.clone(), false, false),
                }
            }
        };
        let record = match &call.plan_id {
            Some(id) if machine.is_many() => after.position(id).map(|at| &after.records[at]),
            _ if machine.is_many() => after.records.last(),
            _ => after.in_slot(),
        };
        let ended = ended.map(|at| &after.records[at]);
        let mut context = around.context.clone();
        if !reads_actor(machine, call) {
            context.remove(ACTOR_FIELD);
        }
        Self {
            ended: ended.map(|record| {
                let state = machine.state(record.leaf()).name.clone();
                (state, data_json(machine, record))
            }),
            judged: None,
            wait: None,
            event,
            host_tool,
            runs: false,
            with: call.with.clone(),
            reviewed: reviewed && call.token == ShownToken::Current,
            plan_id: call.plan_id.clone(),
            context,
            at: around.at.map(|instant| instant.to_string()),
            state: record.map_or_else(
                || "none".to_owned(),
                |record| machine.state(record.leaf()).name.clone(),
            ),
            data: record.map_or(Json::Object(Object::new()), |record| {
                data_json(machine, record)
            }),
        }
    }

    /// Returns the step as the object that `plan-machine run` reads.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut object = Object::new();
        if let Some(period) = self.wait {
            object.push("wait", period.to_string());
        } else {
            object.push(
                if self.host_tool { "tool" } else { "do" },
                self.event.as_str(),
            );
            object.push("with", self.with.clone());
        }
        if self.reviewed {
            object.push("token", "current");
        }
        if let Some(id) = self.plan_id.as_ref().filter(|_| self.wait.is_none()) {
            object.push("plan_id", id.as_str());
        }
        let (actor, context) = self.actor_and_context();
        if !context.is_empty() {
            object.push("context", context);
        }
        if let Some(actor) = actor {
            object.push("actor", actor);
        }
        if let Some(at) = &self.at {
            object.push("at", at.as_str());
        }
        object.push("state", self.state.as_str());
        if self.state != "none" {
            object.push("data", self.data.clone());
        }
        Json::Object(object)
    }

    /// Separates the sender from the fields that the host supplies.
    fn actor_and_context(&self) -> (Option<Json>, Object) {
        let mut context = self.context.clone();
        let actor = context.get(ACTOR_FIELD).cloned();
        context.remove(ACTOR_FIELD);
        (actor, context)
    }

    /// Appends the sender and the context in words, such as ` by ann in the context {"user":"ann"}`.
    pub(crate) fn tell_context(&self, text: &mut String) {
        let (actor, context) = self.actor_and_context();
        match actor {
            None => {}
            Some(Json::Text(name))
                if name.chars().all(char::is_alphanumeric) && !name.is_empty() =>
            {
                text.extend([" by ", &*name]);
            }
            // A name with other characters is shown in quotes, so that its end is visible.
            Some(name) => {
                let _ = write!(text, " by {name}");
            }
        }
        if !context.is_empty() {
            let _ = write!(text, " in the context {context}");
        }
    }
}

/// Returns whether a handler of the event reads `event.actor`. Such a handler requires that the sender has a name.
fn reads_actor(machine: &Machine, call: &Call) -> bool {
    let CallKind::Event(event) = call.what else {
        return false;
    };
    let mut fields = machine.context.iter();
    let Some(actor) = fields.position(|field| field.name == ACTOR_FIELD) else {
        return false;
    };
    let is_actor =
        |expr: &Expr| matches!(expr.kind, ExprKind::Context(field) if field.index() == actor);
    let names_sender = |require: &Require| match &require.that.expr.kind {
        ExprKind::Is(inner, Is::Blank, true) => is_actor(inner),
        _ => false,
    };
    let transitions = machine.transitions.iter();
    let mut own =
        transitions.filter(|transition| machine.handler(transition.handler).event == event);
    own.any(|transition| transition.require.iter().any(names_sender))
}

/// Returns the text of a command without its arguments; `None` if the command requires arguments or the call has a
/// payload. The trace then names the event instead, and gives the payload in `with`.
fn bare_text(machine: &Machine, call: &Call) -> Option<String> {
    let CallKind::Event(id) = call.what else {
        return None;
    };
    let EventKind::Command(command) = &machine.event(id).kind else {
        return None;
    };
    let mut arguments = command.pattern.arguments();
    let needs_words = arguments.any(|(_, kind)| kind == ArgumentKind::Required);
    if needs_words || !call.with.is_empty() {
        return None;
    }
    let words: Vec<&str> = command
        .pattern
        .text()
        .split_whitespace()
        .filter(|word| !word.starts_with('{'))
        .collect();
    Some(words.join(" "))
}
