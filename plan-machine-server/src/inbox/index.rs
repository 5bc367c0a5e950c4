//! The index: which plans wait, and since when. It follows the journal entry by entry, so listing the waiting plans
//! reads nothing from the store.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use metrics::gauge;
use plan_machine::description::Description;
use plan_machine::machine::PlanView;
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{Entry, EntryKind};
use plan_machine_sessions::store::Place;
use tokio::sync::watch;

use super::actions::{Action, actions};
use super::order::{Order, Position};
use super::recent::{Recent, SessionSummary};
use crate::content::summary;
use crate::metrics::names;
use crate::problem::Problem;
use crate::project::ServedProject;

/// The number of characters of a plan that a list shows.
const SUMMARY: usize = 400;

/// A plan that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingPlan {
    /// The session.
    pub(crate) session: SessionIdentity,
    /// The machine.
    pub(crate) machine: String,
    /// The plan.
    pub(crate) plan: String,
    /// The state.
    pub(crate) state: String,
    /// The name of the state for people.
    pub(crate) title: &'static str,
    /// What the person is asked to decide: the description of the command that decides about the plan.
    pub(crate) asked: &'static str,
    /// The names of the decisions that can be made.
    pub(crate) actions: Vec<&'static str>,
    /// The full token of the content.
    pub(crate) token: String,
    /// The edition of the content.
    pub(crate) edition: u64,
    /// The beginning of the content.
    pub(crate) summary: String,
    /// The number of the entry since which the plan has been waiting with this content.
    pub(crate) seq: u64,
    /// The time of that entry.
    pub(crate) since: Instant,
    /// The instant at which a timer ends the time for a decision.
    pub(crate) expires: Option<Instant>,
    position: Position,
}

/// What a plan waits for in its state, according to its machine.
struct Wait {
    title: &'static str,
    actions: Vec<Action>,
    expires: Option<Instant>,
}

/// A part of the inbox.
#[derive(Clone, Debug, Default)]
pub(crate) struct InboxPage {
    /// The waiting plans, oldest first.
    pub(crate) waiting: Vec<WaitingPlan>,
    /// The total number of waiting plans.
    pub(crate) total: usize,
    /// The cursor of the next part.
    pub(crate) next: Option<String>,
    /// The position of the last entry that the list includes.
    pub(crate) place: Place,
}

/// A part of the list of sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentPage {
    /// The sessions, and how many of their plans are waiting.
    pub(crate) sessions: Vec<(SessionSummary, usize)>,
    /// The cursor of the next part.
    pub(crate) next: Option<String>,
    /// The position of the last entry that the list includes.
    pub(crate) place: Place,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<SessionIdentity, Vec<WaitingPlan>>,
    order: Order,
    recent: Recent,
    place: Place,
}

/// The index of the waiting plans.
#[derive(Debug, Default)]
pub(crate) struct Index {
    state: RwLock<State>,
    is_complete: watch::Sender<bool>,
}

impl Index {
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Empties the index, because the documents have changed.
    pub(crate) fn clear(&self) {
        self.is_complete.send_replace(false);
        *self.write() = State::default();
    }

    /// Records that the index has been updated with everything that was stored when the server started.
    pub(crate) fn complete(&self) {
        self.is_complete.send_replace(true);
    }

    /// Returns whether the index has been updated with everything that was stored when the server started.
    #[must_use]
    pub(crate) fn is_complete(&self) -> bool {
        *self.is_complete.borrow()
    }

    /// Waits until the index has been updated with everything that was stored when the server started. Until then, a
    /// list could lack plans that are waiting.
    pub(crate) async fn completed(&self) {
        let mut is_complete = self.is_complete.subscribe();
        // The sender is part of the index, so waiting cannot fail.
        drop(is_complete.wait_for(|complete| *complete).await);
    }

    /// Updates the index with an entry.
    pub(crate) fn follow(
        &self,
        project: &ServedProject,
        session: &SessionIdentity,
        place: Place,
        entry: &Entry,
    ) {
        let tables = project.tables(session, &entry.step.machine);
        let mut state = self.write();
        state.place = state.place.max(place);
        let is_many = tables.is_some_and(Description::is_many);
        state.recent.follow(session, place, entry, is_many);
        if matches!(entry.kind, EntryKind::Restarted { .. }) {
            state.forget(session);
        }
        let step = &entry.step;
        if let Some(ended) = &step.acceptance.ended {
            state.remove(session, &step.machine, ended.id.as_str());
        }
        for plan in &step.acceptance.plans {
            let index = tables.and_then(|tables| tables.state_named(&plan.state));
            let found = tables.zip(index).map(|(tables, index)| Wait {
                title: tables.shown_state(index),
                actions: actions(tables, index),
                expires: plan.expires(tables),
            });
            match found.filter(|wait| !wait.actions.is_empty()) {
                Some(wait) => state.add(project, session, entry, plan, &wait),
                None => state.remove(session, &step.machine, plan.id.as_str()),
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "a number of plans")]
        gauge!(names::WAITING).set(state.order.len() as f64);
    }

    /// Removes the waiting plans of a session that was deleted or cannot be read.
    pub(crate) fn forget(&self, session: &SessionIdentity) {
        self.write().forget(session);
    }

    /// Returns the waiting plans of a session.
    #[must_use]
    pub(crate) fn of_session(&self, session: &SessionIdentity) -> Vec<WaitingPlan> {
        let state = self.read();
        state.waiting.get(session).cloned().unwrap_or_default()
    }

    /// Returns the summary of a session, if the session was active recently.
    #[must_use]
    pub(crate) fn summary(&self, session: &SessionIdentity) -> Option<SessionSummary> {
        self.read().recent.get(session).cloned()
    }

    /// Returns the waiting plans after a cursor, oldest first.
    ///
    /// # Errors
    ///
    /// If the cursor is not valid.
    pub(crate) fn inbox(&self, after: Option<&str>, most: usize) -> Result<InboxPage, Problem> {
        let after = after.map(|cursor| Position::read(cursor).ok_or_else(|| no_cursor(cursor)));
        let after = after.transpose()?;
        let state = self.read();
        let mut page = InboxPage {
            total: state.order.len(),
            place: state.place,
            ..InboxPage::default()
        };
        for (position, (session, machine, plan)) in state.order.after(after) {
            if page.waiting.len() == most {
                page.next = page.waiting.last().map(|plan| plan.position.cursor());
                break;
            }
            let plans = state.waiting.get(session).into_iter().flatten();
            let mut plans = plans.filter(|one| one.machine == *machine && one.plan == *plan);
            let plan = plans.find(|plan| plan.position == position);
            page.waiting.extend(plan.cloned());
        }
        Ok(page)
    }

    /// Returns the most recently active sessions before a cursor.
    ///
    /// # Errors
    ///
    /// If the cursor is not valid.
    pub(crate) fn recent(&self, after: Option<&str>, most: usize) -> Result<RecentPage, Problem> {
        let after = after.map(|cursor| cursor.parse::<Place>().map_err(|_| no_cursor(cursor)));
        let after = after.transpose()?;
        let state = self.read();
        let mut found = state.recent.before(after);
        let sessions = found.by_ref().take(most).map(|summary| {
            let waiting = state.waiting.get(&summary.session).map_or(0, Vec::len);
            (summary.clone(), waiting)
        });
        let sessions: Vec<_> = sessions.collect();
        let last = sessions
            .last()
            .map(|(summary, _)| summary.place.to_string());
        Ok(RecentPage {
            next: last.filter(|_| found.next().is_some()),
            sessions,
            place: state.place,
        })
    }
}

fn no_cursor(cursor: &str) -> Problem {
    Problem::invalid(format!(
        "`{cursor}` is not a cursor; use the `next` value of the previous list"
    ))
}

impl State {
    fn add(
        &mut self,
        project: &ServedProject,
        session: &SessionIdentity,
        entry: &Entry,
        plan: &PlanView,
        wait: &Wait,
    ) {
        let machine = &entry.step.machine;
        let known = self.waiting.get(session).into_iter().flatten();
        let mut known = known.filter(|one| one.machine == *machine && plan.id == one.plan.as_str());
        let same = |one: &&WaitingPlan| {
            one.token == plan.token && *one.state == *plan.state && one.expires == wait.expires
        };
        if known.next().as_ref().is_some_and(same) {
            return;
        }
        self.remove(session, machine, plan.id.as_str());
        let since = entry.step.at;
        let key = (session.clone(), machine.to_string(), plan.id.to_string());
        let position = self.order.add(since, key);
        let documents = project.documents(session);
        let member = documents.and_then(|documents| documents.member(machine));
        let text = member.map(|(_, machine)| summary(machine, &plan.data, SUMMARY));
        let asked = wait.actions.iter().find(|action| action.reviewed);
        let waiting = WaitingPlan {
            session: session.clone(),
            machine: machine.to_string(),
            plan: plan.id.to_string(),
            state: plan.state.to_string(),
            title: wait.title,
            asked: asked.map_or("", |action| action.event.doc),
            actions: wait.actions.iter().map(|action| action.name).collect(),
            token: plan.token.clone(),
            edition: plan.edition,
            summary: text.unwrap_or_default(),
            seq: entry.seq,
            since,
            expires: wait.expires,
            position,
        };
        self.waiting
            .entry(session.clone())
            .or_default()
            .push(waiting);
    }

    fn remove(&mut self, session: &SessionIdentity, machine: &str, plan: &str) {
        let Some(plans) = self.waiting.get_mut(session) else {
            return;
        };
        let order = &mut self.order;
        plans.retain(|one| {
            let is_other = one.machine != machine || one.plan != plan;
            if !is_other {
                order.remove(one.position);
            }
            is_other
        });
        if plans.is_empty() {
            self.waiting.remove(session);
        }
    }

    fn forget(&mut self, session: &SessionIdentity) {
        for plan in self.waiting.remove(session).unwrap_or_default() {
            self.order.remove(plan.position);
        }
    }
}
