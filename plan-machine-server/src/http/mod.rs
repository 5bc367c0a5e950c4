//! Requests and responses, connections, and their limits. Nothing in this module depends on plans.

mod accept;
mod answer;
mod body;
mod host;
mod query;
mod rate;
mod timed;

pub use accept::ConnectionLimits;
pub(crate) use accept::{Peer, accept, listen};
pub(crate) use answer::{html, json, text};
pub(crate) use body::read_json;
pub(crate) use host::{AllowedHosts, address_of, is_host, is_own_origin};
pub(crate) use query::Query;
pub use rate::Bucket;
pub(crate) use rate::Rates;
