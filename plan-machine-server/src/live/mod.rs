//! Live events: one task follows the journal, and each client gets every entry once and in order. Another task
//! follows the list of calls that hooks have denied.

mod body;
mod denials;
mod event;
mod follow;
mod hub;
mod stream;
mod wake;

pub(crate) use body::EventBody;
pub(crate) use denials::DenialFollower;
pub(crate) use follow::{Follower, StoreHealth, follow};
pub(crate) use hub::Hub;
pub(crate) use stream::{Stream, StreamStart, open};
pub(crate) use wake::wake;
