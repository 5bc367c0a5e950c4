//! Sessions: each has one writer at a time, and answers a request only after the result has been stored.

mod abandon;
mod answer;
mod check;
mod confirm;
mod correct;
mod decide;
mod draft;
mod effect;
mod inspect;
mod live;
mod load;
mod open;
mod repeat;
mod restart;
mod send;
mod sessions;
mod transact;
mod transaction;
mod turn;
mod wake;

pub use answer::Committed;
pub use effect::{EffectId, SessionEffect};
pub use inspect::{ParkedPlan, SessionPlan};
pub use sessions::{Session, Sessions};
pub use transaction::{EventOutcome, Transaction};
pub use wake::WakeReport;
