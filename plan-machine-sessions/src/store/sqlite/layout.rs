//! The layouts of the tables, and the migration of a file from one layout to the next.
//!
//! | layout | content |
//! |---|---|
//! | 1 | tables for sessions, entries, snapshots, answers and effects |
//! | 2 | also, for each session, the number and digest of its last entry and the number of its pending effects; a second index for sessions and answers |
//! | 3 | also the instants at which sessions with timers are due, in milliseconds since 1970 |
//!
//! A single damaged page must not make data appear missing. Therefore, a session and the answer to a call, which would
//! be created again if they were not found, are looked up in two indexes that have no page in common. In addition, each
//! session records the number of its entries and pending effects.

use rusqlite::{Connection, Result};

/// The layout of the tables in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layout {
    /// The first layout. A file with this layout is migrated to the current layout if it is writable.
    One,
    /// The second layout. A file with this layout is migrated in the same way as one with the first layout.
    Two,
    /// The current layout.
    Three,
}

impl Layout {
    /// The layout that this version of plan-machine creates.
    pub(super) const CURRENT: Self = Self::Three;

    /// Returns the layout for the number in a file's header; `None` if the number is unknown.
    pub(super) fn of(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            _ => None,
        }
    }

    /// Returns the number that identifies the layout in a file's header.
    pub(super) fn number(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

const TABLES: &str = "
    CREATE TABLE session(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        channel TEXT NOT NULL,
        conversation TEXT NOT NULL,
        UNIQUE(channel, conversation)
    ) STRICT;
    CREATE TABLE entry(
        place INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL,
        UNIQUE(session, seq)
    ) STRICT;
    CREATE TABLE snapshot(
        session INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL
    ) STRICT;
    CREATE TABLE answer(
        number INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        call_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL,
        UNIQUE(session, call_id)
    ) STRICT;
    CREATE INDEX answer_by_seq ON answer(session, seq);
    CREATE TABLE effect(
        session INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY(session, seq, position)
    ) STRICT, WITHOUT ROWID;
";

/// The changes from the first to the second layout. Triggers maintain the counts of a session's entries and effects, so
/// that writing an entry is still a single statement, and no statement can forget to update the counts.
const SECOND: &str = "
    ALTER TABLE session ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN head BLOB;
    ALTER TABLE session ADD COLUMN effects INTEGER NOT NULL DEFAULT 0;
    UPDATE session SET
        seq = (SELECT coalesce(max(seq), 0) FROM entry WHERE entry.session = session.id),
        head = (SELECT digest FROM entry WHERE entry.session = session.id ORDER BY entry.seq DESC LIMIT 1),
        effects = (SELECT count(*) FROM effect WHERE effect.session = session.id);
    CREATE UNIQUE INDEX session_by_conversation ON session(conversation, channel);
    CREATE UNIQUE INDEX answer_by_call ON answer(call_id, session);
    CREATE INDEX session_with_effects ON session(channel, conversation) WHERE effects > 0;
    CREATE TRIGGER entry_is_last AFTER INSERT ON entry BEGIN
        UPDATE session SET seq = new.seq, head = new.digest WHERE id = new.session;
    END;
    CREATE TRIGGER effect_is_open AFTER INSERT ON effect BEGIN
        UPDATE session SET effects = effects + 1 WHERE id = new.session;
    END;
    CREATE TRIGGER effect_is_settled AFTER DELETE ON effect BEGIN
        UPDATE session SET effects = effects - 1 WHERE id = old.session;
    END;
";

/// The changes from the second to the third layout. Sessions without timers have no row in the new table.
const THIRD: &str = "
    CREATE TABLE due(
        session INTEGER PRIMARY KEY,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX due_by_instant ON due(at);
";

/// Creates the tables, or migrates them from an earlier layout.
pub(super) fn make(connection: &Connection, from: Option<Layout>) -> Result<()> {
    if from.is_none() {
        connection.execute_batch(TABLES)?;
    }
    if from.is_none_or(|from| from < Layout::Two) {
        connection.execute_batch(SECOND)?;
    }
    connection.execute_batch(THIRD)
}
