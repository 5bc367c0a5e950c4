//! `plan-machine run`: sends events to a machine and shows the result of each.

mod answer;
mod joint;
mod session;
mod show;
mod terminal;

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::{Memory, without_password};

use crate::agents::refuse_agents_to_change;
use crate::lines::{self, Line};
use crate::output::{Exit, Failure, Out};
use crate::session::SessionDocument;
use crate::spec;
use crate::store::{self, Opening};
use joint::Joint;
use session::{Clock, Session, SessionStorage};

/// Send events to a machine and show the result of each.
///
/// Reads one JSON object per line from standard input and answers each one with a JSON object on one line:
/// `{"do":"/plan on"}` for a command as a user types it, `{"do":"NAME","with":{…}}` for any event,
/// `{"tool":"shell","with":{…}}` for a host tool, `{"batch":[…]}` for the calls of one model response,
/// `{"turn":"ID"}` for a message from a person, which begins a turn, or `{"wait":"1h"}` to let time pass (not with
/// `--store`). Optional keys are `plan_id`, `expect_revision`, `token` (`"current"` means the current token),
/// `context`, `at`, `actor` (the sender, which is stored in the journal) and `call_id`: an event with the same
/// `call_id` as an earlier event has no effect and gets the same answer, with `"repeated":true`. If a line contains a
/// JSON array, its elements are sent one by one.
///
/// Without `--store`, the session exists only in memory, and ids and the clock are the same in
/// every run. With `--store`, the session outlives the command: an accepted event is stored before it is
/// answered, and the next run continues where this one ended, even if it was killed.
/// `plan-machine log` shows the stored session. Effects are printed and stay pending, because
/// carrying out effects is the task of a host. An agent cannot use the store of a gated project, or a database.
///
/// A session document runs in memory, with all of its machines: `{"do":"MACHINE.EVENT"}` sends an event to one of them,
/// and a call to a host tool may state its `class`, which is then not computed. An answer contains the `machine` that
/// answered, the machines that have counted a call (`counted_by`), and the `states` of all machines.
///
/// On a terminal, a prompt also accepts plain commands (`/plan on`) and calls (`NAME {…}`); `?` lists what can be
/// sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine run work_by_plan.yaml
  echo '{\"do\":\"/plan on\"}' | plan-machine run work_by_plan.yaml
  plan-machine run work_by_plan.yaml --store sqlite:plans.db --session cli:my-first-plan")]
pub(crate) struct Args {
    /// The spec, or a session document.
    file: PathBuf,
    /// Where the session is stored: `sqlite:PATH`, created if it does not exist, or `postgres:URL`.
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// The session, as CHANNEL:CONVERSATION.
    #[arg(
        long,
        value_name = "SESSION",
        requires = "store",
        default_value = "cli:default-session"
    )]
    session: String,
    /// The names of the host tools. With this option, a tool that is listed neither here nor in the spec is unknown.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    host_tools: Option<Vec<String>>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(document) = SessionDocument::read(&args.file)? {
        if args.store.is_some() || args.host_tools.is_some() {
            let message = "`--store` and `--host-tools` do not apply to a session document: it runs in memory, and its host accepts any tool";
            return Err(Failure::usage(message).help("leave out `--store` and `--host-tools`"));
        }
        let own: Vec<PathBuf> = document.files().map(|(path, _)| path.to_owned()).collect();
        let joint = Joint::new(&document.into_session()?, &own)?;
        return joint.pipe(io::stdin().lock(), &mut Out::plain());
    }
    let machine = spec::machine(&args.file)?;
    let host_tools = args.host_tools.as_ref().map(|tools| {
        let tools = tools.iter().map(|tool| tool.trim().to_owned());
        tools
            .filter(|tool| !tool.is_empty())
            .collect::<BTreeSet<_>>()
    });
    let Some(name) = &args.store else {
        return converse(&in_memory(machine, host_tools)?);
    };
    let named = refuse_agents_to_change(name, "run --store")?;
    let identity = identity(&args.session)?;
    let runtime = store::runtime()?;
    let store = runtime.block_on(store::open_at(name, &named.address, Opening::OrCreate))?;
    let kept = SessionStorage {
        store: Arc::clone(&store),
        identity,
        clock: Clock::System,
        address: without_password(name),
    };
    let session = Session::new(machine, host_tools, kept, runtime)?;
    // The session is opened immediately, so that problems are reported before any input is read.
    let opened = session.held().map_err(|error| store::failed(name, &error));
    let done = opened.and_then(|_| converse(&session));
    session.close(name, &*store, done)
}

fn converse(session: &Session) -> Result<Exit, Failure> {
    let input = io::stdin();
    // Answers are formatted for people only if both input and output are a terminal.
    if input.is_terminal() && io::stdout().is_terminal() {
        terminal::converse(session, input.lock(), &mut Out::coloured())
    } else {
        pipe(session, input.lock(), &mut Out::plain())
    }
}

/// Returns a session that ends with the process.
fn in_memory(
    machine: Checked<Machine>,
    host_tools: Option<BTreeSet<String>>,
) -> Result<Session, Failure> {
    let kept = SessionStorage {
        store: Arc::new(Memory::new()),
        identity: identity("cli:default-session")?,
        clock: Clock::Manual,
        address: String::new(),
    };
    Session::new(machine, host_tools, kept, store::runtime()?)
}

fn identity(text: &str) -> Result<SessionIdentity, Failure> {
    text.parse()
        .map_err(|error| Failure::usage(format!("{error}")))
}

/// Reads JSON objects, one per line, and answers each with a JSON object.
fn pipe(session: &Session, mut input: impl BufRead, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let mut exit = Exit::Fine;
    while let Some(line) = lines::next(&mut input)? {
        let mut tell = |answer: answer::Answer| {
            if answer.is_error() {
                exit = Exit::Usage;
            }
            out.line(answer.json())
        };
        match line {
            Line::Text(text) if text.trim().is_empty() => {}
            Line::Text(text) => session.line(&text, &mut tell)?,
            Line::Bad(reason) => tell(answer::Answer::Error(reason))?,
        }
        out.flush()?;
        if out.is_gone() {
            break;
        }
    }
    Ok(exit)
}
