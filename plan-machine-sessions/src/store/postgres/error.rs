//! Converts errors from the server or the connection into store errors.

use std::error::Error as _;

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use tokio_postgres::Error;
use tokio_postgres::error::DbError;

use crate::store::{StoreError, StoreErrorKind};

/// Converts an error from a statement or from the connection.
pub(super) fn of(error: &Error) -> StoreError {
    match error.as_db_error() {
        Some(told) => StoreError::new(kind(told), in_words(told)),
        None => StoreError::new(kind_of_others(error), with_causes(error)),
    }
}

/// Converts an error from a pool that could not provide a connection.
pub(super) fn of_pool(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            let told = error.as_db_error().map(kind);
            // An error without a SQLSTATE code comes from the connection, not from the server.
            let kind = told.unwrap_or(StoreErrorKind::Unreachable);
            StoreError::new(kind, of(&error).message)
        }
        PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle) => StoreError::new(
            StoreErrorKind::Unreachable,
            "the server did not answer in time while a connection was being opened or checked",
        ),
        PoolError::PostCreateHook(HookError::Message(late)) => {
            StoreError::new(StoreErrorKind::Unreachable, late.to_string())
        }
        PoolError::Timeout(_) => StoreError::new(
            StoreErrorKind::Busy,
            "timed out while waiting for a free connection",
        ),
        other => StoreError::new(StoreErrorKind::Failed, other.to_string()),
    }
}

/// Converts an error about an invalid address. Its causes are left out: they repeat parts of the address, which may
/// include a part of a password.
pub(super) fn of_url(error: &Error) -> StoreError {
    StoreError::new(StoreErrorKind::Unreachable, error.to_string())
}

/// Classifies an error by its SQLSTATE code.
fn kind(told: &DbError) -> StoreErrorKind {
    let code = told.code().code();
    match code {
        // The server is shutting down or starting up, or the database does not exist.
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "3D000" => StoreErrorKind::Unreachable,
        // The server is a read-only replica, or the user has no permission to write.
        "25006" | "42501" => StoreErrorKind::ReadOnly,
        // The disk is full.
        "53100" => StoreErrorKind::Full,
        // A lock was not available, or a time limit was exceeded.
        "55P03" | "57014" | "25P03" => StoreErrorKind::Busy,
        "XX001" | "XX002" => StoreErrorKind::Damaged,
        // A table or column is missing, or a different object has its name.
        "42P01" | "42703" | "3F000" | "42P07" | "42P06" => StoreErrorKind::Foreign,
        _ => match code.get(..2) {
            Some("08" | "28") => StoreErrorKind::Unreachable,
            // There are too many connections or too little memory, or a transaction was rolled back, for example
            // because of a deadlock.
            Some("53" | "40") => StoreErrorKind::Busy,
            _ => StoreErrorKind::Failed,
        },
    }
}

fn in_words(told: &DbError) -> String {
    let detail = told.detail().map(|detail| format!(" ({detail})"));
    format!(
        "{} [{}]{}",
        told.message(),
        told.code().code(),
        detail.unwrap_or_default()
    )
}

/// Returns whether the connection was lost, so that the outcome of the statement is unknown.
pub(super) fn is_lost(error: &Error) -> bool {
    of(error).kind == StoreErrorKind::Unreachable
}

fn kind_of_others(error: &Error) -> StoreErrorKind {
    let lost = error
        .source()
        .is_some_and(|cause| cause.downcast_ref::<std::io::Error>().is_some());
    if lost || error.is_closed() {
        StoreErrorKind::Unreachable
    } else {
        StoreErrorKind::Failed
    }
}

fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
