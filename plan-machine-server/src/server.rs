//! The server: binds an address, follows the journal, and answers requests until it is stopped.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use metrics::counter;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use crate::api::routes;
use crate::app::{App, Limits, ShowLink};
use crate::auth::{Auth, CookieKey, ProgramTokens};
use crate::chat::{ChatFeed, ChatLine};
use crate::denials::DenialFeed;
use crate::http::{AllowedHosts, Rates, accept, address_of, is_host, listen};
use crate::live::{DenialFollower, follow, wake};
use crate::memory::MemoryReader;
use crate::metrics::{Metrics, names};
use crate::project::{Desk, ServeError};

/// The options of a server.
pub struct ServerOptions {
    /// The address to listen on; with port 0, any free port.
    pub listen: SocketAddr,
    /// Further names of this server, such as that of a proxy in front of it. Links use the first one, with `https://`
    /// if the name begins with it.
    pub hosts: Vec<String>,
    /// The name of the person who opens a link.
    pub person: String,
    /// The key that seals cookies.
    pub cookie_key: CookieKey,
    /// The tokens of programs.
    pub tokens: ProgramTokens,
    /// The limits.
    pub limits: Limits,
    /// The memory of a host, if there is one.
    pub memory: Option<Box<dyn MemoryReader>>,
    /// Receives the lines that people write, if there is a host that answers them. The host writes its answers to
    /// [`Server::chat_feed`].
    pub chat: Option<mpsc::Sender<ChatLine>>,
    /// Called with the next one-time link whenever a link has been used. [`Server::link`] returns the first one.
    pub show_link: ShowLink,
}

impl ServerOptions {
    /// Returns the options of a server for this computer alone. Its cookies become invalid when the process ends.
    ///
    /// # Errors
    ///
    /// If the system cannot provide random numbers.
    pub fn local(person: impl Into<String>) -> Result<Self, ServeError> {
        Ok(Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            hosts: Vec::new(),
            person: person.into(),
            cookie_key: CookieKey::random()?,
            tokens: ProgramTokens::default(),
            limits: Limits::default(),
            memory: None,
            chat: None,
            show_link: Box::new(|_| {}),
        })
    }
}

/// A server that listens.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
    stop: watch::Sender<bool>,
}

/// Stops a server.
#[derive(Clone, Debug)]
pub struct ServerStop(watch::Sender<bool>);

impl ServerStop {
    /// Stops the server: requests in progress are completed, and streams end with a reason.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens on an address. This must be called inside a Tokio runtime.
    ///
    /// # Errors
    ///
    /// If the address cannot be used, if other computers can reach it and [`ServerOptions::hosts`] is empty, or if one
    /// of these names is not a valid host.
    pub fn bind(desk: Desk, options: ServerOptions) -> Result<Self, ServeError> {
        let shown = options.listen.to_string();
        if !options.listen.ip().is_loopback() && options.hosts.is_empty() {
            return Err(ServeError::NoHost(shown));
        }
        if let Some(name) = options.hosts.iter().find(|name| !is_host(name)) {
            return Err(ServeError::InvalidHost(name.clone()));
        }
        let failed = |error: std::io::Error| ServeError::Listen {
            address: shown.clone(),
            cause: error.to_string(),
        };
        let listener = listen(options.listen).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (key, tokens) = (options.cookie_key, options.tokens);
        let app = App {
            desk: Arc::new(desk),
            index: Arc::default(),
            hub: Arc::default(),
            health: Arc::default(),
            auth: Auth::new(key, tokens, options.person, address.port()),
            hosts: AllowedHosts::new(address.port(), &options.hosts),
            limits: options.limits,
            requests: Rates::new(options.limits.requests),
            failures: Rates::new(options.limits.failures),
            metrics: Metrics::of_process(),
            denials: Arc::default(),
            proofs: crate::views::Proofs::default(),
            memory: options.memory,
            chat: options.chat,
            messages: Arc::default(),
            show_link: options.show_link,
            origin: origin(address, &options.hosts),
        };
        Ok(Self {
            app: Arc::new(app),
            listener,
            address,
            stop: watch::Sender::new(false),
        })
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a new one-time link.
    ///
    /// # Errors
    ///
    /// If the system cannot provide random numbers.
    pub fn link(&self) -> Result<String, ServeError> {
        Ok(self.app.link()?)
    }

    /// Returns the feed to which a host writes its messages.
    #[must_use]
    pub fn chat_feed(&self) -> ChatFeed {
        self.app.feed()
    }

    /// Returns the feed to which a host reports the calls of its model that were denied.
    #[must_use]
    pub fn denial_feed(&self) -> DenialFeed {
        self.app.denial_feed()
    }

    /// Returns a handle that stops the server.
    #[must_use]
    pub fn stop(&self) -> ServerStop {
        ServerStop(self.stop.clone())
    }

    /// Answers requests until the server is stopped.
    pub async fn run(self) {
        let Self {
            app,
            listener,
            stop,
            ..
        } = self;
        let limits = app.limits.connections;
        let follower = tokio::spawn(follow(app.follower(), stop.subscribe()));
        let waking = tokio::spawn(wake(Arc::clone(&app.desk), stop.subscribe()));
        let changes = tokio::spawn(forget_proofs(Arc::clone(&app), stop.subscribe()));
        let hub = Arc::clone(&app.hub);
        let mut stopping = stop.subscribe();
        let ending = tokio::spawn(async move {
            // If the sender has been dropped, the streams end with the connections.
            let _ = stopping.wait_for(|stop| *stop).await;
            hub.stop();
        });
        let mut tasks = vec![follower, waking, changes, ending];
        let list = app.desk.project().audit.clone();
        if let Some(list) = list {
            // The end of the list is looked up before the first request is answered, so that a client that is connected
            // misses no denial.
            let denials = DenialFollower::at_end(list, Arc::clone(&app.hub)).await;
            tasks.push(tokio::spawn(denials.follow(stop.subscribe())));
        }
        let refused = || counter!(names::CONNECTIONS_REFUSED).increment(1);
        accept(
            listener,
            routes(Arc::clone(&app)),
            limits,
            stop.subscribe(),
            refused,
        )
        .await;
        for task in tasks {
            task.abort();
        }
        let store = Arc::clone(app.desk.project().sessions().store());
        // Stored data is durable in any case.
        let _ = store.close().await;
    }
}

/// Discards the proofs when the documents change.
async fn forget_proofs(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let mut changes = app.desk.changes();
    loop {
        tokio::select! {
            reopened = changes.changed() => match reopened {
                Ok(()) => app.proofs.forget(),
                Err(_) => return,
            },
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Returns the address used in links.
fn origin(address: SocketAddr, hosts: &[String]) -> String {
    match (address.ip(), hosts.first()) {
        (_, Some(host)) => address_of(host),
        (IpAddr::V6(_), None) => format!("http://[::1]:{}", address.port()),
        (IpAddr::V4(_), None) => format!("http://127.0.0.1:{}", address.port()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_use_the_scheme_of_the_first_name() {
        let address = SocketAddr::from(([127, 0, 0, 1], 4519));
        let link = |hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            origin(address, &hosts)
        };
        assert_eq!(link(&[]), "http://127.0.0.1:4519");
        assert_eq!(link(&["inbox.example"]), "http://inbox.example");
        let proxy = ["https://inbox.example/", "other.example"];
        assert_eq!(link(&proxy), "https://inbox.example");
    }
}
