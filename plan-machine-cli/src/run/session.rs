//! Lines of input against a machine in memory.

use std::collections::BTreeSet;

use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::semantics::{Call, Held, Outcome, Sandbox, Surroundings};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};

use super::answer::Answer;
use super::call;
use super::input::{self, Asked, Place, Request};
use crate::output::Failure;

/// Where answers go.
pub(super) type Tell<'t> = &'t mut dyn FnMut(Answer) -> Result<(), Failure>;

/// A session that takes lines.
pub(super) struct Session<'m> {
    sandbox: Sandbox<'m>,
}

impl<'m> Session<'m> {
    /// An empty session of a host that has these tools, where it says so.
    pub(super) fn new(machine: &'m Checked<Machine>, host_tools: Option<BTreeSet<String>>) -> Self {
        let sandbox = Sandbox::new(machine);
        Self {
            sandbox: match host_tools {
                Some(tools) => sandbox.with_host_tools(tools),
                None => sandbox,
            },
        }
    }

    /// The machine.
    pub(super) fn machine(&self) -> &'m Checked<Machine> {
        self.sandbox.machine()
    }

    /// What is held.
    pub(super) fn held(&self) -> &Held {
        self.sandbox.held()
    }

    /// Sends what a line of JSON holds: a request, or a list of them.
    pub(super) fn line(&mut self, text: &str, tell: Tell<'_>) -> Result<(), Failure> {
        match Json::parse(text) {
            Ok(Json::List(requests)) => {
                for request in &requests {
                    self.request(request, Place::Trace, tell)?;
                }
                Ok(())
            }
            Ok(request) => self.request(&request, Place::Line, tell),
            Err(error) => {
                let reason = format!("not JSON: {} at column {}", error.message, error.column);
                tell(Answer::Error(reason))
            }
        }
    }

    /// Sends one request.
    pub(super) fn request(
        &mut self,
        request: &Json,
        place: Place,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        let Request { asked, context, at } = match input::request(request, place) {
            Ok(request) => request,
            Err(reason) => return tell(Answer::Error(reason)),
        };
        let context = Context::of(context);
        let around = Surroundings {
            context: context.sent,
            at,
        };
        let judge = |outcome| {
            if context.is_object {
                outcome
            } else {
                no_object(outcome)
            }
        };
        match asked {
            Asked::Call(written) => {
                let call = call::resolve(self.machine(), self.held(), written);
                tell(self.answer(call, |sandbox, call| judge(sandbox.step(call, &around))))
            }
            Asked::Batch(calls) => {
                let start = self.sandbox.batch_start();
                for call in &calls {
                    let call = self.tool_call(call);
                    tell(self.answer(call, |sandbox, call| {
                        judge(sandbox.step_in_batch(call, start, &around))
                    }))?;
                }
                Ok(())
            }
        }
    }

    fn tool_call(&self, json: &Json) -> Result<Call, String> {
        let written = input::call_in_batch(json)?;
        let call = call::resolve(self.machine(), self.held(), written)?;
        if call::is_tool_call(self.machine(), &call) {
            Ok(call)
        } else {
            Err("a batch holds the calls of a model, and this is no tool".to_owned())
        }
    }

    fn answer(
        &mut self,
        call: Result<Call, String>,
        step: impl FnOnce(&mut Sandbox<'m>, &Call) -> Outcome,
    ) -> Answer {
        match call {
            Ok(call) => {
                let outcome = step(&mut self.sandbox, &call);
                Answer::of(&self.sandbox, &outcome)
            }
            Err(reason) => Answer::Error(reason),
        }
    }
}

/// What the host knows. A bad context is for the step to deny, in its turn; so one that is no
/// object at all is sent as an object that no machine takes.
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
}

/// The denial of a context that is no object, in words that fit.
fn no_object(outcome: Outcome) -> Outcome {
    let Outcome::Denied(mut denied) = outcome else {
        return outcome;
    };
    if denied.kind == DenialKind::InvalidInput {
        denied.messages.retain(|text| !text.contains("`context."));
        denied
            .messages
            .push("`context` is not an object".to_owned());
    }
    Outcome::Denied(denied)
}
