//! The task that fires timers even if no events arrive, so that the page shows an expiry when it happens.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::{SessionError, SessionIdentity, WakeReport};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use crate::project::{Desk, ServedProject};

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
        let problems: BTreeSet<String> = match wake_own(&desk.project(), now).await {
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

/// Fires due timers in the sessions whose channel has a document here. The others are left to the hosts of their
/// channels.
async fn wake_own(project: &ServedProject, now: Instant) -> Result<WakeReport, SessionError> {
    let is_own = |session: &SessionIdentity| project.documents(session).is_some();
    project.sessions().wake_those(now, is_own).await
}

#[cfg(test)]
mod tests {
    use plan_machine::Object;
    use plan_machine::gate::{EventContext, ToolCall};
    use plan_machine_sessions::Sessions;
    use plan_machine_sessions::store::{Memory, Store};

    use super::*;
    use crate::project::SessionDocuments;

    fn documents() -> SessionDocuments {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("session.yaml");
        let text = "session: Test\nmachines: { work: 'plan-specs:plan_mode' }\n";
        std::fs::write(&file, text).expect("a document");
        SessionDocuments::read(&file).expect("a valid document")
    }

    /// The plans were shown nine hours ago, and can be approved for eight hours.
    #[tokio::test]
    async fn sessions_of_channels_without_a_document_are_left_to_their_hosts() {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let own = vec![(Some("codex".to_owned()), documents())];
        let project = ServedProject::of_store("shop", Arc::clone(&store), own);
        let project = project.expect("a project");
        let host = Sessions::new(store, documents().machines().clone());
        let now = SystemTime::now();
        let nine_hours = Duration::from_secs(9 * 60 * 60);
        let then = Instant::try_from(now - nine_hours).expect("a time");
        let around = EventContext::at(then).by("ann");
        let [served, other] = ["codex:first-talk", "web:other-talk"]
            .map(|name| name.parse::<SessionIdentity>().expect("an identity"));
        for session in [&served, &other] {
            let session = host.session(session);
            session.command("/plan on", &around).await.expect("a plan");
            let calls = ["shell", "plan_finalize"].map(|tool| ToolCall::new(tool, Object::new()));
            session.decide(&calls, &around).await.expect("a plan");
        }
        let now = Instant::try_from(now).expect("a time");
        let woken = wake_own(&project, now).await.expect("woken");
        assert_eq!(woken.fired, [served]);
        assert!(woken.failed.is_empty(), "{:?}", woken.failed);
        let plans = host.session(&other).plans().await.expect("plans");
        assert_eq!(plans[0].plan.state, "READY");
    }
}
