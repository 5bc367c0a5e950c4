//! Processes that fire timers and are killed: each timer fires exactly once.

use std::path::Path;

use plan_machine_tests::soak::times;
use plan_machine_tests::ticking::Ticking;

const SESSIONS: usize = 40;
const PROCESSES: u64 = 8;

#[tokio::test]
async fn each_timer_fires_once_although_processes_that_fire_it_are_killed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = format!("sqlite:{}", folder.path().join("plans.db").display());
    let mut ticking = Ticking::start(&store, SESSIONS).await;
    let (rounds, mut kills) = (times(2), 0);
    for _ in 0..rounds {
        kills += ticking.wake_and_kill(Path::new(env!("CARGO_BIN_EXE_session-host")), PROCESSES);
        ticking.check().await;
    }
    assert!(kills > 0, "no process was killed while it worked");
    let timers = rounds * SESSIONS;
    println!(
        "{PROCESSES} processes that fired timers were killed {kills} times: \
         each of {timers} timers fired exactly once"
    );
}
