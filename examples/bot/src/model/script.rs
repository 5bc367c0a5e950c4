//! A model that follows a script.
