//! No acknowledged entry is lost, even if the process is killed under load again and again.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use plan_machine_sessions::journal::{Entry, Sender};
use plan_machine_sessions::{SessionIdentity, Sessions};
use plan_machine_tests::dice::Dice;
use plan_machine_tests::soak::times;

use super::{machine_set, on_disk};

/// Lets a host work until it has acknowledged this many entries, kills it, and returns everything that it has
/// acknowledged: the last sequence number of each session.
fn killed_after(path: &Path, lines: usize) -> HashMap<String, u64> {
    let mut host = Command::new(env!("CARGO_BIN_EXE_session-host"))
        .arg("load")
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a host");
    let output = BufReader::new(host.stdout.take().expect("its output"));
    let mut acknowledged = HashMap::new();
    for (line, number) in output.lines().zip(0..) {
        if number == lines {
            host.kill().expect("killed");
        }
        // Lines that were written to the pipe before the end still count, but an incomplete line is not an
        // acknowledgment.
        let line = line.expect("a line");
        let words: Vec<&str> = line.split(' ').collect();
        if let [conversation, seq, "."] = words[..] {
            acknowledged.insert(conversation.to_owned(), seq.parse().expect("a number"));
        }
    }
    assert!(
        !host.wait().expect("an end").success(),
        "the host was killed"
    );
    acknowledged
}

/// Checks that the stored data of a session is complete: effects of its entries are pending, and its calls have
/// answers.
async fn nothing_is_half_there(sessions: &Sessions, identity: &SessionIdentity) {
    let session = sessions.session(identity);
    assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
    let entries: Vec<Entry> = session.history(0, u32::MAX).await.expect("a history");
    let effects: usize = entries
        .iter()
        .map(|entry| entry.step.taken.effects.len())
        .sum();
    let pending = sessions
        .store()
        .pending(identity, u32::MAX)
        .await
        .expect("effects");
    assert_eq!(
        effects,
        pending
            .iter()
            .map(|pending| pending.positions.len())
            .sum::<usize>()
    );
    for call_id in entries.iter().filter_map(|entry| entry.call_id.as_deref()) {
        let mut answered = false;
        for key in Sender::ALL.map(|sender| sender.key(call_id)) {
            let answer = sessions.store().answer(identity, &key).await;
            answered |= answer.expect("an answer").is_some();
        }
        assert!(answered, "{call_id}");
    }
    session.plans().await.expect("it can be opened");
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_each_of_many_kills() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let mut dice = Dice::new(20_260_101);
    let (kills, mut entries) = (times(200), 0);
    for kill in 0..kills {
        let acknowledged = killed_after(&path, 1 + dice.below(40));
        let sessions = on_disk(&path);
        for (conversation, seq) in acknowledged {
            let identity = SessionIdentity::new("load", &conversation).expect("an identity");
            let head = sessions.session(&identity).seq().await.expect("a number");
            assert!(
                head >= seq,
                "{conversation}: entry {seq} was acknowledged, but the last stored entry is {head}"
            );
        }
        if kill % 50 == 49 {
            entries = 0;
            for listed in sessions.list(None, 100).await.expect("a list") {
                entries += listed.seq;
                nothing_is_half_there(&sessions, &listed.session).await;
            }
        }
    }
    println!(
        "a writer was killed {kills} times: {entries} entries, none of them lost or incomplete"
    );
}
