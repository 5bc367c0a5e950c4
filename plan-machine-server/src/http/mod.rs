//! Requests and answers, connections, and their limits. Nothing here knows about plans.

mod accept;
mod answer;
mod body;
mod host;
mod query;
mod rate;
mod timed;

pub use accept::{ConnectionLimits, Peer, accept};
pub use answer::{html, json, text};
pub use body::read_json;
pub use host::{AllowedHosts, is_own_origin};
pub use query::{Query, percent_decoded};
pub use rate::{Bucket, Rates};
