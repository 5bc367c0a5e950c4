//! The terminal: lines in, words out.

use std::io::{IsTerminal, Write, stdin, stdout};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::MissedTickBehavior;

use crate::bot::Bot;
use crate::chats::Transport;
use crate::mode::Mode;
use crate::outgoing::{Card, Outgoing, Said};

/// How often runs have their turn.
const TICK: Duration = Duration::from_secs(5);

/// Talks until there is nothing more to read, or the user interrupts where nothing is going on.
///
/// # Errors
///
/// Where the terminal or the bot's data fail.
pub async fn converse(bot: &Bot, mode: Option<Mode>, plain: bool) -> Result<(), String> {
    let people = stdin().is_terminal() && stdout().is_terminal() && !plain;
    let transport = Transport {
        channel: "terminal".to_owned(),
        chat: "local".to_owned(),
    };
    for outgoing in bot.take_up().await? {
        show(&outgoing);
    }
    if let Some(mode) = mode {
        deliver(bot.handle(&transport, &format!("/mode {mode}")).await);
    }
    if people {
        println!(
            "plan-bot with {}. /help shows what can be typed; /plan on begins a plan.",
            bot.model_name()
        );
    }
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if people {
            print!("> ");
            stdout().flush().map_err(|error| error.to_string())?;
        }
        let line = tokio::select! {
            line = lines.next_line() => line.map_err(|error| error.to_string())?,
            _ = ticks.tick() => {
                deliver(bot.tick().await);
                continue;
            }
            _ = tokio::signal::ctrl_c() => return Ok(()),
        };
        let Some(line) = line else {
            return Ok(());
        };
        if line.trim().is_empty() {
            continue;
        }
        // An interrupt ends the turn, wherever it is: what is stored is whole, the rest is not there.
        tokio::select! {
            outgoing = bot.handle(&transport, &line) => deliver(outgoing),
            _ = tokio::signal::ctrl_c() => println!("(interrupted)"),
        }
    }
}

fn deliver(all: Vec<Outgoing>) {
    for outgoing in all {
        show(&outgoing);
    }
}

fn show(outgoing: &Outgoing) {
    println!("{}", rendered(outgoing));
}

/// What is said, as a terminal shows it.
#[must_use]
pub fn rendered(outgoing: &Outgoing) -> String {
    match &outgoing.said {
        Said::Model(text) | Said::Diagram(text) => text.clone(),
        Said::Run { run, text } => format!("[{run}] {text}"),
        Said::Notice(text) => format!("· {}", text.replace('\n', "\n  ")),
        Said::Error(text) => format!("! {text}"),
        Said::Card(card) => drawn(card),
    }
}

/// A plan in a frame.
fn drawn(card: &Card) -> String {
    let head = format!("{} · {} · {}", card.plan, card.state, card.token);
    let body = card.body.lines();
    let commands = card.commands.iter().map(String::as_str);
    let lines: Vec<&str> = [head.as_str(), ""]
        .into_iter()
        .chain(body)
        .chain([""])
        .chain(commands)
        .collect();
    let framed = lines
        .iter()
        .map(|line| format!("│ {line}").trim_end().to_owned());
    format!("┌─\n{}\n└─", framed.collect::<Vec<_>>().join("\n"))
}
