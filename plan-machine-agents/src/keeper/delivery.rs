//! The record of the cards that we have shown to a person. It is next to the journal, with one file for each session.

use std::path::{Path, PathBuf};

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;

use super::card::PlanCard;
use crate::project::files::{self, Durability};
use crate::project::{ProjectError, digest_of};

/// The maximum number of deliveries that are kept for a session. A few are enough, because only the current card of a
/// plan can be approved.
const MOST: usize = 64;

/// A card that was shown to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The session of the plan.
    pub session: SessionIdentity,
    /// The machine of the plan.
    pub machine: String,
    /// The id of the plan.
    pub plan: String,
    /// The token of the content that was shown, with all its digits.
    pub token: String,
    /// Where the card was shown: `prompt`, `message`, `terminal`, `elicitation` or `inbox`.
    pub channel: String,
}

impl Delivery {
    /// Returns the delivery of a card.
    #[must_use]
    pub fn of(session: &SessionIdentity, card: &PlanCard, channel: &str) -> Self {
        Self {
            session: session.clone(),
            machine: card.machine.clone(),
            plan: card.plan.clone(),
            token: card.token.clone(),
            channel: channel.to_owned(),
        }
    }
}

/// The record of the deliveries of a project.
#[derive(Clone, Debug)]
pub struct Deliveries {
    folder: PathBuf,
}

impl Deliveries {
    /// Returns the deliveries in the folder of a project's state.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self {
            folder: state.join("cards"),
        }
    }

    fn file(&self, session: &SessionIdentity) -> PathBuf {
        let name = digest_of(&[session.to_string().as_bytes()]);
        self.folder.join(format!("{name}.json"))
    }

    /// Stores deliveries durably.
    ///
    /// # Errors
    ///
    /// If a delivery cannot be stored; it and the deliveries after it then do not count as shown.
    pub fn add(&self, deliveries: &[Delivery]) -> Result<(), ProjectError> {
        for delivery in deliveries {
            let file = self.file(&delivery.session);
            let mut all = read(&file)?;
            all.push(entry(delivery));
            let surplus = all.len().saturating_sub(MOST);
            all.drain(..surplus);
            files::write(&file, &Json::from(all).to_string(), Durability::Durable)?;
        }
        Ok(())
    }

    /// Returns whether exactly this content was shown. The token must have all its digits.
    ///
    /// # Errors
    ///
    /// If the record cannot be read.
    pub fn contain(
        &self,
        session: &SessionIdentity,
        machine: &str,
        plan: &str,
        token: &str,
    ) -> Result<bool, ProjectError> {
        let Ok(token) = token.parse::<Token>() else {
            return Ok(false);
        };
        let wanted = [
            ("session", session.to_string()),
            ("machine", machine.to_owned()),
            ("plan", plan.to_owned()),
            ("token", String::from(token)),
        ];
        let all = read(&self.file(session))?;
        Ok(all.iter().filter_map(Json::as_object).any(|entry| {
            let same = |(key, value): &(&str, String)| {
                entry.get(key).and_then(Json::as_text) == Some(value.as_str())
            };
            wanted.iter().all(same)
        }))
    }
}

fn entry(delivery: &Delivery) -> Json {
    let mut object = Object::new();
    let now = Instant::try_from(std::time::SystemTime::now());
    object.push("at", now.map(|now| now.to_string()).unwrap_or_default());
    object.push("session", delivery.session.to_string());
    object.push("machine", delivery.machine.as_str());
    object.push("plan", delivery.plan.as_str());
    object.push("token", delivery.token.as_str());
    object.push("channel", delivery.channel.as_str());
    object.into()
}

/// Reads the deliveries of a session. A damaged record counts as empty: then nothing was shown, and the next card begins
/// a new record.
fn read(file: &Path) -> Result<Vec<Json>, ProjectError> {
    let text = files::read(file)?.and_then(|bytes| String::from_utf8(bytes).ok());
    let read = text.and_then(|text| Json::parse(&text).ok());
    Ok(match read {
        Some(Json::List(all)) => all,
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "1-02c18244ed851867ff5741fba8ac4f93";

    fn delivery(session: &str, token: &str) -> Delivery {
        Delivery {
            session: session.parse().expect("an identity"),
            machine: "Plan".to_owned(),
            plan: "plan-1".to_owned(),
            token: token.to_owned(),
            channel: "prompt".to_owned(),
        }
    }

    #[test]
    fn only_exactly_what_was_shown_counts() {
        let place = tempfile::tempdir().expect("a folder");
        let cards = Deliveries::of(place.path());
        let session: SessionIdentity = "codex:conversation-1".parse().expect("an identity");
        let shown = |session: &SessionIdentity, machine: &str, plan: &str, token: &str| {
            cards.contain(session, machine, plan, token).expect("read")
        };
        assert!(!shown(&session, "Plan", "plan-1", TOKEN));
        cards
            .add(&[delivery("codex:conversation-1", TOKEN)])
            .expect("stored");
        assert!(shown(&session, "Plan", "plan-1", TOKEN));
        let other: SessionIdentity = "codex:conversation-2".parse().expect("an identity");
        assert!(!shown(&other, "Plan", "plan-1", TOKEN));
        assert!(!shown(&session, "Other", "plan-1", TOKEN));
        assert!(!shown(&session, "Plan", "plan-2", TOKEN));
        assert!(!shown(&session, "Plan", "plan-1", "1-02c18244"));
        assert!(!shown(
            &session,
            "Plan",
            "plan-1",
            "2-02c18244ed851867ff5741fba8ac4f93"
        ));
    }

    #[test]
    fn old_deliveries_are_dropped() {
        let place = tempfile::tempdir().expect("a folder");
        let cards = Deliveries::of(place.path());
        let session: SessionIdentity = "codex:conversation-1".parse().expect("an identity");
        let token = |at: usize| format!("{at}-02c18244ed851867ff5741fba8ac4f93");
        for at in 1..=MOST + 1 {
            cards
                .add(&[delivery("codex:conversation-1", &token(at))])
                .expect("stored");
        }
        assert!(
            !cards
                .contain(&session, "Plan", "plan-1", &token(1))
                .expect("read")
        );
        assert!(
            cards
                .contain(&session, "Plan", "plan-1", &token(2))
                .expect("read")
        );
    }

    #[test]
    fn a_damaged_record_shows_nothing_and_is_begun_again() {
        let place = tempfile::tempdir().expect("a folder");
        let cards = Deliveries::of(place.path());
        let session: SessionIdentity = "codex:conversation-1".parse().expect("an identity");
        let shown = || cards.contain(&session, "Plan", "plan-1", TOKEN);
        let shown_once = [delivery("codex:conversation-1", TOKEN)];
        cards.add(&shown_once).expect("stored");
        let file = cards.file(&session);
        let text = std::fs::read_to_string(&file).expect("the record");
        for damaged in [&text.as_bytes()[..text.len() / 2], b"[\xff]"] {
            std::fs::write(&file, damaged).expect("damaged");
            assert_eq!(shown().ok(), Some(false));
            cards.add(&shown_once).expect("stored");
            assert_eq!(shown().ok(), Some(true));
        }
    }
}
