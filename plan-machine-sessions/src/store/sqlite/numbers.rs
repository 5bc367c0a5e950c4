//! Converts between the values of this library and the values of `SQLite`.

use rusqlite::types::ValueRef;
use rusqlite::{Error, Result, Row as Columns};

use crate::journal::Digest;

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

/// Reads a text from a column. Damaged bytes are replaced, so that one damaged row does not hide the others; the text
/// then does not match its digest.
pub(super) fn lossy_text(columns: &Columns<'_>, at: usize) -> Result<String> {
    Ok(match columns.get_ref(at)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => String::new(),
    })
}

/// Reads a digest from a column. A damaged digest is read as zeros, which is not the digest of any text.
pub(super) fn lossy_digest(columns: &Columns<'_>, at: usize) -> Result<Digest> {
    Ok(match columns.get_ref(at)? {
        ValueRef::Blob(bytes) => bytes.try_into().unwrap_or_default(),
        _ => Digest::default(),
    })
}
