//! One event that was taken.

use plan_machine_kernel::json::Json;

use super::fields::{Bad, Fields};
use super::outcome::{taken, write_taken};
use super::text::{self, Pairs};
use crate::gate::Step;
use crate::id::Id;
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
        let mut text = String::with_capacity(1024);
        text::object(&mut text, |pairs| self.write(pairs));
        text
    }

    fn write(&self, pairs: &mut Pairs<'_>) {
        let step = &self.step;
        pairs.plain("seq", self.seq);
        pairs.quoted("at", step.at);
        pairs.maybe_text("actor", step.actor.as_deref());
        pairs.text("machine", &step.machine);
        pairs.plain("version", step.version);
        pairs.text("fingerprint", &step.fingerprint);
        write_call(pairs, &step.call);
        if !step.context.is_empty() {
            pairs.members("context", &step.context);
        }
        pairs.maybe_text("call_id", self.call_id.as_deref());
        pairs.maybe_text("new_id", step.new_id.as_ref().map(Id::as_str));
        write_taken(pairs, &step.taken);
    }

    /// The entry as JSON.
    #[must_use]
    pub fn to_json(&self) -> Json {
        // What was written by these hands can be read.
        Json::parse(&self.to_text()).unwrap_or_default()
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
                machine: fields.text("machine")?.to_owned().into(),
                version: fields.number("version")?,
                fingerprint: fields.text("fingerprint")?.to_owned().into(),
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

fn write_call(pairs: &mut Pairs<'_>, call: &Call) {
    match &call.what {
        What::Event(name) => pairs.text("do", name),
        What::HostTool(name) => pairs.text("tool", name),
    }
    if !call.with.is_empty() {
        pairs.members("with", &call.with);
    }
    pairs.maybe_text("plan_id", call.plan_id.as_deref());
    if let Some(revision) = call.expect_revision {
        pairs.plain("expect_revision", revision);
    }
    match &call.token {
        ShownToken::Missing => {}
        ShownToken::Current => pairs.text("token", "current"),
        ShownToken::Shown(token) => pairs.text("token", token),
    }
}

fn call(fields: Fields<'_>) -> Result<Call, Bad> {
    let what = match fields.maybe_text("tool")? {
        Some(tool) => What::HostTool(tool.to_owned().into()),
        None => What::Event(fields.text("do")?.to_owned().into()),
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
