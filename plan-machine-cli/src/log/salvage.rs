//! `plan-machine log salvage`: copies what can be read from a damaged file to a new one.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::journal::Snapshot;
use plan_machine_sessions::store::Sqlite;
use plan_machine_sessions::store::sqlite::{SalvageReport, SalvagedSession};

use super::journal::pending;
use super::open_store::{Log, entries, unlisted};
use super::timeline::plain;
use crate::output::{BAD, Exit, Failure, Out, WARN, count, styled};

/// Copy everything that can be read from a damaged file to a new file.
///
/// The pages are read one by one, so this works even if the store cannot be opened. The damaged file is not changed.
/// Stop all processes that use it first. The report lists what was lost. A session that has lost something cannot be
/// used until you run `log restart`, unless only entries before its last snapshot are lost. The exit status is 1 if
/// anything was lost.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The path of the new file, which must not exist yet.
    new: String,
}

impl Args {
    /// Returns the address of the new store.
    pub(super) fn address(&self) -> String {
        format!("sqlite:{}", self.path())
    }

    fn path(&self) -> &str {
        self.new.strip_prefix("sqlite:").unwrap_or(&self.new)
    }

    /// Copies a damaged file.
    pub(super) fn copy(&self, damaged: &str) -> Result<SalvageReport, Failure> {
        let Some(path) = damaged.strip_prefix("sqlite:") else {
            let other = Failure::usage("only an SQLite file can be salvaged");
            return Err(other.help("restore a PostgreSQL database from a backup"));
        };
        let salvaged = Sqlite::salvage(path, self.path());
        salvaged.map_err(|error| Failure::usage(format!("nothing was copied: {error}")))
    }
}

/// Reports what is in the new file.
pub(super) async fn report(new: &Log, salvaged: &SalvageReport) -> Result<Exit, Failure> {
    let mut out = if new.is_json() {
        Out::plain()
    } else {
        Out::coloured()
    };
    let mut exit = Exit::Fine;
    if !new.is_json() {
        let many: u64 = salvaged.sessions.iter().map(|one| one.entries).sum();
        let many = entries(usize::try_from(many).unwrap_or(usize::MAX));
        let sessions = count(salvaged.sessions.len(), "session");
        out.line(format_args!(
            "copied {sessions} with {many} to `{}`",
            plain(&new.name)
        ))?;
    }
    for one in &salvaged.sessions {
        let problem = problem(new, one).await?;
        if problem.is_some() || one.lost > 0 {
            exit = Exit::Spec;
        }
        line(new, one, problem.as_deref(), &mut out)?;
    }
    let lost = new.unlisted().await?;
    let lost = lost
        .iter()
        .map(|lost| format!("{}: {}", lost.name, unlisted(lost)));
    for problem in lost.chain(salvaged.problems.iter().cloned()) {
        exit = Exit::Spec;
        if new.is_json() {
            let mut object = Object::new();
            object.push("problem", problem);
            out.line(Json::from(object))?;
        } else {
            out.line(styled(BAD, plain(&problem)))?;
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Returns the reason why a session cannot be used; `None` if it can be used.
async fn problem(new: &Log, one: &SalvagedSession) -> Result<Option<String>, Failure> {
    if let Err(error) = Snapshot::load(&*new.store, &one.session).await {
        return Ok(Some(error.to_string()));
    }
    let pending = new.read(pending(new, &one.session).await)?;
    Ok(pending.err())
}

fn line(
    new: &Log,
    one: &SalvagedSession,
    problem: Option<&str>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let name = one.session.to_string();
    if new.is_json() {
        let mut object = Object::new();
        object.push("session", name);
        object.push("entries", one.entries);
        object.push("lost", one.lost);
        object.push("problem", problem.map_or(Json::Null, Json::from));
        return out.line(Json::from(object));
    }
    let many = |number: u64| entries(usize::try_from(number).unwrap_or(usize::MAX));
    let name = plain(&name);
    match (problem, one.lost) {
        (None, 0) => Ok(()),
        (None, lost) => {
            let lost = styled(
                WARN,
                format_args!("{} lost before its last snapshot", many(lost)),
            );
            out.line(format_args!("{name}: {lost}; the session can be used"))
        }
        (Some(problem), lost) => {
            let lost = match lost {
                0 => String::new(),
                lost => format!("{} lost; ", many(lost)),
            };
            out.line(format_args!(
                "{name}: {lost}{}; `plan-machine log --store {} restart {name} --why TEXT` ends its plans, so that the session can be used",
                styled(BAD, plain(problem)),
                plain(&new.name),
            ))
        }
    }
}
