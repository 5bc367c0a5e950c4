//! `plan-machine log`: the sessions in a store.

mod delete;
mod end;
mod export;
mod journal;
mod restart;
mod salvage;
mod sessions;
mod show;
mod timeline;
mod verify;
mod watch;

use std::fmt::Display;
use std::sync::Arc;

use clap::{Subcommand, ValueEnum};
use plan_machine_agents::project::SharedStore;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::sqlite::SalvageReport;
use plan_machine_sessions::store::{
    ListedSession, Store, StoreError, StoreErrorKind, UnlistedSession, without_password,
};

use crate::agents::{refuse_agents_to_change, store_here};
use crate::output::{Exit, Failure, did_you_mean};
use crate::store::{self, Opening};

/// Show, verify, export and delete the sessions of a store, end damaged plans, restart damaged sessions, and copy damaged
/// files.
///
/// A store contains an entry for each event that a session accepted: who sent the event and when, its result, and its
/// effects. Without a subcommand, the sessions are listed. The exit status is 1 if something is damaged or the replay
/// of an entry gives a different result, and 2 if the store cannot be read. No subcommand except `salvage` creates a
/// store. An agent can read every store, but it cannot change the store of a gated project, or a database.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine log
  plan-machine log --store sqlite:plans.db
  plan-machine log --store sqlite:plans.db show cli:default-session
  plan-machine log --store sqlite:plans.db verify --all work_by_plan.yaml
  plan-machine log --store sqlite:plans.db export --all > plans.jsonl
  plan-machine log --store sqlite:plans.db end cli:default-session plan-1 --why \"the file was edited\"
  plan-machine log --store sqlite:plans.db restart cli:default-session --why \"the disk was full\"
  plan-machine log --store sqlite:plans.db salvage new.db
  plan-machine log --store sqlite:plans.db watch")]
pub(crate) struct Args {
    /// The store: `sqlite:PATH` or `postgres:URL`. The default is the store of the gated project in this folder.
    #[arg(long, value_name = "STORE", global = true)]
    store: Option<String>,
    /// The output format: text for people, or one JSON object per line and nothing else.
    #[arg(long, value_enum, global = true, default_value_t = Format::Human)]
    format: Format,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the sessions, with their number of entries, their plans and states, and their pending effects.
    ///
    /// In a gated project, no program carries out effects, so they are not counted.
    Sessions,
    Show(show::Args),
    Verify(verify::Args),
    Export(export::Args),
    End(end::Args),
    Restart(restart::Args),
    Salvage(salvage::Args),
    Delete(delete::Args),
    Watch(watch::Args),
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let here = store_here();
    let gated = match &args.store {
        None => here?,
        // The project in this folder matters little, even if the address of its store is damaged.
        Some(_) => here.ok().flatten(),
    };
    let gated_name = gated.as_ref().map(|gated| &gated.address);
    let name = args.store.as_ref().or(gated_name).ok_or_else(no_store)?;
    let address = refuse_agents(name, args.command.as_ref())?;
    let runtime = store::runtime()?;
    // A damaged file is copied without being opened as a store.
    let (name, address, salvaged) = match &args.command {
        Some(Command::Salvage(salvage)) => {
            let copied = salvage.copy(&address)?;
            (&salvage.address(), salvage.address(), copied)
        }
        _ => (name, address, SalvageReport::default()),
    };
    runtime.block_on(async {
        let log = Log {
            store: store::open_at(name, &address, Opening::Existing).await?,
            name: without_password(name),
            format: args.format,
            has_host: gated_name != Some(name),
            only: gated
                .as_ref()
                .filter(|_| args.store.is_none())
                .and_then(|gated| gated.shared.clone()),
        };
        let done = match &args.command {
            None | Some(Command::Sessions) => sessions::run(&log).await,
            Some(Command::Show(args)) => show::run(&log, args).await,
            Some(Command::Verify(args)) => verify::run(&log, args).await,
            Some(Command::Export(args)) => export::run(&log, args).await,
            Some(Command::End(args)) => end::run(&log, args).await,
            Some(Command::Restart(args)) => restart::run(&log, args).await,
            Some(Command::Salvage(_)) => salvage::report(&log, &salvaged).await,
            Some(Command::Delete(args)) => delete::run(&log, args).await,
            Some(Command::Watch(args)) => watch::run(&log, args).await,
        };
        store::close(name, &*log.store, done).await
    })
}

/// Refuses a command that changes the sessions of gated projects if an agent runs it. Returns the address of the store to
/// open.
fn refuse_agents(store: &str, command: Option<&Command>) -> Result<String, Failure> {
    let (shown, new) = match command {
        Some(Command::End(_)) => ("log end", None),
        Some(Command::Restart(_)) => ("log restart", None),
        Some(Command::Delete(_)) => ("log delete", None),
        Some(Command::Salvage(salvage)) => ("log salvage", Some(salvage.address())),
        _ => return Ok(store.to_owned()),
    };
    if let Some(new) = new {
        refuse_agents_to_change(&new, shown)?;
    }
    Ok(refuse_agents_to_change(store, shown)?.address)
}

/// Returns the failure of a command that has no store to examine.
fn no_store() -> Failure {
    let missing =
        Failure::usage("this folder is not in a gated project, so the command needs a store");
    missing.help("name the store with `--store sqlite:PATH` or `--store postgres:URL`")
}

/// The number of sessions that are listed at a time.
const SESSIONS: u32 = 64;

/// A store that is being examined.
struct Log {
    store: Arc<dyn Store>,
    name: String,
    format: Format,
    /// Whether a host carries out the effects of the sessions. The gated project in this folder has none, so its
    /// effects are never carried out, and nothing is missing.
    has_host: bool,
    /// The store of the gated project in this folder, if other computers share it: only the sessions of this project
    /// are listed.
    only: Option<SharedStore>,
}

impl Log {
    fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Returns the failure of a command that cannot continue because of an error in the store.
    fn failed(&self, error: impl Display) -> Failure {
        Failure::usage(format!("`{}`: {error}", self.name))
    }

    /// Returns the store's answer, or the failure of the command.
    fn read<T>(&self, answer: Result<T, StoreError>) -> Result<T, Failure> {
        answer.map_err(|error| self.failed(error))
    }

    /// Returns the next page of sessions, after the given one.
    async fn page(&self, after: Option<&SessionIdentity>) -> Result<Vec<ListedSession>, Failure> {
        let mut after = after.cloned();
        loop {
            let mut page = self.read(self.store.sessions(after.as_ref(), SESSIONS).await)?;
            let Some(last) = page.last() else {
                return Ok(page);
            };
            after = Some(last.session.clone());
            if let Some(only) = &self.only {
                page.retain(|listed| only.contains(&listed.session));
            }
            if !page.is_empty() {
                return Ok(page);
            }
        }
    }

    /// Returns the session with this name, which must exist.
    async fn session(&self, text: &str) -> Result<SessionIdentity, Failure> {
        let session: SessionIdentity = text
            .parse()
            .map_err(|error| Failure::usage(format!("{error}")))?;
        if self.exists(&session).await? {
            return Ok(session);
        }
        let some = self.read(self.store.sessions(None, 1000).await)?;
        let names: Vec<String> = some.iter().map(|one| one.session.to_string()).collect();
        let near = did_you_mean(text, names.iter().map(String::as_str));
        Err(Failure::usage(format!(
            "`{}` has no session `{session}`{near}",
            self.name
        )))
    }

    /// Returns whether a session exists. The record of a damaged session might not count its entries, and all entries
    /// might be lost, so everything else that belongs to the session is read as well.
    async fn exists(&self, session: &SessionIdentity) -> Result<bool, Failure> {
        let store = &self.store;
        let head = store.head(session).await;
        if matches!(&head, Err(error) if error.kind == StoreErrorKind::Damaged) {
            return Ok(true);
        }
        if self.read(head)?.seq > 0 {
            return Ok(true);
        }
        if !self.read(store.history(session, 0, 1).await)?.is_empty()
            || !self
                .read(store.answers(session, 0, u64::MAX).await)?
                .is_empty()
        {
            return Ok(true);
        }
        match store.read(session).await {
            Err(error) if error.kind == StoreErrorKind::Damaged => Ok(true),
            read => Ok(self.read(read)?.snapshot.is_some()),
        }
    }

    /// Returns the sessions that cannot be listed, because their names are damaged.
    async fn unlisted(&self) -> Result<Vec<UnlistedSession>, Failure> {
        self.read(self.store.unlisted().await)
    }

    /// Returns the given session, or all sessions, sorted by identity.
    async fn chosen(&self, one: Option<&str>) -> Result<Vec<ListedSession>, Failure> {
        if let Some(text) = one {
            let session = self.session(text).await?;
            let seq = match self.store.head(&session).await {
                Err(error) if error.kind == StoreErrorKind::Damaged => 0,
                head => self.read(head)?.seq,
            };
            return Ok(vec![ListedSession { session, seq }]);
        }
        let mut all: Vec<ListedSession> = Vec::new();
        loop {
            let page = self.page(all.last().map(|listed| &listed.session)).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }
}

/// Describes a session that cannot be listed, and says how to use it again.
fn unlisted(one: &UnlistedSession) -> String {
    let many = entries(usize::try_from(one.entries).unwrap_or(usize::MAX));
    let session = match &one.identity {
        Some(identity) => identity.to_string(),
        None => "SESSION".to_owned(),
    };
    format!(
        "{} ({many} kept); `plan-machine log --store STORE restart {session} --why TEXT` starts the session over under its original name and keeps its entries",
        one.problem
    )
}

/// Formats a count: `1 entry`, `2 entries`.
fn entries(number: usize) -> String {
    match number {
        1 => "1 entry".to_owned(),
        _ => format!("{number} entries"),
    }
}
