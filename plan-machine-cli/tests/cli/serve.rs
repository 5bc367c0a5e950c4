//! `plan-machine serve` in a gated project.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::{iter, thread};

use plan_machine_kernel::json::Json;

use super::gated::{Gated, LIMIT, MARKERS, refuses_an_agent};

/// A server that ends with its test.
struct Served(Child);

impl Served {
    fn end(mut self) {
        self.0.kill().expect("ended");
        self.0.wait().expect("its end");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the server, and returns its process and the links that it shows, without their scheme. There is no link if the
/// server shows none in time.
fn serve(gated: &Gated, options: &[&str]) -> (Served, impl Iterator<Item = String> + use<>) {
    let mut serve = Command::new(env!("CARGO_BIN_EXE_plan-machine"));
    serve
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(options)
        .current_dir(gated.project())
        .env("PLAN_MACHINE_HOME", gated.folder.join("state"))
        .stdout(Stdio::piped());
    for marker in MARKERS {
        serve.env_remove(marker);
    }
    let mut served = Served(serve.spawn().expect("a process"));
    let output = BufReader::new(served.0.stdout.take().expect("its output")).lines();
    let mut links = output.map_while(Result::ok).filter_map(|line| {
        let (_, link) = line.split_once("http://")?;
        Some(link.to_owned())
    });
    let (shown, next) = mpsc::channel();
    thread::spawn(move || links.try_for_each(|link| shown.send(link)));
    let links = iter::from_fn(move || next.recv_timeout(LIMIT).ok());
    (served, links)
}

/// Connects to a server. Nothing is awaited without a limit.
fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit");
    stream
}

#[test]
fn the_link_that_serve_shows_opens_the_page() {
    let gated = Gated::new("agents_serve");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    let (server, mut links) = serve(&gated, &[]);
    let link = links.next().expect("a link");
    let (address, path) = link.split_once('/').expect("a path");
    let mut stream = connect(address);
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("set-cookie: plan_machine_"), "{answer}");
    let next = links.next().expect("another link");
    assert_ne!(next, link, "the next link is another one");
    server.end();
}

#[test]
fn a_call_that_a_hook_denies_is_a_live_event_of_its_session() {
    let gated = Gated::new("serve_denied");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    let token = "reader-token-0123456789abcdef";
    let tokens = gated.folder.join("tokens");
    fs::write(&tokens, format!("monitor reader {token}\n")).expect("tokens");
    let (server, mut links) = serve(&gated, &["--tokens", tokens.to_str().expect("UTF-8")]);
    let link = links.next().expect("a link");
    let (address, _) = link.split_once('/').expect("a path");
    let mut stream = connect(address);
    let request = format!(
        "GET /api/sessions/claude-code:talk-0001/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    // The server sends comments while nothing happens. The limit is only reached if the test fails.
    let sent = BufReader::new(stream).lines().map_while(Result::ok);
    let mut sent = sent.take(100);
    assert!(sent.any(|line| line == "event: hello"), "no stream");
    let (status, text) = gated.write("c1");
    assert_eq!(status, 2, "{text}");
    assert!(sent.any(|line| line == "event: denied"), "no event");
    let data = sent.next().expect("data");
    let data = Json::parse(data.strip_prefix("data: ").expect("data")).expect("JSON");
    let Json::Object(denied) = &data else {
        panic!("{data}");
    };
    let session = Json::from("claude-code:talk-0001");
    assert_eq!(denied.get("sessionId"), Some(&session), "{data}");
    assert_eq!(denied.get("seq"), Some(&Json::Null), "{data}");
    assert_eq!(denied.get("tool"), Some(&Json::from("Write")), "{data}");
    server.end();
}

/// Serves a store with the documents of the project, and returns the first line of the answer to a command that a
/// program sends to an agent's session.
#[cfg(unix)]
fn answer_to_a_command(gated: &Gated, store: &str) -> String {
    let token = "program-token-0123456789abcdef";
    let tokens = gated.folder.join("tokens");
    fs::write(&tokens, format!("bot host {token}\n")).expect("tokens");
    let store = format!("sqlite:{store}");
    let tokens = tokens.to_str().expect("UTF-8");
    let document = ".plan-machine/session.yaml";
    let options = ["--store", &store, "--session", document, "--tokens", tokens];
    let (server, mut links) = serve(gated, &options);
    let link = links.next().expect("a link");
    let (address, _) = link.split_once('/').expect("a path");
    let mut stream = connect(address);
    let body = r#"{"line":".plan on"}"#;
    let request = format!(
        "POST /api/sessions/codex:abcdefgh/command HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    server.end();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
#[cfg(unix)]
fn serve_knows_the_file_of_a_gated_project_under_every_name() {
    let gated = Gated::new("serve_state");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", ".plan on");
    let store = gated.store();
    std::os::unix::fs::symlink(&store, gated.project().join("link.db")).expect("a link");
    for store in ["link.db", store.to_str().expect("UTF-8")] {
        let answer = answer_to_a_command(&gated, store);
        assert!(answer.starts_with("HTTP/1.1 403"), "{store}: {answer}");
    }
    // A host may have a channel with the name of an agent.
    let answer = answer_to_a_command(&gated, "own.db");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
#[cfg(feature = "memory")]
fn a_memory_that_does_not_exist_is_reported_and_not_created() {
    let gated = Gated::new("agents_memory");
    if refuses_an_agent(&gated) {
        return;
    }
    let serve = "serve --listen 127.0.0.1:0 --memory memory.jsonl";
    let (status, text) = gated.run(serve, "");
    assert!(status == 2 && text.contains("--store"), "{text}");
    let store = "--store sqlite:plans.db --session .plan-machine/session.yaml";
    let (status, text) = gated.run(&format!("{serve} {store}"), "");
    assert!(
        status == 2 && text.contains("cannot read `memory.jsonl`: No such file"),
        "{text}"
    );
    assert!(!gated.project().join("memory.jsonl").exists());
}

#[test]
fn an_address_that_is_used_is_reported_with_what_to_do() {
    let gated = Gated::new("serve_twice");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address");
    let (status, text) = gated.run(&format!("serve --listen {address}"), "");
    let found = format!("cannot listen on {address}: ");
    assert!(status == 2 && text.contains(&found), "{text}");
    let help = "another `plan-machine serve` may be running";
    assert!(text.contains(help) && text.contains("--listen"), "{text}");
}
