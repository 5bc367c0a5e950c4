//! The lists of waiting plans and of sessions.

use plan_machine_agents::agents::agent_and_project;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible_line;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::ListedSession;

use super::maybe::maybe;
use crate::inbox::{InboxPage, Index, RecentPage, SessionSummary, WaitingPlan};

/// Returns the inbox.
#[must_use]
pub(crate) fn inbox_json(project: &str, page: &InboxPage) -> Json {
    let waiting = page.waiting.iter().map(|plan| waiting(project, plan));
    let mut object = Object::new();
    object.push("waiting", waiting.collect::<Vec<Json>>());
    object.push("total", page.total as u64);
    object.push("next", maybe(page.next.as_deref()));
    object.push("place", page.place.to_string());
    object.into()
}

fn waiting(project: &str, plan: &WaitingPlan) -> Json {
    let mut object = named(project, &plan.session);
    object.push("machine", plan.machine.as_str());
    object.push("plan", plan.plan.as_str());
    object.push("state", plan.state.as_str());
    object.push("title", plan.title);
    object.push("asked", plan.asked.trim());
    object.push("summary", plan.summary.as_str());
    object.push("since", plan.since.to_string());
    object.push("expires", maybe(plan.expires.map(|at| at.to_string())));
    object.push("seq", plan.seq);
    object.push("edition", plan.edition);
    object.push("token", plan.token.as_str());
    let actions = plan.actions.iter().map(|action| Json::from(*action));
    object.push("actions", actions.collect::<Vec<Json>>());
    object.into()
}

/// Returns the most recently active sessions.
#[must_use]
pub(crate) fn recent_json(project: &str, page: &RecentPage) -> Json {
    let sessions = page.sessions.iter();
    let sessions = sessions.map(|(summary, waiting)| listed(project, summary, *waiting));
    let mut object = Object::new();
    object.push("sessions", sessions.collect::<Vec<Json>>());
    object.push("next", maybe(page.next.as_deref()));
    object.push("place", page.place.to_string());
    object.into()
}

/// Returns sessions in the order of their names. `next` says whether there may be another part.
#[must_use]
pub(crate) fn named_json(
    project: &str,
    sessions: &[ListedSession],
    index: &Index,
    next: bool,
) -> Json {
    let all = sessions.iter().map(|found| {
        let waiting = index.of_session(&found.session).len();
        if let Some(summary) = index.summary(&found.session) {
            return listed(project, &summary, waiting);
        }
        let mut object = named(project, &found.session);
        object.push("seq", found.seq);
        object.push("at", Json::Null);
        object.push("waiting", waiting as u64);
        object.push("states", Vec::<Json>::new());
        object.into()
    });
    let mut object = Object::new();
    object.push("sessions", all.collect::<Vec<Json>>());
    let last = sessions.last().filter(|_| next);
    object.push("next", maybe(last.map(|last| last.session.to_string())));
    object.push("place", Json::Null);
    object.into()
}

fn listed(project: &str, summary: &SessionSummary, waiting: usize) -> Json {
    let mut object = named(project, &summary.session);
    object.push("seq", summary.seq);
    object.push("at", summary.at.to_string());
    object.push("waiting", waiting as u64);
    let states = summary.states.iter().map(|(machine, plan, state)| {
        let mut object = Object::new();
        object.push("machine", machine.as_str());
        object.push("plan", plan.as_str());
        object.push("state", state.as_str());
        Json::Object(object)
    });
    object.push("states", states.collect::<Vec<Json>>());
    object.into()
}

/// Returns the names of a session. The id is exact, because requests refer to the session by it; the other names are
/// for people. In a shared database, the channel names the agent and its project, which need not be the project that is
/// served.
pub(super) fn named(project: &str, session: &SessionIdentity) -> Object {
    let mut object = Object::new();
    let channel = session.channel();
    let (agent, project) = agent_and_project(channel).unwrap_or((channel, project));
    object.push("sessionId", session.to_string());
    object.push("agent", visible_line(agent));
    object.push("conversation", visible_line(session.conversation()));
    object.push("project", visible_line(project));
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_in_a_shared_database_has_the_agent_and_the_project_of_its_channel() {
        let names = |session: &str| {
            let session = session.parse().expect("an identity");
            let object = named("shop", &session);
            let text = |key: &str| object.get(key).and_then(Json::as_text).map(str::to_owned);
            (text("agent"), text("project"))
        };
        let expected =
            |agent: &str, project: &str| (Some(agent.to_owned()), Some(project.to_owned()));
        let shared = names("codex@billing-1a2b3c4d:first-talk");
        assert_eq!(shared, expected("codex", "billing-1a2b3c4d"));
        assert_eq!(names("codex:first-talk"), expected("codex", "shop"));
        // The channel of a host may have an `@`, too.
        assert_eq!(names("mail@home:first-talk"), expected("mail@home", "shop"));
    }
}
