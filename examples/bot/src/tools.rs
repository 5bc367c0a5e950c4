//! Tools of the host: real ones, each confined to what it is given.
