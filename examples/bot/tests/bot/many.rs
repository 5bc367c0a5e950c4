//! Many sessions at the same time.

use std::sync::Arc;

use crate::kit::{Place, card, chat, errors, notices};

const SCRIPT: &str = r"
- user: Go.
  model:
    - calls:
        - list_files
        - plan_set_content: { plan_markdown: The plan }
    - text: Planned.
";

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_sessions_side_by_side_do_not_disturb_each_other() {
    let place = Place::on_disk();
    let bot = Arc::new(place.bot(SCRIPT));
    let talks = (0..200).map(|number| {
        let bot = Arc::clone(&bot);
        tokio::spawn(async move {
            let chat = chat(&format!("chat-{number}"));
            let mut said = bot.handle(&chat, "/plan on").await;
            said.extend(bot.handle(&chat, "Go.").await);
            let approve = card(&said).commands[0].clone();
            said.extend(bot.handle(&chat, &approve).await);
            said.extend(bot.handle(&chat, "/plan done").await);
            said
        })
    });
    let talks: Vec<_> = talks.collect();
    let mut sessions = Vec::new();
    for talk in talks {
        let said = talk.await.expect("no task panics");
        assert_eq!(errors(&said), Vec::<&str>::new());
        assert_eq!(notices(&said).last(), Some(&"Plan work is off."));
        assert!(said.iter().all(|one| one.session == said[0].session));
        sessions.push(said[0].session.clone());
    }
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 200);
}
