//! The task that follows the list of calls that hooks and MCP servers have denied, so that the page shows a denial when
//! it happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use plan_machine_agents::audit::{self, ListPosition, NewDenials};
use plan_machine_sessions::SessionIdentity;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};
use tracing::warn;

use super::hub::Hub;
use crate::views::denied_event_json;

/// How often the list is read. Each round forwards at most one piece of the list. A piece has fewer denials than the
/// number of events by which a client may fall behind, so a flood of denials does not end the clients' streams.
const EVERY: Duration = Duration::from_millis(500);

/// Follows the list of denied calls of a gated project.
pub(crate) struct DenialFollower {
    list: PathBuf,
    hub: Arc<Hub>,
    /// Where the next round begins; `None` until the end of the list is known.
    position: Option<ListPosition>,
    /// The last problem. Each problem is logged once, not in every round.
    told: Option<String>,
}

impl DenialFollower {
    /// Returns a follower that begins at the end of the list. Timelines contain the earlier denials.
    pub(crate) async fn at_end(list: PathBuf, hub: Arc<Hub>) -> Self {
        let mut follower = Self {
            list,
            hub,
            position: None,
            told: None,
        };
        follower.round().await;
        follower
    }

    /// Forwards new denials until `stop` is true.
    pub(crate) async fn follow(mut self, mut stop: watch::Receiver<bool>) {
        let stopped = stop.wait_for(|stop| *stop);
        tokio::select! {
            () = self.run() => {}
            _ = stopped => {}
        }
    }

    async fn run(&mut self) {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.round().await;
        }
    }

    async fn round(&mut self) {
        let (list, position) = (self.list.clone(), self.position.clone());
        // Reading a file blocks, so it does not happen on the threads of the server.
        let read = spawn_blocking(move || match position {
            Some(position) => audit::read_after(&list, &position),
            None => audit::end(&list).map(|end| NewDenials {
                end,
                ..NewDenials::default()
            }),
        });
        let problem = match read.await {
            Ok(Ok(new)) => {
                self.forward(new);
                None
            }
            Ok(Err(error)) => Some(error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if problem != self.told
            && let Some(problem) = &problem
        {
            warn!(target: "plan_machine", event = "denials_unreadable", problem);
        }
        self.told = problem;
    }

    fn forward(&mut self, new: NewDenials) {
        if new.damaged > 0 {
            warn!(target: "plan_machine", event = "denials_damaged", lines = new.damaged);
        }
        for denied in &new.denials {
            // An event that could not be read has no session, so its denial is not shown on any page.
            if let Ok(session) = denied.session.parse::<SessionIdentity>() {
                self.hub.denied(&session, &denied_event_json(denied, None));
            }
        }
        self.position = Some(new.end);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::path::Path;

    use axum::body::Bytes;
    use plan_machine_agents::audit::DeniedCall;
    use plan_machine_kernel::time::Instant;
    use tokio::sync::broadcast::Receiver;

    use super::*;
    use crate::live::event::LiveEvent;

    fn add(list: &Path, session: &str, reason: &str) {
        let denied = DeniedCall {
            at: Instant::at_second(7),
            session: session.to_owned(),
            actor: "codex".to_owned(),
            tool: "Ba\u{1b}sh".to_owned(),
            args: "{}".to_owned(),
            reason: reason.to_owned(),
        };
        audit::add(list, &denied).expect("added");
    }

    /// Returns the events that were forwarded.
    fn forwarded(events: &mut Receiver<Arc<LiveEvent>>) -> Vec<Bytes> {
        let mut texts = Vec::new();
        while let Ok(event) = events.try_recv() {
            let LiveEvent::Passing { text, .. } = &*event else {
                panic!("{event:?}");
            };
            texts.push(text.clone());
        }
        texts
    }

    fn formatted(session: &str, reason: &str) -> Bytes {
        let at = Instant::at_second(7);
        Bytes::from(format!(
            "event: denied\ndata: {{\"sessionId\":\"{session}\",\"seq\":null,\"at\":\"{at}\",\"actor\":\"codex\",\"tool\":\"Ba‹U+001B›sh\",\"args\":\"{{}}\",\"reason\":\"{reason}\"}}\n\n"
        ))
    }

    #[tokio::test]
    async fn each_denial_after_the_start_is_forwarded_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("audit.jsonl");
        add(&list, "codex:first-talk", "before the start");
        let hub = Arc::new(Hub::default());
        let (mut events, _) = hub.subscribe();
        let mut follower = DenialFollower::at_end(list.clone(), Arc::clone(&hub)).await;
        let mut file = OpenOptions::new().append(true).open(&list).expect("a list");
        file.write_all(b"damaged\n").expect("written");
        add(&list, "", "an event that could not be read");
        add(&list, "codex:first-talk", "one");
        add(&list, "codex:second-talk", "two");
        follower.round().await;
        follower.round().await;
        let expected = [
            formatted("codex:first-talk", "one"),
            formatted("codex:second-talk", "two"),
        ];
        assert_eq!(forwarded(&mut events), expected);
    }

    #[tokio::test]
    async fn a_list_that_cannot_be_read_is_followed_from_its_end_once_it_can() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("audit.jsonl");
        fs::create_dir(&list).expect("a folder in place of the list");
        let hub = Arc::new(Hub::default());
        let (mut events, _) = hub.subscribe();
        let mut follower = DenialFollower::at_end(list.clone(), Arc::clone(&hub)).await;
        assert!(follower.told.is_some());
        fs::remove_dir(&list).expect("removed");
        add(&list, "codex:first-talk", "before the end is known");
        follower.round().await;
        assert_eq!(follower.told, None);
        add(&list, "codex:first-talk", "one");
        follower.round().await;
        assert_eq!(
            forwarded(&mut events),
            [formatted("codex:first-talk", "one")]
        );
    }
}
