//! Content of conversations that are not active, held back until the user switches to them.

use plan_machine_sessions::SessionIdentity;

use crate::outgoing::{Content, Outgoing};

/// The content that is held back.
#[derive(Debug, Default)]
pub(super) struct News(Vec<Outgoing>);

impl News {
    /// Returns the content that a chat shows now. Content of the chat's other conversations is held back, and announced
    /// once per conversation; content of other channels is dropped.
    pub(super) fn sorted(&mut self, active: &SessionIdentity, all: Vec<Outgoing>) -> Vec<Outgoing> {
        let mut shown = Vec::new();
        let is_near = |one: &Outgoing| one.session.channel() == active.channel();
        for outgoing in all.into_iter().filter(is_near) {
            if outgoing.session == *active {
                shown.push(outgoing);
                continue;
            }
            let other = &outgoing.session;
            if self.0.iter().all(|held| held.session != *other) {
                let name = other.conversation();
                let news = format!("{name} has new messages: /switch {name} shows them.");
                shown.push(Outgoing::new(active, Content::Notice(news)));
            }
            self.0.push(outgoing);
        }
        shown
    }

    /// Removes and returns the content that was held back for a conversation.
    pub(super) fn of(&mut self, active: &SessionIdentity) -> Vec<Outgoing> {
        self.0
            .extract_if(.., |held| held.session == *active)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(channel: &str, conversation: &str) -> SessionIdentity {
        SessionIdentity::existing(channel, conversation).expect("an identity")
    }

    fn said(session: &SessionIdentity, text: &str) -> Outgoing {
        Outgoing::new(session, Content::Model(text.to_owned()))
    }

    #[test]
    fn other_conversations_are_announced_once_and_shown_later() {
        let (here, there) = (session("terminal", "here"), session("terminal", "work"));
        let elsewhere = said(&session("mail", "here"), "four");
        let [one, three, five] = ["one", "three", "five"].map(|text| said(&there, text));
        let two = said(&here, "two");
        let mut news = News::default();
        let notice = "work has new messages: /switch work shows them.".to_owned();
        let notice = Outgoing::new(&here, Content::Notice(notice));
        let all = vec![one.clone(), two.clone(), three.clone(), elsewhere];
        assert_eq!(news.sorted(&here, all), [notice, two]);
        assert_eq!(news.sorted(&here, vec![five.clone()]), []);
        assert_eq!(news.of(&there), [one, three, five]);
        assert_eq!(news.of(&there), []);
    }
}
