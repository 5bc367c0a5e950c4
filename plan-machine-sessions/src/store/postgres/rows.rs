//! Converts the rows of the database.

use tokio_postgres::types::FromSql;

use crate::identity::SessionIdentity;
use crate::journal::Digest;
use crate::store::{Head, Place, Row, StoreError, StoreErrorKind, StoredAnswer};

/// A value that was converted from a stored number, or the error if the number is out of range.
pub(super) type Numbered<T> = Result<T, StoreError>;

/// Converts a number for the database. No stored number is greater than `i64::MAX`, so any greater number is replaced
/// with `i64::MAX`.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number from the database.
pub(super) fn from_number<T: TryFrom<i64>>(number: i64) -> Numbered<T> {
    T::try_from(number).map_err(|_| damaged(format!("the stored number {number} is out of range")))
}

fn damaged(message: String) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Returns a column of a row.
pub(super) fn get<'a, T: FromSql<'a>>(
    row: &'a tokio_postgres::Row,
    column: usize,
) -> Result<T, StoreError> {
    row.try_get(column).map_err(|error| {
        damaged(format!(
            "a column does not contain a value of the expected type: {error}"
        ))
    })
}

/// Returns the number in a column.
pub(super) fn number_at(row: &tokio_postgres::Row, column: usize) -> Result<u64, StoreError> {
    from_number(get(row, column)?)
}

/// Reads an entry or a snapshot from three columns (number, text and digest), starting at the column `from`.
pub(super) fn text(row: &tokio_postgres::Row, from: usize) -> Result<Row, StoreError> {
    Ok(Row {
        seq: number_at(row, from)?,
        body: get(row, from + 1)?,
        digest: digest(row, from + 2)?,
    })
}

/// Reads the number of a session's last entry from the column `seq`, and its digest from the column `last`.
pub(super) fn head(row: &tokio_postgres::Row, seq: usize, last: usize) -> Result<Head, StoreError> {
    let known: Option<&[u8]> = get(row, last)?;
    Ok(Head {
        seq: number_at(row, seq)?,
        digest: known.map(|_| digest(row, last)).transpose()?,
    })
}

pub(super) fn digest(row: &tokio_postgres::Row, column: usize) -> Result<Digest, StoreError> {
    let bytes: &[u8] = get(row, column)?;
    let digest = bytes.try_into();
    digest.map_err(|_| {
        damaged(format!(
            "a stored digest has {} bytes instead of 32",
            bytes.len()
        ))
    })
}

/// Reads an answer from four columns: the number, the call id, the text and the digest.
pub(super) fn given(row: &tokio_postgres::Row) -> Result<StoredAnswer, StoreError> {
    let call_id: &[u8] = get(row, 1)?;
    let call_id = std::str::from_utf8(call_id);
    Ok(StoredAnswer {
        seq: number_at(row, 0)?,
        call_id: call_id
            .map_err(|error| damaged(format!("a stored call id is not valid UTF-8: {error}")))?
            .to_owned(),
        body: get(row, 2)?,
        digest: digest(row, 3)?,
    })
}

/// Reads a session identity from two columns (channel and conversation), starting at the column `from`.
pub(super) fn session(
    row: &tokio_postgres::Row,
    from: usize,
) -> Result<SessionIdentity, StoreError> {
    let identity = SessionIdentity::existing(get(row, from)?, get(row, from + 1)?);
    identity.map_err(|error| damaged(error.to_string()))
}

/// Reads a position from two columns (transaction and number), starting at the column `from`.
pub(super) fn place(row: &tokio_postgres::Row, from: usize) -> Result<Place, StoreError> {
    Ok(Place {
        transaction: number_at(row, from)?,
        number: number_at(row, from + 1)?,
    })
}

/// Returns the only row of a query on the table `format`.
pub(super) fn only(rows: &[tokio_postgres::Row]) -> Result<&tokio_postgres::Row, StoreError> {
    rows.first()
        .ok_or_else(|| damaged("the table `plan_machine.format` is empty".to_owned()))
}
