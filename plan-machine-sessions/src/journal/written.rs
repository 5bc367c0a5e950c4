//! Writes entries as JSON text, and parses them.

use plan_machine::gate::{Step, TurnId};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine::{Id, Json};

use super::entry::{Entry, EntryKind, RESTART, TURN};
use super::fields::{Bad, Fields};
use super::format::{Format, ReadError};
use super::onto;
use super::outcome::{acceptance, write_acceptance};
use super::past::PlanImages;
use super::text::{self, Pairs};
use super::turn;

impl Entry {
    /// Returns the entry as JSON text that contains its plans in full. The same entry always produces the same bytes.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.text(|pairs| write_acceptance(pairs, &self.step.acceptance))
    }

    /// Returns the entry as the JSON text that is stored. The plans in `bases` are written as changes to
    /// the plans in `past`.
    #[must_use]
    pub fn to_text_onto(&self, past: &PlanImages) -> String {
        if self.format.tells_changes() {
            self.text(|pairs| onto::write(pairs, self, past))
        } else {
            self.to_text()
        }
    }

    fn text(&self, write_step: impl FnOnce(&mut Pairs<'_>)) -> String {
        let mut text = String::with_capacity(1024);
        text::object(&mut text, |pairs| {
            self.write(pairs);
            write_step(pairs);
        });
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
            EntryKind::TurnBegan { turn, floor } => {
                pairs.text("turn", turn.as_str());
                if let Some(floor) = floor {
                    turn::write_floor(pairs, floor);
                }
            }
        }
        if !step.context.is_empty() {
            pairs.members("context", &step.context);
        }
        pairs.maybe_text("call_id", self.call_id.as_deref());
        pairs.maybe_text("new_id", step.new_id.as_ref().map(Id::as_str));
        if let Some(open) = &step.floor {
            turn::write_open(pairs, "floor", open);
        }
    }

    /// Returns the entry as JSON.
    #[must_use]
    pub fn to_json(&self) -> Json {
        // This module wrote the text, so parsing cannot fail.
        text::json(&self.to_text()).unwrap_or_default()
    }

    /// Parses a stored entry that does not contain changes to the plans of an earlier entry.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, if a required field is missing, if a field is invalid, if a newer version of
    /// plan-machine wrote the entry, or if the entry contains changes to the plans of an earlier entry.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        Self::read_onto(text, &PlanImages::default())
    }

    /// Parses a stored entry that may contain changes to the plans in `past`.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, if a required field is missing, if a field is invalid, if a newer version of
    /// plan-machine wrote the entry, or if `past` does not contain a plan that the entry contains changes to.
    pub fn read_onto(text: &str, past: &PlanImages) -> Result<Self, ReadError> {
        let json = text::json(text).map_err(|error| error.message)?;
        let fields = Fields::of(&json)?;
        let format = Format::of(fields)?;
        let (kind, call) = kind(fields, format)?;
        let machine = fields.text("machine")?;
        let moves_floor = kind == EntryKind::Taken && format.notes_turns();
        let moves_floor = moves_floor && fields.json("floor").is_some();
        let (acceptance, bases) = if format.tells_changes() {
            onto::read(fields, machine, &call.with, past)?
        } else {
            (acceptance(fields)?, Vec::new())
        };
        Ok(Self {
            format,
            seq: fields.number("seq")?,
            call_id: fields.maybe_text("call_id")?.map(str::to_owned),
            kind,
            step: Step {
                machine: machine.to_owned().into(),
                version: fields.number("version")?,
                fingerprint: fields.text("fingerprint")?.to_owned().into(),
                at: fields.instant("at")?,
                actor: fields.maybe_text("actor")?.map(str::to_owned),
                call,
                context: fields.object("context")?,
                new_id: fields.maybe_id("new_id")?,
                acceptance,
                floor: moves_floor
                    .then(|| turn::open(fields, "floor"))
                    .transpose()?,
            },
            bases,
        })
    }
}

fn write_call(pairs: &mut Pairs<'_>, call: &Call) {
    match &call.what {
        CallKind::Event(name) => pairs.text("do", name),
        CallKind::HostTool(name) => pairs.text("tool", name),
    }
    pairs.maybe_text("class", call.class.as_deref());
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

/// Returns the kind of an entry, determined by the rules of its format, and the call of the entry.
fn kind(fields: Fields<'_>, format: Format) -> Result<(EntryKind, Call), Bad> {
    let began = fields.maybe_text("turn")?;
    if let Some(id) = began.filter(|_| format.notes_turns()) {
        let (turn, floor) = (TurnId::new(id), turn::floor(fields)?);
        let call = Call::new(CallKind::Event(TURN.into()));
        return Ok((EntryKind::TurnBegan { turn, floor }, call));
    }
    let restarted = fields.maybe_text("restart")?;
    if let Some(why) = restarted.filter(|_| format.restarts_sessions()) {
        let why = why.to_owned();
        let call = Call::new(CallKind::Event(RESTART.into()));
        return Ok((EntryKind::Restarted { why }, call));
    }
    let abandoned = fields.maybe_text("abandon")?;
    let Some(plan) = abandoned.filter(|_| format.ends_damaged_plans()) else {
        return Ok((EntryKind::Taken, call(fields)?));
    };
    let mut call = Call::new(CallKind::Event("abandon".into()));
    call.plan_id = Some(plan.to_owned());
    let why = fields.text("why")?.to_owned();
    Ok((EntryKind::Abandoned { why }, call))
}

fn call(fields: Fields<'_>) -> Result<Call, Bad> {
    let what = match fields.maybe_text("tool")? {
        Some(tool) => CallKind::HostTool(tool.to_owned().into()),
        None => CallKind::Event(fields.text("do")?.to_owned().into()),
    };
    Ok(Call {
        what,
        class: fields
            .maybe_text("class")?
            .map(|class| class.to_owned().into()),
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
