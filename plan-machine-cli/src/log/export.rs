//! `plan-machine log export`: prints a journal as JSON lines.

use plan_machine_kernel::digest::hex;
use plan_machine_kernel::json::Json;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{self, Snapshot};
use plan_machine_sessions::store::{Row, StoreError};

use super::journal::Journal;
use super::open_store::{Log, unlisted};
use super::timeline::plain;
use crate::output::{Exit, Failure, Out, complain};

/// Print entries and answers as JSON lines, byte for byte as they are stored.
///
/// A line is an entry, `{"session":…,"digest":…,"entry":{…}}`, or an answer to a call id,
/// `{"session":…,"digest":…,"call_id":…,"after":SEQ,"answer":{…}}`. The digest of an entry is the SHA-256 hash of the
/// previous entry's digest and the entry's text. The exit status is 1 if a session is damaged; the readable part of the
/// session is still printed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The session, as CHANNEL:CONVERSATION.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    session: Option<String>,
    /// Export all sessions.
    #[arg(long)]
    all: bool,
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    let mut out = Out::plain();
    let mut exit = Exit::Fine;
    for listed in log.chosen(args.session.as_deref()).await? {
        let session = listed.session;
        let exported = export(log, &session, &mut out).await?;
        // The entries of a damaged session are exported as far as they can be read. The other sessions follow.
        let read = match exported {
            Ok(()) => Snapshot::load(&*log.store, &session).await.map(drop),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = read {
            if !error.is_damage() {
                return Err(log.failed(error));
            }
            exit = Exit::Spec;
            complain(format_args!("{session}: {error}"));
        }
        if out.is_gone() {
            return Ok(exit);
        }
    }
    if args.all {
        for lost in log.unlisted().await? {
            exit = Exit::Spec;
            complain(format_args!("{}: {}", plain(&lost.name), unlisted(&lost)));
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Prints the journal of a session, up to a page that the store cannot read.
async fn export(
    log: &Log,
    session: &SessionIdentity,
    out: &mut Out<'_>,
) -> Result<Result<(), StoreError>, Failure> {
    let name = Json::from(session.to_string());
    let mut journal = Journal::new(log, session);
    loop {
        let page = match journal.page().await {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        };
        for given in page.answers.values().flatten().filter(|one| one.seq == 0) {
            out.line(answer(&name, given))?;
        }
        for row in &page.rows {
            out.line(entry(&name, row))?;
            for given in page.answers.get(&row.seq).into_iter().flatten() {
                out.line(answer(&name, given))?;
            }
        }
        if out.is_gone() {
            return Ok(Ok(()));
        }
    }
}

fn entry(session: &Json, row: &Row) -> String {
    let (digest, body) = (hex(&row.digest), verbatim(&row.body));
    format!("{{\"session\":{session},\"digest\":\"{digest}\",\"entry\":{body}}}")
}

fn answer(session: &Json, given: &plan_machine_sessions::store::StoredAnswer) -> String {
    let (digest, body) = (hex(&given.digest), verbatim(&given.body));
    let (id, after) = (Json::from(given.call_id.as_str()), given.seq);
    format!(
        "{{\"session\":{session},\"digest\":\"{digest}\",\"call_id\":{id},\"after\":{after},\"answer\":{body}}}"
    )
}

/// Returns the stored text unchanged, or as a JSON string if it is not valid JSON on one line.
fn verbatim(body: &str) -> String {
    if journal::json(body).is_ok() && !body.contains(['\n', '\r']) {
        body.to_owned()
    } else {
        Json::from(body).to_string()
    }
}
