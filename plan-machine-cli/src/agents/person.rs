//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::output::{Failure, Out};

/// Returns a failure with this message if no person at a terminal can answer.
pub(super) fn needs_terminal(message: impl Into<String>) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    Err(Failure::usage(message.into()).help("run the command in a terminal, or add --yes"))
}

/// Asks the person at the terminal whether to do something.
pub(super) fn agreed(action: &str, question: &str, out: &mut Out<'_>) -> Result<bool, Failure> {
    needs_terminal(format!(
        "{action} needs an answer from a person, so nothing was changed"
    ))?;
    out.text(format_args!("{question} [y/N] "))?;
    out.flush()?;
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
