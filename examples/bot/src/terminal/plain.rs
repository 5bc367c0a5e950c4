//! What is said, in words only.

use super::visible::visible;
use crate::outgoing::{Card, Outgoing, Said};

/// What is said, as a pipe gets it.
#[must_use]
pub fn rendered(outgoing: &Outgoing) -> String {
    visible(&match &outgoing.said {
        Said::Model(text) | Said::Diagram(text) => text.clone(),
        Said::Run { run, text } => format!("[{run}] {text}"),
        Said::Notice(text) => format!("· {}", text.replace('\n', "\n  ")),
        Said::Error(text) => format!("! {text}"),
        Said::Card(card) => drawn(card),
    })
}

/// A plan behind a line.
fn drawn(card: &Card) -> String {
    let head = format!("{} · {} · {}", card.plan, card.state, card.token);
    let (body, commands) = (card.body.trim_end(), card.commands.join("\n"));
    let text = format!("{head}\n\n{body}\n\n{commands}");
    let framed = text.lines().map(|line| format!("│ {line}"));
    let framed: Vec<String> = framed.map(|line| line.trim_end().to_owned()).collect();
    format!("┌─\n{}\n└─", framed.join("\n"))
}
