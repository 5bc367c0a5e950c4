//! Watching what happens in a session, or in all: each entry once, in order, from any place on.

use std::collections::VecDeque;

use crate::journal::Entry;
use crate::session::{Session, SessionError, SessionIdentity, Sessions, Unreadable};
use crate::store::{Place, Placed, Row, Store, Wake};
use std::sync::Arc;

/// How many entries are read at a time.
const PAGE: u32 = 256;

/// Entries of one session or of all, as they are stored. It has no end.
#[derive(Debug)]
pub struct Watch {
    store: Arc<dyn Store>,
    wake: Wake,
    after: After,
    read: VecDeque<Placed>,
}

/// Where a watcher is.
#[derive(Debug)]
enum After {
    /// In one session, after an entry.
    Entry(SessionIdentity, u64),
    /// Among all.
    Place(Place),
}

/// One entry that a watcher sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its place among the entries of all sessions, to go on from later; that of its number where one
    /// session is watched.
    pub place: Place,
    /// Its session.
    pub session: SessionIdentity,
    /// The entry.
    pub entry: Entry,
}

impl Session {
    /// Watches the session from an entry on: those after it, and all that will come.
    #[must_use]
    pub fn watch(&self, after: u64) -> Watch {
        Watch::new(self.store(), After::Entry(self.identity().clone(), after))
    }
}

impl Sessions {
    /// Watches all sessions from a place on: the entries after it, and all that will come.
    #[must_use]
    pub fn watch(&self, after: Place) -> Watch {
        Watch::new(self.store(), After::Place(after))
    }

    /// The place after everything that there is now, for watchers who want only what will come.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub async fn end(&self) -> Result<Place, SessionError> {
        Ok(self.store().end().await?)
    }
}

impl Watch {
    fn new(store: &Arc<dyn Store>, after: After) -> Self {
        Self {
            store: Arc::clone(store),
            wake: store.wake(),
            after,
            read: VecDeque::new(),
        }
    }

    /// The next entry, when there is one. Nothing is lost where nobody waits for it any more, and
    /// after an error it goes on from where it was.
    ///
    /// # Errors
    ///
    /// Where the store fails, or an entry cannot be read.
    pub async fn next(&mut self) -> Result<Seen, SessionError> {
        loop {
            if let Some(placed) = self.read.front() {
                let entry =
                    Entry::read(&placed.row.body).map_err(|problem| SessionError::Unreadable {
                        session: placed.session.clone(),
                        why: Unreadable::Altered {
                            seq: placed.row.seq,
                            problem,
                        },
                    });
                let (place, session) = (placed.place, placed.session.clone());
                self.read.pop_front();
                return entry.map(|entry| Seen {
                    place,
                    session,
                    entry,
                });
            }
            self.look().await?;
            if self.read.is_empty() {
                self.wake.up().await;
            }
        }
    }

    /// Reads what has come.
    async fn look(&mut self) -> Result<(), SessionError> {
        match &mut self.after {
            After::Place(after) => {
                let placed = self.store.everything(*after, PAGE).await?;
                *after = placed.last().map_or(*after, |placed| placed.place);
                self.read.extend(placed);
            }
            After::Entry(session, after) => {
                let rows = self.store.history(session, *after, PAGE).await?;
                *after = rows.last().map_or(*after, |row| row.seq);
                let session = session.clone();
                self.read
                    .extend(rows.into_iter().map(|row| at_its_number(&session, row)));
            }
        }
        Ok(())
    }
}

fn at_its_number(session: &SessionIdentity, row: Row) -> Placed {
    Placed {
        place: Place {
            transaction: 0,
            number: row.seq,
        },
        session: session.clone(),
        row,
    }
}
