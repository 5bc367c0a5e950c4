//! Effects of the plans, each done by the handler of its machine.
//!
//! An effect is in the store until it is settled, and settled after it was done: a host that was killed in between
//! does it again. So each of them can be done twice.

use plan_machine_sessions::SessionEffect;
use tokio::sync::{Mutex, MutexGuard};

use super::parts::Conversation;
use crate::error::HostError;
use crate::outgoing::Content;

impl Conversation<'_> {
    /// Does everything that the session's plans ask for now.
    ///
    /// # Errors
    ///
    /// Where the session cannot answer, or a handler fails; what is not done stays to be done.
    pub async fn effects(&self) -> Result<Vec<Content>, HostError> {
        // One pair of hands a session: whoever comes meanwhile finds it done.
        let hands = self.desk(|desk| desk.hands.clone());
        let one = hands.lock().await;
        self.effects_by(&hands, one).await
    }

    /// Does what the plans ask for, unless somebody is doing it, who then does this as well.
    pub(super) async fn effects_unless_busy(&self) -> Result<Vec<Content>, HostError> {
        let hands = self.desk(|desk| desk.hands.clone());
        // Content before the hands are tried: whoever lets go of them reads it afterwards.
        self.more(true);
        match hands.try_lock() {
            Ok(one) => self.effects_by(&hands, one).await,
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Says whether there is more to do for whoever has the hands; gives what was said before.
    fn more(&self, more: bool) -> bool {
        self.desk(|desk| std::mem::replace(&mut desk.more, more))
    }

    /// Does what there is to do, and what others leave meanwhile.
    async fn effects_by<'h>(
        &self,
        hands: &'h Mutex<()>,
        mut one: MutexGuard<'h, ()>,
    ) -> Result<Vec<Content>, HostError> {
        let mut said = Vec::new();
        loop {
            said.extend(self.all_effects().await?);
            drop(one);
            if !self.more(false) {
                return Ok(said);
            }
            one = hands.lock().await;
        }
    }

    async fn all_effects(&self) -> Result<Vec<Content>, HostError> {
        let mode = self.mode();
        let mut said = Vec::new();
        for handler in mode.handlers() {
            said.extend(handler.before_effects(self).await?);
        }
        loop {
            // Looked up first: an effect that is settled meanwhile must not be taken for one that nobody has done.
            let unshown = self.desk(|desk| desk.unshown.clone());
            let mut effects = self.session.effects().await?;
            // What plans of another mode ask for waits until their mode is back.
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

    /// Whether an effect is done once its words are shown. One whose words went out already is done: a call that was
    /// made is not due any more, whoever reads of it.
    fn is_settled_when_shown(&self, words: &[Content]) -> bool {
        !words.is_empty() && self.host.is_heard()
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
