//! The demo: a scripted model and the lines that a person would type.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use plan_machine::Instant;
use plan_machine_host::chats::{Keys, Transport};
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_host::model::script::Script;
use plan_machine_host::terminal::rendered;
use plan_machine_host::tools::{ShellRule, Workspace};
use plan_machine_host::{Diagram, Host, HostError};
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::Memory;

use crate::bot::{self, Parts};

const SCRIPT: &str = include_str!("demo/script.yaml");
const LINES: &str = include_str!("demo/lines.txt");

/// The time on the demo's clock when the demo starts, in seconds since 1970: the start of the year 2026.
const BEGIN: u32 = 1_767_225_600;

/// The number of seconds that pass at each tick. A run's next turn is due after the same number of seconds.
const TICK: u32 = 5;

/// Returns the scripted model of the demo.
///
/// # Errors
///
/// If the script cannot be read; a test rules this out.
pub fn script() -> Result<Script, HostError> {
    Script::read("the demo's script", SCRIPT)
}

/// Plays the lifecycles one after the other, in a folder; calls `wait` before each one except the first.
///
/// # Errors
///
/// If the bot cannot be opened or read, or if the output is closed.
pub async fn play(folder: &Path, out: &mut impl Write, wait: impl Fn()) -> io::Result<()> {
    let workspace = Workspace::open(&folder.join("workspace"), ShellRule::Never);
    let now = Arc::new(AtomicU32::new(BEGIN));
    let told = Arc::clone(&now);
    let bot = bot::open(Parts {
        store: Arc::new(Memory::new()),
        model: Arc::new(script().map_err(io::Error::other)?),
        workspace: workspace.map_err(io::Error::other)?,
        data: folder.join("data"),
        keys: Keys::Numbered,
        auto_files: AutoFiles::default(),
        clock: Arc::new(move || Instant::at_second(told.load(Ordering::Relaxed))),
    })
    .map_err(io::Error::other)?;
    let transport = Transport {
        channel: "terminal".to_owned(),
        chat: "demo".to_owned(),
    };
    let mut drawn = HashMap::new();
    moved(&bot, &transport, &mut drawn).await?;
    for line in LINES.lines() {
        if line.is_empty() {
            wait();
            writeln!(out)?;
            continue;
        }
        if line.starts_with('#') {
            writeln!(out, "\n{line}")?;
            continue;
        }
        writeln!(out, "\n> {line}")?;
        let outgoing = match line {
            "(a tick)" => {
                now.fetch_add(TICK, Ordering::Relaxed);
                bot.tick().await
            }
            line => bot.handle(&transport, line).await,
        };
        for outgoing in outgoing {
            // The name of the folder is different on every run.
            let folder = folder.display().to_string();
            writeln!(out, "{}", rendered(&outgoing).replace(&folder, "DEMO"))?;
        }
        for moved in moved(&bot, &transport, &mut drawn).await? {
            writeln!(out, "\n{moved}")?;
        }
    }
    Ok(())
}

/// The last drawings, by session and machine.
type Drawn = HashMap<(SessionIdentity, &'static str), Diagram>;

/// Returns the drawings of the machines whose state has changed.
async fn moved(bot: &Host, transport: &Transport, drawn: &mut Drawn) -> io::Result<Vec<String>> {
    let session = bot.chats().active(transport).map_err(io::Error::other)?;
    let mut moved = Vec::new();
    let at = bot.conversation(&session);
    for diagram in at.diagrams().await.map_err(io::Error::other)? {
        let key = (session.clone(), diagram.machine);
        let before = drawn.get(&key);
        moved.extend(before.and_then(|before| diagram.since(before)));
        drawn.insert(key, diagram);
    }
    Ok(moved)
}
