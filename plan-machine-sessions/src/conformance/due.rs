//! The laws about sessions whose timers are due.

use std::time::Duration;

use plan_machine_kernel::time::Instant;

use super::kit::{Broken, LawResult, Tried, conflict, empty, entries, fresh, same, stored};
use crate::identity::SessionIdentity;
use crate::store::{Commit, NextDue};

/// Returns an instant shortly after the start of 1970. A timer that is due at such an instant comes before the timers
/// of ordinary sessions, so a shared store lists the sessions of these laws first.
fn second(at: u32) -> Instant {
    Instant::at_second(at)
}

fn due_at(session: &SessionIdentity, expected: u64, due: NextDue) -> Commit {
    Commit {
        due,
        ..entries(session, expected, &["entry"])
    }
}

/// Returns those sessions in `of` that the store lists as due by an instant, in the store's order.
async fn listed(
    store: &Tried,
    until: Instant,
    of: &[&SessionIdentity],
) -> Result<Vec<SessionIdentity>, Broken> {
    let mut due = store.due(until, 10_000).await?;
    due.retain(|session| of.contains(&session));
    Ok(due)
}

pub(super) async fn in_order(store: Tried) -> LawResult {
    let (early, late, never) = (fresh()?, fresh()?, fresh()?);
    let all = [&early, &late, &never];
    stored(
        &store,
        "a late timer",
        due_at(&late, 0, NextDue::At(second(20))),
    )
    .await?;
    stored(
        &store,
        "an early timer",
        due_at(&early, 0, NextDue::At(second(10))),
    )
    .await?;
    stored(&store, "no timer", due_at(&never, 0, NextDue::Unchanged)).await?;
    same(
        "the due sessions before the first timer",
        &listed(&store, second(9), &all).await?,
        &Vec::new(),
    )?;
    let both = vec![early.clone(), late.clone()];
    same(
        "the due sessions",
        &listed(&store, second(20), &all).await?,
        &both,
    )?;
    for most in [0, 1] {
        let found = store.due(second(20), most).await?;
        same("the number of due sessions", &found.len(), &(most as usize))?;
        let is_late = found.contains(&late);
        same("whether the late session is listed", &is_late, &false)?;
    }

    // An entry without timers does not change the instant; a later instant replaces the earlier one.
    stored(&store, "an entry", due_at(&early, 1, NextDue::Unchanged)).await?;
    let later = Commit {
        after: store.head(&early).await?.digest,
        ..due_at(&early, 2, NextDue::At(second(30)))
    };
    stored(&store, "a later timer", later).await?;
    let late_first = vec![late.clone(), early.clone()];
    same(
        "the due sessions after the later timer",
        &listed(&store, second(30), &all).await?,
        &late_first,
    )?;

    // A commit without entries can end the timers of a session, and so can the deletion of the session.
    let ended = Commit {
        due: NextDue::Never,
        ..empty(&late, 1)
    };
    stored(&store, "the end of all timers", ended).await?;
    store.delete(&early).await?;
    same(
        "the due sessions after all timers have ended",
        &listed(&store, second(99), &all).await?,
        &Vec::new(),
    )
}

pub(super) async fn never_early(store: Tried) -> LawResult {
    let session = fresh()?;
    let between = |nanoseconds| {
        let since = second(10).since_1970() + Duration::from_nanos(nanoseconds);
        Instant::from_since_1970(since).unwrap_or(second(10))
    };
    let due = NextDue::At(between(1));
    stored(&store, "a timer", due_at(&session, 0, due)).await?;
    let early = listed(&store, between(0), &[&session]).await?;
    same(
        "the due sessions a nanosecond before the timer",
        &early,
        &Vec::new(),
    )?;
    let late = listed(&store, between(1_000_000), &[&session]).await?;
    same(
        "the due sessions a millisecond after the timer",
        &late,
        &vec![session.clone()],
    )?;
    let last = NextDue::At(Instant::LAST);
    stored(
        &store,
        "a timer at the end of time",
        due_at(&session, 1, last),
    )
    .await?;
    let due = listed(&store, second(99), &[&session]).await?;
    same(
        "the due sessions long before the end of time",
        &due,
        &Vec::new(),
    )?;
    store.delete(&session).await?;
    Ok(())
}

pub(super) async fn known(store: Tried) -> LawResult {
    let session = fresh()?;
    same(
        "the next timer of a session that does not exist",
        &store.due_at(&session).await?,
        &None,
    )?;
    let at = second(10);
    stored(&store, "a timer", due_at(&session, 0, NextDue::At(at))).await?;
    same(
        "the instant of the timer",
        &store.due_at(&session).await?,
        &Some(at),
    )?;
    let ended = Commit {
        due: NextDue::Never,
        ..empty(&session, 1)
    };
    stored(&store, "the end of all timers", ended).await?;
    same(
        "the next timer of a session without timers",
        &store.due_at(&session).await?,
        &None,
    )
}

pub(super) async fn after_a_conflict(store: Tried) -> LawResult {
    let session = fresh()?;
    stored(
        &store,
        "a timer",
        due_at(&session, 0, NextDue::At(second(10))),
    )
    .await?;
    conflict(
        &store,
        "another commit",
        due_at(&session, 0, NextDue::Never),
    )
    .await?;
    let due = listed(&store, second(10), &[&session]).await?;
    same(
        "the due sessions after a conflict",
        &due,
        &vec![session.clone()],
    )?;
    store.delete(&session).await?;
    Ok(())
}
