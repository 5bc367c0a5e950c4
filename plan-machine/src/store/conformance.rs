//! What every store must hold, as laws that can be tried.
