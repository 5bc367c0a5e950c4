//! The effects of plans, each performed by the handler of its machine.
//!
//! An effect stays in the store until it is settled, and it is settled after it has been performed. If a host is killed
//! in between, the effect is performed again, so every effect must tolerate being performed twice.

use plan_machine_sessions::SessionEffect;
use tokio::sync::{Mutex, MutexGuard};

use super::parts::Conversation;
use crate::error::HostError;
use crate::outgoing::Content;

impl Conversation<'_> {
    /// Performs all effects that the session's plans have emitted.
    ///
    /// # Errors
    ///
    /// If the session cannot answer, or a handler fails; the remaining effects stay pending.
    pub async fn effects(&self) -> Result<Vec<Content>, HostError> {
        // Only one task per session performs effects at a time. When another task gets its turn, the effects that it
        // waited for have already been performed.
        let effects_lock = self.desk(|desk| desk.effects_lock.clone());
        let one = effects_lock.lock().await;
        self.effects_by(&effects_lock, one).await
    }

    /// Performs the pending effects, unless another task is already performing effects; that task then performs these
    /// effects as well.
    pub(super) async fn effects_unless_busy(&self) -> Result<Vec<Content>, HostError> {
        let effects_lock = self.desk(|desk| desk.effects_lock.clone());
        // The flag is set before this task tries to get the lock: the task that releases the lock reads the flag
        // afterwards.
        self.more(true);
        match effects_lock.try_lock() {
            Ok(one) => self.effects_by(&effects_lock, one).await,
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Sets whether the holder of `effects_lock` has more to do; returns the previous value.
    fn more(&self, more: bool) -> bool {
        self.desk(|desk| std::mem::replace(&mut desk.more, more))
    }

    /// Performs the pending effects, and the effects that other tasks leave to this task in the meantime.
    async fn effects_by<'h>(
        &self,
        effects_lock: &'h Mutex<()>,
        mut one: MutexGuard<'h, ()>,
    ) -> Result<Vec<Content>, HostError> {
        let mut said = Vec::new();
        loop {
            said.extend(self.all_effects().await?);
            drop(one);
            if !self.more(false) {
                return Ok(said);
            }
            one = effects_lock.lock().await;
        }
    }

    async fn all_effects(&self) -> Result<Vec<Content>, HostError> {
        let mode = self.mode();
        let mut said = Vec::new();
        for handler in mode.handlers() {
            said.extend(handler.before_effects(self).await?);
        }
        loop {
            // `unshown` is read first: an effect that is settled in the meantime must not look pending.
            let unshown = self.desk(|desk| desk.unshown.clone());
            let mut effects = self.session.effects().await?;
            // Effects of another mode's plans wait until the conversation returns to that mode.
            effects.retain(|effect| !self.host.modes.parks(mode, &effect.machine));
            effects.retain(|effect| !unshown.contains(&effect.id));
            if effects.is_empty() {
                for handler in mode.handlers() {
                    said.extend(handler.after_effects(self).await?);
                }
                return Ok(said);
            }
            for effect in effects {
                let words = self.effect(&effect).await?;
                if self.is_settled_when_shown(&words) {
                    self.desk(|desk| desk.unshown.push(effect.id.clone()));
                    said.extend(words);
                    said.push(Content::Effect(effect.id));
                    continue;
                }
                said.extend(words);
                self.session.settle(&effect.id).await?;
            }
        }
    }

    /// Returns whether an effect is settled only after its content was shown. If its content was already sent, the
    /// effect is settled immediately: a call that was made must not be made again, even if its report is never shown.
    /// Without a listener, every effect is settled immediately, because nobody would report what was shown.
    fn is_settled_when_shown(&self, words: &[Content]) -> bool {
        !words.is_empty() && self.host.has_listener()
    }

    async fn effect(&self, effect: &SessionEffect) -> Result<Vec<Content>, HostError> {
        let handler = self.mode().handler_of(&effect.machine);
        let saying = handler.and_then(|handler| handler.any_effect(self, &effect.effect));
        match saying {
            Some(saying) => saying.await,
            None => Ok(vec![Content::Error(format!(
                "unhandled effect `{}` of {}",
                effect.effect.name, effect.machine
            ))]),
        }
    }
}
