//! `plan-machine log delete`: deletes a session after confirmation.

use std::io::{self, BufRead, IsTerminal};

use plan_machine_sessions::store::StoreErrorKind;

use super::open_store::{Log, entries};
use crate::output::{Exit, Failure, Out};

/// Delete a session and everything stored for it.
///
/// Asks for confirmation on a terminal. Without a terminal, `--yes` is required.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The session, as CHANNEL:CONVERSATION.
    session: String,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    let session = log.session(&args.session).await?;
    // The record of a damaged session does not say how many entries the session has.
    let entries = match log.store.head(&session).await {
        Err(error) if error.kind == StoreErrorKind::Damaged => "entries".to_owned(),
        head => {
            let number = usize::try_from(log.read(head)?.seq);
            entries(number.unwrap_or(usize::MAX))
        }
    };
    let mut out = Out::coloured();
    if !args.yes {
        if !io::stdin().is_terminal() {
            let unasked = Failure::usage(format!("`{session}` has {entries} and was not deleted"));
            return Err(unasked.help("without a terminal, confirm the deletion with `--yes`"));
        }
        out.text(format_args!(
            "delete `{session}` with its {entries}? [y/N] "
        ))?;
        out.flush()?;
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        read.map_err(|error| {
            Failure::usage(format!("cannot read the answer to the question: {error}"))
        })?;
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            out.line("nothing was deleted")?;
            return Ok(Exit::Fine);
        }
    }
    log.read(log.store.delete(&session).await)?;
    out.line(format_args!("deleted `{session}` with its {entries}"))?;
    Ok(Exit::Fine)
}
