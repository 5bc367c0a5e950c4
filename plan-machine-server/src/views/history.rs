//! The earlier contents of plans, from the journal.

use std::collections::VecDeque;

use plan_machine::description::Description;
use plan_machine::machine::{CallKind, PlanView, ShownToken};
use plan_machine_compiler::model::Machine;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::visible::{visible, visible_line};
use plan_machine_sessions::journal::Entry;
use plan_machine_sessions::{Session, SessionError};

use super::maybe::maybe;
use crate::content::fields_json;
use crate::inbox::{actions, decided};

/// How many entries are read at a time.
const PAGE: u32 = 256;

/// The maximum number of versions that are kept for all plans of a machine together.
const MOST: usize = 64;

/// One version of a plan's content.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    /// The plan with this content.
    pub(crate) plan: PlanView,
    /// The number of the entry that stored it.
    pub(crate) seq: u64,
    /// The time of the entry.
    pub(crate) at: Instant,
    /// Who sent the event.
    pub(crate) actor: Option<String>,
    /// The event.
    pub(crate) event: String,
    /// The decisions about this version.
    pub(crate) decisions: Vec<VersionDecision>,
    /// How many of them were made before the plan began to wait again with this content, for example because an
    /// approval has expired.
    earlier: usize,
}

impl Version {
    /// Returns who has decided last since the plan began to wait with this content, in words such as
    /// `ann has approved it`; `None` if nobody has decided since then, or if the journal does not say who has.
    #[must_use]
    pub(crate) fn decider(&self) -> Option<String> {
        let last = self.decisions.get(self.earlier..)?.last()?;
        let actor = visible_line(last.actor.as_deref()?);
        Some(format!("{actor} has {} it", last.name))
    }
}

/// A person's decision about a version.
#[derive(Clone, Debug)]
pub(crate) struct VersionDecision {
    name: &'static str,
    event: String,
    seq: u64,
    at: Instant,
    actor: Option<String>,
    reason: Option<String>,
}

/// The versions of the plans of one machine, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    versions: VecDeque<Version>,
    /// The version that the last decision was about. It is kept even if many versions came after it.
    decided: Option<Version>,
    /// Whether there are older entries that were not read, or versions that were not kept.
    is_cut: bool,
}

impl History {
    /// Reads the last `most` entries of a session.
    ///
    /// # Errors
    ///
    /// If the session cannot be read.
    pub(crate) async fn read(
        session: &Session,
        tables: &'static Description,
        most: u64,
    ) -> Result<Self, SessionError> {
        let mut after = session.seq().await?.saturating_sub(most);
        let mut history = Self {
            is_cut: after > 0,
            ..Self::default()
        };
        loop {
            let entries = session.history(after, PAGE).await?;
            let Some(last) = entries.last() else {
                return Ok(history);
            };
            after = last.seq;
            for entry in &entries {
                history.follow(tables, entry);
            }
        }
    }

    fn follow(&mut self, tables: &'static Description, entry: &Entry) {
        let step = &entry.step;
        if step.machine != tables.name {
            return;
        }
        self.decide(tables, entry);
        for plan in step.acceptance.ended.iter().chain(&step.acceptance.plans) {
            let mut same = self.versions.iter_mut().rev();
            let same = same.find(|known| known.plan.id == plan.id);
            if let Some(same) = same.filter(|same| same.plan.token == plan.token) {
                let state = tables.state_named(&plan.state);
                let waits = state.is_some_and(|state| !actions(tables, state).is_empty());
                if waits && *same.plan.state != *plan.state {
                    same.earlier = same.decisions.len();
                }
                same.plan.state.clone_from(&plan.state);
                continue;
            }
            self.versions.push_back(Version {
                plan: plan.clone(),
                seq: entry.seq,
                at: step.at,
                actor: step.actor.clone(),
                event: entry.event().to_owned(),
                decisions: Vec::new(),
                earlier: 0,
            });
        }
        while self.versions.len() > MOST {
            self.versions.pop_front();
            self.is_cut = true;
        }
    }

    /// Records a decision, which is about the content that the plan had before the event.
    fn decide(&mut self, tables: &'static Description, entry: &Entry) {
        let step = &entry.step;
        let CallKind::Event(event) = &step.call.what else {
            return;
        };
        let Some(name) = decided(tables, event) else {
            return;
        };
        let plans = step.acceptance.ended.iter().chain(&step.acceptance.plans);
        let ids: Vec<&str> = plans.map(|plan| plan.id.as_str()).collect();
        let shown = match &step.call.token {
            ShownToken::Shown(token) => Some(token.as_str()),
            ShownToken::Missing | ShownToken::Current => None,
        };
        let mut known = self.versions.iter_mut().rev();
        let version = known.find(|known| {
            let fits = |token: &str| known.plan.token.starts_with(token);
            shown.is_none_or(fits) && ids.iter().any(|id| known.plan.id == *id)
        });
        let Some(version) = version else {
            return;
        };
        let mut texts = step
            .call
            .with
            .iter()
            .filter_map(|(_, value)| value.as_text());
        version.decisions.push(VersionDecision {
            name,
            event: event.to_string(),
            seq: entry.seq,
            at: step.at,
            actor: step.actor.clone(),
            reason: texts.next().map(str::to_owned),
        });
        self.decided = Some(version.clone());
    }

    /// Returns the versions of a plan and of the plans that it succeeded, newest first.
    pub(crate) fn of_plan(&self, plan: &str) -> Vec<&Version> {
        let mut line = vec![plan.to_owned()];
        let mut found = Vec::new();
        for version in self.versions.iter().rev() {
            if !line.iter().any(|id| version.plan.id == id.as_str()) {
                continue;
            }
            if let Some(previous) = &version.plan.previous {
                line.push(previous.to_string());
            }
            found.push(version);
        }
        found
    }

    /// Returns the version of a plan that has this token.
    #[must_use]
    pub(crate) fn with_token(&self, plan: &str, token: &str) -> Option<&Version> {
        let mut found = self.of_plan(plan).into_iter();
        found.find(|version| version.plan.token == token)
    }

    /// Returns the version with which a person compares the current content: the content that was approved last; if
    /// none was approved, the content that was rejected last; and if there was no decision, the previous content.
    /// `has_content` returns whether a plan had any content to review.
    #[must_use]
    pub(crate) fn baseline(
        &self,
        plan: &PlanView,
        has_content: impl Fn(&PlanView) -> bool,
    ) -> Option<(&'static str, &Version)> {
        let others: Vec<&Version> = self.of_plan(plan.id.as_str());
        let is_other = |version: &Version| version.plan.token != plan.token;
        let mut earlier = others.iter().copied();
        let before = earlier.find(|version| is_other(version) && has_content(&version.plan));
        let last = |name: &str| {
            let mut found = others.iter().copied();
            let has = |version: &Version| version.decisions.iter().any(|one| one.name == name);
            found.find(|version| is_other(version) && has(version))
        };
        let kept = self.decided.as_ref();
        let kept = kept.filter(|version| is_other(version) && version.plan.id == plan.id);
        let kept = kept.and_then(|version| Some((version.decisions.last()?.name, version)));
        let approved = last("approved").map(|version| ("approved", version));
        let rejected = last("rejected").map(|version| ("rejected", version));
        approved
            .or(rejected)
            .or(kept)
            .or(before.map(|version| ("previous", version)))
    }

    /// Returns whether no version is missing.
    #[must_use]
    pub(crate) fn is_complete(&self) -> bool {
        !self.is_cut
    }
}

/// Returns a version for a page.
#[must_use]
pub(crate) fn version_json(machine: &Machine, version: &Version) -> Json {
    let plan = &version.plan;
    let mut object = Object::new();
    object.push("token", plan.token.as_str());
    object.push("edition", plan.edition);
    object.push("plan", plan.id.as_str());
    object.push("seq", version.seq);
    object.push("at", version.at.to_string());
    object.push("actor", maybe(version.actor.as_deref().map(visible_line)));
    object.push("event", version.event.as_str());
    object.push("state", &*plan.state);
    let decisions = version.decisions.iter().map(|decision| {
        let mut object = Object::new();
        object.push("name", decision.name);
        object.push("event", decision.event.as_str());
        object.push("seq", decision.seq);
        object.push("at", decision.at.to_string());
        object.push("actor", maybe(decision.actor.as_deref().map(visible_line)));
        object.push("reason", maybe(decision.reason.as_deref().map(visible)));
        Json::Object(object)
    });
    object.push("decisions", decisions.collect::<Vec<Json>>());
    object.push("content", fields_json(machine, &plan.data));
    object.into()
}

/// Returns the description of a baseline for a card.
pub(super) fn baseline_json(why: &str, version: &Version) -> Json {
    let decision = version.decisions.iter().rev();
    let mut decision = decision.filter(|decision| decision.name == why);
    let decision = decision.next();
    let actor = decision.map_or(&version.actor, |decision| &decision.actor);
    let mut object = Object::new();
    object.push("why", why);
    object.push("token", version.plan.token.as_str());
    object.push("edition", version.plan.edition);
    object.push("seq", decision.map_or(version.seq, |decision| decision.seq));
    let at = decision.map_or(version.at, |decision| decision.at);
    object.push("at", at.to_string());
    object.push("actor", maybe(actor.as_deref().map(visible_line)));
    object.into()
}
