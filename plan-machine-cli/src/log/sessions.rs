//! `plan-machine log sessions`: lists the sessions and their states.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionError;
use plan_machine_sessions::journal::{self, MachineSnapshot, Snapshot};
use plan_machine_sessions::store::{ListedSession, StoreErrorKind, UnlistedSession};

use super::open_store::{Log, entries, unlisted};
use super::timeline::{aligned, plain};
use crate::output::{ASIDE, BAD, Exit, Failure, Out, WARN, styled, time};

/// The maximum number of plans of a session that are shown to people.
const PLANS: usize = 4;

/// A session as shown in the list.
struct Line {
    listed: ListedSession,
    /// The number of pending effects; `None` if no host carries them out.
    pending: Option<usize>,
    last: Option<String>,
    /// The plans of the session, or the reason why they cannot be read.
    held: Result<Vec<MachineSnapshot>, String>,
}

pub(super) async fn run(log: &Log) -> Result<Exit, Failure> {
    let mut out = if log.is_json() {
        Out::plain()
    } else {
        Out::coloured()
    };
    let mut exit = Exit::Fine;
    let mut after = None;
    loop {
        let page = log.page(after.as_ref()).await?;
        if page.is_empty() || out.is_gone() {
            break;
        }
        after = page.last().map(|listed| listed.session.clone());
        let mut lines = Vec::new();
        for listed in page {
            let line = look(log, listed).await?;
            if line.held.is_err() {
                exit = Exit::Spec;
            }
            lines.push(line);
        }
        print(log, &lines, &mut out)?;
    }
    let lost = log.unlisted().await?;
    for one in &lost {
        exit = Exit::Spec;
        out.line(unlisted_line(log, one))?;
    }
    if after.is_none() && lost.is_empty() && !log.is_json() {
        out.line(format_args!("`{}` has no sessions", log.name))?;
    }
    Ok(exit)
}

fn print(log: &Log, lines: &[Line], out: &mut Out<'_>) -> Result<(), Failure> {
    if log.is_json() {
        for line in lines {
            out.line(json(line))?;
        }
        return out.flush();
    }
    let cells = lines.iter().map(|line| {
        let pending = match line.pending {
            None | Some(0) => String::new(),
            Some(some) => format!("{some} pending"),
        };
        let last = line.last.as_deref().map(in_milliseconds);
        let last = last.unwrap_or_default();
        vec![
            plain(&line.listed.session.to_string()),
            entries(usize::try_from(line.listed.seq).unwrap_or(usize::MAX)),
            last,
            pending,
        ]
    });
    let cells: Vec<Vec<String>> = cells.collect();
    for (start, line) in aligned(&cells).iter().zip(lines) {
        let rest = match &line.held {
            Ok(holdings) => plans(holdings),
            Err(problem) => styled(BAD, plain(problem)),
        };
        let whole = format!("{start}  {rest}");
        out.line(whole.trim_end())?;
    }
    out.flush()
}

/// Formats the time of an entry. A text that is not a time is not changed.
fn in_milliseconds(at: &str) -> String {
    Instant::parse(at).map_or_else(|_| plain(at), time)
}

fn unlisted_line(log: &Log, one: &UnlistedSession) -> String {
    let problem = unlisted(one);
    if !log.is_json() {
        return format!("{}  {}", plain(&one.name), styled(BAD, plain(&problem)));
    }
    let mut object = Object::new();
    object.push("unlisted", one.name.as_str());
    object.push("entries", one.entries);
    object.push("damaged", problem);
    Json::from(object).to_string()
}

async fn look(log: &Log, listed: ListedSession) -> Result<Line, Failure> {
    let session = &listed.session;
    let held = match Snapshot::load(&*log.store, session).await {
        Ok(held) => Ok(held.holdings),
        Err(error) => Err(of_its_own(log, error)?),
    };
    let last = listed.seq.saturating_sub(1);
    let last = log
        .store
        .history(session, last, 1)
        .await
        .unwrap_or_default();
    let last = last.first().and_then(|row| when(&row.body));
    let (open, held) = match log.store.pending(session, u32::MAX).await {
        Ok(pending) => (pending.iter().map(|one| one.positions.len()).sum(), held),
        Err(error) => (0, held.and(Err(of_its_own(log, error.into())?))),
    };
    Ok(Line {
        pending: log.has_host.then_some(open),
        last,
        held,
        listed,
    })
}

/// Returns the time at which an entry was stored, even if the rest of the entry is unreadable.
fn when(body: &str) -> Option<String> {
    let entry = journal::json(body).ok()?;
    let at = entry.as_object()?.get("at")?.as_text()?;
    Some(at.to_owned())
}

/// Returns the problem if the session itself is damaged; any other error is a failure of the command.
fn of_its_own(log: &Log, error: SessionError) -> Result<String, Failure> {
    match error {
        SessionError::Unreadable { why, .. } => Ok(why.to_string()),
        SessionError::Store(error) if error.kind == StoreErrorKind::Damaged => {
            Ok(error.to_string())
        }
        other => Err(log.failed(other)),
    }
}

/// Formats plans: `WorkByPlan plan-1 READY, plan-2 DONE`. If there are many plans, only the newest ones are shown.
fn plans(holdings: &[MachineSnapshot]) -> String {
    let mut machines = Vec::new();
    for holding in holdings.iter().filter(|one| !one.stored.plans.is_empty()) {
        let all = &holding.stored.plans;
        let newest = &all[all.len().saturating_sub(PLANS)..];
        let shown = newest.iter().map(|plan| {
            let id = plain(plan.id.as_str());
            format!("{id} {}", styled(WARN, plain(&plan.state)))
        });
        let more = match all.len() - newest.len() {
            0 => String::new(),
            more => format!("{more} older, "),
        };
        let shown = shown.collect::<Vec<_>>().join(", ");
        machines.push(format!(
            "{} {more}{shown}",
            styled(ASIDE, plain(&holding.machine))
        ));
    }
    machines.join("; ")
}

fn json(line: &Line) -> Json {
    let mut object = Object::new();
    object.push("session", line.listed.session.to_string());
    object.push("entries", line.listed.seq);
    let pending = line.pending.map(|pending| Json::from(pending as u64));
    object.push("pending", pending.unwrap_or_default());
    if let Some(last) = &line.last {
        object.push("last", last.as_str());
    }
    match &line.held {
        Err(problem) => object.push("damaged", problem.as_str()),
        Ok(holdings) => {
            let plans = holdings.iter().flat_map(|holding| {
                let plans = holding.stored.plans.iter();
                plans.map(|plan| {
                    let mut object = Object::new();
                    object.push("machine", holding.machine.as_str());
                    object.push("id", plan.id.as_str());
                    object.push("state", &*plan.state);
                    object.push("revision", plan.revision);
                    Json::from(object)
                })
            });
            object.push("plans", plans.collect::<Vec<Json>>());
        }
    }
    object.into()
}
