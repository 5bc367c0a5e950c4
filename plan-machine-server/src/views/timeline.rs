//! The timeline of a session: its entries, its calls without entries, and its denied calls.

use std::collections::HashMap;

use plan_machine::description::Description;
use plan_machine::machine::{CallKind, PlanView, ShownToken};
use plan_machine_agents::audit::DeniedCall;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::visible::{visible, visible_line};
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{AnswerRecord, Entry, EntryKind};

use super::answers::{answer_rows, without_recorded};
use super::denials::denied_json;
use super::maybe::maybe;
use crate::content::{shortened, shortened_json};
use crate::inbox::sender;
use crate::project::ServedProject;

/// The maximum length of each text in an argument, a reply or an effect, in characters.
const LONGEST: usize = 2000;

/// A part of a timeline.
#[derive(Debug)]
pub(crate) struct TimelinePart {
    /// The entries, in the order of the journal.
    pub(crate) entries: Vec<Entry>,
    /// The answers to calls that belong to these entries, each with the id of its call.
    pub(crate) answers: Vec<(String, AnswerRecord)>,
    /// Whether there are more such answers.
    pub(crate) has_more_answers: bool,
    /// All denied calls of the session that this server or a hook has listed.
    pub(crate) denials: Vec<DeniedCall>,
    /// The effects that have not been carried out yet, by entry and position; `None` if no host carries them out.
    pub(crate) pending: Option<Vec<(u64, u32)>>,
    /// The time of the entry after the last one; `None` if there is no such entry.
    pub(crate) until: Option<Instant>,
}

/// Returns a part of a timeline, newest first.
#[must_use]
pub(crate) fn timeline_json(
    project: &ServedProject,
    session: &SessionIdentity,
    part: &TimelinePart,
) -> Json {
    let mut before: HashMap<(String, String), String> = HashMap::new();
    let mut rows: Vec<(Instant, Json)> = Vec::new();
    for entry in &part.entries {
        let pending = part.pending.as_deref();
        rows.push((
            entry.step.at,
            row(project, session, entry, pending, &before),
        ));
        for plan in &entry.step.acceptance.plans {
            let key = (entry.step.machine.to_string(), plan.id.to_string());
            before.insert(key, plan.state.to_string());
        }
    }
    let first = part.entries.first();
    let from = first
        .filter(|first| first.seq > 1)
        .map(|first| first.step.at);
    let denials = without_recorded(&part.denials, &part.entries);
    // A denial belongs to the part whose entries were stored around the same time.
    let shown = denials.iter().filter(|denied| {
        from.is_none_or(|from| denied.at >= from) && part.until.is_none_or(|to| denied.at < to)
    });
    rows.extend(shown.map(|denied| (denied.at, denied_json(denied))));
    rows.extend(answer_rows(&part.answers, &part.entries, &denials));
    rows.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut object = Object::new();
    object.push("sessionId", session.to_string());
    let rows = rows.into_iter().map(|(_, row)| row);
    object.push("events", rows.collect::<Vec<Json>>());
    let next = first.map(|first| first.seq).filter(|seq| *seq > 1);
    object.push("next", maybe(next));
    object.push("hasMoreCalls", part.has_more_answers);
    object.into()
}

fn row(
    project: &ServedProject,
    session: &SessionIdentity,
    entry: &Entry,
    pending: Option<&[(u64, u32)]>,
    before: &HashMap<(String, String), String>,
) -> Json {
    let step = &entry.step;
    let mut object = Object::new();
    let kind = match &entry.kind {
        EntryKind::Taken => "event",
        EntryKind::TurnBegan { .. } => "turn",
        EntryKind::Abandoned { .. } => "abandoned",
        EntryKind::Restarted { .. } => "restarted",
    };
    object.push("kind", kind);
    object.push("seq", entry.seq);
    object.push("at", step.at.to_string());
    object.push("actor", maybe(step.actor.as_deref().map(visible_line)));
    match &entry.kind {
        EntryKind::Taken => {
            let tables = project.tables(session, &step.machine);
            taken(&mut object, tables, entry, pending, before);
        }
        EntryKind::TurnBegan { turn, .. } => object.push("turn", visible_line(turn.as_str())),
        EntryKind::Abandoned { why } => {
            object.push("machine", &*step.machine);
            let plan = step.acceptance.ended.as_ref().map(|plan| plan.id.as_str());
            object.push("plan", maybe(plan));
            object.push("why", visible(why));
        }
        EntryKind::Restarted { why } => object.push("why", visible(why)),
    }
    object.into()
}

fn taken(
    object: &mut Object,
    tables: Option<&'static Description>,
    entry: &Entry,
    pending: Option<&[(u64, u32)]>,
    before: &HashMap<(String, String), String>,
) {
    let step = &entry.step;
    let kind = |name: &str| {
        let tables = tables?;
        Some(sender(tables.event(tables.event_named(name)?).kind))
    };
    let by = match &step.call.what {
        CallKind::HostTool(_) => "model",
        CallKind::Event(name) => kind(name).unwrap_or("host"),
    };
    object.push("by", by);
    object.push("machine", &*step.machine);
    object.push("event", visible_line(entry.event()));
    let args = Json::Object(step.call.with.clone());
    object.push("args", shortened_json(&args, LONGEST));
    let token = match &step.call.token {
        ShownToken::Missing => None,
        ShownToken::Current => Some("current"),
        ShownToken::Shown(token) => Some(token.as_str()),
    };
    object.push("token", maybe(token));
    object.push("callId", maybe(entry.call_id.as_deref().map(visible_line)));
    let plan = |plan: &PlanView| {
        let key = (step.machine.to_string(), plan.id.to_string());
        let mut object = Object::new();
        object.push("plan", plan.id.as_str());
        object.push("state", &*plan.state);
        object.push("before", maybe(before.get(&key).map(String::as_str)));
        Json::Object(object)
    };
    object.push(
        "plans",
        step.acceptance
            .plans
            .iter()
            .map(plan)
            .collect::<Vec<Json>>(),
    );
    object.push(
        "ended",
        step.acceptance
            .ended
            .iter()
            .map(plan)
            .collect::<Vec<Json>>(),
    );
    object.push(
        "runs",
        maybe(step.acceptance.runs.as_deref().map(visible_line)),
    );
    let reply = match &step.acceptance.reply {
        Json::Null => Json::Null,
        _ => shortened(&step.acceptance.answer(), LONGEST).into(),
    };
    object.push("reply", reply);
    let effects = (0_u32..)
        .zip(&step.acceptance.effects)
        .map(|(position, effect)| {
            let plan = effect.plan.as_ref().map_or("none", |plan| plan.as_str());
            let mut object = Object::new();
            object.push("id", format!("{plan}/{}/{position}", entry.seq));
            object.push("name", &*effect.name);
            let fields = Json::Object(effect.fields.clone());
            object.push("fields", shortened_json(&fields, LONGEST));
            let is_pending = pending.map(|pending| pending.contains(&(entry.seq, position)));
            object.push("pending", maybe(is_pending));
            Json::Object(object)
        });
    object.push("effects", effects.collect::<Vec<Json>>());
}
