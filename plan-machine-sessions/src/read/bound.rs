//! Reads the content of a session from the store. A snapshot is trusted only if it is bound to the session: it must
//! contain the identity of the session, the number of one of the session's entries, and the digest of that entry.

use super::entries::{alone, altered, following, unreadable};
use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{Images, ReadError, Snapshot};
use crate::store::{Row, Store, StoredSession};

/// The maximum number of entries that are read at a time.
const PAGE: u32 = 256;

/// The last snapshot of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LastSnapshot {
    /// The number of the entry that the snapshot was made after; 0 if there is no snapshot that can be used.
    pub(crate) seq: u64,
    /// The size of the snapshot in bytes.
    pub(crate) bytes: u64,
    /// The total size of the entries after the snapshot, in bytes.
    pub(crate) since: u64,
}

impl Snapshot {
    /// Returns the current content of a session, read from its snapshot and the entries after the snapshot. No machine
    /// takes part, so the plans of all machines, including older and newer versions, are returned as they were written.
    ///
    /// # Errors
    ///
    /// If the store fails, if an entry is missing, or if an entry or the snapshot was altered or was written by a newer
    /// version of plan-machine.
    pub async fn load(store: &dyn Store, session: &SessionIdentity) -> Result<Self, SessionError> {
        Ok(held(store, session).await?.0.snapshot)
    }

    /// Returns the stored snapshot if it is bound to the session; `None` if there is no snapshot, or if the snapshot
    /// has an old format that does not contain the identity of the session. Such a snapshot is not used.
    ///
    /// # Errors
    ///
    /// If the snapshot was altered or was written by a newer version of plan-machine, or if it belongs to another
    /// session, to another entry, or to an entry that is missing.
    pub fn bound(
        session: &SessionIdentity,
        read: &StoredSession,
    ) -> Result<Option<Self>, UnreadableReason> {
        let Some(row) = &read.snapshot else {
            return Ok(None);
        };
        let snapshot = whole(row)?;
        if row.seq > read.head.seq {
            let seq = read.head.seq + 1;
            return Err(UnreadableReason::Missing { seq });
        }
        let Some(of) = snapshot.session.as_deref() else {
            return Ok(None);
        };
        if of != session.to_string() {
            let problem = format!(
                "the snapshot after this entry belongs to another session, {}",
                of.escape_debug()
            );
            return Err(altered(row, problem));
        }
        match read.base {
            None => Err(UnreadableReason::Missing { seq: row.seq }),
            Some(digest) if digest == snapshot.chain.digest() => Ok(Some(snapshot)),
            Some(_) => Err(altered(
                row,
                "the snapshot after this entry contains the digest of another entry",
            )),
        }
    }
}

/// Returns the current content of a session, and the size and position of its last snapshot.
pub(crate) async fn held(
    store: &dyn Store,
    session: &SessionIdentity,
) -> Result<(Images, LastSnapshot), SessionError> {
    let read = store.read(session).await?;
    let failed = |why| unreadable(session, why);
    let bound = Snapshot::bound(session, &read).map_err(failed)?;
    let mut last = LastSnapshot::default();
    if let (Some(bound), Some(row)) = (&bound, &read.snapshot) {
        (last.seq, last.bytes) = (bound.seq, row.body.len() as u64);
    }
    let mut images = Images::of(bound.unwrap_or_else(|| Snapshot::empty(session)));
    let behind = read.snapshot.as_ref().map_or(0, |row| row.seq);
    while images.snapshot.seq < behind {
        let rows = store.history(session, images.snapshot.seq, PAGE).await?;
        let rows: Vec<Row> = rows.into_iter().filter(|row| row.seq <= behind).collect();
        if rows.is_empty() {
            let seq = images.snapshot.seq + 1;
            return Err(failed(UnreadableReason::Missing { seq }));
        }
        last.since += follow(store, session, &mut images, &rows).await?;
    }
    last.since += follow(store, session, &mut images, &read.tail).await?;
    ends_at_its_head(&images.snapshot, &read).map_err(failed)?;
    Ok((images, last))
}

/// Completes an error about an entry of a session: if the plans of the session can be read, only its history is
/// affected. The error then does not suggest a restart, because the restart of such a session is refused, unless its
/// pending effects cannot be read.
pub(crate) async fn in_history(
    store: &dyn Store,
    session: &SessionIdentity,
    error: SessionError,
) -> SessionError {
    match error {
        SessionError::Unreadable { why, .. } if held(store, session).await.is_ok() => {
            unreadable(session, UnreadableReason::HistoryOnly(Box::new(why)))
        }
        other => other,
    }
}

/// Updates the content of a session with entries; returns the total size of the entries in bytes.
async fn follow(
    store: &dyn Store,
    session: &SessionIdentity,
    images: &mut Images,
    rows: &[Row],
) -> Result<u64, SessionError> {
    let mut bytes = 0;
    for row in rows {
        // The base of an entry's changes is usually in the snapshot or in the entries after the snapshot. The base has
        // to be read from the store only if a machine has changed in the meantime.
        let (chain, entry) = match following(images, row) {
            Ok(next) => next,
            Err(why) => {
                let entry = alone(store, session, row, &mut images.past).await;
                entry.map_err(|_| unreadable(session, why))?;
                following(images, row).map_err(|why| unreadable(session, why))?
            }
        };
        images.follow(&entry, chain, row.body.len());
        bytes += row.body.len() as u64;
    }
    Ok(bytes)
}

/// Checks that the last entry is the one that the store lists as the last, so that no entries are missing at the end.
fn ends_at_its_head(held: &Snapshot, read: &StoredSession) -> Result<(), UnreadableReason> {
    let last = read.head;
    if last.seq > held.seq {
        return Err(UnreadableReason::Missing { seq: held.seq + 1 });
    }
    let same = last.seq == 0 || last.digest == Some(held.chain.digest());
    if last.seq == held.seq && same {
        return Ok(());
    }
    Err(UnreadableReason::Altered {
        seq: held.seq,
        problem: "the store lists a different entry as the last one".to_owned(),
    })
}

/// Parses a snapshot and checks its digest, but not whether it belongs to the session.
fn whole(row: &Row) -> Result<Snapshot, UnreadableReason> {
    let snapshot = Snapshot::read(&row.body).map_err(|why| match why {
        ReadError::Newer { found } => UnreadableReason::NewerSnapshot {
            seq: row.seq,
            found,
        },
        problem => altered(
            row,
            format!("the snapshot after this entry cannot be read: {problem}"),
        ),
    })?;
    if snapshot.seq != row.seq || snapshot.chain.beside("snapshot", &row.body) != row.digest {
        let problem = "the snapshot after this entry does not match its digest or its number";
        return Err(altered(row, problem));
    }
    Ok(snapshot)
}
