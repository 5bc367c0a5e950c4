//! Two versions of a spec, and what the newer version does with the records of the older one.

mod approved;
mod kit;
mod mutants;
mod records;
