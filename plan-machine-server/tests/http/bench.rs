//! A server on a free port, over a store in memory or in a file.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use plan_machine::Object;
use plan_machine::gate::{EventContext, ToolCall};
use plan_machine_kernel::json::Json;
use plan_machine_server::auth::{CookieKey, ProgramTokens};
use plan_machine_server::chat::ChatLine;
use plan_machine_server::memory::MemoryReader;
use plan_machine_server::project::{Desk, ServedProject, SessionDocuments};
use plan_machine_server::{Limits, Server, ServerOptions, ServerStop};
use plan_machine_sessions::store::{Memory, Store};
use plan_machine_sessions::{Session, SessionIdentity, Sessions};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::{Answer, Events, LIMIT, send};

pub(crate) const PERSON: &str = "person-token-0123456789abcdef";
pub(crate) const OTHER_PERSON: &str = "other-person-token-0123456789abcdef";
pub(crate) const HOST: &str = "program-token-0123456789abcdef";
pub(crate) const READER: &str = "reader-token-0123456789abcdef";

/// A session with the plan mode of `plan-specs`.
pub(crate) const PLAN_MODE: &str = "session: Test\nmachines: { work: 'plan-specs:plan_mode' }\n";

/// A running server.
pub(crate) struct Bench {
    pub(crate) address: SocketAddr,
    pub(crate) link: String,
    /// The links that the server has shown after `link`.
    pub(crate) links: Arc<Mutex<Vec<String>>>,
    /// Sessions of another process over the same store.
    pub(crate) sessions: Sessions,
    stop: ServerStop,
    task: JoinHandle<()>,
    _folder: TempDir,
}

/// How a server is started.
pub(crate) struct Setup {
    pub(crate) document: &'static str,
    /// The machine `machine.yaml`, for documents that name it.
    pub(crate) machine: &'static str,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) limits: Limits,
    pub(crate) memory: Option<Box<dyn MemoryReader>>,
    pub(crate) chat: Option<mpsc::Sender<ChatLine>>,
    pub(crate) hosts: Vec<String>,
    pub(crate) key: [u8; 32],
    pub(crate) port: u16,
    /// Whether the store belongs to a gated project.
    pub(crate) is_gated: bool,
    /// Whether to wait until the index is complete.
    pub(crate) is_awaited: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            document: PLAN_MODE,
            machine: "",
            store: Arc::new(Memory::new()),
            limits: Limits::default(),
            memory: None,
            chat: None,
            hosts: Vec::new(),
            key: [9; 32],
            port: 0,
            is_gated: false,
            is_awaited: true,
        }
    }
}

/// Returns the options of a server with the tokens of the tests.
pub(crate) fn options(setup: &mut Setup, links: &Arc<Mutex<Vec<String>>>) -> ServerOptions {
    let tokens = format!(
        "ann person {PERSON}\nben person {OTHER_PERSON}\nbot host {HOST}\nprometheus reader {READER}\n"
    );
    let links = Arc::clone(links);
    ServerOptions {
        listen: SocketAddr::from(([127, 0, 0, 1], setup.port)),
        tokens: ProgramTokens::parse(&tokens).expect("tokens"),
        cookie_key: CookieKey::of(setup.key),
        limits: setup.limits,
        memory: setup.memory.take(),
        chat: setup.chat.take(),
        hosts: setup.hosts.clone(),
        show_link: Box::new(move |link| links.lock().expect("links").push(link.to_owned())),
        ..ServerOptions::local("ann").expect("options")
    }
}

pub(crate) fn documents(folder: &Path, text: &str) -> SessionDocuments {
    let file = folder.join("session.yaml");
    std::fs::write(&file, text).expect("a document");
    SessionDocuments::read(&file).expect("a valid document")
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn of(document: &'static str) -> Self {
        Self::with(Setup {
            document,
            ..Setup::default()
        })
        .await
    }

    pub(crate) async fn with(mut setup: Setup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let machine = folder.path().join("machine.yaml");
        std::fs::write(machine, setup.machine).expect("a machine");
        let machines = documents(folder.path(), setup.document).machines().clone();
        let sessions = Sessions::new(Arc::clone(&setup.store), machines);
        let own = documents(folder.path(), setup.document);
        let project = ServedProject::of_store("shop", Arc::clone(&setup.store), vec![(None, own)]);
        let mut project = project.expect("a project");
        if setup.is_gated {
            project = project.all_gated();
        }
        let desk = Desk::fixed(project);
        Self::serve(desk, &mut setup, sessions, folder).await
    }

    pub(crate) async fn serve(
        desk: Desk,
        setup: &mut Setup,
        sessions: Sessions,
        folder: TempDir,
    ) -> Self {
        let links = Arc::default();
        let server = Server::bind(desk, options(setup, &links));
        let server = server.expect("a server");
        let (address, stop) = (server.address(), server.stop());
        let link = server.link().expect("a link");
        let task = tokio::spawn(server.run());
        let bench = Self {
            address,
            link,
            links,
            sessions,
            stop,
            task,
            _folder: folder,
        };
        if setup.is_awaited {
            bench.ready().await;
        }
        bench
    }

    /// Waits until the index is complete.
    async fn ready(&self) {
        let ready = async {
            while self.raw("GET", "/readyz", "", None).await.status != 200 {
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, ready).await.expect("an index in time");
    }

    /// Stops the server and waits until it has ended.
    pub(crate) async fn stop(self) {
        self.stop.stop();
        self.task.await.expect("the server ends");
    }

    /// Tells the server to stop, without waiting for it.
    pub(crate) fn begin_stop(&self) {
        self.stop.stop();
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.address.port())
    }

    /// Sends a request with these headers, each with its line break.
    pub(crate) async fn raw(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: Option<&str>,
    ) -> Answer {
        let request = request(self.address, method, path, headers, body);
        send(self.address, request.as_bytes()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.raw("GET", path, &bearer(PERSON), None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        self.raw("POST", path, &bearer(PERSON), Some(body)).await
    }

    pub(crate) async fn post_as(&self, token: &str, path: &str, body: &str) -> Answer {
        self.raw("POST", path, &bearer(token), Some(body)).await
    }

    /// Opens a stream of events.
    pub(crate) async fn events(&self, path: &str, headers: &str) -> Events {
        Events::open(self.address, &self.stream(path, headers), None).await
    }

    /// Opens a stream of all events. The client's system buffers only a few of them until they are read.
    pub(crate) async fn events_with_small_buffer(&self) -> Events {
        Events::open(
            self.address,
            &self.stream("/api/events", ""),
            Some(32 << 10),
        )
        .await
    }

    fn stream(&self, path: &str, headers: &str) -> String {
        let (host, bearer) = (self.host(), bearer(READER));
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{bearer}{headers}\r\n")
    }

    /// Returns a session as another process uses it.
    pub(crate) fn session(&self, name: &str) -> Session {
        let name: SessionIdentity = name.parse().expect("an identity");
        self.sessions.session(&name)
    }

    /// Waits until the inbox has this number of plans.
    pub(crate) async fn waiting(&self, number: usize) -> Answer {
        let listed = async {
            loop {
                let inbox = self.get("/api/inbox").await.expect(200);
                if inbox.at("waiting").as_list().map(<[Json]>::len) == Some(number) {
                    break inbox;
                }
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, listed).await.expect("the plans in time")
    }
}

/// Returns the text of a request with these headers, each with its line break.
pub(crate) fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: Option<&str>,
) -> String {
    let body = body.map_or(String::from("\r\n"), |body| {
        let length = body.len();
        format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
    });
    format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}{body}")
}

pub(crate) fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// Types a command in another process.
pub(crate) async fn typed(session: &Session, line: &str) {
    let done = session.command(line, &EventContext::now().by("ann")).await;
    let done = done.expect("an answer");
    let is_accepted = done.answer.iter().all(|one| one.outcome.is_accepted());
    assert!(is_accepted, "{line}: {:?}", done.answer);
}

/// Calls a tool in another process.
pub(crate) async fn called(session: &Session, tool: &str, args: &[(&'static str, &str)]) {
    let args: Object = args.iter().map(|(key, value)| (*key, *value)).collect();
    let call = [ToolCall::new(tool, args)];
    let around = EventContext::now().by("codex");
    session.decide(&call, &around).await.expect("a decision");
}

/// Makes a plan with one step in plan mode, which waits for an approval.
pub(crate) async fn ready_plan(session: &Session, command: &str) {
    typed(session, "/plan on").await;
    called(session, "shell", &[("cmd", command)]).await;
    called(session, "plan_finalize", &[("summary", "Do it.")]).await;
}
