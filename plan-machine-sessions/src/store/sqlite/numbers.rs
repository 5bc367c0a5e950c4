//! Converts numbers for `SQLite`.

use rusqlite::{Error, Result, Row as Columns};

/// Converts a number for `SQLite`.
pub(super) fn int(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
}

/// Converts the bound of a search; there is nothing beyond the largest number.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads a number from a column.
pub(super) fn uint(columns: &Columns<'_>, at: usize) -> Result<u64> {
    let number: i64 = columns.get(at)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(at, number))
}
