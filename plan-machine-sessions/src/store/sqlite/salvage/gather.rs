//! Collects the rows of a damaged file in a new one.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::types::Value::{Integer, Text};
use rusqlite::{Connection, OptionalExtension, Result, params, params_from_iter};

use super::rows::{EntryRow, SessionRow, StoredRow};
use super::tree::TreeRow;
use crate::identity::SessionIdentity;
use crate::journal::{Chain, Digest};

/// The rows that were found. All rows except those of sessions are already in the new file; the rows of sessions are
/// not, because triggers would change them with each entry.
pub(super) struct GatheredRows<'c> {
    pub(super) connection: &'c Connection,
    pub(super) sessions: BTreeMap<i64, SessionRow>,
    /// The channels and conversations of the sessions.
    names: HashSet<[String; 2]>,
    /// Entries that have the same place as another entry, or the same session and number.
    disputed: Vec<EntryRow>,
    /// The root pages of the tables and indexes.
    pub(super) roots: HashMap<String, u32>,
    /// The highest number that a session has had.
    pub(super) last_session: i64,
    /// The sessions that have lost something that their own rows do not show.
    pub(super) incomplete: BTreeSet<i64>,
}

impl<'c> GatheredRows<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            sessions: BTreeMap::new(),
            names: HashSet::new(),
            disputed: Vec::new(),
            roots: HashMap::new(),
            last_session: 0,
            incomplete: BTreeSet::new(),
        }
    }

    /// Adds a row of a table. A row that was found before, on another page, is not added again.
    pub(super) fn take(&mut self, row: StoredRow) -> Result<()> {
        match row {
            StoredRow::Session(row) => self.take_session(row),
            StoredRow::Entry(row) => return self.take_entry(row),
            StoredRow::Snapshot(session, values) => {
                let row = [&[Integer(session)], &values[1..]].concat();
                // A page that is no longer in use may contain an earlier snapshot.
                self.execute(
                    "INSERT INTO snapshot(session, seq, body, digest) VALUES(?, ?, ?, ?)
                     ON CONFLICT(session) DO UPDATE
                     SET seq = excluded.seq, body = excluded.body, digest = excluded.digest
                     WHERE excluded.seq > snapshot.seq",
                    params_from_iter(row),
                )?;
            }
            StoredRow::Answer(number, values) => {
                let row = [&[Integer(number)], &values[1..]].concat();
                self.execute(
                    "INSERT OR IGNORE INTO answer(number, session, call_id, seq, body, digest)
                     VALUES(?, ?, ?, ?, ?, ?)",
                    params_from_iter(row),
                )?;
            }
            StoredRow::Due(session, at) => {
                self.execute("INSERT OR IGNORE INTO due VALUES(?, ?)", [session, at])?;
            }
            StoredRow::LastSession(last) => self.last_session = self.last_session.max(last),
            StoredRow::Definition(name, page) => {
                self.roots.entry(name).or_insert(page);
            }
        }
        Ok(())
    }

    fn execute(&self, statement: &str, with: impl rusqlite::Params) -> Result<usize> {
        self.connection.prepare_cached(statement)?.execute(with)
    }

    fn take_session(&mut self, row: SessionRow) {
        let seq = |row: &SessionRow| row.record.as_ref().map(|record| record.seq);
        let known = self.sessions.get(&row.id);
        if known.is_none_or(|known| seq(known) < seq(&row)) {
            self.names
                .insert([row.channel.clone(), row.conversation.clone()]);
            self.sessions.insert(row.id, row);
        }
    }

    fn take_entry(&mut self, row: EntryRow) -> Result<()> {
        let same =
            "SELECT 1 FROM entry WHERE place = ?1 AND session = ?2 AND seq = ?3 AND digest = ?4";
        let key = params![row.place, row.session, row.seq, row.digest];
        if self.put_entry(&row)? == 0 && !self.connection.prepare_cached(same)?.exists(key)? {
            self.disputed.push(row);
        }
        Ok(())
    }

    fn put_entry(&self, row: &EntryRow) -> Result<usize> {
        let with = params![row.place, row.session, row.seq, row.body, row.digest];
        self.execute("INSERT OR IGNORE INTO entry VALUES(?, ?, ?, ?, ?)", with)
    }

    /// Adds a row of the table of effects, which is stored like an index.
    pub(super) fn take_effect(&mut self, row: &TreeRow) -> Result<()> {
        if let [Integer(_), Integer(_), Integer(_)] = &row.values[..] {
            self.execute(
                "INSERT OR IGNORE INTO effect(session, seq, position) VALUES(?, ?, ?)",
                params_from_iter(&row.values),
            )?;
        }
        Ok(())
    }

    /// Adds the name of a session that an index contains, if the row of the session is lost.
    pub(super) fn take_name(&mut self, channel: &str, conversation: &str, id: i64) {
        let name = [channel.to_owned(), conversation.to_owned()];
        if self.sessions.contains_key(&id) || self.names.contains(&name) {
            return;
        }
        self.take_incomplete(name, id);
    }

    /// Adds the name of a session whose number may be damaged or may belong to another session.
    pub(super) fn take_lost(&mut self, name: [String; 2], id: i64) {
        let last = self.sessions.keys().next_back().copied();
        let last = last.unwrap_or(0).max(self.last_session);
        let is_free = |id: &i64| !self.sessions.contains_key(id);
        // A new session gets the next number, so a damaged number must not use up all numbers.
        let id = Some(id).filter(|id| (1..=last).contains(id) && is_free(id));
        let id = id.or_else(|| (1..=last.saturating_add(1)).rev().find(is_free));
        if let Some(id) = id {
            self.take_incomplete(name, id);
        }
    }

    fn take_incomplete(&mut self, [channel, conversation]: [String; 2], id: i64) {
        self.incomplete.insert(id);
        self.take_session(SessionRow {
            id,
            channel,
            conversation,
            record: None,
        });
    }

    /// Marks a session as incomplete if an answer that an index contains is lost: its call could be made again.
    pub(super) fn note_answer(&mut self, session: i64, call: &str, number: i64) -> Result<()> {
        let exists = |select: &str, with: &[&dyn rusqlite::ToSql]| {
            self.connection.prepare_cached(select)?.exists(with)
        };
        let is_there = exists("SELECT 1 FROM answer WHERE number = ?", &[&number])?
            || exists(
                "SELECT 1 FROM answer WHERE session = ? AND call_id = ?",
                &[&session, &call],
            )?;
        if !is_there {
            self.incomplete.insert(session);
        }
        Ok(())
    }

    /// Decides between entries that have the same place or number: the entry whose digest continues that of the entry
    /// before it is kept. Returns descriptions of the others, which are left out.
    pub(super) fn settle_disputes(&mut self) -> Result<Vec<String>> {
        let mut left_out = Vec::new();
        for row in std::mem::take(&mut self.disputed) {
            let mut out = row.clone();
            if self.follows(&row)? {
                let others = self.rivals(&row)?;
                let mut are_wrong = true;
                for other in &others {
                    are_wrong &= !self.follows(other)?;
                }
                if are_wrong {
                    for other in others {
                        self.execute("DELETE FROM entry WHERE place = ?", [other.place])?;
                        out = other;
                    }
                    self.put_entry(&row)?;
                }
            }
            left_out.push(format!(
                "an entry was left out, because entry {} of session {} occurs twice in the file",
                out.seq, out.session
            ));
        }
        Ok(left_out)
    }

    /// Returns the entries in the new file that have the same place as this entry, or the same session and number.
    fn rivals(&self, row: &EntryRow) -> Result<Vec<EntryRow>> {
        let mut select = self.connection.prepare_cached(
            "SELECT place, session, seq, body, digest FROM entry
             WHERE place = ?1 OR (session = ?2 AND seq = ?3)",
        )?;
        let found = select.query_map([row.place, row.session, row.seq], |row| {
            Ok(EntryRow {
                place: row.get(0)?,
                session: row.get(1)?,
                seq: row.get(2)?,
                body: row.get(3)?,
                digest: row.get(4)?,
            })
        })?;
        found.collect()
    }

    /// Returns whether the digest of an entry continues that of the entry before it.
    fn follows(&self, row: &EntryRow) -> Result<bool> {
        let before = match row.seq {
            1 => self
                .identity(row.session)
                .map(|session| Chain::start(&session)),
            _ => self
                .connection
                .prepare_cached("SELECT digest FROM entry WHERE session = ? AND seq = ?")?
                .query_row([row.session, row.seq.saturating_sub(1)], |row| {
                    row.get::<_, Digest>(0)
                })
                .optional()?
                .map(Chain::at),
        };
        let digest = before.map(|before| before.then(&row.body).digest());
        Ok(digest.is_some_and(|digest| digest[..] == row.digest[..]))
    }

    /// Returns the identity of a session; `None` if its name is lost or damaged.
    pub(super) fn identity(&self, session: i64) -> Option<SessionIdentity> {
        let row = self.sessions.get(&session)?;
        SessionIdentity::existing(&row.channel, &row.conversation).ok()
    }
}

/// Reads a name and a number from a row of one of the two indexes of sessions (by channel or by conversation).
pub(super) fn named(row: &TreeRow) -> Option<(&str, &str, i64)> {
    match &row.values[..] {
        [Text(first), Text(second), Integer(id)] => Some((first, second, *id)),
        _ => None,
    }
}

/// Reads the session, the call and the number of an answer from a row of one of the indexes of answers.
pub(super) fn called(row: &TreeRow) -> Option<(i64, &str, i64)> {
    match &row.values[..] {
        [Integer(session), Text(call), Integer(number)]
        | [Text(call), Integer(session), Integer(number)] => Some((*session, call, *number)),
        _ => None,
    }
}
