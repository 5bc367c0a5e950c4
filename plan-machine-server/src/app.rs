//! The data that all requests share.

use std::sync::Arc;
use std::time::Duration;

use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;
use tokio::sync::mpsc::Sender;

use crate::auth::Auth;
use crate::chat::{ChatFeed, ChatLine, ChatLog};
use crate::denials::DenialFeed;
use crate::http::{AllowedHosts, Bucket, ConnectionLimits, Rates};
use crate::inbox::Index;
use crate::live::{Follower, Hub, StoreHealth, Stream};
use crate::memory::MemoryReader;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::project::Desk;
use crate::views::{DenialList, Proofs};

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The limits of connections.
    pub connections: ConnectionLimits,
    /// The maximum number of streams of events at a time.
    pub streams: usize,
    /// The maximum number of bytes of a body.
    pub body: usize,
    /// How long a request may take.
    pub request: Duration,
    /// How often a credential may be used.
    pub requests: Bucket,
    /// How often a client may fail to prove who it is.
    pub failures: Bucket,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: ConnectionLimits {
                connections: 2048,
                head: Duration::from_secs(10),
                write: Duration::from_secs(30),
            },
            streams: 1500,
            body: 1 << 20,
            request: Duration::from_secs(30),
            requests: Bucket {
                burst: 2000.0,
                per_second: 1000.0,
            },
            failures: Bucket {
                burst: 20.0,
                per_second: 1.0,
            },
        }
    }
}

/// Called with the next one-time link whenever a link has been used.
pub type ShowLink = Box<dyn Fn(&str) + Send + Sync>;

/// The data that all requests share.
pub(crate) struct App {
    pub(crate) desk: Arc<Desk>,
    pub(crate) index: Arc<Index>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) health: Arc<StoreHealth>,
    pub(crate) auth: Auth,
    pub(crate) hosts: AllowedHosts,
    pub(crate) limits: Limits,
    pub(crate) requests: Rates,
    pub(crate) failures: Rates,
    pub(crate) metrics: Metrics,
    pub(crate) denials: Arc<DenialList>,
    pub(crate) proofs: Proofs,
    pub(crate) memory: Option<Box<dyn MemoryReader>>,
    /// Receives the lines that people write, if the server has a host that answers them.
    pub(crate) chat: Option<Sender<ChatLine>>,
    pub(crate) messages: Arc<ChatLog>,
    pub(crate) show_link: ShowLink,
    /// The address used in links.
    pub(crate) origin: String,
}

impl App {
    /// Returns the follower of the journal.
    pub(crate) fn follower(&self) -> Follower {
        Follower {
            desk: Arc::clone(&self.desk),
            index: Arc::clone(&self.index),
            hub: Arc::clone(&self.hub),
            health: Arc::clone(&self.health),
        }
    }

    /// Returns the data that a stream of events needs.
    pub(crate) fn stream(&self) -> Stream {
        Stream {
            desk: Arc::clone(&self.desk),
            index: Arc::clone(&self.index),
            hub: Arc::clone(&self.hub),
        }
    }

    /// Returns the feed to which the host writes its messages.
    pub(crate) fn feed(&self) -> ChatFeed {
        ChatFeed::new(Arc::clone(&self.hub), Arc::clone(&self.messages))
    }

    /// Returns the feed to which denied calls are reported.
    pub(crate) fn denial_feed(&self) -> DenialFeed {
        DenialFeed::new(Arc::clone(&self.hub), Arc::clone(&self.denials))
    }

    /// Returns a new one-time link for the terminal.
    pub(crate) fn link(&self) -> Result<String, getrandom::Error> {
        self.auth.issue().map(|key| self.link_with(&key))
    }

    /// Returns a new one-time link that a person has requested.
    pub(crate) fn link_for(&self, person: &str) -> Result<String, getrandom::Error> {
        self.auth.issue_for(person).map(|key| self.link_with(&key))
    }

    fn link_with(&self, key: &str) -> String {
        format!("{}/open?key={key}", self.origin)
    }
}

/// Returns the current time.
pub(crate) fn now() -> Instant {
    Instant::try_from(std::time::SystemTime::now()).unwrap_or(START_OF_TIME)
}

/// Reads the identity of a session. A name without a colon is a conversation of the channel `web`.
pub(crate) fn session_of(text: &str) -> Result<SessionIdentity, Problem> {
    let named = if text.contains(':') {
        text.parse()
    } else {
        SessionIdentity::existing("web", text)
    };
    Ok(named?)
}
