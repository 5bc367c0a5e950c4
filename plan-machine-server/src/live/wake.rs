//! The task that fires timers even if no events arrive, so that the page shows an expiry when it happens.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::{SessionError, SessionIdentity, UnreadableReason};
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
        let project = desk.project();
        let problems: BTreeSet<String> = match project.sessions().wake(now).await {
            Ok(woken) => {
                let failed = woken.failed.into_iter();
                failed
                    .filter(|(session, error)| !is_of_others(&project, session, error))
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

/// Returns whether a session was not woken because its channel has no document here: the host of that channel wakes it.
fn is_of_others(project: &ServedProject, session: &SessionIdentity, error: &SessionError) -> bool {
    let SessionError::Unreadable { why, .. } = error else {
        return false;
    };
    matches!(why, UnreadableReason::UnknownMachine(_)) && project.documents(session).is_none()
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
        let woken = project.sessions().wake(now).await.expect("woken");
        assert_eq!(woken.fired, [served]);
        let [(failed, error)] = &woken.failed[..] else {
            panic!("{:?}", woken.failed)
        };
        assert_eq!(*failed, other);
        assert!(is_of_others(&project, failed, error), "{error}");
        let plans = host.session(&other).plans().await.expect("plans");
        assert_eq!(plans[0].plan.state, "READY");
    }
}
