//! What goes out to a chat: a value of its own, made beside the model's response and never of it.

use plan_machine_sessions::{EffectId, SessionIdentity};

/// Something to deliver.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The session that it comes from: a chat that shows another one does not show it.
    pub session: SessionIdentity,
    /// What it is.
    pub said: Said,
    /// The effects that are done once this is shown: see [`crate::Bot::settle_shown`].
    pub effects: Vec<EffectId>,
}

/// What is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Words of the model, in Markdown.
    Model(String),
    /// Words of a run that works by itself.
    Run {
        /// The run.
        run: String,
        /// Its words, in Markdown.
        text: String,
    },
    /// What a tool has printed, or what a plan says beside its card.
    Output {
        /// The tool or the plan.
        from: String,
        /// Its words.
        text: String,
    },
    /// Words of the bot itself.
    Notice(String),
    /// A plan to look at.
    Card(Card),
    /// Where plans are, drawn.
    Diagram(String),
    /// What went wrong. The session can be used as before.
    Error(String),
    /// The words before it are those of an effect, which is settled once they are shown.
    Effect(EffectId),
}

/// A plan as a person is shown it before deciding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The plan.
    pub plan: String,
    /// The state that it is in.
    pub state: String,
    /// What it says, in Markdown.
    pub body: String,
    /// Names exactly these words.
    pub token: String,
    /// What can be typed now.
    pub commands: Vec<String>,
}

impl Outgoing {
    /// Something said in a session.
    #[must_use]
    pub fn new(session: &SessionIdentity, said: Said) -> Self {
        Self {
            session: session.clone(),
            said,
            effects: Vec::new(),
        }
    }

    /// What is said in a session; an effect is done with the words before it.
    pub(crate) fn all(session: &SessionIdentity, said: Vec<Said>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for one in said {
            match (one, all.last_mut()) {
                (Said::Effect(effect), Some(words)) => words.effects.push(effect),
                (Said::Effect(_), None) => {}
                (said, _) => all.push(Self::new(session, said)),
            }
        }
        all
    }
}
