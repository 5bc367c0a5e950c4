//! Converts between unsigned numbers and the signed numbers of `SQLite`.

use rusqlite::{Error, Result, Row as Columns};

/// Converts a number to be stored.
pub(super) fn int(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
}

/// Converts a number that is only compared with stored numbers. No stored number is greater than `i64::MAX`, so any
/// greater number is replaced with `i64::MAX`.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads an unsigned number from a column.
pub(super) fn uint(columns: &Columns<'_>, at: usize) -> Result<u64> {
    let number: i64 = columns.get(at)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(at, number))
}
