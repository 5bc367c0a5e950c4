//! The task that fires timers even if no events arrive, so that the page shows an expiry when it happens.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plan_machine_kernel::time::Instant;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use crate::project::Desk;

/// How often due timers are looked up. Sessions without due timers are not read.
const EVERY: Duration = Duration::from_secs(1);

/// Fires due timers until `stop` is true.
pub(crate) async fn wake(desk: Arc<Desk>, mut stop: watch::Receiver<bool>) {
    let stopped = stop.wait_for(|stop| *stop);
    tokio::select! {
        () = run(&desk) => {}
        _ = stopped => {}
    }
}

async fn run(desk: &Desk) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Each problem is logged once, not every second.
    let mut told = BTreeSet::new();
    loop {
        ticks.tick().await;
        let Ok(now) = Instant::try_from(SystemTime::now()) else {
            continue;
        };
        let problems: BTreeSet<String> = match desk.project().sessions().wake(now).await {
            Ok(woken) => {
                let failed = woken.failed.into_iter();
                failed
                    .map(|(session, error)| format!("{session}: {error}"))
                    .collect()
            }
            Err(error) => [error.to_string()].into(),
        };
        for problem in problems.difference(&told) {
            warn!(target: "plan_machine", event = "not_woken", problem);
        }
        told = problems;
    }
}
