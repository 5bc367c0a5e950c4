//! The layouts of the tables, and how a file is migrated from one to the next.
//!
//! | layout | has |
//! |---|---|
//! | 1 | sessions, entries, snapshots, answers, effects |
//! | 2 | for each session, the number and digest of its last entry and the number of open effects; a second index for sessions and answers |
//!
//! A single damaged page must not look like missing data. So everything that would be started again if it were not
//! found (a session, or the answer to a call) is looked up in two indexes that share no page; and each session counts
//! its own rows.

use rusqlite::{Connection, Result};

/// The layout of the tables in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layout {
    /// The layout of the first version; a writable file is migrated to the next one.
    One,
    /// The current layout.
    Two,
}

impl Layout {
    /// The layout that this version creates.
    pub(super) const CURRENT: Self = Self::Two;

    /// Returns the layout for a number in a file.
    pub(super) fn of(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }

    /// Returns the number in a file.
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

/// Triggers maintain a session's counts of entries and effects, so that writing an entry is still one statement, and no
/// statement can forget to update them.
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

/// Creates the tables, or migrates them from an earlier layout.
pub(super) fn make(connection: &Connection, from: Option<Layout>) -> Result<()> {
    if from.is_none() {
        connection.execute_batch(TABLES)?;
    }
    connection.execute_batch(SECOND)
}
