//! Numbers as `SQLite` has them.

use rusqlite::{Error, Result, Row as Columns};

/// A number as `SQLite` has them.
pub(super) fn int(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
}

/// A bound of what is looked for; beyond what there can be, there is nothing.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of a column.
pub(super) fn uint(columns: &Columns<'_>, at: usize) -> Result<u64> {
    let number: i64 = columns.get(at)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(at, number))
}
