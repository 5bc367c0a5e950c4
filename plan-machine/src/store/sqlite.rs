//! The store in one file.

/// Keeps sessions in `SQLite`.
#[derive(Debug)]
pub struct Sqlite;
