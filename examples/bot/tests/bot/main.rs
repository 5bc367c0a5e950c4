//! The bot as a whole: lines go in, a scripted model answers, and what comes of it is looked at.

mod approvals;
mod faults;
mod kit;
mod restarts;
mod words;
