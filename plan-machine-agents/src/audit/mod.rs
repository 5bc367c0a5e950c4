//! A bounded list of denied calls, next to the journal. It shows what the agent tried.

mod list;
mod news;

pub use list::{DeniedCall, add, read, remove_line};
pub use news::{ListPosition, NewDenials, end, read_after};
