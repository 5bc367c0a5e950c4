//! `plan-machine log watch`: prints entries as they are stored.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine::gate::Gate;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::store::Place;
use plan_machine_sessions::watch::{WatchedEntry, Watcher};
use plan_machine_sessions::{SessionError, SessionIdentity, Sessions};

use super::open_store::Log;
use super::timeline::{self, States, plain};
use crate::output::{ASIDE, Exit, Failure, Out, complain, styled};

/// Print entries as they are stored, until interrupted.
///
/// Each entry is printed once, in the order in which the entries are stored, whichever process stores them.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// One session, as CHANNEL:CONVERSATION; by default, all sessions.
    session: Option<String>,
    /// Start after this entry. If a session is named, give the number of the entry; otherwise, give its position in the
    /// store, such as 0.17, which is printed at the start of each line. By default, only new entries are printed.
    #[arg(long, value_name = "POSITION|SEQ")]
    from: Option<String>,
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    let machines = Gate::builder().join();
    let machines = machines.map_err(|conflict| log.failed(conflict))?;
    let sessions = Sessions::new(Arc::clone(&log.store), machines);
    let mut watch = begin(log, args, &sessions).await?;
    let mut out = if log.is_json() {
        Out::plain()
    } else {
        Out::coloured()
    };
    let mut exit = Exit::Fine;
    while !out.is_gone() {
        match watch.next().await {
            Ok(seen) if log.is_json() => out.line(json(&seen))?,
            Ok(seen) => {
                for line in human(log, &seen) {
                    out.line(line)?;
                }
            }
            Err(error @ SessionError::Unreadable { .. }) => {
                exit = Exit::Spec;
                complain(error);
            }
            Err(error) => return Err(log.failed(error)),
        }
        out.flush()?;
    }
    Ok(exit)
}

async fn begin(log: &Log, args: &Args, sessions: &Sessions) -> Result<Watcher, Failure> {
    let wrong = |from: &str, what: &str| Failure::usage(format!("`--from {from}` is not {what}"));
    if let Some(text) = &args.session {
        // The session may be started while it is being watched.
        let session: SessionIdentity = text
            .parse()
            .map_err(|error| Failure::usage(format!("{error}")))?;
        let after = match &args.from {
            Some(from) => {
                let number = from.parse();
                number.map_err(|_| wrong(from, "the number of an entry"))?
            }
            None => log.read(log.store.head(&session).await)?.seq,
        };
        return Ok(sessions.session(&session).watch(after));
    }
    let after = match &args.from {
        Some(from) => {
            let place: Result<Place, String> = from.parse();
            place.map_err(|_| wrong(from, "a position in the store, such as `0.17`"))?
        }
        None => log.read(log.store.end().await)?,
    };
    Ok(sessions.watch(after))
}

fn human(log: &Log, seen: &WatchedEntry) -> Vec<String> {
    // The effects of a new entry are still pending.
    let effects = (0_u32..).zip(&seen.entry.step.acceptance.effects);
    let pending: BTreeSet<(u64, u32)> = effects.map(|(at, _)| (seen.entry.seq, at)).collect();
    let pending = log.has_host.then_some(&pending);
    let mut lines = timeline::lines(&[States::default().line(&seen.entry, pending)]);
    if let Some(first) = lines.first_mut() {
        let session = plain(&seen.session.to_string());
        *first = format!("{}  {session}  {first}", styled(ASIDE, seen.place));
    }
    lines
}

fn json(seen: &WatchedEntry) -> Json {
    let mut object = Object::new();
    object.push("place", seen.place.to_string());
    object.push("session", seen.session.to_string());
    object.push("entry", seen.entry.to_json());
    object.into()
}
