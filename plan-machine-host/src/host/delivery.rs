//! The order in which things reach a person: cards come last, and words that are not the host's make it show a card
//! again before anybody decides about it.

use plan_machine_sessions::{EffectId, SessionIdentity};

use super::desk::Shown;
use super::parts::Host;
use crate::chats::Transport;
use crate::error::HostError;
use crate::outgoing::{Content, Outgoing};

impl Host {
    /// Takes note of what a chat was shown, in this order. A person who has read words of a model since the card of a
    /// plan may have taken those for it: whoever then decides about this plan without a token is shown its card first.
    pub fn was_shown(&self, all: &[Outgoing]) {
        let foreign = all.iter().enumerate();
        for (at, one) in foreign.filter(|(_, one)| is_foreign(&one.said)) {
            let later = all[at..].iter();
            let later = later.filter(|later| later.session == one.session);
            let cards = later.filter_map(|later| match &later.said {
                Content::Card(card) => Some(card.plan.as_str()),
                _ => None,
            });
            let cards: Vec<&str> = cards.collect();
            self.desk(&one.session, |desk| desk.shown.keep(&cards));
        }
    }

    /// Settles the effects whose words were shown. Where a host ends before that, the next one shows them again.
    ///
    /// # Errors
    ///
    /// Where the store fails; they are shown again then.
    pub async fn settle_shown(
        &self,
        all: Vec<(SessionIdentity, EffectId)>,
    ) -> Result<(), HostError> {
        for (identity, effect) in all {
            let session = self.sessions.session(&identity);
            session.settle(&effect).await?;
            self.desk(&identity, |desk| desk.unshown.retain(|one| *one != effect));
        }
        Ok(())
    }

    /// What was shown in a chat does not count any more, because a line was typed before it.
    pub fn nothing_was_shown(&self, chat: &Transport) {
        if let Ok(session) = self.chats.active(chat) {
            self.desk(&session, |desk| desk.shown = Shown::default());
        }
    }
}

/// Whether somebody else than the host has chosen the words.
#[must_use]
pub fn is_foreign(said: &Content) -> bool {
    match said {
        Content::Model(_) | Content::Run { .. } | Content::Output { .. } => true,
        Content::Notice(_)
        | Content::List(_)
        | Content::Card(_)
        | Content::Diagram(_)
        | Content::Error(_)
        | Content::Effect(_) => false,
    }
}

/// The effects that are done with what is shown.
#[must_use]
pub fn effects_of(all: &[Outgoing]) -> Vec<(SessionIdentity, EffectId)> {
    let of = |one: &Outgoing| {
        let session = one.session.clone();
        let effects = one.effects.clone().into_iter();
        effects.map(move |effect| (session.clone(), effect))
    };
    all.iter().flat_map(of).collect()
}

/// What is said at once, cards last: nothing comes between a card and the line in which a person decides.
#[must_use]
pub fn cards_last(all: Vec<Outgoing>) -> Vec<Outgoing> {
    let is_card = |one: &Outgoing| matches!(one.said, Content::Card(_));
    let (cards, mut rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_card);
    rest.extend(cards);
    rest
}
