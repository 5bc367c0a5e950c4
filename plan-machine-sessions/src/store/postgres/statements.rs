//! The SQL statements, with comments that explain why they are written this way.

/// Builds the statement for a commit. `$head` is its first part: a query that returns the session's id if the commit
/// may be stored. Otherwise, it returns no rows, so that nothing is inserted and the statement returns no row.
///
/// All parts of a statement see the database as it was before the statement. None of these parts depends on data that
/// another part writes; they only use the id that `head` returns. `head` runs first and locks the session, so that two
/// commits to the same session cannot interfere with each other in the later parts.
///
/// Other processes are notified after the commit, not by a `NOTIFY` in this statement: a `NOTIFY` would hold a
/// server-wide lock until the commit is on disk, so that all commits would have to wait for each other.
macro_rules! following {
    ($head:literal) => {
        concat!(
            "WITH head AS (",
            $head,
            "), entries AS (
               INSERT INTO plan_machine.entry (session, seq, body, digest, transaction)
               SELECT head.id, given.seq, given.body, given.digest,
                      pg_current_xact_id()::text::bigint + (SELECT ahead FROM plan_machine.format)
               FROM head, unnest($5::bigint[], $6::text[], $7::bytea[])
                 WITH ORDINALITY AS given (seq, body, digest, position)
               ORDER BY given.position
             ), effects AS (
               INSERT INTO plan_machine.effect (session, seq, position)
               SELECT head.id, given.seq, given.position
               FROM head, unnest($8::bigint[], $9::bigint[]) AS given (seq, position)
             ), answers AS (
               INSERT INTO plan_machine.answer (session, seq, call_id, body, digest)
               SELECT head.id, given.seq, given.call_id, given.body, given.digest
               FROM head, unnest($10::bigint[], $11::bytea[], $12::text[], $13::bytea[])
                 WITH ORDINALITY AS given (seq, call_id, body, digest, position)
               ORDER BY given.position
             ), snapshots AS (
               INSERT INTO plan_machine.snapshot (session, seq, body, digest)
               SELECT head.id, $14::bigint, $15::text, $16::bytea
               FROM head WHERE $14::bigint IS NOT NULL
               ON CONFLICT (session) DO UPDATE
               SET seq = EXCLUDED.seq, body = EXCLUDED.body, digest = EXCLUDED.digest
             ), due AS (
               INSERT INTO plan_machine.due (session, at)
               SELECT head.id, $19::bigint FROM head WHERE $19::bigint IS NOT NULL
               ON CONFLICT (session) DO UPDATE SET at = EXCLUDED.at
             ), never AS (
               DELETE FROM plan_machine.due USING head WHERE due.session = head.id AND $20::boolean
             )
             SELECT id FROM head"
        )
    };
}

/// Stores a commit to an existing session. If this statement has waited for another commit that stored an entry in the
/// same session, the number of the last entry has changed, so the update does not match any row.
pub(super) const APPEND: &str = following!(
    "UPDATE plan_machine.session SET seq = $4, head = coalesce($18::bytea, head)
     WHERE channel = $1 AND conversation = $2 AND seq = $3
       AND ($17::bytea IS NULL OR head = $17)
     RETURNING id"
);

/// Stores a commit that consists of a single entry, which is the most common kind of commit. This statement takes the
/// server a third of the time that `APPEND` takes.
pub(super) const APPEND_ONE: &str = "
    WITH head AS (
      UPDATE plan_machine.session SET seq = $4, head = $6
      WHERE channel = $1 AND conversation = $2 AND seq = $3
        AND ($7::bytea IS NULL OR head = $7)
      RETURNING id
    )
    INSERT INTO plan_machine.entry (session, seq, body, digest, transaction)
    SELECT head.id, $4, $5, $6,
           pg_current_xact_id()::text::bigint + (SELECT ahead FROM plan_machine.format)
    FROM head
    RETURNING session";

/// Stores a commit to a session that does not exist yet, or that has only answers and no entries. Of two such commits,
/// the second waits for the first. If the first stored an entry, the number of the last entry has changed, so the
/// second fails with a conflict. ($3 is the expected number, 0.)
pub(super) const BEGIN: &str = following!(
    "INSERT INTO plan_machine.session AS known (channel, conversation, seq, head)
     SELECT $1, $2, $4, $18::bytea WHERE $17::bytea IS NULL
     ON CONFLICT (channel, conversation) DO UPDATE
     SET seq = EXCLUDED.seq, head = EXCLUDED.head WHERE known.seq = $3
     RETURNING id"
);

/// Reads the number and digest of a session's last entry, its snapshot, the digest of the entry with the snapshot's
/// number, and the entries after the snapshot. A single statement reads all of them at the same moment. The text is
/// empty in rows of which only the digest is needed.
pub(super) const READ: &str = "
    WITH known AS (
      SELECT session.id, session.seq AS last, session.head, snapshot.seq, snapshot.body, snapshot.digest
      FROM plan_machine.session
      LEFT JOIN plan_machine.snapshot ON snapshot.session = session.id
      WHERE channel = $1 AND conversation = $2
    )
    SELECT 0 AS kind, last AS seq, '' AS body, head AS digest FROM known
    UNION ALL
    SELECT 1, seq, body, digest FROM known WHERE seq IS NOT NULL
    UNION ALL
    SELECT 2, entry.seq, '', entry.digest
    FROM known JOIN plan_machine.entry ON entry.session = known.id AND entry.seq = known.seq
    UNION ALL
    SELECT 3, entry.seq, entry.body, entry.digest
    FROM known JOIN plan_machine.entry ON entry.session = known.id
    WHERE entry.seq > coalesce(known.seq, 0)
    ORDER BY kind, seq";

/// Reads the number and digest of a session's last entry.
pub(super) const HEAD: &str = "
    SELECT seq, head FROM plan_machine.session WHERE channel = $1 AND conversation = $2";

/// Reads entries of a session.
pub(super) const HISTORY: &str = "
    SELECT entry.seq, body, digest
    FROM plan_machine.session JOIN plan_machine.entry ON entry.session = session.id
    WHERE channel = $1 AND conversation = $2 AND entry.seq > $3
    ORDER BY entry.seq LIMIT $4";

/// Reads entries of all sessions. Transactions are not always committed in the order in which they started, and entries
/// do not always become visible in the order of their numbers. Therefore, only entries whose transaction is older than
/// all running transactions are read: no entry can be inserted before them anymore.
///
/// The entries of one session are also in order: an entry can be stored only after the commit of the entry before it is
/// visible, so its transaction starts writing later.
pub(super) const EVERYTHING: &str = "
    SELECT transaction, number, channel, conversation, entry.seq, body, digest
    FROM plan_machine.entry JOIN plan_machine.session ON session.id = entry.session
    WHERE (transaction, number) > ($1, $2)
      AND transaction < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                        + (SELECT ahead FROM plan_machine.format)
    ORDER BY transaction, number LIMIT $3";

/// Returns the position before all entries of running and future transactions.
pub(super) const END: &str = "
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead, 0::bigint
    FROM plan_machine.format";

/// Reads the answer to a call. Call ids may be longer than an index allows, so the index contains their digests.
pub(super) const ANSWER: &str = "
    SELECT answer.seq, call_id, body, digest
    FROM plan_machine.session JOIN plan_machine.answer ON answer.session = session.id
    WHERE channel = $1 AND conversation = $2 AND sha256(call_id) = sha256($3)";

/// Reads the answers of a session that were given while the number of its last entry was in a range.
pub(super) const ANSWERS: &str = "
    SELECT answer.seq, call_id, body, digest
    FROM plan_machine.session JOIN plan_machine.answer ON answer.session = session.id
    WHERE channel = $1 AND conversation = $2 AND answer.seq BETWEEN $3 AND $4
    ORDER BY answer.number";

/// Reads the last of the answers that `ANSWERS` reads, latest first.
pub(super) const LAST_ANSWERS: &str = "
    SELECT answer.seq, call_id, body, digest
    FROM plan_machine.session JOIN plan_machine.answer ON answer.session = session.id
    WHERE channel = $1 AND conversation = $2 AND answer.seq BETWEEN $3 AND $4
    ORDER BY answer.seq DESC, answer.number DESC LIMIT $5";

/// Reads the pending effects of a session, with one row for each entry. The text and digest are null if the entry is
/// missing.
pub(super) const PENDING: &str = "
    SELECT open.seq, body, digest, positions
    FROM (
      SELECT session, seq, array_agg(position ORDER BY position) AS positions
      FROM plan_machine.effect
      WHERE session = (SELECT id FROM plan_machine.session WHERE channel = $2 AND conversation = $3)
      GROUP BY session, seq
    ) AS open
    LEFT JOIN plan_machine.entry ON entry.session = open.session AND entry.seq = open.seq
    ORDER BY open.seq LIMIT $1";

/// Reads the sessions with pending effects, sorted by channel, then by conversation.
pub(super) const WAITING: &str = "
    SELECT channel, conversation FROM plan_machine.session
    WHERE (channel, conversation) > ($1, $2)
      AND EXISTS (SELECT FROM plan_machine.effect WHERE effect.session = session.id)
    ORDER BY channel, conversation LIMIT $3";

/// Reads the sessions whose next timer is due, ordered by the instants at which these timers are due. Each session is
/// looked up individually: for a join, the server might read all sessions, even those without timers. The names are
/// null if the row of a session is missing, so that the caller knows how many rows were read.
pub(super) const DUE: &str = "
    SELECT named.channel, named.conversation
    FROM (SELECT session, at FROM plan_machine.due WHERE at <= $1 ORDER BY at LIMIT $2) AS due
    LEFT JOIN LATERAL (
      SELECT channel, conversation FROM plan_machine.session WHERE id = due.session LIMIT 1
    ) AS named ON true
    ORDER BY due.at";

/// Reads the instant at which the next timer of a session is due.
pub(super) const DUE_AT: &str = "
    SELECT at FROM plan_machine.due JOIN plan_machine.session ON session.id = due.session
    WHERE channel = $1 AND conversation = $2";

/// Settles one effect of a session.
pub(super) const SETTLE: &str = "
    DELETE FROM plan_machine.effect USING plan_machine.session
    WHERE effect.session = session.id AND channel = $1 AND conversation = $2
      AND effect.seq = $3 AND effect.position = $4";

/// Settles all effects of a session.
pub(super) const SETTLE_ALL: &str = "
    DELETE FROM plan_machine.effect USING plan_machine.session
    WHERE effect.session = session.id AND channel = $1 AND conversation = $2";

/// Reads sessions, sorted by channel, then by conversation. The collation of these two columns orders their values by
/// bytes.
pub(super) const SESSIONS: &str = "
    SELECT channel, conversation,
           CASE WHEN seq > 0 THEN seq
                ELSE (SELECT coalesce(max(entry.seq), 0) FROM plan_machine.entry
                      WHERE entry.session = session.id AND entry.seq > 0) END
    FROM plan_machine.session
    WHERE (channel, conversation) > ($1, $2)
    ORDER BY channel, conversation LIMIT $3";

/// Lists the sessions that have entries, but no name or an unusual name, with their names and first entries. Each step
/// finds the next session in an index, so the other entries of a session are not read. Sessions with usual names are
/// left out: this query also runs when a session is not found, to look for lost sessions, and would otherwise read the
/// first entries of all sessions.
pub(super) const ODDLY_NAMED: &str = "
    WITH RECURSIVE kept (id) AS (
      SELECT min(session) FROM plan_machine.entry
      UNION ALL
      SELECT (SELECT min(session) FROM plan_machine.entry WHERE session > kept.id) FROM kept WHERE kept.id IS NOT NULL
    )
    SELECT kept.id, channel, conversation, body, digest
    FROM kept
    LEFT JOIN plan_machine.session ON session.id = kept.id
    LEFT JOIN plan_machine.entry ON entry.session = kept.id AND entry.seq = 1
    WHERE kept.id IS NOT NULL
      AND (channel ~ '^[A-Za-z0-9._-]+$' AND conversation ~ '^[A-Za-z0-9._:-]+$') IS NOT TRUE";

/// Counts the entries of a session.
pub(super) const COUNT: &str = "SELECT count(*) FROM plan_machine.entry WHERE session = $1";

/// Locks the row of a session.
pub(super) const LOCK_SESSION: &str = "
    SELECT id FROM plan_machine.session WHERE channel = $1 AND conversation = $2 FOR UPDATE";

/// Gives the row of a session its name, and creates the row if it is missing.
pub(super) const NAME: &str = "
    INSERT INTO plan_machine.session (id, channel, conversation, seq) VALUES ($1, $2, $3, 0)
    ON CONFLICT (id) DO UPDATE SET channel = EXCLUDED.channel, conversation = EXCLUDED.conversation";

/// Renumbers those entries of a session that have damaged numbers, that is, numbers out of range. They get the next
/// numbers after the other entries; otherwise, no entry could follow them.
pub(super) const NUMBER_AGAIN: &str = "
    WITH last AS (
      SELECT coalesce(max(seq), 0) AS seq FROM plan_machine.entry WHERE session = $1 AND seq BETWEEN 1 AND $2
    ), again AS (
      SELECT number, last.seq + row_number() OVER (ORDER BY number) AS seq
      FROM last, plan_machine.entry WHERE session = $1 AND entry.seq NOT BETWEEN 1 AND $2
    )
    UPDATE plan_machine.entry SET seq = again.seq FROM again
    WHERE entry.session = $1 AND entry.number = again.number";

/// Corrects the number and digest of a session's last entry. Entries may be missing at the end, and their numbers must
/// not be used again, so the recorded number and the number of the snapshot are used if they are higher.
pub(super) const CORRECT_HEAD: &str = "
    WITH last AS (
      SELECT seq, digest FROM plan_machine.entry WHERE session = $1 ORDER BY seq DESC LIMIT 1
    )
    UPDATE plan_machine.session
    SET seq = greatest((SELECT seq FROM last),
                       (SELECT snapshot.seq FROM plan_machine.snapshot
                        WHERE snapshot.session = $1 AND snapshot.seq BETWEEN 0 AND $2),
                       CASE WHEN session.seq BETWEEN 0 AND $2 THEN session.seq ELSE 0 END),
        head = CASE WHEN session.seq BETWEEN 1 AND $2 AND octet_length(head) = 32
                         AND session.seq > coalesce((SELECT seq FROM last), 0)
                    THEN head ELSE (SELECT digest FROM last) END
    WHERE id = $1";

/// Deletes the row of a session. After this statement, no commit to the session is in progress, and no new one is
/// possible, so the next statement of the transaction sees all data of the session. This statement itself might not see
/// all of it.
pub(super) const DELETE: &str = "
    DELETE FROM plan_machine.session WHERE channel = $1 AND conversation = $2 RETURNING id";

/// Deletes the data of a deleted session.
pub(super) const DELETE_KEPT: &str = "
    WITH entries AS (DELETE FROM plan_machine.entry WHERE session = $1),
         effects AS (DELETE FROM plan_machine.effect WHERE session = $1),
         answers AS (DELETE FROM plan_machine.answer WHERE session = $1),
         due AS (DELETE FROM plan_machine.due WHERE session = $1)
    DELETE FROM plan_machine.snapshot WHERE session = $1";

/// Counts the rows that do not belong to any session, and the pending effects whose entry is missing.
pub(super) const LOST: &str = "
    SELECT (SELECT count(*) FROM plan_machine.entry AS kept WHERE NOT EXISTS
             (SELECT FROM plan_machine.session WHERE session.id = kept.session)),
           (SELECT count(*) FROM plan_machine.effect AS kept WHERE NOT EXISTS
             (SELECT FROM plan_machine.session WHERE session.id = kept.session)),
           (SELECT count(*) FROM plan_machine.answer AS kept WHERE NOT EXISTS
             (SELECT FROM plan_machine.session WHERE session.id = kept.session)),
           (SELECT count(*) FROM plan_machine.snapshot AS kept WHERE NOT EXISTS
             (SELECT FROM plan_machine.session WHERE session.id = kept.session)),
           (SELECT count(*) FROM plan_machine.due AS kept WHERE NOT EXISTS
             (SELECT FROM plan_machine.session WHERE session.id = kept.session)),
           (SELECT count(*) FROM plan_machine.effect AS kept WHERE NOT EXISTS
             (SELECT FROM plan_machine.entry WHERE entry.session = kept.session AND entry.seq = kept.seq))";
