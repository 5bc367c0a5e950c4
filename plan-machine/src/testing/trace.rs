//! A run as a text: what was sent, and what came of it.

use std::fmt::Write;

use plan_machine_kernel::json::{Json, Object};

use crate::command::call_of_line;
use crate::id::Id;
use crate::machine::{Call, Machine, Outcome, PlanView, ShownToken, Taken, What};
use crate::scenario::one;

/// Sends events to a new session, one after the other, and tells what came of each.
///
/// An event is a command as a person types it (`/plan on`), or a name with its payload
/// (`plan_set_content {"plan_markdown": "# v1"}`); a name that the machine does not know is a tool of
/// the host. A decision that comes without a token carries the current one. Ids are `plan-1`,
/// `plan-2`, … and the clock stands still, so that the text is the same each time.
#[must_use]
pub fn trace(machine: &impl Machine, events: &[&str]) -> String {
    let mut held = machine.empty();
    let mut text = String::new();
    for event in events {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{event}");
        let plans = machine.plans(&held);
        match call_of(machine, &plans, event) {
            Ok(call) => {
                let outcome = one(machine, &mut held, &call, &Object::new(), None);
                tell(&outcome, &mut text);
            }
            Err(message) => {
                let _ = writeln!(text, "  error: {message}");
            }
        }
    }
    text
}

fn call_of(machine: &impl Machine, plans: &[PlanView], event: &str) -> Result<Call, String> {
    let mut call = if event.starts_with('/') {
        call_of_line(machine.description(), |word| is_plan(plans, word), event)?
    } else {
        let (name, payload) = event.split_once(char::is_whitespace).unwrap_or((event, ""));
        let known = machine.description().event_named(name).is_some();
        let what = if known {
            What::Event(name.to_owned().into())
        } else {
            What::HostTool(name.to_owned().into())
        };
        let mut call = Call::new(what);
        call.with = payload_of(payload)?;
        if let Some(Json::Text(id)) = call.with.get("plan_id") {
            call.plan_id = Some(id.clone());
            call.with.remove("plan_id");
        }
        call
    };
    if call.token == ShownToken::Missing {
        call.token = ShownToken::Current;
    }
    Ok(call)
}

fn is_plan(plans: &[PlanView], word: &str) -> bool {
    plans
        .iter()
        .map(|plan| &plan.id)
        .any(|id: &Id| *id == *word)
}

fn payload_of(text: &str) -> Result<Object, String> {
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    match Json::parse(text) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err("the payload is not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn tell(outcome: &Outcome, text: &mut String) {
    let mut line = |line: String| {
        let _ = writeln!(text, "  {line}");
    };
    match outcome {
        Outcome::Accepted(taken) => tell_taken(taken, &mut line),
        Outcome::Run { tool, state } => line(format!("{tool} runs, in {state}")),
        Outcome::Denied(denial) => {
            line(format!("denied: {}, in {}", denial.kind, denial.state));
            for message in &denial.messages {
                line(format!("  {message}"));
            }
        }
    }
}

fn tell_taken(taken: &Taken, line: &mut impl FnMut(String)) {
    if let Some(ended) = &taken.ended {
        line(format!("ended: {}", shown(ended)));
    }
    for plan in &taken.plans {
        line(shown(plan));
        line(format!("  {}", plan.data));
    }
    for effect in &taken.effects {
        line(format!("effect {} {}", effect.name, effect.fields));
    }
    line(format!("reply {}", taken.reply));
}

fn shown(plan: &PlanView) -> String {
    format!(
        "{} {}, revision {}, token {}",
        plan.id, plan.state, plan.revision, plan.token
    )
}
