//! Cards that were shown to a person on the page.

use plan_machine_agents::keeper::Delivery;
use plan_machine_sessions::SessionIdentity;

use crate::auth::{Credential, Role};
use crate::problem::{Problem, ProblemKind};
use crate::project::ServedProject;
use crate::views::Card;

/// Records that cards are sent to a client, if the client is a person.
pub(super) async fn deliver(
    project: &ServedProject,
    session: &SessionIdentity,
    cards: &[Card],
    who: &Credential,
) -> Result<(), Problem> {
    if who.role < Role::Person || cards.is_empty() {
        return Ok(());
    }
    deliver_to_person(project, session, cards).await
}

/// Records that cards are sent to a person. No model writes to this channel, because every token of a person comes from
/// the person's terminal.
pub(super) async fn deliver_to_person(
    project: &ServedProject,
    session: &SessionIdentity,
    cards: &[Card],
) -> Result<(), Problem> {
    let Some(deliveries) = project.deliveries.clone() else {
        return Ok(());
    };
    let shown = cards.iter().map(|card| Delivery {
        session: session.clone(),
        machine: card.machine.to_owned(),
        plan: card.plan.id.to_string(),
        token: card.plan.token.clone(),
        channel: "inbox".to_owned(),
    });
    let shown: Vec<Delivery> = shown.collect();
    let stored = tokio::task::spawn_blocking(move || {
        let mut new = Vec::new();
        for one in shown {
            if !deliveries.contain(&one.session, &one.machine, &one.plan, &one.token)? {
                new.push(one);
            }
        }
        deliveries.add(&new)
    });
    Ok(stored.await.map_err(failed)??)
}

/// Checks that exactly this content was shown, if the project is gated.
pub(super) async fn check(
    project: &ServedProject,
    session: &SessionIdentity,
    machine: &str,
    plan: &str,
    token: &str,
) -> Result<(), Problem> {
    let Some(deliveries) = project.deliveries.clone() else {
        return Ok(());
    };
    let (session, machine) = (session.clone(), machine.to_owned());
    let (plan, token) = (plan.to_owned(), token.to_owned());
    let name = session.to_string();
    let looked =
        tokio::task::spawn_blocking(move || deliveries.contain(&session, &machine, &plan, &token));
    if looked.await.map_err(failed)?? {
        return Ok(());
    }
    let detail = format!(
        "plan-machine has not shown you this content, so you cannot decide about it yet; `GET /api/sessions/{name}` shows it"
    );
    Err(Problem::new(ProblemKind::Denied, detail))
}

#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn failed(error: tokio::task::JoinError) -> Problem {
    Problem::new(ProblemKind::Internal, error.to_string())
}
