//! The bot's command: a terminal around the bot.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{BufRead, ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{ArgAction, Parser, Subcommand};
use plan_bot::auto_files::AutoFiles;
use plan_bot::bot::Parts;
use plan_bot::chats::Keys;
use plan_bot::data::{Inventory, Made};
use plan_bot::mode::Mode;
use plan_bot::model::Model;
use plan_bot::model::endpoint::Endpoint;
use plan_bot::model::script::Script;
use plan_bot::record::{self, Metrics};
use plan_bot::secrets::Secrets;
use plan_bot::terminal::Manner;
use plan_bot::tools::{HostTools, Shell, ShellRule, supervise};
use plan_bot::{Bot, demo, disk, folders, secrets, terminal};
use plan_machine::visible::visible;
use plan_machine_sessions::store::Store;
use tokio::runtime::{Builder, Runtime};

/// A bot that talks, plans, asks for approval, executes and remembers.
///
/// Without any configuration it plays a scripted model and keeps everything in one folder.
#[derive(Debug, Parser)]
#[command(name = "plan-bot", version, after_help = VARIABLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct Args {
    /// Where the bot keeps what it knows.
    #[arg(long, default_value = "plan-bot-data", global = true)]
    data: PathBuf,
    /// The folder that the file tools see.
    #[arg(long, default_value = "workspace", global = true)]
    workspace: PathBuf,
    /// Where sessions are kept: `sqlite:PATH` or `postgres:URL`; a file in the data folder by default.
    #[arg(long, global = true)]
    store: Option<String>,
    /// How the conversation that is active plans from now on, as `/mode` says it.
    #[arg(long)]
    mode: Option<Mode>,
    /// A scripted conversation to play in place of a model, in YAML; see below.
    #[arg(long)]
    script: Option<PathBuf>,
    /// Let the model run shell commands in the workspace.
    #[arg(long)]
    allow_shell: bool,
    /// Add what happens to a log: JSON, one line for each event.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write counters into a file, one a line, while the bot works.
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    /// Go on although parts of the data folder got lost; they begin anew.
    #[arg(long)]
    accept_loss: bool,
    /// Whether a message that looks like work of many steps opens planning files by itself.
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = switch, action = ArgAction::Set)]
    auto_files: bool,
    /// So many words make a message look like work of many steps.
    #[arg(long, value_name = "WORDS", default_value_t = AutoFiles::default().words)]
    auto_files_words: usize,
    /// So many lines of a list do, too.
    #[arg(long, value_name = "LINES", default_value_t = AutoFiles::default().lines)]
    auto_files_lines: usize,
    /// Words only, for pipes.
    #[arg(long)]
    plain: bool,
    /// Take commands such as `/plan cancel` at once also where input is a pipe, which is else read line by line.
    #[arg(long)]
    live: bool,
    #[command(subcommand)]
    what: Option<What>,
}

const VARIABLES: &str = "\
The environment chooses a real model:
  PLAN_BOT_MODEL    its name; without it the script is played
  PLAN_BOT_KEY      its key; else OPENAI_API_KEY or ANTHROPIC_API_KEY
  PLAN_BOT_API      openai or anthropic, where the name does not tell
  PLAN_BOT_URL      a server of your own, such as http://localhost:8080/v1
  PLAN_BOT_TIMEOUT  how many seconds an answer may take; else 120

PLAN_BOT_STORE takes the place of --store.

A script is a list of turns: what the user says, and what the model answers, one response after the other.
  - user: Plan the picnic.          # the whole text; `contains: picnic` is a part of it
    model:
      - calls:                      # made in order; then the model is asked again
          - list_files
          - write_file: { path: list.md, content: bread }
      - text: \"The tool says {result}.\"
  - default:                        # whatever else the user says
      - text: I only know my script.
docs/scripts.md describes all of it.";

#[derive(Debug, Subcommand)]
enum What {
    /// Play the lifecycles, one after the other, in a folder that is thrown away.
    Demo,
    /// Run a shell command until it ends or standard input does: the bot starts itself so.
    #[command(hide = true)]
    Supervise {
        /// What `sh -c` is given.
        command: OsString,
    },
}

/// How long what is still going on in the background is waited for at the end. A store is whole at any time.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(What::Supervise { command }) = &args.what {
        return supervise(command);
    }
    match in_private(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where nobody reads errors, the exit code tells.
            let _ = writeln!(stderr(), "error: {}", visible(&error));
            ExitCode::FAILURE
        }
    }
}

/// Runs the bot once nobody else can read its secrets.
fn in_private(args: Args) -> Result<(), String> {
    let secrets = match args.what {
        Some(_) => Secrets::default(),
        None => Secrets::take(args.store.as_deref())?,
    };
    secrets::hide_memory()?;
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let mut opened = None;
    let ran = runtime.block_on(run(args, &secrets, &mut opened));
    runtime.shutdown_timeout(PATIENCE);
    ran.and(opened.map_or(Ok(()), |store| close(&*store)))
}

/// Closes the store when nothing works in the background any more: a copy of its file is whole then.
fn close(store: &dyn Store) -> Result<(), String> {
    let runtime = Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let closed = runtime.block_on(store.close());
    closed.map_err(|error| error.to_string())
}

async fn run(
    mut args: Args,
    secrets: &Secrets,
    opened: &mut Option<Arc<dyn Store>>,
) -> Result<(), String> {
    if let Some(What::Demo) = args.what {
        return match demo::play(&mut stdout(), go_on).await {
            // Who reads no further has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            played => played.map_err(|error| error.to_string()),
        };
    }
    // What makes nothing comes first: a start that is refused leaves nothing behind.
    let shell = shell(args.allow_shell)?;
    let model = model(args.script.as_deref(), secrets)?;
    args.store = args.store.or_else(|| secrets.store());
    let store = args.store.as_deref().and_then(folders::file_of);
    let (log, metrics) = (args.log.as_deref(), args.metrics.as_deref());
    let files = [("--store", store), ("--log", log), ("--metrics", metrics)];
    let files = files.map(|(option, file)| Some((option, file?)));
    let files: Vec<(&str, &Path)> = files.into_iter().flatten().collect();
    folders::keep_apart(&args.workspace, &args.data, &files)?;
    let mut made = Made::default();
    for part in [
        "",
        "lock",
        "sessions.db",
        "chats.yaml",
        "memory.jsonl",
        "history",
    ] {
        made.note(&args.data.join(part));
    }
    made.note(&args.workspace);
    for file in [&args.log, &args.metrics].into_iter().flatten() {
        made.note(file);
    }
    let _own = own(&args.data)?;
    let (bot, metrics) = match start(&args, shell, model, opened).await {
        Ok(started) => started,
        Err(error) => {
            made.take_back();
            return Err(error);
        }
    };
    let manner = Manner {
        plain: args.plain,
        live: args.live,
    };
    let (Some(metrics), Some(file)) = (&metrics, &args.metrics) else {
        return terminal::converse(&bot, args.mode, manner).await;
    };
    let talked = tokio::select! {
        talked = terminal::converse(&bot, args.mode, manner) => talked,
        failed = keep_written(metrics, file) => Err(failed),
    };
    talked.and(metrics.write(file))
}

/// Opens everything that the bot needs.
async fn start(
    args: &Args,
    shell: ShellRule,
    model: Arc<dyn Model>,
    opened: &mut Option<Arc<dyn Store>>,
) -> Result<(Bot, Option<Metrics>), String> {
    nothing_is_lost(&args.data, args.accept_loss)?;
    let tools = HostTools::open(&args.workspace, shell)?;
    let own_store = || format!("sqlite:{}", args.data.join("sessions.db").display());
    let address = args.store.clone().unwrap_or_else(own_store);
    let store = plan_machine_sessions::store::open(&address).await;
    let store = store.map_err(|error| error.to_string())?;
    *opened = Some(Arc::clone(&store));
    let bot = Bot::new(Parts {
        store,
        model,
        tools,
        data: args.data.clone(),
        keys: Keys::Random,
    })?;
    let bot = bot.with_auto_files(AutoFiles {
        on: args.auto_files,
        words: args.auto_files_words,
        lines: args.auto_files_lines,
    });
    if let Some(log) = &args.log {
        record::log_to(log)?;
    }
    let Some(file) = &args.metrics else {
        return Ok((bot, None));
    };
    let metrics = Metrics::install()?;
    metrics.write(file)?;
    Ok((bot, Some(metrics)))
}

/// Refuses a data folder of which parts are gone: what would be made anew in their place is not what was there.
fn nothing_is_lost(data: &Path, accept_loss: bool) -> Result<(), String> {
    let inventory = Inventory::open(data)?;
    inventory.sweep()?;
    let lost = inventory.lost();
    if lost.is_empty() {
        return Ok(());
    }
    if !accept_loss {
        let (is, them) = if lost.len() == 1 {
            ("a part", "it")
        } else {
            ("parts", "them")
        };
        return Err(format!(
            "{is} of the data folder `{}` got lost: {}; put {them} back, or start once with `--accept-loss` to go on without {them}",
            data.display(),
            lost.join(", ")
        ));
    }
    inventory.accept_loss()
}

/// The shell of the model, where it is allowed one. Its commands are supervised by this executable.
fn shell(allowed: bool) -> Result<ShellRule, String> {
    if !allowed {
        return Ok(ShellRule::Never);
    }
    let supervisor = std::env::current_exe()
        .map_err(|error| format!("`--allow-shell` needs the path of plan-bot itself: {error}"))?;
    let limit = Duration::from_mins(1);
    Ok(ShellRule::Supervised(Shell { supervisor, limit }))
}

/// Writes the metrics anew whenever they have changed; only an error ends it.
async fn keep_written(metrics: &Metrics, file: &Path) -> String {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    let mut written = String::new();
    loop {
        ticks.tick().await;
        let text = metrics.text();
        if text != written
            && let Err(error) = metrics.write(file)
        {
            return error;
        }
        written = text;
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected `on` or `off`".to_owned()),
    }
}

/// Lets a person read; a pipe reads on.
fn go_on() {
    if stdin().is_terminal() && stdout().is_terminal() {
        print!("\n(Enter goes on)");
        // Who cannot be asked goes on.
        let _ = stdout().flush();
        let _ = stdin().lock().read_line(&mut String::new());
    }
}

/// How long the lock of a bot that was killed may outlive it: a process that it was just starting has the lock, too,
/// until its program begins.
const LEFT_BEHIND: Duration = Duration::from_secs(3);

/// Makes the data folder this bot's own for as long as the value is there: two bots would take each other's
/// steps for interrupted ones.
fn own(data: &Path) -> Result<File, String> {
    let failed = |error| format!("`{}` cannot be used: {error}", data.display());
    disk::make_folder(data)?;
    disk::make_private(data)?;
    let lock = disk::append(&data.join("lock")).map_err(failed)?;
    let until = Instant::now() + LEFT_BEHIND;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(format!(
                    "another bot uses `{}`; `--data` gives this one a folder of its own",
                    data.display()
                ));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// The model that the environment names, the script that was given, or the one of the demo.
fn model(script: Option<&Path>, secrets: &Secrets) -> Result<Arc<dyn Model>, String> {
    if let Some(path) = script {
        return Ok(Arc::new(Script::open(path)?));
    }
    if std::env::var_os("PLAN_BOT_MODEL").is_some() {
        let endpoint = Endpoint::from_env(|name| secrets.variable(name))?;
        return Ok(Arc::new(endpoint));
    }
    Ok(Arc::new(demo::script()?))
}
