//! One entry of a journal: an event that was taken, or what a person did to a session from outside its machines.

use plan_machine_kernel::json::Json;

use super::fields::{Bad, Fields};
use super::format::{Format, Misread};
use super::outcome::{taken, write_taken};
use super::text::{self, Pairs};
use crate::gate::Step;
use crate::id::Id;
use crate::machine::{Call, ShownToken, What};

/// The name of a restart, where entries are named by what was sent.
pub(crate) const RESTART: &str = "restart";

/// One event that was taken, under its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The format that it is written in.
    pub format: Format,
    /// The number of the entry in its session, from 1.
    pub seq: u64,
    /// The identity of the call, where it had one.
    pub call_id: Option<String>,
    /// What kind of entry it is.
    pub kind: EntryKind,
    /// What was sent, by whom and when, and what came of it.
    pub step: Step,
}

/// What kind of entry it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A machine took an event.
    Taken,
    /// A person ended a plan that its machine cannot use. No machine took part: the step says which plan
    /// it was, as it was stored.
    Abandoned {
        /// Why.
        why: String,
    },
    /// A person ended all plans of a session that could not be read. No machine took part: from here on the session
    /// holds nothing, whatever the entries before say.
    Restarted {
        /// Why.
        why: String,
    },
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
        self.format.write(pairs);
        pairs.plain("seq", self.seq);
        pairs.quoted("at", step.at);
        pairs.maybe_text("actor", step.actor.as_deref());
        pairs.text("machine", &step.machine);
        pairs.plain("version", step.version);
        pairs.text("fingerprint", &step.fingerprint);
        match &self.kind {
            EntryKind::Taken => write_call(pairs, &step.call),
            EntryKind::Abandoned { why } => {
                pairs.text("abandon", step.call.plan_id.as_deref().unwrap_or_default());
                pairs.text("why", why);
            }
            EntryKind::Restarted { why } => pairs.text("restart", why),
        }
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
        text::json(&self.to_text()).unwrap_or_default()
    }

    /// Reads a stored entry.
    ///
    /// # Errors
    ///
    /// Says what is missing in it, or that a newer version wrote it.
    pub fn read(text: &str) -> Result<Self, Misread> {
        let json = text::json(text).map_err(|error| error.message)?;
        let fields = Fields::of(&json)?;
        let format = Format::of(fields)?;
        let (kind, call) = kind(fields, format)?;
        Ok(Self {
            format,
            seq: fields.number("seq")?,
            call_id: fields.maybe_text("call_id")?.map(str::to_owned),
            kind,
            step: Step {
                machine: fields.text("machine")?.to_owned().into(),
                version: fields.number("version")?,
                fingerprint: fields.text("fingerprint")?.to_owned().into(),
                at: fields.instant("at")?,
                actor: fields.maybe_text("actor")?.map(str::to_owned),
                call,
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

/// What kind of entry it is by the rules of its format, and what was sent.
fn kind(fields: Fields<'_>, format: Format) -> Result<(EntryKind, Call), Bad> {
    let restarted = fields.maybe_text("restart")?;
    if let Some(why) = restarted.filter(|_| format.restarts_sessions()) {
        let why = why.to_owned();
        let call = Call::new(What::Event(RESTART.into()));
        return Ok((EntryKind::Restarted { why }, call));
    }
    let abandoned = fields.maybe_text("abandon")?;
    let Some(plan) = abandoned.filter(|_| format.ends_damaged_plans()) else {
        return Ok((EntryKind::Taken, call(fields)?));
    };
    let mut call = Call::new(What::Event("abandon".into()));
    call.plan_id = Some(plan.to_owned());
    let why = fields.text("why")?.to_owned();
    Ok((EntryKind::Abandoned { why }, call))
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
