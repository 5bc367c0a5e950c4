//! Watches one session or all sessions: a watcher returns each entry once, in order, starting at any position.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{Chain, Entry, PlanImages};
use crate::read::{alone, altered, in_history, unreadable};
use crate::session::{Session, Sessions};
use crate::store::{Place, PlacedEntry, Row, Store, StoreChanges};

/// The maximum number of entries that are read at a time.
const PAGE: u32 = 256;

/// An endless stream of the entries of one session or of all sessions, as they are stored.
#[derive(Debug)]
pub struct Watcher {
    store: Arc<dyn Store>,
    wake: StoreChanges,
    after: After,
    read: VecDeque<Result<WatchedEntry, SessionError>>,
    /// The last entry read in each of the sessions that were read most recently. For other sessions, the previous entry
    /// is read from the store.
    known: HashMap<SessionIdentity, Head>,
    /// The long plans of the sessions in `known`. The next entries may contain only the changes to these plans.
    pasts: HashMap<SessionIdentity, PlanImages>,
}

/// The number of an entry, and the hash chain after that entry.
type Head = (u64, Chain);

/// The position of a watcher.
#[derive(Debug)]
enum After {
    /// After the entry with this number, in one session.
    Entry(SessionIdentity, u64),
    /// After this position among the entries of all sessions.
    Place(Place),
}

/// An entry that a watcher has returned.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedEntry {
    /// The position of the entry among the entries of all sessions, from which another watcher can continue later. If
    /// only one session is watched, the position contains just the number of the entry.
    pub place: Place,
    /// The session that the entry belongs to.
    pub session: SessionIdentity,
    /// The entry.
    pub entry: Entry,
}

impl Session {
    /// Watches the session, starting after the entry with the number `after`. The watcher returns all later entries,
    /// including entries that have not been stored yet.
    #[must_use]
    pub fn watch(&self, after: u64) -> Watcher {
        Watcher::new(self.store(), After::Entry(self.identity().clone(), after))
    }
}

/// An entry that a watcher has read, or the reason why the entry cannot be read, and the position in the session after
/// the entry.
type Followed = (Result<WatchedEntry, SessionError>, Head);

impl Sessions {
    /// Watches all sessions, starting after a position. The watcher returns all later entries, including entries that
    /// have not been stored yet.
    #[must_use]
    pub fn watch(&self, after: Place) -> Watcher {
        Watcher::new(self.store(), After::Place(after))
    }

    /// Returns the position after all entries that a watcher of all sessions can return now, for watchers that should
    /// return only later entries.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn end(&self) -> Result<Place, SessionError> {
        Ok(self.store().end().await?)
    }
}

impl Watcher {
    fn new(store: &Arc<dyn Store>, after: After) -> Self {
        Self {
            store: Arc::clone(store),
            wake: store.wake(),
            after,
            read: VecDeque::new(),
            known: HashMap::new(),
            pasts: HashMap::new(),
        }
    }

    /// Waits for the next entry. Cancelling the wait does not skip any entry, and after an error the watcher continues
    /// from the position that it had reached.
    ///
    /// # Errors
    ///
    /// If the store fails, or if an entry was altered, is missing, or was written by a newer version of plan-machine.
    pub async fn next(&mut self) -> Result<WatchedEntry, SessionError> {
        loop {
            if let Some(seen) = self.read.pop_front() {
                return seen;
            }
            self.look().await?;
            if self.read.is_empty() {
                self.wake.up().await;
            }
        }
    }

    /// Reads the new entries. The position of the watcher is updated last, so that a cancelled read does not skip any
    /// entry.
    async fn look(&mut self) -> Result<(), SessionError> {
        let (placed, after) = match &self.after {
            After::Place(after) => {
                let placed = self.store.everything(*after, PAGE).await?;
                let last = placed.last().map_or(*after, |placed| placed.place);
                (placed, After::Place(last))
            }
            After::Entry(session, after) => {
                let rows = self.store.history(session, *after, PAGE).await?;
                let last = rows.last().map_or(*after, |row| row.seq);
                let placed = rows.into_iter().map(|row| at_its_number(session, row));
                (placed.collect(), After::Entry(session.clone(), last))
            }
        };
        let mut known = HashMap::new();
        let mut pasts: HashMap<SessionIdentity, PlanImages> = HashMap::new();
        let mut read = VecDeque::new();
        for placed in placed {
            let before = known.get(&placed.session);
            let before = before.or_else(|| self.known.get(&placed.session)).copied();
            // If this function is cancelled, these plans are read from the store again.
            let past = pasts.remove(&placed.session);
            let past = past.or_else(|| self.pasts.remove(&placed.session));
            let mut past = past.unwrap_or_default();
            let followed = match self.follow(before, &placed, &mut past).await {
                // Damage to one session does not keep the watcher from returning the entries of the others.
                Err(error) if error.is_damage() => {
                    let why = altered(&placed.row, error.to_string());
                    Some(self.unread(&placed, why).await)
                }
                followed => followed?,
            };
            pasts.insert(placed.session.clone(), past);
            if let Some((seen, head)) = followed {
                known.insert(placed.session, head);
                read.push_back(seen);
            }
        }
        (self.after, self.known, self.pasts, self.read) = (after, known, pasts, read);
        Ok(())
    }

    /// Checks that an entry follows the entry before it, and parses it. Returns `None` if the session has been deleted
    /// since the entry was read.
    async fn follow(
        &self,
        before: Option<Head>,
        placed: &PlacedEntry,
        past: &mut PlanImages,
    ) -> Result<Option<Followed>, SessionError> {
        let PlacedEntry {
            place,
            session,
            row,
        } = placed;
        let head = (row.seq, Chain::at(row.digest));
        let before = before.filter(|(seq, _)| seq + 1 == row.seq);
        let mut entry = match before {
            Some((_, chain)) => self.next_in(chain, session, row, past).await?.ok(),
            None => None,
        };
        if entry.is_none() {
            // The session may have been deleted and created again.
            let chain = self.chain_before(session, row.seq).await?;
            let missing = || UnreadableReason::Missing { seq: row.seq - 1 };
            let read = match chain.ok_or_else(missing) {
                Ok(chain) => self.next_in(chain, session, row, past).await?,
                Err(why) => Err(why),
            };
            match read {
                Ok(read) => entry = Some(read),
                Err(why) if self.is_there(session, row).await? => {
                    return Ok(Some(self.unread(placed, why).await));
                }
                Err(_) => {}
            }
        }
        Ok(entry.map(|entry| {
            let (place, session) = (*place, session.clone());
            let seen = WatchedEntry {
                place,
                session,
                entry,
            };
            (Ok(seen), head)
        }))
    }

    /// Parses the entry that must come next in a chain, or returns the reason why it cannot be used.
    async fn next_in(
        &self,
        chain: Chain,
        session: &SessionIdentity,
        row: &Row,
        past: &mut PlanImages,
    ) -> Result<Result<Entry, UnreadableReason>, SessionError> {
        if let Err(broken) = chain.onto(&row.body, row.digest) {
            return Ok(Err(altered(row, broken.to_string())));
        }
        match alone(&*self.store, session, row, past).await {
            Ok(entry) => {
                past.follow(&entry, row.body.len());
                Ok(Ok(entry))
            }
            Err(SessionError::Unreadable { why, .. }) => Ok(Err(why)),
            Err(other) => Err(other),
        }
    }

    /// Returns the error that a watcher gets for an entry that cannot be read.
    async fn unread(&self, placed: &PlacedEntry, why: UnreadableReason) -> Followed {
        let PlacedEntry { session, row, .. } = placed;
        let error = in_history(&*self.store, session, unreadable(session, why)).await;
        (Err(error), (row.seq, Chain::at(row.digest)))
    }

    async fn is_there(&self, session: &SessionIdentity, row: &Row) -> Result<bool, SessionError> {
        let now = self.row(session, row.seq).await?;
        Ok(now.is_some_and(|now| now.digest == row.digest))
    }

    /// Returns the chain that the entry with this number must continue; `None` if the entry before it does not exist.
    async fn chain_before(
        &self,
        session: &SessionIdentity,
        seq: u64,
    ) -> Result<Option<Chain>, SessionError> {
        Ok(match seq.saturating_sub(1) {
            0 => Some(Chain::start(session)),
            before => {
                let row = self.row(session, before).await?;
                row.map(|row| Chain::at(row.digest))
            }
        })
    }

    async fn row(&self, session: &SessionIdentity, seq: u64) -> Result<Option<Row>, SessionError> {
        let rows = self.store.history(session, seq - 1, 1).await?;
        Ok(rows.into_iter().find(|row| row.seq == seq))
    }
}

fn at_its_number(session: &SessionIdentity, row: Row) -> PlacedEntry {
    PlacedEntry {
        place: Place {
            transaction: 0,
            number: row.seq,
        },
        session: session.clone(),
        row,
    }
}
