//! A process that is killed while it creates its file leaves a usable file behind.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use plan_machine_tests::dice::Dice;
use plan_machine_tests::soak::times;

use super::{around, identity, machine_set, on_disk};

/// Lets a host create a file, and kills the host while it does so.
fn killed_while_it_makes(path: &Path, looks: usize) {
    let mut host = Command::new(env!("CARGO_BIN_EXE_session-host"))
        .arg("load")
        .arg(path)
        .stdout(Stdio::null())
        .spawn()
        .expect("a host");
    while !path.exists() {
        thread::yield_now();
    }
    // Waits for as long as it takes to check the file this many times. Depending on the number, the host gets as far as
    // the first byte of the file or its first entries.
    for _ in 0..looks {
        drop(path.metadata());
        thread::yield_now();
    }
    host.kill().expect("killed");
    host.wait().expect("an end");
}

#[tokio::test]
async fn a_file_whose_making_was_killed_can_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut dice = Dice::new(20_260_102);
    let (kills, mut unmade) = (times(40), 0);
    for kill in 0..kills {
        let path = folder.path().join(format!("{kill}.db"));
        let most = 1 << dice.below(19);
        killed_while_it_makes(&path, dice.below(most));
        unmade += usize::from(path.metadata().is_ok_and(|file| file.len() == 0));
        let sessions = on_disk(&path);
        let session = sessions.session(&identity("after-the-kill"));
        session.command("/plan on", &around()).await.expect("on");
        assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
    }
    println!(
        "{kills} processes were killed while they made a file, {unmade} before its first byte: \
         every file can be used"
    );
}
