//! The layouts of the tables, and how a file gets from one to the next.
//!
//! | layout | has |
//! |---|---|
//! | 1 | sessions, entries, snapshots, answers, effects |
//! | 2 | with each session the number and digest of its last entry and how many effects are open; a second way to find sessions and answers |
//!
//! A single damaged page must not look like something that was never there. So whatever would be begun
//! again if it were not found, a session or the answer to a call, is looked for in two indexes, which share
//! no page; and what belongs to a session is counted in the session itself.

use rusqlite::{Connection, Result};

/// How the tables of a file look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layout {
    /// As the first version made them; a file that can be written is brought to the next layout.
    One,
    /// As they are now.
    Two,
}

impl Layout {
    /// The layout that this version makes.
    pub(super) const CURRENT: Self = Self::Two;

    /// The layout of a number in a file.
    pub(super) fn of(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }

    /// The number in a file.
    pub(super) fn number(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
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

/// Triggers keep what a session remembers of its entries and effects, so that an entry is still one
/// statement, and no statement forgets it.
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

/// Makes the tables, or brings them from an earlier layout to the current one.
pub(super) fn make(connection: &Connection, from: Option<Layout>) -> Result<()> {
    if from.is_none() {
        connection.execute_batch(TABLES)?;
    }
    connection.execute_batch(SECOND)
}
