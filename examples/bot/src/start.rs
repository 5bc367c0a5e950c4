//! The start: what makes nothing comes first, so that a start that is refused leaves nothing behind.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine_host::chats::Keys;
use plan_machine_host::data::Inventory;
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_host::model::Model;
use plan_machine_host::model::endpoint::Endpoint;
use plan_machine_host::model::script::Script;
use plan_machine_host::tools::{Shell, ShellRule, Workspace};
use plan_machine_host::{Host, disk};
use plan_machine_sessions::store::{self, Store};

use crate::bot::{self, Parts};
use crate::demo;
use crate::error::BotError;
use crate::secrets::Secrets;

/// What a start may make in the data folder; the folder itself is the first.
pub const PARTS: [&str; 6] = [
    "",
    "lock",
    "sessions.db",
    "chats.yaml",
    "memory.jsonl",
    "history",
];

/// What a bot is started with.
pub struct Start<'a> {
    /// Where the bot keeps what it knows.
    pub data: &'a Path,
    /// The folder that the file tools see.
    pub workspace: &'a Path,
    /// The address of the store; else a file in the data folder.
    pub store: Option<&'a str>,
    /// The shell of the model.
    pub shell: ShellRule,
    /// The model.
    pub model: Arc<dyn Model>,
    /// Whether to go on although parts of the data folder are gone.
    pub accept_loss: bool,
    /// When planning files are opened without being asked for.
    pub auto_files: AutoFiles,
}

impl Start<'_> {
    /// Opens everything that the bot needs. The store is there for whoever closes it, even where the rest fails.
    ///
    /// # Errors
    ///
    /// Where something cannot be opened, and where parts of the data folder are gone.
    pub async fn open(self, opened: &mut Option<Arc<dyn Store>>) -> Result<Host, BotError> {
        nothing_is_lost(self.data, self.accept_loss)?;
        let workspace = Workspace::open(self.workspace, self.shell)?;
        let own = format!("sqlite:{}", self.data.join("sessions.db").display());
        let store = store::open(self.store.unwrap_or(&own)).await?;
        *opened = Some(Arc::clone(&store));
        Ok(bot::open(Parts {
            store,
            model: self.model,
            workspace,
            data: self.data.to_owned(),
            keys: Keys::Random,
            auto_files: self.auto_files,
        })?)
    }
}

/// Refuses a data folder of which parts are gone: what would be made anew in their place is not what was there.
fn nothing_is_lost(data: &Path, accept_loss: bool) -> Result<(), BotError> {
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
        return Err(BotError::Refused(format!(
            "{is} of the data folder `{}` missing: {}; put {them} back, or start once with `--accept-loss` to go on without {them}",
            data.display(),
            lost.join(", ")
        )));
    }
    Ok(inventory.accept_loss()?)
}

/// The shell of the model, where it is allowed one. Its commands are supervised by this executable.
///
/// # Errors
///
/// Where the path of this executable is unknown.
pub fn shell(allowed: bool) -> Result<ShellRule, BotError> {
    if !allowed {
        return Ok(ShellRule::Never);
    }
    let supervisor = std::env::current_exe().map_err(|error| {
        BotError::Refused(format!(
            "`--allow-shell` needs the path of plan-bot itself: {error}"
        ))
    })?;
    let limit = Duration::from_mins(1);
    Ok(ShellRule::Supervised(Shell { supervisor, limit }))
}

/// How long the lock of a bot that was killed may outlive it: a process that it was just starting has the lock, too,
/// until its program begins.
const LEFT_BEHIND: Duration = Duration::from_secs(3);

/// Makes the data folder this bot's own for as long as the value is there: two bots would take each other's
/// steps for interrupted ones.
///
/// # Errors
///
/// Where another bot has it, or it cannot be used.
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
                    "another bot uses `{}`; give this one its own folder with `--data`",
                    data.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// The model that the environment names, the script that was given, or the one of the demo.
///
/// # Errors
///
/// Where it cannot be read, or a variable is missing.
pub fn model(script: Option<&Path>, secrets: &Secrets) -> Result<Arc<dyn Model>, BotError> {
    if let Some(path) = script {
        return Ok(Arc::new(Script::open(path)?));
    }
    if std::env::var_os("PLAN_BOT_MODEL").is_some() {
        let endpoint = Endpoint::from_env("PLAN_BOT", |name| secrets.variable(name))?;
        return Ok(Arc::new(endpoint));
    }
    Ok(Arc::new(demo::script()?))
}
