//! `plan_wait`: returns when the person has decided (in the agent, in a terminal or on the page of `plan-machine serve`),
//! or when the time limit is reached.

use std::time::Duration;

use plan_machine_sessions::SessionIdentity;
use tokio::time::timeout;

use crate::keeper::{GateError, Keeper, OwnAnswer};

/// How long a call waits. Many clients have a time limit of 60 seconds.
pub(super) const LIMIT: Duration = Duration::from_secs(50);

/// Waits until the plans that wait for the person change: one of them is approved, rejected or changed, or another plan
/// starts to wait.
///
/// The watcher also notices commits of other processes: it checks the store for them a few times a second.
pub(super) async fn wait(
    keeper: &Keeper,
    session: &SessionIdentity,
    limit: Duration,
) -> Result<OwnAnswer, GateError> {
    let live = keeper.session(session);
    // The position is read first, so that a decision between the two reads is noticed.
    let mut watcher = live.watch(live.seq().await?);
    let before = waiting(keeper, session).await?;
    if before.is_empty() {
        return said(keeper, session, "No plan is waiting for a decision.").await;
    }
    let decided = async {
        loop {
            watcher.next().await?;
            if waiting(keeper, session).await? != before {
                return Ok::<(), GateError>(());
            }
        }
    };
    let Ok(decided) = timeout(limit, decided).await else {
        let text = "The person has not decided yet. Call `plan_wait` again, or end your turn.";
        return said(keeper, session, text).await;
    };
    decided?;
    said(
        keeper,
        session,
        "The plan no longer waits for a decision, or it has changed.",
    )
    .await
}

/// A plan that waits for the person: the machine, the plan and its token.
type WaitingPlan = (String, String, String);

async fn waiting(
    keeper: &Keeper,
    session: &SessionIdentity,
) -> Result<Vec<WaitingPlan>, GateError> {
    let view = keeper.view(session).await?;
    if let Some(problem) = view.problem {
        return Err(GateError::Request(problem));
    }
    let cards = view.cards.into_iter();
    Ok(cards
        .map(|card| (card.machine, card.plan, card.token))
        .collect())
}

/// Returns an answer that consists of a sentence and the state of the plans.
pub(super) async fn said(
    keeper: &Keeper,
    session: &SessionIdentity,
    text: &str,
) -> Result<OwnAnswer, GateError> {
    let status = keeper.status_for_model(session).await?;
    Ok(OwnAnswer {
        text: format!("{text}\n\n{}", status.text),
        is_denied: false,
    })
}
