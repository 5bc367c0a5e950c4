//! The context of an event that a request sends.

use plan_machine::gate::EventContext;

use super::fields::Fields;
use crate::auth::Credential;
use crate::problem::Problem;

/// The maximum length of the actor that a program may add to its name, in bytes.
const LONGEST: usize = 200;

/// The prefix of the ids of requests, so that they never collide with those of other senders.
const ONCE: &str = "http:";

/// Takes `once`, `actor` and `context` from a request.
pub(super) fn context(fields: &mut Fields, who: &Credential) -> Result<EventContext, Problem> {
    let actor = fields.text("actor")?;
    let actor = actor.filter(|actor| !actor.is_empty());
    if actor.as_ref().is_some_and(|actor| actor.len() > LONGEST) {
        return Err(Problem::invalid(format!(
            "`actor` is longer than {LONGEST} bytes"
        )));
    }
    let name = match actor {
        Some(actor) => format!("{}/{actor}", who.name),
        None => who.name.clone(),
    };
    let mut around = EventContext::now().by(name);
    around.context = fields.object("context")?;
    around.call_id = fields.text("once")?.map(|once| format!("{ONCE}{once}"));
    Ok(around)
}
