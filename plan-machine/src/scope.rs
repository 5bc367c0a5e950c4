//! Scopes of memory.
