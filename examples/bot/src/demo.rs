//! The demo: a scripted model and the lines that a person would type.

use std::io::Write;
use std::sync::Arc;

use plan_machine::store::Memory;

use crate::bot::{Bot, Parts};
use crate::chats::{Keys, Transport};
use crate::model::script::Script;
use crate::terminal::rendered;
use crate::tools::{HostTools, ShellRule};

const SCRIPT: &str = include_str!("demo/script.yaml");
const LINES: &str = include_str!("demo/lines.txt");

/// The scripted model of the demo.
///
/// # Errors
///
/// Where the script cannot be read, which a test rules out.
pub fn script() -> Result<Script, String> {
    Script::read("demo", SCRIPT)
}

/// Plays the lifecycles, one after the other.
///
/// # Errors
///
/// Where a folder cannot be made or the output is gone.
pub async fn play(out: &mut impl Write) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let folder = std::env::temp_dir().join(format!("plan-bot-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(told)?;
    let bot = Bot::new(Parts {
        store: Arc::new(Memory::new()),
        model: Arc::new(script()?),
        tools: HostTools::open(&folder.join("workspace"), ShellRule::Never)?,
        data: folder.join("data"),
        keys: Keys::Numbered,
    })?;
    let transport = Transport {
        channel: "terminal".to_owned(),
        chat: "demo".to_owned(),
    };
    for line in LINES.lines() {
        if line.starts_with('#') || line.trim().is_empty() {
            writeln!(out, "\n{line}").map_err(told)?;
            continue;
        }
        writeln!(out, "\n> {line}").map_err(told)?;
        let outgoing = match line {
            "(a tick)" => bot.tick().await,
            line => bot.handle(&transport, line).await,
        };
        for outgoing in outgoing {
            writeln!(out, "{}", rendered(&outgoing)).map_err(told)?;
        }
        if let Some(places) = bot.places(&transport).await {
            writeln!(out, "  {places}").map_err(told)?;
        }
    }
    std::fs::remove_dir_all(&folder).map_err(told)
}
