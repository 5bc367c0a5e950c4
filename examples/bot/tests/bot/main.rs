//! The bot as a whole: lines are sent, a scripted model answers, and the results are checked.

mod answers;
mod approvals;
mod auto;
mod builder_restarts;
mod confirmed;
mod damaged;
mod expiry;
mod faults;
mod files;
mod finish;
mod forged;
mod kit;
mod malformed;
mod many;
mod meanwhile;
mod mistyped;
mod named;
mod plan_mode;
mod planner;
mod restarts;
mod run_timers;
mod sessions;
mod turns;
mod words;
