//! No acknowledged entry is lost, even if the process is killed under load again and again.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use plan_machine_sessions::journal::{Entry, Sender};
use plan_machine_sessions::{SessionIdentity, Sessions};
use plan_machine_tests::dice::Dice;
use plan_machine_tests::soak::times;

use super::{machine_set, on_disk};

/// Starts a host process, and kills it after it has acknowledged this many entries. Returns, for each session, the
/// number of the last entry that the process acknowledged.
fn killed_after(path: &Path, lines: usize) -> HashMap<String, u64> {
    let mut host = Command::new(env!("CARGO_BIN_EXE_session-host"))
        .arg("load")
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host process starts");
    let output = BufReader::new(host.stdout.take().expect("the output of the process"));
    let mut acknowledged = HashMap::new();
    for (line, number) in output.lines().zip(0..) {
        if number == lines {
            host.kill().expect("the process is killed");
        }
        // Lines that the process wrote before it was killed still count, but an incomplete line is not an
        // acknowledgment.
        let line = line.expect("a line");
        let words: Vec<&str> = line.split(' ').collect();
        if let [conversation, seq, "."] = words[..] {
            acknowledged.insert(
                conversation.to_owned(),
                seq.parse().expect("the number of an entry"),
            );
        }
    }
    let ended = host.wait().expect("the process ends");
    assert_eq!(
        ended.signal(),
        Some(9),
        "the process must have been killed: {ended}"
    );
    assert!(
        !acknowledged.is_empty(),
        "the process was killed after {lines} lines, but none of them acknowledged an entry"
    );
    acknowledged
}

/// Checks that the data of each commit was stored completely: all effects of the entries are pending, and all calls
/// with an id have an answer.
async fn nothing_is_half_there(sessions: &Sessions, identity: &SessionIdentity) {
    let session = sessions.session(identity);
    assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
    let entries: Vec<Entry> = session
        .history(0, u32::MAX)
        .await
        .expect("the history of the session");
    let effects: usize = entries
        .iter()
        .map(|entry| entry.step.acceptance.effects.len())
        .sum();
    let pending = sessions
        .store()
        .pending(identity, u32::MAX)
        .await
        .expect("the pending effects");
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
    session.plans().await.expect("the session can be opened");
}

#[tokio::test]
async fn acknowledged_entries_survive_each_of_many_kills() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let mut dice = Dice::new(20_260_101);
    let (kills, mut entries) = (times(200), 0);
    for kill in 0..kills {
        let acknowledged = killed_after(&path, 1 + dice.below(40));
        let sessions = on_disk(&path);
        for (conversation, seq) in acknowledged {
            let identity = SessionIdentity::new("load", &conversation).expect("a valid identity");
            let head = sessions
                .session(&identity)
                .seq()
                .await
                .expect("the number of the last entry");
            assert!(
                head >= seq,
                "{conversation}: entry {seq} was acknowledged, but the last stored entry is {head}"
            );
        }
        if kill % 50 == 49 {
            entries = 0;
            for listed in sessions
                .list(None, 100)
                .await
                .expect("the list of sessions")
            {
                entries += listed.seq;
                nothing_is_half_there(&sessions, &listed.session).await;
            }
        }
    }
    assert!(entries > 0, "the sessions of the killed writers are empty");
    println!(
        "a writer was killed {kills} times: of {entries} entries, none was lost or stored only in part"
    );
}
