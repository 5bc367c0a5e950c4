//! Compares the tables, indexes and triggers of a file with those that its layout creates.
//!
//! Their definitions are data in the file like everything else: a flipped bit can turn a trigger into valid SQL that
//! changes other sessions, and no check of `SQLite` finds it.

use std::path::Path;
use std::sync::OnceLock;

use plan_machine_kernel::digest::sha256_hex;
use rusqlite::{Connection, Result};

use super::error::{damaged, of_sqlite, way_out};
use super::layout;
use super::numbers::lossy_text;
use crate::store::StoreError;

/// A table, an index or a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// The definition; empty for an index that belongs to a constraint.
    definition: String,
}

/// Refuses to write to a file whose definitions are damaged: a statement could change data of other sessions.
pub(super) fn refuse_damaged(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |error| of_sqlite(path, &error);
    match differences(connection).map_err(failed)?.first() {
        None => Ok(()),
        Some(first) => {
            let problem = format!("{first}. Nothing is written to the file; {}", way_out(path));
            Err(failed(damaged(problem)))
        }
    }
}

/// The digest of the definitions that a new file has. With it, opening a file does not have to create the tables in
/// memory, which would take a tenth of the time that a whole hook process takes.
const DIGEST: &str = "c3028a1194f664b5f59febdf12d0bbc9981f87bc5fbccf6b37c5dc3c752861f7";

/// Describes the definitions in a file with the current layout that are missing, changed or added.
pub(super) fn differences(connection: &Connection) -> Result<Vec<String>> {
    let found = objects(connection)?;
    if digest(&found) == DIGEST {
        return Ok(Vec::new());
    }
    let expected = expected()?;
    let of_name = |all: &[Object], one: &Object| {
        let same = |other: &&Object| (&other.kind, &other.name) == (&one.kind, &one.name);
        all.iter().find(same).cloned()
    };
    let lacking = expected.iter().filter_map(|one| {
        let described = match of_name(&found, one) {
            None => "is missing",
            Some(other) if other != *one => "has been changed",
            Some(_) => return None,
        };
        Some(format!("the {} `{}` {described}", one.kind, one.name))
    });
    // A table that someone added changes nothing. A trigger, or an index of one of the tables, takes part in writing.
    let is_own = |table: &str| expected.iter().any(|one| one.table == table);
    let added = found.iter().filter(|one| {
        of_name(expected, one).is_none()
            && (one.kind == "trigger" || (one.kind == "index" && is_own(&one.table)))
    });
    let added = added.map(|one| {
        format!(
            "the {} `{}` has been added",
            one.kind,
            one.name.escape_debug()
        )
    });
    Ok(lacking.chain(added).collect())
}

/// Returns the definitions that a new file has. They are computed once, by making the tables in memory.
fn expected() -> Result<&'static [Object]> {
    static EXPECTED: OnceLock<Vec<Object>> = OnceLock::new();
    if let Some(known) = EXPECTED.get() {
        return Ok(known);
    }
    let connection = Connection::open_in_memory()?;
    layout::make(&connection, None)?;
    let objects = objects(&connection)?;
    Ok(EXPECTED.get_or_init(|| objects))
}

fn digest(objects: &[Object]) -> String {
    // The debug format separates the parts, whatever they contain.
    sha256_hex(&format!("{objects:?}"))
}

fn objects(connection: &Connection) -> Result<Vec<Object>> {
    let mut select = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
    let objects = select.query_map([], |row| {
        Ok(Object {
            kind: lossy_text(row, 0)?,
            name: lossy_text(row, 1)?,
            table: lossy_text(row, 2)?,
            definition: lossy_text(row, 3)?,
        })
    })?;
    objects.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Connection {
        let connection = Connection::open_in_memory().expect("a database");
        layout::make(&connection, None).expect("tables");
        connection
    }

    /// Returns the differences after a statement that plan-machine itself never sends.
    fn after(statement: &str) -> Vec<String> {
        let connection = made();
        connection
            .execute_batch(&format!(
                "PRAGMA writable_schema = on; {statement}; PRAGMA writable_schema = reset"
            ))
            .expect("changed");
        differences(&connection).expect("a comparison")
    }

    #[test]
    fn a_new_file_has_the_expected_definitions() {
        assert_eq!(differences(&made()).expect("a comparison"), [""; 0]);
    }

    #[test]
    fn the_digest_of_the_definitions_is_known() {
        assert_eq!(digest(&objects(&made()).expect("definitions")), DIGEST);
    }

    #[test]
    fn a_flipped_bit_of_a_trigger_is_found() {
        let flip =
            "UPDATE sqlite_schema SET sql = replace(sql, 'id = new.session', 'id < new.session')
                    WHERE name = 'entry_is_last'";
        assert_eq!(
            after(flip),
            ["the trigger `entry_is_last` has been changed"]
        );
    }

    #[test]
    fn a_missing_and_an_added_definition_are_found() {
        let dropped = after("DROP TRIGGER effect_is_settled; DROP INDEX answer_by_call");
        let mut dropped = dropped.iter().map(String::as_str).collect::<Vec<_>>();
        dropped.sort_unstable();
        assert_eq!(
            dropped,
            [
                "the index `answer_by_call` is missing",
                "the trigger `effect_is_settled` is missing"
            ]
        );
        let added = after(
            "CREATE TRIGGER mine AFTER INSERT ON entry BEGIN DELETE FROM effect; END;
             CREATE UNIQUE INDEX one ON entry(body); CREATE TABLE notes(text)",
        );
        assert_eq!(
            added,
            [
                "the trigger `mine` has been added",
                "the index `one` has been added"
            ]
        );
    }
}
