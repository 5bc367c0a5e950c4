//! Converts `SQLite` errors into store errors.

use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use crate::store::{StoreError, StoreErrorKind, shell_word};

pub(super) fn of_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
    let shown = path.display();
    if is_damage_of_file(error) {
        let message = format!("`{shown}`: {error}; {}", way_out(path));
        return StoreError::new(StoreErrorKind::Damaged, message);
    }
    let message = match error.sqlite_error_code() {
        // The cause may be the disk or the file.
        Some(ErrorCode::SystemIoFailure) => {
            format!(
                "`{shown}`: {error}. If the file is truncated or damaged, {}",
                way_out(path)
            )
        }
        Some(ErrorCode::NotADatabase) => {
            return foreign(
                path,
                "is not an SQLite database, or its first page is damaged",
            );
        }
        // The header has a format number that SQLite does not support.
        _ if error.to_string().contains("unsupported file format") => {
            return foreign(path, "has a format that SQLite does not support");
        }
        _ => format!("`{shown}`: {error}"),
    };
    StoreError::new(kind(error), message)
}

/// Returns whether an error shows damage that concerns more than the entries of one session.
fn is_damage_of_file(error: &rusqlite::Error) -> bool {
    let told = error.to_string();
    match error.sqlite_extended_error_code() {
        // An index contradicts its table, a row contains a value of a type that its column does not have, or the file
        // was truncated.
        Some(
            ffi::SQLITE_CORRUPT_INDEX
            | ffi::SQLITE_CONSTRAINT_DATATYPE
            | ffi::SQLITE_IOERR_SHORT_READ,
        ) => true,
        // A page or a definition that SQLite itself cannot read.
        Some(code) if code & 0xff == ffi::SQLITE_CORRUPT && told.contains("malformed") => true,
        // The statements are constant, so the definitions of the tables must have changed.
        _ => told.starts_with("no such table") || told.starts_with("no such column"),
    }
}

/// Returns the error for a file that is not a store, judging by its first page.
pub(super) fn foreign(path: &Path, why: &str) -> StoreError {
    let message = format!(
        "`{}` {why}. If it is a damaged store, {}",
        path.display(),
        way_out(path)
    );
    StoreError::new(StoreErrorKind::Foreign, message)
}

/// Returns the error for data that contradicts another part of the file.
pub(super) fn damaged(message: impl Into<String>) -> rusqlite::Error {
    let corrupt = ffi::Error::new(ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(corrupt, Some(message.into()))
}

/// Returns the error for indexes that refer to a missing row or to the wrong row.
pub(super) fn damaged_index(message: impl Into<String>) -> rusqlite::Error {
    let corrupt = ffi::Error::new(ffi::SQLITE_CORRUPT_INDEX);
    rusqlite::Error::SqliteFailure(corrupt, Some(message.into()))
}

/// Returns the error for a change to a file whose pages are damaged.
pub(super) fn with_damaged_pages(path: &Path, damage: &str) -> StoreError {
    let message = format!(
        "`{}`: {damage}. Nothing is written to the file, because that could damage other sessions; {}",
        path.display(),
        way_out(path)
    );
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Explains how to make the content of a damaged file usable again.
pub(super) fn way_out(path: &Path) -> String {
    // Quotes within a word of a shell command do not end the word.
    format!(
        "`plan-machine log --store sqlite:{} salvage NEW` copies what can be read to a new file",
        shell_word(path)
    )
}

/// Returns the kind of an error.
pub(super) fn kind(error: &rusqlite::Error) -> StoreErrorKind {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, SqliteFailure,
        Utf8Error,
    };
    match error {
        SqliteFailure(error, _) => match error.code {
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied => StoreErrorKind::Unreachable,
            ErrorCode::ReadOnly => StoreErrorKind::ReadOnly,
            ErrorCode::DiskFull => StoreErrorKind::Full,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreErrorKind::Busy,
            ErrorCode::DatabaseCorrupt => StoreErrorKind::Damaged,
            ErrorCode::NotADatabase => StoreErrorKind::Foreign,
            _ => StoreErrorKind::Failed,
        },
        // A column contains a value that this library never writes.
        FromSqlConversionFailure(..)
        | IntegralValueOutOfRange(..)
        | InvalidColumnType(..)
        | Utf8Error(..) => StoreErrorKind::Damaged,
        _ => StoreErrorKind::Failed,
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// Returns the error of a statement in a file without tables.
    fn refused(statement: &str) -> rusqlite::Error {
        let connection = Connection::open_in_memory().expect("a connection");
        let done = connection.execute_batch(statement);
        done.expect_err("the statement fails")
    }

    fn failed(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn damage_of_a_file_is_reported_with_the_way_out() {
        for error in [
            damaged_index("the indexes of the session do not refer to its row"),
            refused("SELECT * FROM effect"),
            refused("CREATE TABLE one(head BLOB) STRICT; INSERT INTO one VALUES('text')"),
            failed(ffi::SQLITE_IOERR_SHORT_READ),
            failed(ffi::SQLITE_CORRUPT),
        ] {
            let told = of_sqlite(Path::new("plans.db"), &error);
            assert_eq!(told.kind, StoreErrorKind::Damaged, "{told}");
            let text = told.to_string();
            assert!(text.contains("sqlite:plans.db salvage NEW"), "{text}");
        }
    }

    #[test]
    fn the_command_that_saves_a_damaged_file_quotes_its_path_for_a_shell() {
        let told = of_sqlite(Path::new("my plans.db"), &failed(ffi::SQLITE_CORRUPT));
        let words = "--store sqlite:'my plans.db' salvage NEW";
        assert!(told.to_string().contains(words), "{told}");
    }

    #[test]
    fn an_error_of_the_disk_names_the_way_out_but_does_not_count_as_damage() {
        let told = of_sqlite(Path::new("plans.db"), &failed(ffi::SQLITE_IOERR_READ));
        assert_eq!(told.kind, StoreErrorKind::Failed, "{told}");
        assert!(told.to_string().contains("salvage NEW"), "{told}");
    }
}
