//! Reads a session's journal from its start, page by page, and checks every entry.

use std::collections::{BTreeMap, BTreeSet};

use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{Chain, Entry, PlanImages};
use plan_machine_sessions::store::{Row, StoreError, StoreErrorKind, StoredAnswer};

use super::open_store::Log;
use crate::output::Failure;

/// The number of entries that are read at a time.
const PAGE: u32 = 256;

/// A journal that is being read.
pub(super) struct Journal<'a> {
    log: &'a Log,
    session: &'a SessionIdentity,
    chain: Chain,
    past: PlanImages,
    last: Option<u64>,
}

/// A page of entries, and the answers that were given when the session was at the sequence numbers of these entries.
pub(super) struct Page {
    pub(super) rows: Vec<Row>,
    pub(super) answers: BTreeMap<u64, Vec<StoredAnswer>>,
}

impl<'a> Journal<'a> {
    /// Returns a reader positioned before the first entry.
    pub(super) fn new(log: &'a Log, session: &'a SessionIdentity) -> Self {
        Self {
            log,
            session,
            chain: Chain::start(session),
            past: PlanImages::default(),
            last: None,
        }
    }

    /// Returns the next entries; the first page also contains the answers from before the first entry.
    pub(super) async fn next(&mut self) -> Result<Option<Page>, Failure> {
        let page = self.page().await;
        self.log.read(page)
    }

    /// Like [`next`](Self::next), but for callers that can continue when the store fails.
    pub(super) async fn page(&mut self) -> Result<Option<Page>, StoreError> {
        let store = &self.log.store;
        let from = self.last.unwrap_or(0);
        let rows = store.history(self.session, from, PAGE).await?;
        if rows.is_empty() && self.last.is_some() {
            return Ok(None);
        }
        let to = rows.last().map_or(0, |row| row.seq);
        let from = self.last.map_or(0, |last| last + 1);
        let given = store.answers(self.session, from, to).await?;
        let mut answers: BTreeMap<u64, Vec<StoredAnswer>> = BTreeMap::new();
        for one in given {
            answers.entry(one.seq).or_default().push(one);
        }
        self.last = Some(to);
        Ok(Some(Page { rows, answers }))
    }

    /// Reads the entry that follows the last one. After an altered entry, the next one is checked against the stored
    /// digest, so that each alteration is reported once.
    pub(super) fn entry(&mut self, row: &Row) -> Result<Entry, String> {
        let chain = self.chain.then(&row.body);
        self.chain = Chain::at(row.digest);
        if chain.digest() != row.digest {
            return Err(
                "the digest of the entry does not match its text and the entries before it"
                    .to_owned(),
            );
        }
        let entry = Entry::read_onto(&row.body, &self.past);
        let entry = entry.map_err(|why| why.to_string())?;
        self.past.follow(&entry, row.body.len());
        Ok(entry)
    }
}

/// Returns the sequence number and position of each pending effect, or the reason why they cannot be read if the
/// session itself is damaged.
pub(super) async fn pending(
    log: &Log,
    session: &SessionIdentity,
) -> Result<Result<BTreeSet<(u64, u32)>, String>, StoreError> {
    let pending = match log.store.pending(session, u32::MAX).await {
        Err(error) if error.kind == StoreErrorKind::Damaged => return Ok(Err(error.to_string())),
        pending => pending?,
    };
    let each = pending.into_iter().flat_map(|pending| {
        let seq = pending.row.seq;
        let positions = pending.positions.into_iter();
        positions.map(move |position| (seq, position))
    });
    Ok(Ok(each.collect()))
}

/// Describes a pending effect that does not exist in its entry; `None` if there is none.
pub(super) fn problem_of_effects(entry: &Entry, open: &BTreeSet<(u64, u32)>) -> Option<String> {
    let many = entry.step.acceptance.effects.len();
    let mut open = open.range((entry.seq, 0)..=(entry.seq, u32::MAX));
    let (seq, position) = open.find(|(_, position)| *position as usize >= many)?;
    let which = position + 1;
    Some(format!(
        "the store lists effect {which} of entry {seq} as pending, but the entry has no such effect"
    ))
}
