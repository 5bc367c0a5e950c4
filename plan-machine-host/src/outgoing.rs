//! What goes out to a chat: a value of its own, made beside the model's response and never of it.

use std::fmt::Write as _;

use plan_machine_sessions::{EffectId, SessionIdentity};

use crate::words::in_a_line;

/// How many characters of a line of the host are said.
const LONGEST: usize = 4000;

/// Something to deliver.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The session that it comes from: a chat that shows another one does not show it.
    pub session: SessionIdentity,
    /// What it is.
    pub said: Content,
    /// The effects that are done once this is shown: see [`crate::Host::settle_shown`].
    pub effects: Vec<EffectId>,
}

/// What is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
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
    /// Words of the host itself, on one line.
    Notice(String),
    /// Words of the host itself, on a line each.
    List(Vec<String>),
    /// A plan to look at.
    Card(Card),
    /// Where plans are, drawn.
    Diagram(String),
    /// What went wrong, on one line. The session can be used as before.
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

impl Content {
    /// The same, with words of the host on one line each. They quote titles, names, reasons and input that others have
    /// chosen, and a line that those begin would look like one of the host's.
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

/// A line of a list, whose columns stay.
fn row(line: &str) -> String {
    let blank = |letter: char| if letter.is_whitespace() { ' ' } else { letter };
    let line: String = line.chars().take(LONGEST).map(blank).collect();
    without_drawings(&line)
}

/// A line without the signs that frames and the gutter are drawn with: where it is too long and goes on below, it
/// looks like none of them.
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
    /// Something said in a session. Words of the host are put on one line each, whatever they quote.
    #[must_use]
    pub fn new(session: &SessionIdentity, said: Content) -> Self {
        Self {
            session: session.clone(),
            said: said.in_lines(),
            effects: Vec::new(),
        }
    }

    /// What is said in a session; an effect is done with the words before it.
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
