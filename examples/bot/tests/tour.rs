//! The tour in the bot's README, played as a person would follow it.

use std::fmt::Write as _;
use std::sync::Arc;

use plan_bot::bot::{self, Parts};
use plan_bot::demo;
use plan_machine::Instant;
use plan_machine_host::chats::{Keys, Transport};
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_host::terminal;
use plan_machine_host::tools::{ShellRule, Workspace};
use plan_machine_sessions::store::Memory;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

/// Returns the transcripts of the tour.
fn transcripts(readme: &str) -> Vec<&str> {
    let tour = readme.split("## A tour of the bot\n").nth(1);
    let tour = tour.and_then(|rest| rest.split("\n## ").next());
    let blocks = tour.expect("a tour").split("```text\n").skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .collect()
}

#[tokio::test]
async fn the_tour_shows_what_the_bot_says() {
    let readme = std::fs::read_to_string(README).expect("a file");
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = Workspace::open(&folder.path().join("workspace"), ShellRule::Never);
    let bot = bot::open(Parts {
        store: Arc::new(Memory::new()),
        model: Arc::new(demo::script().expect("a script")),
        workspace: workspace.expect("a workspace"),
        data: folder.path().join("data"),
        keys: Keys::Random,
        auto_files: AutoFiles::default(),
        clock: Arc::new(|| Instant::at_second(1_767_225_600)),
    })
    .expect("a bot");
    let transport = Transport {
        channel: "terminal".to_owned(),
        chat: "tour".to_owned(),
    };
    let transcripts = transcripts(&readme);
    assert!(transcripts.len() > 3, "{transcripts:?}");
    let mut played = readme.clone();
    for transcript in transcripts {
        let mut said = String::new();
        for line in transcript
            .lines()
            .filter_map(|line| line.strip_prefix("> "))
        {
            // Writing to a string cannot fail.
            let _ = writeln!(said, "> {line}");
            for outgoing in bot.handle(&transport, line).await {
                let _ = writeln!(said, "{}", terminal::rendered(&outgoing));
            }
        }
        let fenced = |text: &str| format!("```text\n{text}```");
        played = played.replacen(&fenced(transcript), &fenced(&said), 1);
    }
    if std::env::var_os("PLAN_BOT_UPDATE_TOUR").is_some() {
        std::fs::write(README, &played).expect("written");
    }
    assert!(
        played == readme,
        "the tour in the README differs from what the bot says; PLAN_BOT_UPDATE_TOUR=1 rewrites the tour"
    );
}
