//! What goes out to a chat: a value of its own, made beside the model's response and never of it.

use plan_machine::session::SessionIdentity;

/// Something to deliver.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The session that it comes from: a chat that shows another one does not show it.
    pub session: SessionIdentity,
    /// What it is.
    pub said: Said,
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
        }
    }
}
