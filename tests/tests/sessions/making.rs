//! If a process is killed while it creates the file of a store, the file can still be used.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use plan_machine_tests::dice::Dice;
use plan_machine_tests::soak::times;

use super::{around, identity, machine_set, on_disk};

/// Starts a process that creates a file, and kills the process when it has written this many bytes.
/// A number of bytes identifies the same moment even on a busy computer; a pause or a number of
/// attempts would not.
fn killed_while_it_makes(path: &Path, bytes: u64) {
    let mut host = Command::new(env!("CARGO_BIN_EXE_session-host"))
        .arg("load")
        .arg(path)
        .stdout(Stdio::null())
        .spawn()
        .expect("the host process starts");
    while !path.exists() || written(path) < bytes {
        let ended = host.try_wait().expect("the state of the process");
        assert_eq!(ended, None, "the process ended by itself");
        thread::yield_now();
    }
    host.kill().expect("the process is killed");
    host.wait().expect("the process ends");
}

/// Returns the size of a store: of its database file, and of its write-ahead log.
fn written(path: &Path) -> u64 {
    let size = |path: &Path| path.metadata().map_or(0, |file| file.len());
    size(path) + size(&path.with_extension("db-wal"))
}

#[tokio::test]
async fn a_file_can_be_used_after_its_creation_was_interrupted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut dice = Dice::new(20_260_102);
    let (kills, mut unmade) = (times(40), 0);
    for kill in 0..kills {
        let path = folder.path().join(format!("{kill}.db"));
        let most = 1 << dice.below(19);
        let bytes = u64::try_from(dice.below(most)).expect("a size");
        killed_while_it_makes(&path, bytes);
        unmade += usize::from(path.metadata().is_ok_and(|file| file.len() == 0));
        let sessions = on_disk(&path);
        let session = sessions.session(&identity("after-the-kill"));
        session
            .command("/plan on", &around())
            .await
            .expect("the plan is started");
        assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
    }
    println!(
        "{kills} processes were killed while they created a file, {unmade} of them before the first byte was written: \
         every file can still be used"
    );
}
