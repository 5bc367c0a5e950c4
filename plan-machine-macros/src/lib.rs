//! The macros of plan-machine. They read their arguments, call the compiler and hand on what it
//! gives: tokens, or errors that show the spec's own lines.
