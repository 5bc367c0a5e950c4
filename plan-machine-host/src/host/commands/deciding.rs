//! Determines which plan a decision refers to, given what the person was shown.

use plan_machine_sessions::SessionPlan;

use super::super::parts::Conversation;
use crate::outgoing::Content;
use crate::words::unquoted;

/// The meaning of a line that a person typed.
pub(super) enum LineMeaning {
    /// The line to send to the plans.
    Line(String),
    /// The line would decide on a plan that has not been shown yet, or on one of several plans. The content shows these
    /// plans.
    NothingShown(Vec<Content>),
}

impl Conversation<'_> {
    /// Determines which plan a decision refers to. A decision without a token refers to a card: the card of the plan
    /// that the line names, or the card that was shown last. If the card has not been shown to the person yet, it is
    /// shown first.
    pub(super) fn decided(&self, line: &str, waiting: &[SessionPlan]) -> LineMeaning {
        let words: Vec<&str> = line.split_whitespace().collect();
        let shown = self.desk(|desk| desk.shown.clone());
        if let Some((word, token)) = words
            .iter()
            .find_map(|word| Some((word, word.parse().ok()?)))
        {
            return LineMeaning::Line(line.replacen(*word, &shown.in_full(token), 1));
        }
        let is_named = |held: &&SessionPlan| {
            let mut words = words.iter();
            words.any(|word| held.plan.id == unquoted(word))
        };
        let is_last = |held: &&SessionPlan| shown.last.as_deref() == Some(held.plan.id.as_str());
        let named = waiting.iter().find(is_named);
        // If the named plan is not waiting, the line is answered as typed, not with the card of another plan.
        let names_another = named.is_none() && words.len() > 2;
        if waiting.is_empty() || names_another {
            return LineMeaning::Line(line.to_owned());
        }
        let meant = named.or_else(|| waiting.iter().find(is_last));
        let token_of = |held: &SessionPlan| shown.tokens.get(held.plan.id.as_str()).cloned();
        match meant.and_then(|held| Some((held, token_of(held)?))) {
            Some((_, token)) if named.is_some() || waiting.len() == 1 => {
                LineMeaning::Line(format!("{line} {token}"))
            }
            Some((held, token)) => LineMeaning::Line(format!("{line} {} {token}", held.plan.id)),
            None => {
                let meant = waiting
                    .iter()
                    .filter(|held| named.is_none() || is_named(held));
                self.shown_first(line, meant.collect())
            }
        }
    }

    /// Shows the plans that a line would decide on, so that the person can read them and type the line again.
    fn shown_first(&self, line: &str, meant: Vec<&SessionPlan>) -> LineMeaning {
        let mut said: Vec<Content> = meant.into_iter().map(|held| self.show(held)).collect();
        let notice = if said.len() == 1 {
            format!("Read this plan before you decide, then type `{line}` again.")
        } else {
            self.none_was_last();
            format!("Several plans are waiting. Read them, then name one: `{line} PLAN`.")
        };
        said.push(Content::Notice(notice));
        LineMeaning::NothingShown(said)
    }
}
