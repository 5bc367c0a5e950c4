//! Laws about the positions of entries: the entries of all sessions have a single order.

use super::kit::{Broken, LawResult, Tried, entries, fresh, placed, row, same, stored};
use crate::identity::SessionIdentity;
use crate::store::{Place, PlacedEntry};

/// Creates three sessions and stores three commits of two entries each in every session, in turn. Also returns the end
/// position of the store before the first commit.
async fn three(store: &Tried) -> Result<(Place, [SessionIdentity; 3]), Broken> {
    let start = store.end().await?;
    let sessions = [fresh()?, fresh()?, fresh()?];
    for round in 0..3 {
        for session in &sessions {
            let commit = entries(session, 2 * round, &["first", "second"]);
            stored(store, "two entries", commit).await?;
        }
    }
    Ok((start, sessions))
}

async fn of_three(
    store: &Tried,
    after: Place,
    sessions: &[SessionIdentity; 3],
    count: usize,
) -> Result<Vec<PlacedEntry>, Broken> {
    placed(store, after, &sessions.each_ref(), count).await
}

/// Checks that the positions of these entries increase.
fn grow(found: &[PlacedEntry]) -> LawResult {
    for pair in found.windows(2) {
        if pair[0].place >= pair[1].place {
            let (first, second) = (pair[0].place, pair[1].place);
            return Err(Broken(format!(
                "expected increasing positions, found {second} after {first}"
            )));
        }
    }
    Ok(())
}

pub(super) async fn growing(store: Tried) -> LawResult {
    let (start, sessions) = three(&store).await?;
    let found = of_three(&store, start, &sessions, 18).await?;
    same("the number of entries", &found.len(), &18)?;
    grow(&found)?;
    for session in &sessions {
        let rows: Vec<_> = found
            .iter()
            .filter(|placed| placed.session == *session)
            .map(|placed| placed.row.clone())
            .collect();
        let history = store.history(session, 0, 100).await?;
        same(
            "the entries of a session, ordered by position",
            &rows,
            &history,
        )?;
    }
    Ok(())
}

pub(super) async fn resuming(store: Tried) -> LawResult {
    let (start, sessions) = three(&store).await?;
    let all = of_three(&store, start, &sessions, 18).await?;
    for (at, from) in all.iter().enumerate() {
        // The position must remain the same when it is written as a string and parsed again.
        let place = from.place.to_string();
        let place: Place = place.parse().map_err(Broken)?;
        let rest = of_three(&store, place, &sessions, all.len() - at - 1).await?;
        let what = format!("the entries after position {place}");
        same(&what, &&rest[..], &&all[at + 1..])?;
    }
    let none = store.everything(start, 0).await?;
    same("the entries read with a limit of zero", &none, &Vec::new())?;
    let first = store.everything(Place::START, 1).await?;
    same(
        "the number of entries read with a limit of one",
        &first.len(),
        &1,
    )
}

pub(super) async fn end(store: Tried) -> LawResult {
    let (start, sessions) = three(&store).await?;
    let seen = of_three(&store, start, &sessions, 18).await?;
    let end = store.end().await?;
    let last = seen.last().map_or(start, |placed| placed.place);
    if last > end {
        return Err(Broken(format!(
            "expected an end position at or after {last}, the position of the last entry, found {end}"
        )));
    }
    if start > end {
        return Err(Broken(format!(
            "expected an end position at or after the start position {start}, found {end}"
        )));
    }
    let after = of_three(&store, end, &sessions, 0).await?;
    same(
        "the entries after the end position, before any later entry is stored",
        &after,
        &Vec::new(),
    )?;
    let commit = entries(&sessions[1], 6, &["later"]);
    stored(&store, "an entry after the end position", commit).await?;
    let after = of_three(&store, end, &sessions, 1).await?;
    let rows: Vec<_> = after.into_iter().map(|placed| placed.row).collect();
    same(
        "the entries after the end position, once a later entry is stored",
        &rows,
        &vec![row(7, "later")],
    )
}

pub(super) async fn after_deletion(store: Tried) -> LawResult {
    let start = store.end().await?;
    let session = fresh()?;
    let commit = entries(&session, 0, &["one", "two", "three"]);
    stored(&store, "three entries", commit).await?;
    let before = placed(&store, start, &[&session], 3).await?;
    let last = before.iter().map(|placed| placed.place).max();
    let last = last.unwrap_or(start);
    store.delete(&session).await?;
    let gone = placed(&store, start, &[&session], 0).await?;
    same("the entries of a deleted session", &gone, &Vec::new())?;
    let end = store.end().await?;
    if end < last {
        return Err(Broken(format!(
            "expected an end position at or after {last}, the position of the last deleted entry, found {end}"
        )));
    }
    let commit = entries(&session, 0, &["anew"]);
    stored(
        &store,
        "a commit that starts the deleted session again",
        commit,
    )
    .await?;
    // A watcher that has returned the old entries must also return the new one.
    let after = placed(&store, last, &[&session], 1).await?;
    let rows: Vec<_> = after.into_iter().map(|placed| placed.row).collect();
    same(
        "the entries after the position of the last deleted entry",
        &rows,
        &vec![row(1, "anew")],
    )
}
