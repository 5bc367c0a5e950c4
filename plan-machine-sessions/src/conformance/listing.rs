//! The law about the list of sessions.

use super::kit::{Broken, LawResult, Tried, entries, fresh_word, same, stored};
use crate::identity::SessionIdentity;
use crate::store::ListedSession;

/// Names of conversations, ordered by their bytes. This order is not alphabetical in any language.
const IN_ORDER: [&str; 9] = ["-", "10", "9", "A:b", "Z", "_", "a", "z\u{10ffff}", "é"];

pub(super) async fn in_order(store: Tried) -> LawResult {
    let word = fresh_word();
    // The first channel is a prefix of the second.
    let channels = [format!("law {word}"), format!("law {word} ä")];
    let mut all = Vec::new();
    for channel in &channels {
        for (seq, conversation) in (1..).zip(IN_ORDER) {
            let session = SessionIdentity::existing(channel, conversation)?;
            all.push(ListedSession { session, seq });
        }
    }
    // The sessions are stored in a different order.
    for listed in all.iter().step_by(2).chain(all.iter().skip(1).step_by(2)) {
        let bodies = vec!["entry"; usize::try_from(listed.seq).unwrap_or_default()];
        let commit = entries(&listed.session, 0, &bodies);
        stored(&store, "a session", commit).await?;
    }
    let before = SessionIdentity::existing(&channels[0], "\u{20}")?;
    for most in [1, 4, 18] {
        let found = walk(&store, before.clone(), most, all.len()).await?;
        same(
            &format!("the sessions, listed {most} at a time"),
            &found.as_slice(),
            &&all[..],
        )?;
    }
    let found = store.sessions(Some(&before), 0).await?;
    same(
        "the sessions listed with a limit of zero",
        &found,
        &Vec::new(),
    )?;
    // A list without a starting point is also sorted.
    let found = store.sessions(None, 10).await?;
    let mut sorted = found.clone();
    sorted.sort_by(|a, b| a.session.cmp(&b.session));
    same("the first ten sessions", &found, &sorted)?;
    same(
        "the number of sessions listed with a limit of ten",
        &found.len(),
        &10,
    )
}

/// Returns the `count` sessions that follow the session `after` in the list, read in pages of at most `most` sessions.
async fn walk(
    store: &Tried,
    mut after: SessionIdentity,
    most: u32,
    count: usize,
) -> Result<Vec<ListedSession>, Broken> {
    let mut found: Vec<ListedSession> = Vec::new();
    while found.len() < count {
        let page = store.sessions(Some(&after), most).await?;
        let Some(last) = page.last() else { break };
        after = last.session.clone();
        found.extend(page);
    }
    found.truncate(count);
    Ok(found)
}
