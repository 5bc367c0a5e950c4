//! A server process that is killed again and again while clients decide about plans and calls.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use plan_machine_kernel::json::Json;
use plan_machine_sessions::{SessionIdentity, Sessions, store};
use plan_machine_tests::dice::Dice;
use plan_machine_tests::soak::times;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::bench::{Bench, PERSON, PLAN_MODE, Setup, bearer, documents, request};
use crate::client::{Answer, LIMIT, try_send};

/// The variable that names the store of the server process, which is this program, started again.
const STORE: &str = "PLAN_MACHINE_STORE_OF_KILLED_SERVER";

/// The text before the address on the line that the server process prints.
const LISTENING: &str = "listening on ";

/// The number of sessions in which there are requests at the same time.
const TALKS: usize = 4;

/// The events that are stored by the requests of one round.
const ROUND: [&str; 5] = ["plan_on", "shell", "plan_finalize", "approve", "cancel"];

#[tokio::test]
#[ignore = "the server that another test starts and kills"]
async fn the_server_that_is_killed_runs_until_its_input_ends() {
    let Ok(address) = std::env::var(STORE) else {
        return;
    };
    let store = store::open(&address).await.expect("a store");
    let bench = Bench::with(Setup {
        store,
        ..Setup::default()
    })
    .await;
    println!("\n{LISTENING}{}", bench.address);
    // If the process that started this one ends first, this one ends as well.
    let input = || std::io::stdin().read_to_end(&mut Vec::new());
    let ended = tokio::task::spawn_blocking(input).await;
    ended.expect("a thread").expect("the end of the input");
}

/// Starts a server process, and returns it with its address as soon as it is ready.
fn start(store: &str) -> (Child, SocketAddr) {
    let program = std::env::current_exe().expect("this program");
    let name = "kills::the_server_that_is_killed_runs_until_its_input_ends";
    let mut child = Command::new(program)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(STORE, store)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a server process");
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let mut lines = output.lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix(LISTENING)?.parse().ok());
    (child, address.expect("an address"))
}

/// A session, and the requests that were acknowledged in it.
struct Talk {
    name: String,
    /// The number of requests that were acknowledged.
    done: usize,
    /// The request that was acknowledged last.
    last: Option<(String, String)>,
    /// The request that was sent and got no response.
    open: Option<(String, String)>,
    /// How many requests had been carried out although no response arrived.
    unanswered: usize,
}

impl Talk {
    fn new(number: usize) -> Self {
        Self {
            name: format!("codex:talk-{number:08}"),
            done: 0,
            last: None,
            open: None,
            unanswered: 0,
        }
    }

    /// Sends requests until the server is killed, and reports each response.
    async fn run(mut self, server: SocketAddr, answered: UnboundedSender<()>) -> Self {
        if let Some(last) = self.last.clone() {
            let Some(answer) = post(server, &last).await else {
                return self;
            };
            assert!(is_repeated(&answer), "{last:?} was lost: {answer:?}");
        }
        while self.step(server).await.is_some() {
            // The test stops listening when it has killed the server.
            let _ = answered.send(());
        }
        self
    }

    /// Sends the next request; `None` if no response arrived.
    async fn step(&mut self, server: SocketAddr) -> Option<()> {
        let is_again = self.open.is_some();
        let next = match self.open.take() {
            Some(open) => open,
            None => self.next(server).await?,
        };
        self.open = Some(next.clone());
        let answer = post(server, &next).await?;
        assert!(is_again || !is_repeated(&answer), "{next:?}: {answer:?}");
        self.unanswered += usize::from(is_repeated(&answer));
        (self.last, self.open) = (self.open.take(), None);
        self.done += 1;
        Some(())
    }

    /// Returns the path and the body of the next request; `None` if the server was killed.
    async fn next(&self, server: SocketAddr) -> Option<(String, String)> {
        let (path, once) = (format!("/api/sessions/{}", self.name), self.done);
        let call = |name: &str, args: &str| {
            format!(r#"{{"calls":[{{"name":"{name}","args":{args},"id":"call-{once}"}}]}}"#)
        };
        let line = |text: &str| format!(r#"{{"line":"{text}","once":"{once}"}}"#);
        let (way, body) = match ROUND[self.done % ROUND.len()] {
            "plan_on" => ("command", line("/plan on")),
            "shell" => ("decide", call("shell", r#"{"cmd":"make"}"#)),
            "plan_finalize" => ("decide", call("plan_finalize", "{}")),
            "cancel" => ("command", line("/plan cancel")),
            _ => {
                let view = request(server, "GET", &path, &bearer(PERSON), None);
                let view = try_send(server, view.as_bytes()).await?.expect(200);
                let (plan, token) = (view.text("cards.0.plan"), view.text("cards.0.token"));
                let body = format!(
                    r#"{{"decision":"approve","machine":"PlanMode","plan":"{plan}","token":"{token}","once":"{once}"}}"#
                );
                ("decision", body)
            }
        };
        Some((format!("{path}/{way}"), body))
    }
}

/// Sends a request that must succeed; `None` if no response arrives.
async fn post(server: SocketAddr, (path, body): &(String, String)) -> Option<Answer> {
    let text = request(server, "POST", path, &bearer(PERSON), Some(body));
    let answer = try_send(server, text.as_bytes()).await?.expect(200);
    let is_denied = answer.at("accepted") == Json::Bool(false);
    assert!(!is_denied && !answer.body.contains("denied"), "{answer:?}");
    Some(answer)
}

fn is_repeated(answer: &Answer) -> bool {
    answer.at("repeated") == Json::Bool(true)
}

/// Checks that a session has exactly one entry for each request that was acknowledged, in order. A request without a
/// response may have one as well.
async fn check(sessions: &Sessions, talk: &Talk) {
    let identity: SessionIdentity = talk.name.parse().expect("an identity");
    let audit = sessions.session(&identity).audit(0, u32::MAX).await;
    let audit = audit.expect("an audit log");
    let stored: Vec<&str> = audit.iter().map(|line| line.event.as_str()).collect();
    let expected = ROUND.into_iter().cycle();
    let expected: Vec<&str> = expected.take(stored.len()).collect();
    assert_eq!(stored, expected, "{}", talk.name);
    let open = stored.len() - talk.done;
    assert!(open == 0 || open == 1 && talk.open.is_some());
}

/// Opens the sessions as another process does.
async fn opened(store: &str, folder: &Path) -> Sessions {
    let machines = documents(folder, PLAN_MODE).machines().clone();
    Sessions::new(store::open(store).await.expect("a store"), machines)
}

#[tokio::test]
async fn a_server_that_is_killed_again_and_again_neither_loses_nor_repeats_a_decision() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("sqlite:{}", folder.path().join("plans.db").display());
    let mut dice = Dice::new(20_260_101);
    let mut talks: Vec<Talk> = (0..TALKS).map(Talk::new).collect();
    let kills = times(6);
    for _ in 0..kills {
        let (mut server, address) = start(&store);
        let (answered, mut answers) = unbounded_channel();
        let mut running = JoinSet::new();
        for talk in talks.drain(..) {
            running.spawn(talk.run(address, answered.clone()));
        }
        // If all sessions end early, there are no more answers to wait for.
        drop(answered);
        for _ in 0..=dice.below(40) {
            let answer = timeout(LIMIT, answers.recv()).await;
            answer.expect("an answer in time").expect("an answer");
        }
        // The requests of the other sessions may have reached any point now.
        for _ in 0..dice.below(20) {
            tokio::task::yield_now().await;
        }
        server.kill().expect("the server is killed");
        talks = running.join_all().await;
        server.wait().expect("the server has ended");
        let sessions = opened(&store, folder.path()).await;
        for talk in &talks {
            check(&sessions, talk).await;
        }
        sessions.store().close().await.expect("a closed store");
    }
    let done: usize = talks.iter().map(|talk| talk.done).sum();
    let unanswered: usize = talks.iter().map(|talk| talk.unanswered).sum();
    println!(
        "a server was killed {kills} times: of {done} requests, none was lost or carried out twice; \
         {unanswered} had been carried out without an answer"
    );
}
