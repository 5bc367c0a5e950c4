//! `plan-machine log export`: prints a journal as JSON lines.

use plan_machine_kernel::digest::hex;
use plan_machine_kernel::json::Json;
use plan_machine_sessions::journal;
use plan_machine_sessions::store::Row;

use super::Log;
use super::journal::Journal;
use crate::output::{Exit, Failure, Out};

/// Print entries and answers as JSON lines, byte for byte as they are stored.
///
/// A line is an entry, `{"session":…,"digest":…,"entry":{…}}`, or an answer to a call
/// id, `{"session":…,"digest":…,"call_id":…,"after":SEQ,"answer":{…}}`. The digest of an entry is
/// the SHA-256 hash of the previous entry's digest and the entry's text.
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
    for listed in log.chosen(args.session.as_deref()).await? {
        let session = listed.session;
        let name = Json::from(session.to_string());
        let mut journal = Journal::new(log, &session);
        while let Some(page) = journal.next().await? {
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
                return Ok(Exit::Fine);
            }
        }
    }
    out.flush()?;
    Ok(Exit::Fine)
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
