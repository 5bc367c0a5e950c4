//! Live events: one task follows the journal, and each client gets every entry once and in order.

mod body;
mod event;
mod follow;
mod hub;
mod stream;

pub use body::EventBody;
pub use follow::{Follower, StoreHealth, follow};
pub use hub::Hub;
pub use stream::{Stream, StreamStart, open};
