//! The start and the end of a host, and the turns of background work.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use plan_machine_sessions::{SessionError, SessionIdentity, Sessions};

use super::delivery::{cards_last, outgoing};
use super::parts::{Conversation, Host};
use crate::error::HostError;
use crate::observe;
use crate::outgoing::{Content, Outgoing};

/// The number of sessions read at a time.
const PAGE: u32 = 256;

impl Host {
    /// How often a host should call [`tick`](Self::tick). If no timer is due and no run is active, a call costs only
    /// one lookup in an index of the store.
    pub const TICK: Duration = Duration::from_secs(1);

    /// Takes over from the previous host: fires the timers that became due in the meantime, treats work that was in
    /// progress as stopped, and performs pending effects.
    ///
    /// # Errors
    ///
    /// If the store fails, or if the list of the data folder's parts cannot be updated.
    pub async fn take_up(&self) -> Result<Vec<Outgoing>, HostError> {
        self.count_open_plans().await;
        self.fire().await;
        let mut out = Vec::new();
        let mut after: Option<SessionIdentity> = None;
        let mut listed = BTreeSet::new();
        loop {
            let page = self.sessions.list(after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                out.extend(self.lost_conversations(&listed).await?);
                out.extend(self.damaged_memories());
                self.inventory.take_stock()?;
                let out = cards_last(out);
                self.was_shown(&out);
                return Ok(out);
            };
            after = Some(last.session.clone());
            listed.extend(page.iter().map(|one| one.session.clone()));
            // Other hosts may keep their sessions in the same store.
            let own = page.iter().filter(|one| self.chats.has(&one.session));
            for one in own {
                let at = self.conversation(&one.session);
                out.extend(outgoing(&one.session, at.go_on().await));
                let explained = at.explain_unreadable().await;
                out.extend(explained.map(|said| Outgoing::new(&one.session, said)));
            }
        }
    }

    /// Counts the plans that the previous host left open, including those of modes that a conversation is not in now.
    /// The sessions of this process do not count these plans, because a session counts only the events that this
    /// process sends to it.
    async fn count_open_plans(&self) {
        let mut open = BTreeSet::new();
        for machines in self.machines.values() {
            let machines = machines.clone();
            let counted = machines.plan_modes();
            let store = Arc::clone(self.sessions.store());
            let sessions = Sessions::choosing(store, move |_| machines.clone());
            for identity in self.chats.all() {
                // A session that cannot be read is reported when it is taken over.
                let plans = sessions.session(&identity).plans().await;
                let names = plans.into_iter().flatten().map(|held| held.machine);
                let names = names.filter(|machine| counted.contains(machine));
                open.extend(names.map(|machine| (identity.clone(), machine)));
            }
        }
        observe::open_plans(open.len());
    }

    /// Reports in each chat that lines of the memory file cannot be read: the model works without them.
    fn damaged_memories(&self) -> Vec<Outgoing> {
        // If the whole file cannot be read, the next message reports the error.
        let damaged = self.memory.damaged().unwrap_or_default();
        let Some(first) = damaged.first() else {
            return Vec::new();
        };
        let mut report = first.report();
        if damaged.len() > 1 {
            report.push_str("; `/memory` names all such lines");
        }
        let active = self.chats.all_active().into_iter();
        let told = active.map(|session| Outgoing::new(&session, Content::Error(report.clone())));
        told.collect()
    }

    /// Reports the conversations of this host that the store cannot list because their names are damaged.
    async fn lost_conversations(
        &self,
        listed: &BTreeSet<SessionIdentity>,
    ) -> Result<Vec<Outgoing>, HostError> {
        let mut out = Vec::new();
        let unlisted = self.sessions.store().unlisted().await;
        if unlisted.map_err(SessionError::from)?.is_empty() {
            return Ok(out);
        }
        let all = self.chats.all().into_iter();
        for identity in all.filter(|one| !listed.contains(one)) {
            let at = self.conversation(&identity);
            if let Err(error) = at.session.plans().await {
                out.extend(outgoing(&identity, Err(error.into())));
                let explained = at.explain_unreadable().await;
                out.extend(explained.map(|said| Outgoing::new(&identity, said)));
            }
        }
        Ok(out)
    }

    /// Fires the timers that are due, and lets background work take the turns that are due. The resulting content goes to
    /// the sessions that started the work.
    pub async fn tick(&self) -> Vec<Outgoing> {
        let mut out = self.wake().await;
        for handler in self.modes.all_handlers() {
            out.extend(handler.tick(self).await);
        }
        let out = cards_last(out);
        self.was_shown(&out);
        out
    }

    /// Fires the timers that are due, and carries out their effects.
    async fn wake(&self) -> Vec<Outgoing> {
        let mut out = Vec::new();
        // Other hosts may keep their sessions in the same store. They carry out their own effects.
        let fired = self.fire().await;
        for session in fired.iter().filter(|session| self.chats.has(session)) {
            let at = self.conversation(session);
            out.extend(outgoing(session, at.effects().await));
        }
        out
    }

    /// Fires the timers that are due; returns the sessions whose timers fired.
    async fn fire(&self) -> Vec<SessionIdentity> {
        // If the store cannot be reached, the next line that needs the store gets the error, and the timers stay due.
        let woken = self.sessions.wake(self.now()).await.unwrap_or_default();
        for (session, error) in &woken.failed {
            observe::not_woken(session, error);
        }
        woken.fired
    }

    /// Ends the work in progress because the host is ending: plans whose calls were interrupted record the
    /// interruption. Also says which background work does not continue.
    pub async fn interrupt(&self) -> Vec<Outgoing> {
        let mut out = Vec::new();
        for identity in self.with_calls_under_way() {
            let at = self.conversation(&identity);
            out.extend(outgoing(&identity, at.effects().await));
        }
        for handler in self.modes.all_handlers() {
            out.extend(handler.ending());
        }
        out
    }

    /// Returns the sessions in which a recorded call is in progress.
    fn with_calls_under_way(&self) -> Vec<SessionIdentity> {
        let desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = desks.iter().filter(|(_, desk)| desk.under_way.is_some());
        under_way.map(|(session, _)| session.clone()).collect()
    }
}

impl Conversation<'_> {
    async fn go_on(&self) -> Result<Vec<Content>, HostError> {
        let mut said = self.take_up_all().await?;
        said.extend(self.effects().await?);
        for handler in self.mode().handlers() {
            // An effect may just have reported the same content.
            let also = handler.after_take_up(self).await?.into_iter();
            let new: Vec<Content> = also.filter(|one| !said.contains(one)).collect();
            said.extend(new);
        }
        self.show_waiting(&mut said).await?;
        said.extend(self.report_damaged().await?);
        Ok(said)
    }

    async fn take_up_all(&self) -> Result<Vec<Content>, HostError> {
        // The task that carries out steps holds `effects_lock`.
        let effects_lock = self.desk(|desk| desk.effects_lock.clone());
        let _one = effects_lock.lock().await;
        let mut said = Vec::new();
        for handler in self.mode().handlers() {
            said.extend(handler.take_up(self).await?);
        }
        Ok(said)
    }

    /// Takes over the plans of a mode that the conversation has just returned to.
    pub(super) async fn take_up_plans(&self) -> Result<Vec<Content>, HostError> {
        let effects_lock = self.desk(|desk| desk.effects_lock.clone());
        let _one = effects_lock.lock().await;
        self.mode().handler().take_up(self).await
    }
}
