//! Answers the lines that people write on the page, and does the work that follows from their decisions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan_machine_host::{Content, Host, Outgoing, effects_of};
use plan_machine_server::chat::{ChatFeed, ChatLine};
use plan_machine_sessions::SessionIdentity;
use tokio::sync::mpsc::{Receiver, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::MissedTickBehavior;

use super::messages::message;
use crate::error::BotError;

/// The number of lines that the bot works on at a time.
const AT_ONCE: usize = 64;

/// Sends the output of the bot to the page.
#[derive(Clone)]
struct Speaker {
    host: Arc<Host>,
    feed: ChatFeed,
    /// The sessions that a task is catching up with, and whether they have new entries.
    following: Arc<Mutex<HashMap<SessionIdentity, bool>>>,
}

/// Answers lines, and follows decisions; returns only on an error.
pub(super) async fn attend(
    host: Arc<Host>,
    mut lines: Receiver<ChatLine>,
    feed: ChatFeed,
) -> BotError {
    let (listener, mut meanwhile) = unbounded_channel();
    host.listen(listener);
    let speaker = Speaker {
        host: Arc::clone(&host),
        feed,
        following: Arc::default(),
    };
    // Changes are followed before the bot takes over, so that it misses no decision that is made in the meantime.
    let mut changes = match host.changes().await {
        Ok(changes) => changes,
        Err(error) => return error.into(),
    };
    match host.take_up().await {
        Ok(said) => speaker.say(said).await,
        Err(error) => return error.into(),
    }
    let free = Arc::new(Semaphore::new(AT_ONCE));
    let ticking = tokio::spawn(speaker.clone().tick());
    loop {
        tokio::select! {
            Some(said) = meanwhile.recv() => speaker.say(said).await,
            session = changes.next(&host) => speaker.follow(session),
            Some((permit, line)) = taken(&free, &mut lines) => {
                tokio::spawn(speaker.clone().answer(permit, line));
            }
            else => {
                ticking.abort();
                return BotError::Refused("the page has ended".to_owned());
            }
        }
    }
}

/// Waits for a line that the bot can work on. If the bot is busy, lines wait; if too many are waiting, the page asks
/// people to try again.
async fn taken(
    free: &Arc<Semaphore>,
    lines: &mut Receiver<ChatLine>,
) -> Option<(OwnedSemaphorePermit, ChatLine)> {
    let permit = Arc::clone(free).acquire_owned().await.ok()?;
    Some((permit, lines.recv().await?))
}

impl Speaker {
    /// Shows content on the page. An effect is settled once its content is shown.
    async fn say(&self, all: Vec<Outgoing>) {
        for one in &all {
            if let Some(message) = message(&one.content) {
                self.feed.say(&one.session, message);
            }
        }
        if let Err(error) = self.host.settle_shown(effects_of(&all)).await
            && let Some(first) = all.first()
        {
            self.fail(&first.session, error.to_string());
        }
    }

    fn fail(&self, session: &SessionIdentity, why: String) {
        if let Some(message) = message(&Content::Error(why)) {
            self.feed.say(session, message);
        }
    }

    async fn answer(self, permit: OwnedSemaphorePermit, line: ChatLine) {
        match self.host.handle_in(&line.session, &line.text).await {
            Ok(said) => self.say(said).await,
            Err(error) => self.fail(&line.session, error.to_string()),
        }
        drop(permit);
    }

    /// Does the work that follows from a new entry of a session, for example carries out a plan that was approved.
    fn follow(&self, session: SessionIdentity) {
        let is_new = self.following().insert(session.clone(), true).is_none();
        if is_new {
            tokio::spawn(self.clone().catch_up(session));
        }
    }

    /// Catches up with a session until there are no new entries. Only one task does so for each session.
    async fn catch_up(self, session: SessionIdentity) {
        while self.has_more(&session) {
            let said = self.host.catch_up(&session).await;
            self.say(said).await;
        }
    }

    /// Returns whether a session has new entries, and marks them as followed. If it has none, the session is no longer
    /// followed. The check and the change happen under one lock, so that no entry can arrive in between and be missed.
    fn has_more(&self, session: &SessionIdentity) -> bool {
        let mut following = self.following();
        let has_more = following.insert(session.clone(), false) == Some(true);
        if !has_more {
            following.remove(session);
        }
        has_more
    }

    fn following(&self) -> MutexGuard<'_, HashMap<SessionIdentity, bool>> {
        self.following
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Fires timers and gives runs their turns.
    async fn tick(self) {
        let mut ticks = tokio::time::interval(Host::TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let said = self.host.tick().await;
            self.say(said).await;
        }
    }
}
