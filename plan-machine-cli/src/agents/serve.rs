//! `plan-machine serve`: the inbox, on one page.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use plan_machine_agents::keeper::{HandleKey, person};
use plan_machine_agents::project::StateFolder;
use plan_machine_server::auth::{CookieKey, ProgramTokens};
use plan_machine_server::memory::MemoryReader;
use plan_machine_server::project::{Desk, ServeError, ServedProject, SessionDocuments};
use plan_machine_server::{Limits, Server, ServerOptions, ServerStop};
use tokio::runtime::Builder;

use super::site::{NamedStore, Place, failed, failed_files, refuse_agents};
use crate::output::{Exit, Failure, Out};
use crate::store::{self, Opening};

/// The purpose for which the key of cookies is derived.
const COOKIES: &str = "cookies of the inbox";

/// Serve the inbox: everything that waits for you on one page, and an HTTP interface for programs.
///
/// Without options, this serves the gated project of the current folder. With a store, it serves the sessions of the
/// store, with the session documents that you name. Open the page with the link that is shown; a link works once. An
/// agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine serve
  plan-machine serve --store postgres://db/plans --session coding.yaml --listen 0.0.0.0:4519 --host https://inbox.example")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// The store, `sqlite:PATH` or `postgres:URL`, instead of that of a gated project.
    #[arg(long, value_name = "STORE", requires = "session")]
    store: Option<String>,
    /// The session document of the sessions in the store; `CHANNEL=FILE` for those of one channel.
    #[arg(long, value_name = "FILE", requires = "store")]
    session: Vec<String>,
    /// The memory of the host whose sessions are in the store: a file, which the page shows by scope. This needs the
    /// feature `memory`.
    #[arg(long, value_name = "FILE", requires = "store")]
    memory: Option<PathBuf>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4519")]
    listen: SocketAddr,
    /// A name by which browsers reach the server, such as that of a proxy; with `https://` if the proxy adds TLS.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The tokens of programs, and of people who do not use this terminal: a file with one `NAME ROLE TOKEN` per line.
    /// The roles are `reader`, `host` and `person`.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// The name under which the journals record your decisions.
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("serve")?;
    let home = StateFolder::from_environment().map_err(|error| failed_files(&error))?;
    let key = HandleKey::of(&home).map_err(|error| failed(&error))?;
    let options = ServerOptions {
        listen: args.listen,
        hosts: args.host.clone(),
        person: args.person.clone().unwrap_or_else(person),
        cookie_key: CookieKey::of(key.derived(COOKIES)),
        tokens: tokens(args.tokens.as_deref())?,
        limits: Limits::default(),
        memory: args.memory.as_deref().map(memory).transpose()?,
        chat: None,
        // If the terminal has been closed, nobody reads the next link.
        show_link: Box::new(|link| drop(show("The next link, for another browser:", link))),
    };
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::usage(format!("cannot start the server's runtime: {error}")))?;
    runtime.block_on(async {
        let server = Server::bind(desk(args).await?, options);
        let server = server.map_err(|error| not_bound(&error))?;
        let mut out = Out::coloured();
        out.line(format_args!("plan-machine serves {}", server.address()))?;
        out.flush()?;
        // Other threads write the next links, so the output is released.
        drop(out);
        let link = server.link().map_err(|error| refused(&error))?;
        show("Open this link in your browser; it works once:", &link)?;
        tokio::spawn(stop_when_asked(server.stop()));
        server.run().await;
        Ok(Exit::Fine)
    })
}

/// Returns the desk: the project, or the store with its session documents, that the server serves.
async fn desk(args: &Args) -> Result<Desk, Failure> {
    let Some(name) = &args.store else {
        let (home, site) = args.place.site()?;
        let desk = Desk::gated(home, site).await;
        return desk.map_err(|error| failed(&error));
    };
    let mut documents = Vec::new();
    for named in &args.session {
        let (channel, file) = match named.split_once('=') {
            Some((channel, file)) => (Some(channel.to_owned()), file),
            None => (None, named.as_str()),
        };
        let read = SessionDocuments::read(Path::new(file));
        documents.push((channel, read.map_err(|error| refused(&error))?));
    }
    let named = NamedStore::of(name);
    let store = store::open_at(name, &named.address, Opening::OrCreate).await?;
    let shown = documents.first().map(|(_, one)| one.session().name.clone());
    let project = ServedProject::of_store(shown.unwrap_or_default(), store, documents);
    let project = project.map_err(|error| refused(&error))?;
    Ok(Desk::fixed(if named.is_state {
        project.all_gated()
    } else {
        project
    }))
}

#[cfg(feature = "memory")]
fn memory(file: &Path) -> Result<Box<dyn MemoryReader>, Failure> {
    // Opening a memory would create a missing file, but here a missing file means that its name is misspelled.
    std::fs::metadata(file)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", file.display())))?;
    let memory = plan_machine_server::memory::HostMemory::open(file);
    let memory = memory.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Box::new(memory))
}

#[cfg(not(feature = "memory"))]
fn memory(file: &Path) -> Result<Box<dyn MemoryReader>, Failure> {
    let file = file.display();
    Err(Failure::usage(format!(
        "cannot read `{file}`: this program was built without the feature `memory`; build it with `--features memory`"
    )))
}

fn tokens(file: Option<&Path>) -> Result<ProgramTokens, Failure> {
    let Some(file) = file else {
        return Ok(ProgramTokens::default());
    };
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read `{shown}`: {error}")))?;
    let tokens = ProgramTokens::parse(&text);
    tokens.map_err(|error| Failure::usage(format!("`{shown}`: {error}")))
}

fn show(text: &str, link: &str) -> Result<(), Failure> {
    let mut out = Out::coloured();
    out.line(format_args!("{text}\n  {link}"))?;
    out.flush()
}

fn refused(error: &ServeError) -> Failure {
    Failure::usage(error.to_string())
}

/// Returns the failure of a server that could not be started.
fn not_bound(error: &ServeError) -> Failure {
    let failure = refused(error);
    match error {
        ServeError::Listen { .. } => failure.help(
            "another `plan-machine serve` may be running; end it, or choose another address with `--listen`: `--listen 127.0.0.1:0` takes any free port",
        ),
        _ => failure,
    }
}

/// Stops the server when the user presses Ctrl-C, or the system asks for it.
async fn stop_when_asked(stop: ServerStop) {
    #[cfg(unix)]
    let asked = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut asked) => drop(asked.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let asked = std::future::pending::<()>();
    tokio::select! {
        // If the signal cannot be handled, it ends the process at once; nothing is lost in that case either.
        interrupted = tokio::signal::ctrl_c() => if interrupted.is_err() {
            return;
        },
        () = asked => {}
    }
    stop.stop();
}
