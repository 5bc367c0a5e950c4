//! Files that no one writes by accident: each gets a located error or the right result, quickly.

mod growing;
mod kit;
mod limits;
mod problems;
mod reading;
mod work;
