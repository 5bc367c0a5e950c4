//! The log in a file, for a person to read.
//!
//! It contains one JSON object per line: an event that was sent to a session, with its result in `event` and its
//! origin in `spans`. The origin is the `transport_chat_hash` of a line that a person typed, or the
//! `run_id`, `run_kind`, `goal_id` and `task_id` of a run, together with the `session_identity`.

use std::path::Path;
use std::sync::Mutex;

use plan_machine_host::disk;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::error::BotError;

/// Appends events to a log from now on.
///
/// # Errors
///
/// If the file cannot be written, or the process already has another log.
pub fn to(file: &Path) -> Result<(), BotError> {
    let opened = disk::append(file).map_err(|error| BotError::at(file, &error))?;
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(true)
        .with_span_events(FmtSpan::NONE)
        .with_max_level(tracing::Level::INFO)
        .with_writer(Mutex::new(opened))
        .try_init()
        .map_err(|error| BotError::at(file, &error))
}
