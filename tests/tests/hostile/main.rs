//! Files that no one writes by accident: for each, the compiler quickly reports an error with a location, or gives the
//! right result.

mod growing;
mod kit;
mod limits;
mod problems;
mod reading;
mod work;
