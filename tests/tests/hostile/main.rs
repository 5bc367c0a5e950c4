//! Files that no one writes by accident: each quickly gets an error with a location, or the right
//! result.

mod growing;
mod kit;
mod limits;
mod problems;
mod reading;
mod work;
