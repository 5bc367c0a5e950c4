//! The terminal: lines in, words out.
//!
//! People get a prompt, rendered Markdown, frames around plans and a sign that the model works. Pipes get
//! the words and nothing else.

mod face;
mod lines;
mod news;
mod plain;
mod pretty;
mod visible;

use std::pin::pin;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::MissedTickBehavior;

use crate::bot::Bot;
use crate::chats::Transport;
use crate::mode::Mode;
use crate::outgoing::Outgoing;
use face::Face;
use news::News;

pub use plain::rendered;
pub use pretty::pretty;

/// How often runs have their turn.
const TICK: Duration = Duration::from_secs(5);

/// Talks until there is nothing more to read or the user interrupts, whatever is going on then: what is
/// stored is whole, and the next bot takes it up.
///
/// # Errors
///
/// Where the terminal or the bot's data fail.
pub async fn converse(bot: &Bot, mode: Option<Mode>, plain: bool) -> Result<(), String> {
    // Heard from the beginning: while a prompt reads, it hears interrupts itself, and then gives them back to
    // whoever had them before.
    let mut interrupts = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let (runs, said_meanwhile) = unbounded_channel();
    bot.hear(runs.clone());
    let chat = Chat {
        bot,
        transport: Transport {
            channel: "terminal".to_owned(),
            chat: "local".to_owned(),
        },
        face: Face::open(&bot.data, plain)?,
        news: News::default(),
        said_meanwhile,
    };
    tokio::select! {
        ended = chat.talk(mode) => ended,
        () = work(bot, &runs) => Ok(()),
        _ = interrupts.recv() => Ok(()),
    }
}

/// Gives runs their turns, beside the conversation.
async fn work(bot: &Bot, said: &UnboundedSender<Vec<Outgoing>>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if said.send(bot.tick().await).is_err() {
            return;
        }
    }
}

struct Chat<'b> {
    bot: &'b Bot,
    transport: Transport,
    face: Face,
    news: News,
    said_meanwhile: UnboundedReceiver<Vec<Outgoing>>,
}

impl Chat<'_> {
    async fn talk(mut self, mode: Option<Mode>) -> Result<(), String> {
        self.face.greet(&self.bot.model_name())?;
        let left = self.bot.take_up().await?;
        self.hear_meanwhile()?;
        self.hear(left)?;
        if let Some(mode) = mode {
            self.take(&format!("/mode {mode}")).await?;
        }
        while let Some(line) = self.next_line().await? {
            match line.trim() {
                "" => {}
                "/quit" | "/exit" => return Ok(()),
                _ => self.take(&line).await?,
            }
        }
        Ok(())
    }

    /// Waits for a line; what runs say meanwhile is shown. Where nobody reads that, there are no lines either.
    async fn next_line(&mut self) -> Result<Option<String>, String> {
        self.face.lines.ask();
        loop {
            if self.face.is_gone {
                return Ok(None);
            }
            tokio::select! {
                line = self.face.lines.next() => return line,
                Some(all) = self.said_meanwhile.recv() => self.hear(all)?,
            }
        }
    }

    /// Hands a line to the bot.
    async fn take(&mut self, line: &str) -> Result<(), String> {
        let (bot, transport) = (self.bot, self.transport.clone());
        let mut handled = pin!(bot.handle(&transport, line));
        let mut working = self.face.working();
        let all = loop {
            tokio::select! {
                biased;
                Some(said) = self.said_meanwhile.recv() => {
                    drop(working);
                    self.hear(said)?;
                    working = self.face.working();
                }
                all = &mut handled => break all,
            }
        };
        drop(working);
        self.hear_meanwhile()?;
        // An answer is shown where the line was typed, even where that led to another conversation.
        self.face.show(&all)?;
        let active = self.bot.chats.active(&self.transport)?;
        self.face.show(&self.news.of(&active))
    }

    /// Shows what was said while the bot worked, before what it says in the end.
    fn hear_meanwhile(&mut self) -> Result<(), String> {
        while let Ok(said) = self.said_meanwhile.try_recv() {
            self.hear(said)?;
        }
        Ok(())
    }

    /// Shows what nobody here has asked for, as far as it belongs to the conversation that is shown.
    fn hear(&mut self, all: Vec<Outgoing>) -> Result<(), String> {
        let active = self.bot.chats.active(&self.transport)?;
        self.face.show(&self.news.sorted(&active, all))
    }
}
