//! The order in which content reaches a person. A card, which shows a plan that a person decides on, comes last. If a
//! card is followed by text that the host did not write, the card is shown again before a decision.

use plan_machine_sessions::{EffectId, SessionIdentity};

use super::desk::ShownCards;
use super::parts::Host;
use crate::chats::Transport;
use crate::error::HostError;
use crate::outgoing::{Content, Outgoing};

impl Host {
    /// Records the content that a chat was shown, in this order. If text that the host did not write was shown after a
    /// plan's card, the person may have mistaken that text for the plan. A decision without a token then shows the card
    /// again first.
    pub fn was_shown(&self, all: &[Outgoing]) {
        let foreign = all.iter().enumerate();
        for (at, one) in foreign.filter(|(_, one)| is_foreign(&one.content)) {
            let later = all[at..].iter();
            let later = later.filter(|later| later.session == one.session);
            let cards = later.filter_map(|later| match &later.content {
                Content::Card(card) => Some(card.plan.as_str()),
                _ => None,
            });
            let cards: Vec<&str> = cards.collect();
            self.desk(&one.session, |desk| desk.shown.keep(&cards));
        }
    }

    /// Settles the effects whose content was shown. If the host ends before they are settled, the content is shown
    /// again at the next start.
    ///
    /// # Errors
    ///
    /// If the store fails; the content of the effects that are not settled yet is then shown again.
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

    /// Forgets which content was shown in a chat. Call this if the person typed a line before the
    /// content appeared.
    pub fn nothing_was_shown(&self, chat: &Transport) {
        if let Ok(session) = self.chats.active(chat) {
            self.desk(&session, |desk| desk.shown = ShownCards::default());
        }
    }
}

/// Returns whether someone other than the host wrote the text.
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

/// Returns the effects that are settled once this content is shown.
#[must_use]
pub fn effects_of(all: &[Outgoing]) -> Vec<(SessionIdentity, EffectId)> {
    let of = |one: &Outgoing| {
        let session = one.session.clone();
        let effects = one.effects.clone().into_iter();
        effects.map(move |effect| (session.clone(), effect))
    };
    all.iter().flat_map(of).collect()
}

/// Returns content in display order, cards last: nothing comes between a card and the line in which a person decides.
#[must_use]
pub fn cards_last(all: Vec<Outgoing>) -> Vec<Outgoing> {
    let is_card = |one: &Outgoing| matches!(one.content, Content::Card(_));
    let (cards, mut rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_card);
    rest.extend(cards);
    rest
}

/// Addresses content to the session that produced it; an error of the host becomes content as well.
pub(super) fn outgoing(
    session: &SessionIdentity,
    said: Result<Vec<Content>, HostError>,
) -> Vec<Outgoing> {
    let said = said.unwrap_or_else(|error| vec![Content::Error(error.to_string())]);
    Outgoing::all(session, said)
}
