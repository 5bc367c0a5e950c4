//! Content for a chat. The text of a model's response is copied into the content; the response itself is never changed.

use std::fmt::Write as _;

use plan_machine::Instant;
use plan_machine_sessions::{EffectId, SessionIdentity};

use crate::words::in_a_line;

/// The maximum length of one of the host's lines, in characters.
const LONGEST: usize = 4000;

/// Content to deliver.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The session that produced the content. While another session is active, a chat holds the content back, unless
    /// the content answers a command that ran immediately.
    pub session: SessionIdentity,
    /// The content.
    pub content: Content,
    /// The effects that are settled once this content is shown: see [`crate::Host::settle_shown`].
    pub effects: Vec<EffectId>,
}

/// Content that a chat shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text from the model, in Markdown.
    Model(String),
    /// Text from a background run.
    Run {
        /// The id of the run.
        run: String,
        /// The text of the run, in Markdown.
        text: String,
    },
    /// Output of a tool, or text from a plan outside its card.
    Output {
        /// The name of the tool, or `the plan`.
        from: String,
        /// The text of the tool or the plan.
        text: String,
    },
    /// Text from the host itself, on one line.
    Notice(String),
    /// Text from the host itself, one line per item.
    List(Vec<String>),
    /// A plan to review.
    Card(Card),
    /// A drawing of the plans' states.
    Diagram(String),
    /// An error, on one line. The session can still be used.
    Error(String),
    /// Marks that the preceding content belongs to an effect, which is settled once that content is shown.
    Effect(EffectId),
}

/// A plan, as it is shown to a person before the person decides on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The id of the plan.
    pub plan: String,
    /// The state of the plan, in words.
    pub state: String,
    /// The content of the plan, in Markdown.
    pub body: String,
    /// The token that identifies exactly this content.
    pub token: String,
    /// The commands that decide on the plan; none if the plan is not waiting for a decision.
    pub commands: Vec<String>,
    /// The instant until which the plan can be approved, or until which its approval is valid; `None` if no timer ends
    /// this period.
    pub expires: Option<Instant>,
}

#[cfg(feature = "terminal")]
impl Card {
    /// Returns the heading: the plan, its state, its token and, if the plan expires, the end of its time.
    pub(crate) fn heading(&self) -> String {
        let (plan, state) = (&self.plan, &self.state);
        let token = plan_machine::short_token(&self.token);
        let until = self.expires.map(crate::words::until);
        let expiry = until.map_or_else(String::new, |until| format!(" · expires {until}"));
        format!("{plan} · {state} · {token}{expiry}")
    }
}

impl Content {
    /// Puts each piece of text from the host on one line. Such text quotes titles, names, reasons
    /// and input that others have chosen, and a line break in a quotation could start a line that
    /// appears to be the host's own.
    fn in_lines(self) -> Self {
        let sentence = |text: &str| without_drawings(&in_a_line(text, LONGEST));
        match self {
            Content::Notice(text) => Content::Notice(sentence(&text)),
            Content::Error(text) => Content::Error(sentence(&text)),
            Content::List(lines) => Content::List(lines.iter().map(|line| row(line)).collect()),
            Content::Run { run, text } => Content::Run {
                run: sentence(&run),
                text,
            },
            Content::Output { from, text } => Content::Output {
                from: sentence(&from),
                text,
            },
            said @ (Content::Model(_)
            | Content::Card(_)
            | Content::Diagram(_)
            | Content::Effect(_)) => said,
        }
    }
}

/// Formats a line of a list. Spaces stay as they are, so that columns stay aligned.
fn row(line: &str) -> String {
    let blank = |letter: char| if letter.is_whitespace() { ' ' } else { letter };
    let line: String = line.chars().take(LONGEST).map(blank).collect();
    without_drawings(&line)
}

/// Escapes the characters that draw frames and the gutter, so that no part of a wrapped line looks like a frame.
fn without_drawings(line: &str) -> String {
    let is_drawn = |letter: char| ('\u{2500}'..='\u{259f}').contains(&letter);
    let mut told = String::with_capacity(line.len());
    for letter in line.chars() {
        if is_drawn(letter) {
            let _ = write!(told, "‹U+{:04X}›", u32::from(letter));
        } else {
            told.push(letter);
        }
    }
    told
}

impl Outgoing {
    /// Creates content of a session. Each piece of text from the host is put on one line, even if
    /// it quotes a line break.
    #[must_use]
    pub fn new(session: &SessionIdentity, content: Content) -> Self {
        Self {
            session: session.clone(),
            content: content.in_lines(),
            effects: Vec::new(),
        }
    }

    /// Returns the content of a session; an effect is attached to the content before it.
    pub(crate) fn all(session: &SessionIdentity, said: Vec<Content>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for one in said {
            match (one, all.last_mut()) {
                (Content::Effect(effect), Some(words)) => words.effects.push(effect),
                (Content::Effect(_), None) => {}
                (said, _) => all.push(Self::new(session, said)),
            }
        }
        all
    }
}
