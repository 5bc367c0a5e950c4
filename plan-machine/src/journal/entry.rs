//! One event that was taken.

use plan_machine_kernel::json::{Json, Object};

use super::fields::{Bad, Fields};
use super::outcome::{push_taken, taken};
use crate::gate::Step;
use crate::machine::{Call, ShownToken, What};

/// One event that was taken, under its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The number of the entry in its session, from 1.
    pub seq: u64,
    /// The identity of the call, where it had one.
    pub call_id: Option<String>,
    /// What was sent, by whom and when, and what came of it.
    pub step: Step,
}

impl Entry {
    /// The entry as it is stored: JSON, always the same bytes for the same entry.
    #[must_use]
    pub fn to_text(&self) -> String {
        Json::Object(self.to_object()).to_string()
    }

    /// The entry as an object.
    #[must_use]
    pub fn to_object(&self) -> Object {
        let step = &self.step;
        let mut object = Object::new();
        object.push("seq", self.seq);
        object.push("at", step.at.to_string());
        if let Some(actor) = &step.actor {
            object.push("actor", actor.as_str());
        }
        object.push("machine", step.machine.as_str());
        object.push("version", step.version);
        object.push("fingerprint", step.fingerprint.as_str());
        push_call(&mut object, &step.call);
        if !step.context.is_empty() {
            object.push("context", step.context.clone());
        }
        if let Some(id) = &self.call_id {
            object.push("call_id", id.as_str());
        }
        if let Some(id) = &step.new_id {
            object.push("new_id", id.as_str());
        }
        push_taken(&mut object, &step.taken);
        object
    }

    /// Reads a stored entry.
    ///
    /// # Errors
    ///
    /// Says what is missing in it.
    pub fn read(text: &str) -> Result<Self, String> {
        let json = Json::parse(text).map_err(|error| error.message)?;
        let fields = Fields::of(&json)?;
        Ok(Self {
            seq: fields.number("seq")?,
            call_id: fields.maybe_text("call_id")?.map(str::to_owned),
            step: Step {
                machine: fields.text("machine")?.to_owned(),
                version: fields.number("version")?,
                fingerprint: fields.text("fingerprint")?.to_owned(),
                at: fields.instant("at")?,
                actor: fields.maybe_text("actor")?.map(str::to_owned),
                call: call(fields)?,
                context: fields.object("context")?,
                new_id: fields.maybe_id("new_id")?,
                taken: taken(fields)?,
            },
        })
    }

    /// The name of what was sent.
    #[must_use]
    pub fn event(&self) -> &str {
        let (What::Event(name) | What::HostTool(name)) = &self.step.call.what;
        name
    }
}

fn push_call(object: &mut Object, call: &Call) {
    match &call.what {
        What::Event(name) => object.push("do", name.as_str()),
        What::HostTool(name) => object.push("tool", name.as_str()),
    }
    if !call.with.is_empty() {
        object.push("with", call.with.clone());
    }
    if let Some(id) = &call.plan_id {
        object.push("plan_id", id.as_str());
    }
    if let Some(revision) = call.expect_revision {
        object.push("expect_revision", revision);
    }
    match &call.token {
        ShownToken::Missing => {}
        ShownToken::Current => object.push("token", "current"),
        ShownToken::Shown(token) => object.push("token", token.as_str()),
    }
}

fn call(fields: Fields<'_>) -> Result<Call, Bad> {
    let what = match fields.maybe_text("tool")? {
        Some(tool) => What::HostTool(tool.to_owned()),
        None => What::Event(fields.text("do")?.to_owned()),
    };
    Ok(Call {
        what,
        with: fields.object("with")?,
        plan_id: fields.maybe_text("plan_id")?.map(str::to_owned),
        expect_revision: fields.maybe_number("expect_revision")?,
        token: match fields.maybe_text("token")? {
            None => ShownToken::Missing,
            Some("current") => ShownToken::Current,
            Some(token) => ShownToken::Shown(token.to_owned()),
        },
        batch: None,
    })
}
