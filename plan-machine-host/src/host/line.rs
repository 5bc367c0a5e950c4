//! Handles a line from a chat: a command of the host, a command of the plans, or a message to the model.

use std::path::PathBuf;
use std::sync::PoisonError;

use plan_machine::gate::{EventContext, TurnId};
use plan_machine_sessions::{SessionIdentity, Sessions};
use plan_specs::memory::Identity;
use tokio::sync::mpsc::UnboundedSender;
use tracing::Instrument as _;

use super::damaged::tells_damage;
use super::delivery::{cards_last, outgoing};
use super::denials::DenialListener;
use super::desk::Desk;
use super::meanwhile::waits;
use super::parts::{Conversation, Host, Mode, Modes};
use super::turn::Work;
use crate::chats::{Chats, Transport};
use crate::disk::folder_name;
use crate::error::HostError;
use crate::history::History;
use crate::memory::MemoryFile;
use crate::observe;
use crate::outgoing::{Content, Outgoing};
use crate::stop::Stop;

/// The maximum number of memories that a model receives.
const REMINDED: usize = 20;

impl Host {
    /// Handles a line from a chat.
    pub async fn handle(&self, transport: &Transport, line: &str) -> Vec<Outgoing> {
        // The session is determined before anything else, for commands and messages alike.
        match self.chats.active(transport) {
            Ok(identity) => self.handled(&identity, transport, line).await,
            Err(error) => {
                let nowhere = SessionIdentity::existing(&transport.channel, "nowhere");
                let told = Content::Error(error.to_string());
                let told = nowhere
                    .into_iter()
                    .map(|session| Outgoing::new(&session, told.clone()));
                told.collect()
            }
        }
    }

    /// Handles a line that was written in a certain conversation, whichever conversation is active in its chat.
    ///
    /// # Errors
    ///
    /// If the host has no such conversation.
    pub async fn handle_in(
        &self,
        session: &SessionIdentity,
        line: &str,
    ) -> Result<Vec<Outgoing>, HostError> {
        let transport = self.chats.chat_of(session);
        let transport = transport.ok_or_else(|| {
            HostError::input(format!("there is no conversation `{session}` on this host"))
        })?;
        Ok(self.handled(session, &transport, line).await)
    }

    /// Does the work that follows an event that another process, or another part of this process, has sent to a
    /// session. For example, it carries out a plan that was approved on a web page.
    pub async fn catch_up(&self, session: &SessionIdentity) -> Vec<Outgoing> {
        let at = self.conversation(session);
        let said = cards_last(outgoing(session, at.caught_up().await));
        self.was_shown(&said);
        said
    }

    async fn handled(
        &self,
        identity: &SessionIdentity,
        transport: &Transport,
        line: &str,
    ) -> Vec<Outgoing> {
        let span = observe::line_span(&transport.chat);
        self.handled_in_span(identity, transport, line)
            .instrument(span)
            .await
    }

    async fn handled_in_span(
        &self,
        identity: &SessionIdentity,
        transport: &Transport,
        line: &str,
    ) -> Vec<Outgoing> {
        let at = self.conversation(identity);
        let line = line.trim();
        let mut said = if self.waits_for_nobody(identity, line) {
            outgoing(identity, at.at_once(transport, line).await)
        } else {
            outgoing(identity, at.in_turn(transport, line).await)
        };
        let failed = |out: &Outgoing| matches!(out.content, Content::Error(_));
        if said.iter().any(failed) {
            let explained = at.explain_unreadable().await;
            said.extend(explained.map(|said| Outgoing::new(identity, said)));
            // A command that finds no plan may have been meant for a damaged plan.
            if !said.iter().any(|out| tells_damage(&out.content)) {
                let damaged = at.report_damaged().await.unwrap_or_default();
                said.extend(Outgoing::all(identity, damaged));
            }
        }
        if let Err(error) = self.inventory.take_stock() {
            said.push(Outgoing::new(identity, Content::Error(error.to_string())));
        }
        let said = cards_last(said);
        self.was_shown(&said);
        said
    }

    /// Returns the conversation of a session, for example for a handler that works in the background.
    #[must_use]
    pub fn conversation(&self, session: &SessionIdentity) -> Conversation<'_> {
        Conversation {
            host: self,
            session: self.sessions.session(session),
        }
    }

    /// Sends content to this channel as soon as long-running work produces it. Without a channel, the content is
    /// returned when the work is over.
    ///
    /// The listener must also report the content that it has shown, by calling [`Host::settle_shown`]: only this call
    /// settles an effect whose content the host has returned, for example from [`Host::handle`] or [`Host::tick`].
    pub fn listen(&self, listener: UnboundedSender<Vec<Outgoing>>) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener);
    }

    /// Calls a function for each denied call of the model, for example to show the call to a person. The model waits until
    /// the function returns.
    pub fn on_denial(&self, listener: DenialListener) {
        let mut own = self
            .on_denial
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *own = Some(listener);
    }

    /// Returns whether there is a listener that reports the content that it has shown.
    pub(super) fn has_listener(&self) -> bool {
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        listener.is_some()
    }

    /// Returns the model's name.
    #[must_use]
    pub fn model_name(&self) -> String {
        self.model.name()
    }

    /// Returns the sessions.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns the chats and their conversations.
    #[must_use]
    pub fn chats(&self) -> &Chats {
        &self.chats
    }

    /// Returns the modes.
    #[must_use]
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// Returns the memory.
    #[must_use]
    pub fn memory(&self) -> &MemoryFile {
        &self.memory
    }

    /// Returns the mode of a session.
    pub(super) fn mode_of(&self, session: &SessionIdentity) -> &Mode {
        let name = self.chats.mode(session);
        let mut modes = self.modes.iter();
        // `Chats` contains only names of these modes, so the fallback is never used.
        modes
            .find(|mode| mode.name() == name)
            .unwrap_or(&self.modes.0[0])
    }

    /// Returns the path of the file that stores a history.
    pub(crate) fn history_file(&self, of: &str) -> PathBuf {
        let name = format!("{}.jsonl", folder_name(of));
        self.data.join("history").join(name)
    }

    /// Returns the history of a conversation, or of background work.
    ///
    /// # Errors
    ///
    /// If the history cannot be read.
    pub fn history(&self, of: &str) -> Result<History, HostError> {
        History::open(&self.history_file(of))
    }
}

impl Conversation<'_> {
    /// Returns the mode of this conversation.
    #[must_use]
    pub fn mode(&self) -> &Mode {
        self.host.mode_of(self.session.identity())
    }

    pub(super) fn desk<T>(&self, of: impl FnOnce(&mut Desk) -> T) -> T {
        self.host.desk(self.session.identity(), of)
    }

    /// Sends content immediately; returns the content if there is no listener.
    #[must_use = "content that could not be sent is returned"]
    pub fn say(&self, said: Vec<Content>) -> Vec<Content> {
        let at_once = cards_last(Outgoing::all(self.session.identity(), said.clone()));
        let listener = self.host.listener.lock();
        let listener = listener.unwrap_or_else(PoisonError::into_inner);
        let heard = listener
            .as_ref()
            .is_some_and(|listener| listener.send(at_once).is_ok());
        if heard { Vec::new() } else { said }
    }

    async fn caught_up(&self) -> Result<Vec<Content>, HostError> {
        self.stop_given_up().await?;
        // Lines that are typed in the meantime wait for this work, just as they wait for the lines before them.
        let turn = self.desk(|desk| desk.turn.clone());
        let _one = turn.lock().await;
        let mut said = self.effects_unless_busy().await?;
        for handler in self.mode().handlers() {
            said.extend(handler.after_command(self, "").await?);
        }
        Ok(said)
    }

    /// Handles a line once the lines before it have been handled. While a step of a plan runs, a line that cannot wait
    /// is refused.
    async fn in_turn(&self, transport: &Transport, line: &str) -> Result<Vec<Content>, HostError> {
        let turn = self.desk(|desk| desk.turn.clone());
        let has_step = self.has_step();
        if has_step && let Some(refused) = self.refused_now(line).await? {
            return Ok(refused);
        }
        let mut said = Vec::new();
        let _one = if let Ok(one) = turn.try_lock() {
            one
        } else {
            if has_step {
                said.extend(self.say(vec![waits(line)]));
            }
            turn.lock().await
        };
        said.extend(self.line(transport, line).await?);
        Ok(said)
    }

    /// Runs a command while other work in the conversation continues.
    async fn at_once(&self, transport: &Transport, line: &str) -> Result<Vec<Content>, HostError> {
        if let Some(said) = self.own_command(transport, line).await {
            return said;
        }
        let mut said = self.plan_command(line).await?;
        // Work that was stopped releases `effects_lock`; work that continues performs the remaining effects itself.
        if self.stop_given_up().await? {
            said.extend(self.effects().await?);
        } else {
            said.extend(self.effects_unless_busy().await?);
        }
        Ok(said)
    }

    async fn line(&self, transport: &Transport, line: &str) -> Result<Vec<Content>, HostError> {
        if line.starts_with('/')
            && let Some(said) = self.own_command(transport, line).await
        {
            return said;
        }
        let mode = self.mode();
        if line.starts_with('/') {
            let mut said = self.plan_command(line).await?;
            said.extend(self.effects().await?);
            for handler in mode.handlers() {
                said.extend(handler.after_command(self, line).await?);
            }
            return Ok(said);
        }
        // The turn begins before anything is done with the message. Everything that is not a
        // message from a person (a run, a step of a plan) continues the turn that the session is
        // in.
        let around = EventContext::at(self.host.now()).by("user");
        self.session.begin_turn(&TurnId::unique(), &around).await?;
        let mut said = Vec::new();
        for handler in mode.handlers() {
            said.extend(handler.before_line(self).await?);
            said.extend(handler.before_message(self, line).await?);
        }
        let mut answers = mode.handlers().iter();
        if let Some(answer) = answers.find_map(|handler| handler.message(self, line)) {
            said.extend(answer.await?);
            return Ok(said);
        }
        let mut work = self.work(&self.session.identity().to_string(), &mut said)?;
        let entry = self.enter_turn(&work.stop).await?;
        let turn = self.stoppable_turn(&mut work, line).await?;
        drop(entry);
        let mut finished = Vec::new();
        for handler in mode.handlers() {
            finished.extend(handler.after_turn(self, &turn).await?);
        }
        said.extend(turn.into_iter().chain(finished));
        Ok(said)
    }

    /// Lets the model answer a person's message. A command that must not wait for the answer can stop the turn.
    ///
    /// # Errors
    ///
    /// If the session cannot answer, if an effect cannot be performed, or if the history cannot be written.
    pub async fn stoppable_turn(
        &self,
        work: &mut Work,
        text: &str,
    ) -> Result<Vec<Content>, HostError> {
        self.desk(|desk| desk.stop_turn = Some(work.stop.clone()));
        let turn = self.turn(work, text).await;
        self.desk(|desk| desk.stop_turn = None);
        let mut said = turn?;
        if work.stop.is_stopped() {
            said.push(Content::Notice(
                "Stopped the model before it had finished its answer.".to_owned(),
            ));
        }
        Ok(said)
    }

    /// Returns work that continues a history with the memories of the session. If the memories cannot be read, the
    /// error is reported to the user, and the model works without them.
    ///
    /// # Errors
    ///
    /// If the history cannot be read.
    pub fn work(&self, history: &str, said: &mut Vec<Content>) -> Result<Work, HostError> {
        let items = self
            .identity()
            .and_then(|own| self.host.memory.recall(&own));
        let items = items.unwrap_or_else(|error| {
            let left_out = format!("the model receives no memories: {error}");
            said.push(Content::Error(left_out));
            Vec::new()
        });
        let memories = items.into_iter().take(REMINDED).map(|item| item.text);
        Ok(Work {
            history: self.host.history(history)?,
            memories: memories.collect(),
            notes: Vec::new(),
            is_background: false,
            stop: Stop::default(),
        })
    }

    /// Returns the identity that reads and writes the session's memory.
    ///
    /// # Errors
    ///
    /// If the session's name cannot be part of a scope.
    pub fn identity(&self) -> Result<Identity, HostError> {
        let session = self.session.identity();
        Ok(Identity::new(session.channel(), session.conversation())?)
    }
}
