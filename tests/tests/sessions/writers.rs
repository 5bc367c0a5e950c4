//! Many processes write to one session: one commit wins, and the other processes decide again.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use plan_machine::machine::Outcome;
use plan_machine_tests::soak::times;

use super::{approval, around, identity, on_disk, ready};

fn approver(file: &Path, conversation: &str, revision: Option<u64>) -> Child {
    let mut host = Command::new(env!("CARGO_BIN_EXE_session-host"));
    host.arg("approve").arg(file).arg(conversation);
    host.args(revision.map(|revision| revision.to_string()));
    host.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host process starts")
}

/// Lets sixteen processes approve the same plan at once; returns the sorted answers that they got.
fn sixteen(file: &Path, conversation: &str, revision: Option<u64>) -> Vec<String> {
    let mut hosts: Vec<_> = (0..16)
        .map(|_| {
            let mut host = approver(file, conversation, revision);
            let output = BufReader::new(host.stdout.take().expect("the output of the process"));
            (host, output)
        })
        .collect();
    // All processes must have opened the session before the first one continues.
    for (_, output) in &mut hosts {
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
    }
    for (host, _) in &mut hosts {
        drop(host.stdin.take());
    }
    let told = hosts.into_iter().map(|(mut host, mut output)| {
        let mut told = String::new();
        output
            .read_to_string(&mut told)
            .expect("the answer that the process got");
        assert!(host.wait().expect("the process ends").success());
        told.trim().to_owned()
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    told
}

#[tokio::test]
async fn exactly_one_of_sixteen_processes_approves_a_plan() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    for (conversation, revision, others) in [
        ("approved-by-all", None, "not_allowed"),
        ("approved-by-all-at-2", Some(2), "stale"),
    ] {
        let session = sessions.session(&identity(conversation));
        ready(&session).await;
        let told = sixteen(&path, conversation, revision);
        assert_eq!(told[0], "accepted");
        assert!(told[1..].iter().all(|told| told == others), "{told:?}");
        assert_eq!(session.seq().await, Ok(3));
        let denied = session
            .send("WorkByPlan", &approval(), &around())
            .await
            .expect("the event is answered");
        assert!(matches!(denied.answer, Outcome::Denied(_)));
    }
}

/// Starts a process that revises the plan `changes` times and prints the revisions that it created.
fn reviser(file: &Path, conversation: &str, changes: usize) -> Child {
    Command::new(env!("CARGO_BIN_EXE_session-host"))
        .arg("revise")
        .args([file, Path::new(conversation)])
        .arg(changes.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host process starts")
}

#[tokio::test]
async fn exactly_one_of_eight_processes_wins_each_revision() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    let session = sessions.session(&identity("revised-by-all"));
    ready(&session).await;
    let before = session.seq().await.expect("the number of the last entry");
    let each = times(25);
    let hosts: Vec<Child> = (0..8)
        .map(|_| reviser(&path, "revised-by-all", each))
        .collect();
    let mut winners: BTreeMap<u64, usize> = BTreeMap::new();
    for (number, host) in hosts.into_iter().enumerate() {
        let done = host.wait_with_output().expect("the process ends");
        assert!(done.status.success());
        let told = String::from_utf8(done.stdout).expect("valid UTF-8");
        for revision in told.lines() {
            let revision = revision.parse().expect("the number of a revision");
            let other = winners.insert(revision, number);
            assert_eq!(other, None, "revision {revision} has two winners");
        }
    }
    assert_eq!(winners.len(), 8 * each);
    let revised = session.seq().await.expect("the number of the last entry") - before;
    assert_eq!(
        usize::try_from(revised),
        Ok(8 * each),
        "no revision was lost"
    );
    assert_eq!(session.verify(&super::machine_set()).await, Ok(Vec::new()));
    println!(
        "8 processes made {revised} revisions of one plan, and each revision was made by exactly one process"
    );
}

#[tokio::test]
async fn a_tool_is_denied_after_another_process_has_ended_the_plan() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let (here, there) = (on_disk(&path), on_disk(&path));
    let (here, there) = (
        here.session(&identity("changed-elsewhere")),
        there.session(&identity("changed-elsewhere")),
    );
    ready(&here).await;
    assert_eq!(super::states(&there).await, ["READY"]);
    here.command("/plan done", &around())
        .await
        .expect("the plan is closed");
    let done = there
        .decide(&[super::draft("# late")], &around())
        .await
        .expect("the calls are decided");
    assert!(matches!(
        &done.answer[0],
        plan_machine::gate::Decision::Denied(_)
    ));
    assert!(super::states(&there).await.is_empty());
}
