//! `plan-machine log restart`: restarts a session that programs can no longer read.

use std::sync::Arc;

use plan_machine::gate::{EventContext, Gate};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::journal::Snapshot;

use super::open_store::Log;
use crate::output::{Exit, Failure, Out};

/// End all plans of a session that cannot be read, so that it can be used again.
///
/// A session cannot be read if one of its entries was altered, is missing, or has a format that this version does not
/// support. The existing entries are kept unchanged: `log show` and `log export` still print them. A new entry records
/// who restarted the session and why, and from then on the session has no plans. Effects that are still pending are
/// dropped. A session that can be read is refused: end its plans with their own commands, or with `log end`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The session, as CHANNEL:CONVERSATION.
    session: String,
    /// The reason, which is stored in the journal.
    #[arg(long, value_name = "TEXT")]
    why: String,
    /// The actor who restarts the session, as stored in the journal.
    #[arg(long, value_name = "NAME", default_value = "plan-machine log")]
    actor: String,
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    if args.why.trim().is_empty() {
        return Err(Failure::usage("`--why` is blank")
            .help("give the reason why the session is being restarted"));
    }
    let session = log.session(&args.session).await?;
    let none = Gate::builder()
        .join()
        .map_err(|conflict| log.failed(conflict))?;
    let sessions = Sessions::new(Arc::clone(&log.store), none);
    let restarted = sessions.session(&session);
    // No machines are needed to read the session, so a machine that is not available does not make it unreadable.
    let read = Snapshot::load(&*log.store, &session).await;
    if read.is_ok() && restarted.effects().await.is_ok() {
        let sound = Failure::usage(format!("`{session}` can be read, so it was not restarted"));
        return Err(sound.help(
            "`plan-machine log --store STORE end SESSION PLAN --why TEXT` ends a damaged plan",
        ));
    }
    let around = EventContext::now().by(args.actor.as_str());
    let seq = restarted.restart(&args.why, &around).await;
    let seq = seq.map_err(|error| log.failed(error))?;
    let mut out = Out::coloured();
    out.line(format_args!(
        "restarted `{session}` with entry {seq}; the entries before it are kept"
    ))?;
    Ok(Exit::Fine)
}
