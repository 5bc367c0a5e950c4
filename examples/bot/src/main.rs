//! The `plan-bot` command: the bot in a terminal or on its page, and a demo.

use std::ffi::OsString;
use std::io::{BufRead, ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{ArgAction, Parser, Subcommand};
use plan_bot::bot::MODES;
use plan_bot::start::{self, Start};
use plan_bot::{BotError, demo, log};
use plan_machine::visible::visible;
use plan_machine_host::Host;
use plan_machine_host::data::NewFiles;
use plan_machine_host::folders::keep_apart;
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_host::recorder::Metrics;
use plan_machine_host::secrets::{SecretNames, Secrets, hide_memory};
use plan_machine_host::terminal::{self, Manner};
use plan_machine_host::tools::{adopt_orphans, end_orphans, supervise};
use plan_machine_sessions::store::Store;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// A bot that talks, plans, asks for approval, executes and remembers.
///
/// Without any configuration, it uses a scripted model and keeps its data in one folder.
#[derive(Debug, Parser)]
#[command(name = "plan-bot", version, after_help = VARIABLES)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the flags are independent of each other"
)]
struct Args {
    /// Folder where the bot keeps its data.
    #[arg(long, default_value = "plan-bot-data", global = true)]
    data: PathBuf,
    /// Folder that the file tools can access.
    #[arg(long, default_value = "workspace", global = true)]
    workspace: PathBuf,
    /// Where sessions are stored: `sqlite:PATH` or `postgres:URL` [default: a file in the data folder]
    #[arg(long, global = true)]
    store: Option<String>,
    /// Mode that the active conversation is switched to at the start, as with `/mode`.
    #[arg(long, value_parser = MODES, global = true)]
    mode: Option<String>,
    /// Scripted conversation in YAML that is used instead of a model; see below.
    #[arg(long, global = true)]
    script: Option<PathBuf>,
    /// Let the model run shell commands in the workspace.
    #[arg(long, global = true)]
    allow_shell: bool,
    /// Append events to this log file, one JSON object per line.
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
    /// Write metrics to this file, one per line, and update the file while the bot is running.
    #[arg(long, value_name = "FILE", global = true)]
    metrics: Option<PathBuf>,
    /// Start even if parts of the data folder are missing, empty or damaged; these parts start out empty.
    #[arg(long, global = true)]
    accept_loss: bool,
    /// Whether a message that looks like work with many steps opens planning files.
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = switch, action = ArgAction::Set, global = true)]
    auto_files: bool,
    /// Minimum number of words in a message that looks like work with many steps.
    #[arg(long, value_name = "WORDS", default_value_t = AutoFiles::default().words, global = true)]
    auto_files_words: usize,
    /// Minimum number of list items in a message that looks like work with many steps.
    #[arg(long, value_name = "LINES", default_value_t = AutoFiles::default().lines, global = true)]
    auto_files_lines: usize,
    /// Print plain text only, for pipes.
    #[arg(long, global = true)]
    plain: bool,
    /// Run commands such as `/plan cancel` immediately even if the input is a pipe. By default, each line from a pipe
    /// waits until the line before it is done.
    #[arg(long, global = true)]
    live: bool,
    #[command(subcommand)]
    what: Option<What>,
}

/// The text that `--help` prints after the options. The file ends without a line break, as clap's own texts do.
const VARIABLES: &str = include_str!("variables.txt");

#[derive(Debug, Subcommand)]
enum What {
    /// Play the lifecycles, one after the other, in a temporary folder.
    Demo,
    /// Serve a page with the plans that wait for your decision, and with a chat.
    Serve {
        /// The address to listen on.
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4520")]
        listen: SocketAddr,
        /// Your name in the journals [default: the name of your account]
        #[arg(long, value_name = "NAME")]
        person: Option<String>,
    },
    /// Run a shell command until it ends or standard input is closed. The bot supervises commands this way.
    #[command(hide = true)]
    Supervise {
        /// The command for `sh -c`.
        command: OsString,
    },
}

/// The variable with the store's address, used if the `--store` option is not given.
const STORE: &str = "PLAN_BOT_STORE";

/// API keys, and URLs that may contain a password.
const SECRETS: SecretNames<'_> = SecretNames {
    variables: &[
        "PLAN_BOT_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "PLAN_BOT_URL",
        STORE,
    ],
    option: "--store",
    instead: STORE,
};

/// The maximum time to wait for background work when the bot ends. The store is consistent even if work is cut off.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(What::Supervise { command }) = &args.what {
        return supervise(command);
    }
    #[cfg(not(feature = "page"))]
    if let Some(What::Serve { .. }) = &args.what {
        return failed(&with_page());
    }
    // A command can kill its supervisor. The processes of the command then become children of the bot, and end with it.
    if let Err(error) = adopt_orphans() {
        return failed(&error.into());
    }
    let ended = in_private(args);
    end_orphans();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &BotError) -> ExitCode {
    // If standard error cannot be written, the exit code reports the failure.
    let _ = writeln!(stderr(), "error: {}", visible(&error.to_string()));
    ExitCode::FAILURE
}

/// Starts the same command again, from a build with the page; returns only on an error. The page needs many more crates
/// than the rest of the bot, so Cargo builds them when the page is first used.
#[cfg(not(feature = "page"))]
fn with_page() -> BotError {
    use std::os::unix::process::CommandExt as _;
    let Some(cargo) = std::env::var_os("CARGO") else {
        return BotError::Refused(
            "this build has no page; build the bot with `--features page`".to_owned(),
        );
    };
    let args = std::env::args_os().skip(1);
    plan_bot::start::with_page(&cargo, args).exec().into()
}

/// Runs the bot after making sure that no other process can read its secrets.
fn in_private(args: Args) -> Result<(), BotError> {
    // Only the address of a database may contain a password.
    let store = args.store.as_deref();
    let store = store.filter(|store| store.starts_with("postgres"));
    let secrets = match args.what {
        Some(What::Demo | What::Supervise { .. }) => Secrets::default(),
        _ => Secrets::take(&SECRETS, store)?,
    };
    hide_memory()?;
    let runtime = Runtime::new()?;
    let mut opened = None;
    let ran = runtime.block_on(run(args, &secrets, &mut opened));
    runtime.shutdown_timeout(PATIENCE);
    ran.and(opened.map_or(Ok(()), |store| close(&*store)))
}

/// Closes the store when no background work is left, so that a copy of its file is complete.
fn close(store: &dyn Store) -> Result<(), BotError> {
    let runtime = Builder::new_current_thread().build()?;
    Ok(runtime.block_on(store.close())?)
}

async fn run(
    mut args: Args,
    secrets: &Secrets,
    opened: &mut Option<Arc<dyn Store>>,
) -> Result<(), BotError> {
    if let Some(What::Demo) = args.what {
        return play_demo().await;
    }
    // Checks that create nothing come first: a start that is refused leaves nothing behind.
    let shell = start::shell(args.allow_shell)?;
    let model = start::model(args.script.as_deref(), secrets)?;
    args.store = args.store.or_else(|| secrets.variable(STORE));
    let store = args.store.as_deref().and_then(start::file_of);
    let (log, metrics) = (args.log.as_deref(), args.metrics.as_deref());
    let files = [("--store", store), ("--log", log), ("--metrics", metrics)];
    let files = files.map(|(option, file)| Some((option, file?)));
    let files: Vec<(&str, &Path)> = files.into_iter().flatten().collect();
    let workspace = ("--workspace", &*args.workspace);
    keep_apart(workspace, ("--data", &*args.data), &files)?;
    let mut begun = NewFiles::default();
    for part in start::PARTS {
        begun.note(&args.data.join(part));
    }
    begun.note(&args.workspace);
    for file in [&args.log, &args.metrics].into_iter().flatten() {
        begun.note(file);
    }
    let _own = start::own(&args.data)?;
    let started = Start {
        data: &args.data,
        workspace: &args.workspace,
        store: args.store.as_deref(),
        shell,
        model,
        accept_loss: args.accept_loss,
        auto_files: AutoFiles {
            on: args.auto_files,
            words: args.auto_files_words,
            lines: args.auto_files_lines,
        },
    };
    let ready = match started.open(opened).await {
        Ok(bot) => recorded(&args).map(|metrics| (bot, metrics)),
        Err(error) => Err(error),
    };
    let (bot, metrics) = match ready {
        Ok(ready) => ready,
        Err(error) => {
            begun.take_back();
            return Err(error);
        }
    };
    let talked = talk(&args, bot);
    let (Some(metrics), Some(file)) = (&metrics, &args.metrics) else {
        return talked.await;
    };
    let talked = tokio::select! {
        talked = talked => talked,
        failed = metrics.keep_written(file) => Err(failed.into()),
    };
    talked.and(metrics.write(file).map_err(BotError::from))
}

/// Plays the demo in a temporary folder, which is removed at the end, even if a signal ends the demo.
async fn play_demo() -> Result<(), BotError> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut ends = signal(SignalKind::terminate())?;
    let mut hangups = signal(SignalKind::hangup())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().to_owned();
    let runtime = Handle::current();
    let is_over = Arc::new(AtomicBool::new(false));
    let mut out = Stage(Arc::clone(&is_over));
    // The demo has its own thread, because it blocks until a person presses Enter.
    let mut playing =
        tokio::task::spawn_blocking(move || runtime.block_on(demo::play(&path, &mut out, go_on)));
    let played = tokio::select! {
        played = &mut playing => Some(played),
        _ = interrupts.recv() => None,
        _ = ends.recv() => None,
        _ = hangups.recv() => None,
    };
    let Some(played) = played else {
        is_over.store(true, Ordering::Relaxed);
        // The folder is removed once nothing is written to it. A demo that waits for Enter writes nothing.
        let _ = tokio::time::timeout(PATIENCE, playing).await;
        return Ok(());
    };
    match played.map_err(std::io::Error::other)? {
        // The reader has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        played => Ok(played?),
    }
}

/// The output of the demo, which is closed when a signal ends the demo.
struct Stage(Arc<AtomicBool>);

impl Write for Stage {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        if self.0.load(Ordering::Relaxed) {
            return Err(ErrorKind::BrokenPipe.into());
        }
        stdout().write(text)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        stdout().flush()
    }
}

/// Talks at the terminal, or on the page.
async fn talk(args: &Args, bot: Host) -> Result<(), BotError> {
    #[cfg(feature = "page")]
    if let Some(What::Serve { listen, person }) = &args.what {
        let (person, mode) = (person.as_deref(), args.mode.as_deref());
        return plan_bot::page::serve(bot, &args.data, *listen, person, mode).await;
    }
    let manner = Manner {
        name: "plan-bot",
        plain: args.plain,
        live: args.live,
    };
    Ok(terminal::converse(&bot, args.mode.as_deref(), manner).await?)
}

/// Starts writing logs and metrics, if requested.
fn recorded(args: &Args) -> Result<Option<Metrics>, BotError> {
    if let Some(log) = &args.log {
        log::to(log)?;
    }
    let Some(file) = &args.metrics else {
        return Ok(None);
    };
    let metrics = Metrics::install()?;
    metrics.write(file)?;
    Ok(Some(metrics))
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected `on` or `off`".to_owned()),
    }
}

/// Waits until a person presses Enter; does not wait if the input or the output is not a terminal.
fn go_on() {
    if stdin().is_terminal() && stdout().is_terminal() {
        print!("\n(press Enter to continue)");
        // If writing to or reading from the terminal fails, the demo continues.
        let _ = stdout().flush();
        let _ = stdin().lock().read_line(&mut String::new());
    }
}
