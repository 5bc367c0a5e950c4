//! What a person reads and approves: the reviewed fields of a plan, as text, steps or values.

mod fields;
mod markdown;
mod shorten;

pub use fields::{fields_json, reviewed, summary};
pub use markdown::rendered;
pub use shorten::{shortened, shortened_json};
