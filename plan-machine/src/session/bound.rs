//! What a session holds by what is stored of it. A snapshot is believed only if it is bound to the
//! session: to its identity, to the number of an entry, and to that entry's digest.

use super::error::{SessionError, Unreadable};
use super::identity::SessionIdentity;
use super::load::{altered, following, misread, unreadable};
use crate::journal::{Images, Misread, Snapshot};
use crate::store::{Read, Row, Store};

/// How many entries are read at a time where all are needed.
const PAGE: u32 = 256;

impl Snapshot {
    /// What a session holds by what is stored of it: its snapshot and the entries after that. No
    /// machine is asked, so plans of any machine, older or newer ones too, are told as they were
    /// written.
    ///
    /// # Errors
    ///
    /// Where the store fails, something is not as it was written, or something is missing.
    pub async fn load(store: &dyn Store, session: &SessionIdentity) -> Result<Self, SessionError> {
        Ok(held(store, session).await?.0)
    }

    /// The stored snapshot of a session, if it is bound to it; none where there is no snapshot, or only
    /// one of a format that does not name its session: such a snapshot is not used.
    ///
    /// # Errors
    ///
    /// Where the snapshot belongs to another session or another entry, was altered, or is of an entry
    /// that is missing.
    pub fn bound(session: &SessionIdentity, read: &Read) -> Result<Option<Self>, Unreadable> {
        let Some(row) = &read.snapshot else {
            return Ok(None);
        };
        let snapshot = whole(row)?;
        if row.seq > read.head.seq {
            let seq = read.head.seq + 1;
            return Err(Unreadable::Missing { seq });
        }
        let Some(of) = snapshot.session.as_deref() else {
            return Ok(None);
        };
        if of != session.to_string() {
            let problem = format!("its snapshot belongs to the session {}", of.escape_debug());
            return Err(altered(row, problem));
        }
        match read.base {
            None => Err(Unreadable::Missing { seq: row.seq }),
            Some(digest) if digest == snapshot.chain.digest() => Ok(Some(snapshot)),
            Some(_) => Err(altered(row, "its snapshot was made of another entry")),
        }
    }
}

/// What a session holds, and the number of the snapshot that this was read from; 0 where all of it comes
/// from entries.
pub(super) async fn held(
    store: &dyn Store,
    session: &SessionIdentity,
) -> Result<(Snapshot, u64), SessionError> {
    let read = store.read(session).await?;
    let failed = |why| unreadable(session, why);
    let bound = Snapshot::bound(session, &read).map_err(failed)?;
    let from = bound.as_ref().map_or(0, |snapshot| snapshot.seq);
    let mut images = Images(bound.unwrap_or_else(|| Snapshot::empty(session)));
    let behind = read.snapshot.as_ref().map_or(0, |row| row.seq);
    while images.0.seq < behind {
        let rows = store.history(session, images.0.seq, PAGE).await?;
        let rows: Vec<Row> = rows.into_iter().filter(|row| row.seq <= behind).collect();
        if rows.is_empty() {
            let seq = images.0.seq + 1;
            return Err(failed(Unreadable::Missing { seq }));
        }
        follow(&mut images, &rows).map_err(failed)?;
    }
    follow(&mut images, &read.tail).map_err(failed)?;
    ends_at_its_head(&images.0, &read).map_err(failed)?;
    Ok((images.0, from))
}

fn follow(images: &mut Images, rows: &[Row]) -> Result<(), Unreadable> {
    for row in rows {
        let (chain, entry) = following(&images.0, row)?;
        images.follow(&entry, chain);
    }
    Ok(())
}

/// Nothing was cut off at the end, as far as the store remembers.
fn ends_at_its_head(held: &Snapshot, read: &Read) -> Result<(), Unreadable> {
    let last = read.head;
    if last.seq > held.seq {
        return Err(Unreadable::Missing { seq: held.seq + 1 });
    }
    let same = last.seq == 0 || last.digest == Some(held.chain.digest());
    if last.seq == held.seq && same {
        return Ok(());
    }
    Err(Unreadable::Altered {
        seq: held.seq,
        problem: "it is not the entry that the store remembers as the last one".to_owned(),
    })
}

/// A snapshot as it was written, whichever session it belongs to.
fn whole(row: &Row) -> Result<Snapshot, Unreadable> {
    let snapshot = Snapshot::read(&row.body).map_err(|why| match why {
        Misread::Wrong(problem) => altered(row, format!("its snapshot cannot be read: {problem}")),
        newer @ Misread::Newer { .. } => misread(row, newer),
    })?;
    if snapshot.seq != row.seq || snapshot.chain.beside("snapshot", &row.body) != row.digest {
        let problem = "the digest of its snapshot is not that of its text";
        return Err(altered(row, problem));
    }
    Ok(snapshot)
}
