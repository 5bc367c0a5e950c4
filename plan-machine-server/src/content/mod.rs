//! What a person reads and approves: the reviewed fields of a plan, as text, steps or values.

mod fields;
mod markdown;
mod shorten;

pub(crate) use fields::{fields_json, is_blank, summary};
pub(crate) use shorten::{shortened, shortened_json};
