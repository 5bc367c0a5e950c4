//! Converts `SQLite` errors into store errors.

use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use crate::store::{StoreError, StoreErrorKind};

pub(super) fn of_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
    let shown = path.display();
    let message = match error.sqlite_error_code() {
        // A page or a definition that SQLite itself cannot read.
        Some(ErrorCode::DatabaseCorrupt) if error.to_string().contains("malformed") => {
            format!("`{shown}`: {error}; {}", way_out(path))
        }
        Some(ErrorCode::NotADatabase) => {
            return foreign(
                path,
                "is not an SQLite database, or its first page is damaged",
            );
        }
        // The header has a format number that SQLite does not know.
        _ if error.to_string().contains("unsupported file format") => {
            return foreign(path, "has a format that SQLite does not support");
        }
        _ => format!("`{shown}`: {error}"),
    };
    StoreError::new(kind(error), message)
}

/// Returns the error for a file that is not a store, as far as its first page tells.
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

/// Returns the error for a change of a file whose pages are damaged.
pub(super) fn with_damaged_pages(path: &Path, damage: &str) -> StoreError {
    let message = format!(
        "`{}`: {damage}. Nothing is written to the file, because that could damage other sessions; {}",
        path.display(),
        way_out(path)
    );
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Says how to use the content of a damaged file again.
pub(super) fn way_out(path: &Path) -> String {
    format!(
        "`plan-machine log --store sqlite:{} salvage NEW` copies what can be read to a new file",
        path.display()
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
