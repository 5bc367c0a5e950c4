//! Prepares the data that a session stores for the steps of its machines: entries, effects, answers and snapshots.

use super::effect;
use super::load::OpenSession;
use crate::error::SessionError;
use crate::identity::SessionIdentity;
use crate::journal::{
    Chain, ENTRY_DEPTH, Entry, EntryKind, Format, MachineSnapshot, Snapshot, depth,
};
use crate::read::LastSnapshot;
use crate::store::{Commit, Head, NextDue, Row, StoredAnswer};
use plan_machine::gate::Step;

/// The minimum number of entries between two snapshots.
const ENTRIES_A_SNAPSHOT: u64 = 128;

/// With fewer than `MOST_ENTRIES` entries since the last snapshot, the next snapshot is made only if the last snapshot
/// is at most this many times as large as the entries after it, so that a few short entries do not cause a long plan to
/// be written again.
const LARGER: u64 = 4;

/// The maximum number of entries between two snapshots, however short the entries are.
const MOST_ENTRIES: u64 = 16 * ENTRIES_A_SNAPSHOT;

/// The maximum size in bytes of an entry for an event with a payload, far below the row limit of any store.
const LARGEST_ENTRY: usize = 64 * 1024 * 1024;

/// A commit to store, with its entries. Also contains the number of the session's last entry and the hash chain after
/// the commit.
pub(super) struct Draft {
    pub(super) commit: Commit,
    pub(super) entries: Vec<Entry>,
    pub(super) seq: u64,
    pub(super) chain: Chain,
}

/// An answer to be stored under the id of its call.
pub(super) struct Keep {
    pub(super) call_id: String,
    pub(super) body: String,
}

impl OpenSession {
    /// Prepares steps to be stored. `call_ids` contains the call ids of the steps, in the same order. With `notes_due`,
    /// the instant at which the next timer is due is stored even if there are no steps, unless the session has no
    /// entries at all.
    pub(super) fn draft(
        &mut self,
        session: &SessionIdentity,
        steps: Vec<(EntryKind, Step)>,
        call_ids: Vec<Option<String>>,
        keep: Vec<Keep>,
        notes_due: bool,
    ) -> Result<Draft, SessionError> {
        let (mut seq, mut chain) = (self.seq, self.chain);
        let (mut rows, mut entries) = (Vec::new(), Vec::new());
        let mut call_ids = call_ids.into_iter();
        for (kind, step) in steps {
            seq += 1;
            let call_id = call_ids.next().flatten();
            let mut entry = Entry {
                format: Format::CURRENT,
                seq,
                call_id,
                kind,
                step,
                bases: Vec::new(),
            };
            entry.choose_bases(&self.past);
            let body = entry.to_text_onto(&self.past);
            // The full text of the entry must also be readable, because snapshots contain whole plans.
            refuse_unreadable(&entry, &body)?;
            refuse_unreadable(&entry, &entry.to_text())?;
            self.past.follow(&entry, body.len());
            self.last.since += body.len() as u64;
            chain = chain.then(&body);
            rows.push(Row {
                seq,
                body,
                digest: chain.digest(),
            });
            entries.push(entry);
        }
        let effects = entries.iter().flat_map(effect::of_entry);
        let effects = effects.map(|effect| (effect.id.seq, effect.id.position));
        let answers = keep.into_iter();
        let answers = answers.map(|keep| StoredAnswer::new(session, seq, keep.call_id, keep.body));
        // A commit without a new entry gets no snapshot, because it might not be stored at all.
        let due = !rows.is_empty() && self.is_due(seq);
        let snapshot = due.then(|| self.snapshot(session, seq, chain));
        if let Some(row) = &snapshot {
            self.last = LastSnapshot {
                seq,
                bytes: row.body.len() as u64,
                since: 0,
            };
        }
        // Waking a session that has no entries does not store the session.
        let is_noted = notes_due && seq > 0;
        let is_changed = self.gate.machine_set().has_timers() && !rows.is_empty();
        let due = if is_noted || is_changed {
            NextDue::of(self.gate.due())
        } else {
            NextDue::Unchanged
        };
        Ok(Draft {
            commit: Commit {
                session: session.clone(),
                expected: self.seq,
                after: self.head().digest,
                rows,
                effects: effects.collect(),
                answers: answers.collect(),
                snapshot,
                due,
            },
            entries,
            seq,
            chain,
        })
    }

    /// Returns the number and digest of the session's last entry, as far as this process knows.
    pub(super) fn head(&self) -> Head {
        Head {
            seq: self.seq,
            digest: (self.seq > 0).then(|| self.chain.digest()),
        }
    }

    /// Returns whether enough entries have been stored since the last snapshot to make another snapshot.
    fn is_due(&self, seq: u64) -> bool {
        let LastSnapshot { bytes, since, .. } = self.last;
        let entries = seq - self.last.seq;
        let worth = since.saturating_mul(LARGER) >= bytes;
        entries >= MOST_ENTRIES || (entries >= ENTRIES_A_SNAPSHOT && worth)
    }

    /// Returns a snapshot of the machines' current plans, including damaged ones.
    pub(super) fn snapshot(&self, session: &SessionIdentity, seq: u64, chain: Chain) -> Row {
        let machines = self.gate.machines().iter().enumerate();
        let machines = machines.map(|(at, machine)| {
            let tables = machine.description();
            MachineSnapshot {
                machine: tables.name.to_owned(),
                version: tables.version,
                fingerprint: tables.fingerprint.to_owned(),
                stored: self.gate.stored(at),
                bases: Vec::new(),
            }
        });
        let holdings = machines.chain(self.parked.iter().cloned());
        let holdings = holdings.map(|mut holding| {
            holding.bases.clear();
            holding.note_bases(&self.past);
            holding
        });
        let snapshot = Snapshot {
            format: Format::CURRENT,
            session: Some(session.to_string()),
            seq,
            chain,
            born: self.gate.born(),
            holdings: holdings.collect(),
            editions: self.editions,
            turn: self.gate.turn().cloned(),
            clock: self.gate.clock(),
        };
        let body = snapshot.to_text();
        let digest = chain.beside("snapshot", &body);
        Row { seq, body, digest }
    }
}

/// Refuses an entry that could not be read back. Each input is limited, but a machine may combine many inputs in one
/// plan.
fn refuse_unreadable(entry: &Entry, body: &str) -> Result<(), SessionError> {
    if depth(body) > ENTRY_DEPTH {
        return Err(SessionError::Unstorable(format!(
            "the entry with the result of `{}` would be nested more than {ENTRY_DEPTH} levels deep; \
             send data that is less deeply nested",
            entry.event()
        )));
    }
    // An event without a payload, such as one that ends a plan, is stored however large the plan has become. So is the
    // event of a timer, because a session whose timer cannot be stored could not take any other step. Only the names of
    // timers contain spaces.
    let is_timer = entry.event().contains(' ');
    let has_payload = !entry.step.call.with.is_empty();
    if body.len() > LARGEST_ENTRY && has_payload && !is_timer {
        return Err(SessionError::Unstorable(format!(
            "the entry with the result of `{}` would be larger than {LARGEST_ENTRY} bytes; \
             end the plan, or send less data",
            entry.event()
        )));
    }
    Ok(())
}
