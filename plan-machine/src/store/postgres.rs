//! The store of many hosts.

/// Keeps sessions in `PostgreSQL`.
#[derive(Debug)]
pub struct Postgres;
