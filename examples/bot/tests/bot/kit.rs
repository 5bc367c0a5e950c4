//! A bot in its own folder, and helpers for tests.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use plan_bot::bot::{self, Parts};
use plan_machine::Instant;
use plan_machine_host::Host;
use plan_machine_host::chats::{Keys, Transport};
use plan_machine_host::disk::folder_name;
use plan_machine_host::history::History;
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_host::model::script::Script;
use plan_machine_host::model::{
    Message, Model, ModelError, ModelRequest, Response, ResponseFuture,
};
use plan_machine_host::tools::{Shell, ShellRule, Workspace};
use plan_machine_host::{Card, Content, Outgoing};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionIdentity};
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// The folder of a bot's data. A second bot that is created here finds the data of the first bot.
pub(crate) struct Place {
    all: TempDir,
    store: Arc<dyn Store>,
    auto_files: AutoFiles,
    /// The time of all bots that are created here, in seconds since 1970. It does not change unless a test advances it.
    seconds: Arc<AtomicU32>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let all = TempDir::new().expect("a folder");
        Self::at(all, Arc::new(Memory::new()))
    }

    pub(crate) fn on_disk() -> Self {
        let all = TempDir::new().expect("a folder");
        let store = Sqlite::open(all.path().join("plans.db")).expect("a store");
        Self::at(all, Arc::new(store))
    }

    fn at(all: TempDir, store: Arc<dyn Store>) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since.ok().and_then(|since| since.as_secs().try_into().ok());
        Self {
            all,
            store,
            auto_files: AutoFiles::default(),
            seconds: Arc::new(AtomicU32::new(seconds.expect("a time"))),
        }
    }

    /// Lets time pass for all bots that are created here.
    pub(crate) fn pass(&self, seconds: u32) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Moves the time forward until a run's turn is due, and lets the bot check its timers.
    pub(crate) async fn tick(&self, bot: &Host) -> Vec<Outgoing> {
        self.pass(5);
        bot.tick().await
    }

    /// Changes the settings for automatic planning files.
    pub(crate) fn with_auto_files(mut self, auto_files: AutoFiles) -> Self {
        self.auto_files = auto_files;
        self
    }

    /// Uses another store with the same data folder.
    pub(crate) fn beside(mut self, store: Arc<dyn Store>) -> Self {
        self.store = store;
        self
    }

    pub(crate) fn bot(&self, script: &str) -> Host {
        self.bot_with(Arc::new(scripted(script)))
    }

    pub(crate) fn bot_with(&self, model: Arc<dyn Model>) -> Host {
        let shell = ShellRule::Supervised(Shell {
            supervisor: env!("CARGO_BIN_EXE_plan-bot").into(),
            limit: Duration::from_mins(1),
        });
        let seconds = Arc::clone(&self.seconds);
        bot::open(Parts {
            store: Arc::clone(&self.store),
            model,
            workspace: Workspace::open(&self.inside(""), shell).expect("a workspace"),
            data: self.data(),
            keys: Keys::Random,
            auto_files: self.auto_files,
            clock: Arc::new(move || Instant::at_second(seconds.load(Ordering::Relaxed))),
        })
        .expect("a bot")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.all.path().join("data")
    }

    /// Returns a path in the workspace.
    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.all.path().join("workspace").join(name)
    }

    /// Returns a path next to the workspace.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.all.path().join(name)
    }

    /// Returns the text of a file in the workspace.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.inside(name)).ok()
    }

    pub(crate) fn history(&self, session: &SessionIdentity) -> History {
        let name = format!("{}.jsonl", folder_name(&session.to_string()));
        History::open(&self.data().join("history").join(name)).expect("a history")
    }

    /// Returns the results of the model's calls, in order.
    pub(crate) fn results(&self, session: &SessionIdentity) -> Vec<String> {
        let history = self.history(session);
        let results = history
            .messages()
            .iter()
            .filter_map(|message| match message {
                Message::Result { content, .. } => Some(content.clone()),
                _ => None,
            });
        results.collect()
    }
}

pub(crate) fn scripted(script: &str) -> Script {
    Script::read("script", script).expect("a script")
}

pub(crate) fn chat(name: &str) -> Transport {
    Transport {
        channel: "terminal".to_owned(),
        chat: name.to_owned(),
    }
}

/// Returns the session that produced this content.
pub(crate) fn session(bot: &Host, all: &[Outgoing]) -> Session {
    let first = all.first().expect("something was said");
    bot.sessions().session(&first.session)
}

/// Returns the active session of a chat.
pub(crate) async fn active(bot: &Host, chat: &Transport) -> Session {
    session(bot, &bot.handle(chat, "/mode").await)
}

/// Returns the names of the events that a session has accepted, except the starts of turns.
pub(crate) async fn journal(session: &Session) -> Vec<String> {
    let deeds = session.audit(0, 1000).await.expect("a journal");
    let events = deeds.into_iter().map(|deed| deed.event);
    events.filter(|event| event != "turn").collect()
}

/// Returns how many times a session has accepted an event.
pub(crate) async fn times(session: &Session, event: &str) -> usize {
    let journal = journal(session).await;
    journal.iter().filter(|taken| *taken == event).count()
}

/// Returns the state of the first plan of a machine.
pub(crate) async fn state(session: &Session, machine: &str) -> Option<String> {
    let plans = session.plans().await.expect("plans");
    let mut plans = plans.into_iter().filter(|held| held.machine == machine);
    plans.next().map(|held| held.plan.state.into_owned())
}

pub(crate) fn words(all: &[Outgoing]) -> Vec<&str> {
    let words = all.iter().filter_map(|outgoing| match &outgoing.content {
        Content::Model(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

pub(crate) fn errors(all: &[Outgoing]) -> Vec<&str> {
    let errors = all.iter().filter_map(|outgoing| match &outgoing.content {
        Content::Error(text) => Some(text.as_str()),
        _ => None,
    });
    errors.collect()
}

pub(crate) fn notices(all: &[Outgoing]) -> Vec<&str> {
    let notices = all.iter().flat_map(|outgoing| match &outgoing.content {
        Content::Notice(text) => vec![text.as_str()],
        Content::List(lines) => lines.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    });
    notices.collect()
}

/// Returns the card that was shown last.
pub(crate) fn card(all: &[Outgoing]) -> Card {
    let mut cards = all.iter().filter_map(|outgoing| match &outgoing.content {
        Content::Card(card) => Some(card.clone()),
        _ => None,
    });
    cards.next_back().expect("a card")
}

/// A scripted model that records requests and answers, can fail, and can be made to wait.
pub(crate) struct Watched {
    script: Script,
    asked: Mutex<Vec<(ModelRequest, Result<Response, ModelError>)>>,
    /// The number of the request that fails, counted from 1.
    pub(crate) fails_at: usize,
    /// One permit for each request that is waiting or has waited.
    pub(crate) began: Semaphore,
    /// One permit for each request that may be answered. If the semaphore is closed, all requests may be answered.
    pub(crate) go: Semaphore,
}

impl Watched {
    pub(crate) fn new(script: &str) -> Self {
        let watched = Self::waiting(script);
        watched.go.close();
        watched
    }

    pub(crate) fn failing_at(script: &str, fails_at: usize) -> Self {
        let mut watched = Self::new(script);
        watched.fails_at = fails_at;
        watched
    }

    /// Creates a model whose answers wait for permits from `go`.
    pub(crate) fn waiting(script: &str) -> Self {
        Self {
            script: scripted(script),
            asked: Mutex::default(),
            fails_at: 0,
            began: Semaphore::new(0),
            go: Semaphore::new(0),
        }
    }

    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        let asked = self.asked.lock().expect("no thread has panicked");
        asked.iter().map(|(request, _)| request.clone()).collect()
    }

    pub(crate) fn responses(&self) -> Vec<Response> {
        let asked = self.asked.lock().expect("no thread has panicked");
        let given = asked.iter().filter_map(|(_, given)| given.clone().ok());
        given.collect()
    }
}

impl Model for Watched {
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a> {
        Box::pin(async move {
            self.began.add_permits(1);
            if let Ok(permit) = self.go.acquire().await {
                permit.forget();
            }
            let mut asked = self.asked.lock().expect("no thread has panicked");
            let given = if asked.len() + 1 == self.fails_at {
                Err(ModelError::Unreachable("it is down".to_owned()))
            } else {
                self.script.answer(request)
            };
            asked.push((request.clone(), given.clone()));
            given
        })
    }

    fn name(&self) -> String {
        "watched".to_owned()
    }
}

/// Waits until the steps have written this text to the file `count`.
pub(crate) async fn written(place: &Place, text: &str) {
    while place.text("count").as_deref() != Some(text) {
        tokio::task::yield_now().await;
    }
}
