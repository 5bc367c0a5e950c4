//! The bot's content as messages of a chat. A card becomes a short notice, because the page itself shows the plan.

use plan_machine::gate::EventContext;
use plan_machine_host::Content;
use plan_machine_server::chat::{ChatMessage, MessageKind};

/// Returns the message for a piece of content; `None` for diagrams and effects, which the chat does not show.
pub(super) fn message(said: &Content) -> Option<ChatMessage> {
    let (kind, text) = match said {
        Content::Model(text) => (MessageKind::Text, text.clone()),
        Content::Run { run: from, text } | Content::Output { from, text } => {
            (MessageKind::Text, format!("[{from}]\n\n{text}"))
        }
        Content::Notice(text) => (MessageKind::Notice, text.clone()),
        Content::List(lines) => (MessageKind::Notice, lines.join("\n")),
        Content::Card(card) => (
            MessageKind::Notice,
            format!("{} is shown on this page.", card.plan),
        ),
        Content::Error(text) => (MessageKind::Error, text.clone()),
        Content::Diagram(_) | Content::Effect(_) => return None,
    };
    let at = EventContext::now().now;
    Some(ChatMessage { at, kind, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_model_or_a_tool_says_is_framed() {
        let kind = |said: Content| message(&said).map(|message| message.kind);
        assert_eq!(
            kind(Content::Model("Approved.".to_owned())),
            Some(MessageKind::Text)
        );
        assert_eq!(
            kind(Content::Notice("Approved.".to_owned())),
            Some(MessageKind::Notice)
        );
        assert_eq!(kind(Content::Diagram("[READY]".to_owned())), None);
    }
}
