//! `plan-machine log`: the sessions in a store.

mod delete;
mod denials;
mod end;
mod export;
mod journal;
mod open_store;
mod restart;
mod salvage;
mod sessions;
mod show;
mod timeline;
mod verify;
mod watch;

use clap::Subcommand;
use plan_machine_sessions::store::sqlite::SalvageReport;
use plan_machine_sessions::store::without_password;

use crate::agents::{refuse_agents_to_change, store_here};
use crate::output::{Exit, Failure};
use crate::store::{self, Opening};
use open_store::{Format, Log};

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
        // The command names a store, so a problem with the project in this folder is ignored.
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
            denials: gated
                .as_ref()
                .filter(|gated| gated.address == *name)
                .map(|gated| gated.denials.clone()),
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
