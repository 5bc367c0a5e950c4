//! Starts the bot. Checks that create nothing come first, so that nothing is left behind if the bot refuses to start.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{Write as _, stderr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine_host::chats::Keys;
use plan_machine_host::data::Inventory;
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_host::model::script::Script;
use plan_machine_host::model::{self, Model};
use plan_machine_host::secrets::Secrets;
use plan_machine_host::tools::{Shell, ShellRule, Workspace};
use plan_machine_host::{Host, clock, disk};
use plan_machine_sessions::store::{self, Store};

use crate::bot::{self, Parts};
use crate::demo;
use crate::error::BotError;

/// The files and folders that the bot may create in the data folder when it starts; the first is the folder itself.
pub const PARTS: [&str; 7] = [
    "",
    "lock",
    "parts.txt",
    "sessions.db",
    "chats.yaml",
    "memory.jsonl",
    "history",
];

/// The parts that exist after every start. The first is the session store, unless it is outside the folder.
const ALWAYS: [&str; 2] = ["sessions.db", "memory.jsonl"];

/// The settings of a bot.
pub struct Start<'a> {
    /// The folder where the bot keeps its data.
    pub data: &'a Path,
    /// The folder that the file tools can access.
    pub workspace: &'a Path,
    /// The address of the store; the default is a file in the data folder.
    pub store: Option<&'a str>,
    /// Whether the model has a shell.
    pub shell: ShellRule,
    /// The model.
    pub model: Arc<dyn Model>,
    /// Whether to continue if parts of the data folder are missing, have lost their content or are damaged.
    pub accept_loss: bool,
    /// When planning files are opened automatically.
    pub auto_files: AutoFiles,
}

impl Start<'_> {
    /// Opens everything that the bot needs. The store is returned in `opened` even if the rest fails, so that the
    /// caller can close the store.
    ///
    /// # Errors
    ///
    /// If something cannot be opened, or if parts of the data folder are missing, have lost their content or are
    /// damaged.
    pub async fn open(self, opened: &mut Option<Arc<dyn Store>>) -> Result<Host, BotError> {
        let inventory = Inventory::open(self.data)?;
        let elsewhere = self.store.and_then(file_elsewhere);
        let required = Required {
            own_store: self.store.is_none(),
            elsewhere: elsewhere.as_deref(),
        };
        nothing_is_lost(&inventory, self.data, &required, self.accept_loss)?;
        let workspace = Workspace::open(self.workspace, self.shell)?;
        let own = format!("sqlite:{}", self.data.join("sessions.db").display());
        let store = store::open(self.store.unwrap_or(&own)).await?;
        *opened = Some(Arc::clone(&store));
        if let Some(file) = &elsewhere {
            inventory.add(file)?;
        }
        Ok(bot::open(Parts {
            store,
            model: self.model,
            workspace,
            data: self.data.to_owned(),
            keys: Keys::Random,
            auto_files: self.auto_files,
            clock: clock::system(),
        })?)
    }
}

/// The files that must exist so that this start loses no data, in addition to those in the data folder's inventory.
struct Required<'a> {
    /// Whether the sessions are stored in the data folder.
    own_store: bool,
    /// The file in which the sessions are stored instead.
    elsewhere: Option<&'a str>,
}

/// Returns the file of a store, if the store is a file.
#[must_use]
pub fn file_of(store: &str) -> Option<&Path> {
    store.strip_prefix("sqlite:").map(Path::new)
}

/// Returns the absolute path of a store that is a file. The data folder's inventory lists the path, so the path must be
/// one line of text.
fn file_elsewhere(store: &str) -> Option<String> {
    let file = std::path::absolute(file_of(store)?).ok()?;
    let file = file.to_str().filter(|file| !file.contains('\n'));
    file.map(str::to_owned)
}

/// Refuses a data folder with parts that are missing, have lost their content or are damaged: the bot would create them
/// again, but without their old content.
fn nothing_is_lost(
    inventory: &Inventory,
    data: &Path,
    required: &Required,
    accept_loss: bool,
) -> Result<(), BotError> {
    inventory.sweep()?;
    let always = if required.own_store {
        &ALWAYS[..]
    } else {
        &ALWAYS[1..]
    };
    // An earlier start may have used another store. It does not matter here whether that store still exists.
    let matters =
        |part: &String| !Path::new(part).is_absolute() || required.elsewhere == Some(part.as_str());
    let mut missing = inventory.lost(always);
    missing.retain(matters);
    let mut emptied = inventory.emptied();
    emptied.retain(matters);
    let damaged = inventory.damaged();
    let unreadable = damaged.iter().map(|(part, _)| part);
    let lost = missing.iter().chain(&emptied).chain(unreadable);
    let lost: Vec<String> = lost.cloned().collect();
    if lost.is_empty() {
        return Ok(inventory.begin()?);
    }
    if accept_loss {
        let aside = inventory.accept_loss(&lost)?;
        let names = lost.join(", ");
        // If standard error cannot be written, nobody can read this note.
        let _ = writeln!(stderr(), "note: lost, and empty from now on: {names}");
        for file in aside {
            let _ = writeln!(stderr(), "note: the old content is in {}", file.display());
        }
        return Ok(());
    }
    let them = if lost.len() == 1 { "it" } else { "them" };
    let what = match required.elsewhere {
        Some(store) if missing == [store] && lost.len() == 1 => {
            let data = data.display();
            format!("the store `{store}` is missing, although `{data}` was used with it before")
        }
        _ => inventory.describe_loss(&missing, &emptied, &damaged),
    };
    Err(BotError::Refused(format!(
        "{what}; put {them} back, or start once with `--accept-loss` to continue without {them}"
    )))
}

/// Returns the shell for the model, if the model may have one. This executable supervises the commands of the shell.
///
/// # Errors
///
/// If the path of this executable is unknown.
pub fn shell(allowed: bool) -> Result<ShellRule, BotError> {
    if !allowed {
        return Ok(ShellRule::Never);
    }
    let supervisor = std::env::current_exe().map_err(|error| {
        BotError::Refused(format!(
            "`--allow-shell` needs the path of the plan-bot executable, but it is unknown: {error}"
        ))
    })?;
    let limit = Duration::from_mins(1);
    Ok(ShellRule::Supervised(Shell { supervisor, limit }))
}

/// How long the lock of a killed bot may outlive the bot: a child process that the bot was starting at that moment
/// holds the lock until it executes its own program.
const LEFT_BEHIND: Duration = Duration::from_secs(3);

/// Locks the data folder for this bot until the returned file is dropped: two bots would mistake each other's running
/// steps for interrupted steps.
///
/// # Errors
///
/// If another bot is using the folder, or if the folder cannot be accessed.
pub fn own(data: &Path) -> Result<File, BotError> {
    let failed = |error| BotError::at(data, &error);
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
                return Err(BotError::Refused(format!(
                    "another bot is using `{}`; use `--data` to give this bot its own folder",
                    data.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// Returns the model: the given script if there is one, otherwise the model that the environment variables name, or the
/// demo's script if they name none.
///
/// # Errors
///
/// If the script cannot be read, or if the model that the environment variables name cannot be used: a variable is
/// missing or invalid, or the bot was built without the `endpoint` feature.
pub fn model(script: Option<&Path>, secrets: &Secrets) -> Result<Arc<dyn Model>, BotError> {
    if let Some(path) = script {
        return Ok(Arc::new(Script::open(path)?));
    }
    if std::env::var_os("PLAN_BOT_MODEL").is_some() {
        return Ok(model::from_env("PLAN_BOT", |name| secrets.variable(name))?);
    }
    Ok(Arc::new(demo::script()?))
}

/// Returns the command that builds the bot with its page, in the profile of this program, and starts it.
pub fn with_page(cargo: &OsStr, args: impl IntoIterator<Item = OsString>) -> Command {
    let mut run = Command::new(cargo);
    run.args(["run", "--manifest-path"]);
    run.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    run.args((!cfg!(debug_assertions)).then_some("--release"));
    run.args(["--features", "page", "--"]).args(args);
    run
}
