//! The bot's command: a terminal around the bot.

use std::fs::{File, TryLockError};
use std::io::{BufRead, ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgAction, Parser, Subcommand};
use plan_bot::auto_files::AutoFiles;
use plan_bot::bot::Parts;
use plan_bot::chats::Keys;
use plan_bot::mode::Mode;
use plan_bot::model::Model;
use plan_bot::model::endpoint::Endpoint;
use plan_bot::model::script::Script;
use plan_bot::tools::{HostTools, ShellRule};
use plan_bot::{Bot, demo, terminal};
use tokio::runtime::Runtime;

/// A bot that talks, plans, asks for approval, executes and remembers.
///
/// Without any configuration it plays a scripted model and keeps everything in one folder.
#[derive(Debug, Parser)]
#[command(name = "plan-bot", after_help = VARIABLES)]
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
    /// A scripted conversation to play, in YAML.
    #[arg(long)]
    script: Option<PathBuf>,
    /// Let the model run shell commands in the workspace.
    #[arg(long)]
    allow_shell: bool,
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
    #[command(subcommand)]
    what: Option<What>,
}

const VARIABLES: &str = "\
The environment chooses a real model:
  PLAN_BOT_MODEL    its name; without it the script is played
  PLAN_BOT_KEY      its key; else OPENAI_API_KEY or ANTHROPIC_API_KEY
  PLAN_BOT_API      openai or anthropic, where the name does not tell
  PLAN_BOT_URL      a server of your own, such as http://localhost:8080/v1
  PLAN_BOT_TIMEOUT  how many seconds an answer may take; else 120";

#[derive(Debug, Subcommand)]
enum What {
    /// Play the lifecycles, one after the other, in a folder that is thrown away.
    Demo,
}

/// How long what is still going on in the background is waited for at the end. A store is whole at any time.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let args = Args::parse();
    let ran = Runtime::new()
        .map_err(|error| error.to_string())
        .and_then(|runtime| {
            let ran = runtime.block_on(run(args));
            runtime.shutdown_timeout(PATIENCE);
            ran
        });
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where nobody reads errors, the exit code tells.
            let _ = writeln!(stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), String> {
    if let Some(What::Demo) = args.what {
        return match demo::play(&mut stdout(), go_on).await {
            // Who reads no further has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            played => played.map_err(|error| error.to_string()),
        };
    }
    let shell = if args.allow_shell {
        ShellRule::Within(Duration::from_mins(1))
    } else {
        ShellRule::Never
    };
    let _own = own(&args.data)?;
    let tools = workspace(&args.workspace, &args.data, shell)?;
    let model = model(args.script.as_deref())?;
    let address = args
        .store
        .unwrap_or_else(|| format!("sqlite:{}", args.data.join("sessions.db").display()));
    let store = plan_machine::store::open(&address).await;
    let bot = Bot::new(Parts {
        store: store.map_err(|error| error.to_string())?,
        model,
        tools,
        data: args.data,
        keys: Keys::Random,
    })?;
    let bot = bot.with_auto_files(AutoFiles {
        on: args.auto_files,
        words: args.auto_files_words,
        lines: args.auto_files_lines,
    });
    terminal::converse(&bot, args.mode, args.plain).await
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

/// Makes the data folder this bot's own for as long as the value is there: two bots would take each other's
/// steps for interrupted ones.
fn own(data: &Path) -> Result<File, String> {
    let failed = |error| format!("`{}` cannot be used: {error}", data.display());
    std::fs::create_dir_all(data).map_err(failed)?;
    let lock = File::create(data.join("lock")).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(format!(
            "another bot uses `{}`; `--data` gives this one a folder of its own",
            data.display()
        )),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// The tools of a workspace that has nothing of the bot's own in it: a model that could write there could
/// change what it may do.
fn workspace(workspace: &Path, data: &Path, shell: ShellRule) -> Result<HostTools, String> {
    let tools = HostTools::open(workspace, shell)?;
    let whole = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    let (inner, outer) = (whole(data)?, whole(workspace)?);
    if inner.starts_with(&outer) || outer.starts_with(&inner) {
        return Err(format!(
            "the data folder `{}` and the workspace `{}` must not contain each other; `--data` and `--workspace` say where they are",
            data.display(),
            workspace.display()
        ));
    }
    Ok(tools)
}

/// The model that the environment names, the script that was given, or the one of the demo.
fn model(script: Option<&Path>) -> Result<Arc<dyn Model>, String> {
    if let Some(path) = script {
        return Ok(Arc::new(Script::open(path)?));
    }
    if std::env::var_os("PLAN_BOT_MODEL").is_some() {
        return Ok(Arc::new(Endpoint::from_env(|name| {
            std::env::var(name).ok()
        })?));
    }
    Ok(Arc::new(demo::script()?))
}
