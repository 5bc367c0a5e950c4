//! The names of the server's own metrics. The names of the metrics of sessions and hosts are in their own crates.

/// Counts requests. The labels are `route` and `status`.
pub(crate) const REQUESTS: &str = "plan.server.request.count";
/// The number of clients that follow live events.
pub(crate) const STREAMS: &str = "plan.server.stream.clients";
/// Counts streams that the server ended. The label is `reason`.
pub(crate) const STREAMS_DROPPED: &str = "plan.server.stream.dropped.count";
/// Counts connections that were closed because there were too many.
pub(crate) const CONNECTIONS_REFUSED: &str = "plan.server.connection.refused.count";
/// The number of plans that wait for a person.
pub(crate) const WAITING: &str = "plan.inbox.waiting";
/// Counts decisions of people. The labels are `decision` and `outcome`.
pub(crate) const DECISIONS: &str = "plan.inbox.decision.count";
/// Whether the store can be reached: 1 or 0.
pub(crate) const STORE_REACHABLE: &str = "plan.server.store.reachable";
