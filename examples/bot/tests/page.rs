//! The page of the bot, over HTTP: a person talks to the bot and approves a plan, and the bot carries it out.
#![cfg(feature = "page")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const SCRIPT: &str = r"
- user: Plan it.
  model:
    - calls:
        - write_file: { path: list.md, content: bread }
        - plan_finalize: { summary: Shop. }
    - text: It is ready.
- user: Write it now.
  model:
    - calls:
        - write_file: { path: now.md, content: bread }
        - no_such_tool: {}
    - text: I may not.
- default:
    - text: Yes.
";

/// A bot that serves a page, and a browser that has opened it.
struct Page {
    bot: Child,
    folder: TempDir,
    address: String,
    conversation: String,
    /// The cookie, and the header with the key of the page.
    cookie: String,
}

impl Page {
    fn open() -> Self {
        Self::open_with(&[])
    }

    /// Opens the page of a bot with further options. The bot runs in the account of Ann.
    fn open_with(options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("script.yaml"), SCRIPT).expect("written");
        let place = |name: &str| folder.path().join(name).display().to_string();
        let mut bot = Command::new(env!("CARGO_BIN_EXE_plan-bot"))
            .args(["serve", "--listen", "127.0.0.1:0", "--mode", "plan_mode"])
            .args(["--data", &place("data"), "--workspace", &place("workspace")])
            .args(["--script", &place("script.yaml")])
            .args(options)
            .env("USER", "ann")
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let lines = BufReader::new(bot.stdout.take().expect("its output")).lines();
        let lines = lines.map(|line| line.expect("a line").trim().to_owned());
        let shown: Vec<String> = lines
            .filter(|line| line.starts_with("http://"))
            .take(2)
            .collect();
        let (address, path) = split(&shown[0]);
        let (status, head, body) = request(&address, "GET", &path, "", None);
        assert_eq!(status, 200, "{head}");
        let cookie = head
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.expect("a cookie").split(';').next();
        let key = body.split("#page=").nth(1).expect("a key");
        let key = key.split('"').next().expect("a key");
        let (_, talk) = split(&shown[1]);
        Self {
            bot,
            folder,
            cookie: format!(
                "{}\r\nx-plan-machine-page: {key}",
                cookie.expect("its value")
            ),
            conversation: talk.trim_start_matches("/session/").to_owned(),
            address,
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/sessions/{}{rest}", self.conversation)
    }

    fn get(&self, path: &str) -> Value {
        let (status, _, body) = request(&self.address, "GET", path, &self.cookie, None);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let (status, _, text) = request(&self.address, "POST", path, &self.cookie, Some(body));
        (status, text)
    }

    fn say(&self, text: &str) {
        let (status, body) = self.post(&self.path("/messages"), &json!({ "text": text }));
        assert_eq!(status, 202, "{body}");
    }

    /// Lets the model make a plan, and returns the plan that waits for the person, as the inbox lists it.
    fn planned(&self, events: &mut impl Iterator<Item = (String, Value)>) -> Value {
        self.say("/plan on");
        until(events, "Plan mode is on");
        self.say("Plan it.");
        until(events, "It is ready.");
        let inbox = self.get("/api/inbox");
        let waiting = inbox["waiting"][0].clone();
        assert_eq!(waiting["sessionId"], self.conversation, "{inbox}");
        waiting
    }

    /// Approves the plan that waits for the person.
    fn approve(&self, waiting: &Value) {
        let decision = json!({
            "decision": "approve",
            "machine": waiting["machine"],
            "plan": waiting["plan"],
            "token": waiting["token"],
        });
        let (status, body) = self.post(&self.path("/decision"), &decision);
        assert_eq!(status, 200, "{body}");
    }

    /// Returns who sent an event, according to the timeline.
    fn actor_of(&self, event: &str) -> Value {
        let timeline = self.get(&self.path("/timeline"));
        let mut stored = timeline["events"].as_array().expect("events").iter();
        let found = stored.find(|one| one["event"] == event);
        let found = found.unwrap_or_else(|| panic!("no {event} in {timeline}"));
        found["actor"].clone()
    }

    /// Opens the live events of the conversation.
    fn events(&self) -> impl Iterator<Item = (String, Value)> + use<> {
        self.events_of(&self.path("/events"))
    }

    /// Opens live events, and waits until the stream has begun.
    fn events_of(&self, path: &str) -> impl Iterator<Item = (String, Value)> + use<> {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        let head = head(&self.address, "GET", path, &self.cookie);
        stream
            .write_all(format!("{head}\r\n").as_bytes())
            .expect("sent");
        let mut name = String::new();
        let mut events = BufReader::new(stream).lines().filter_map(move |line| {
            let line = line.expect("a line");
            if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut name);
            }
            let data = line.strip_prefix("data: ")?;
            Some((name.clone(), serde_json::from_str(data).expect("JSON")))
        });
        assert_eq!(events.next().expect("an event").0, "hello");
        events
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.bot.kill();
        let _ = self.bot.wait();
    }
}

/// Splits a link into its address and its path.
fn split(link: &str) -> (String, String) {
    let rest = link.strip_prefix("http://").expect(link);
    let (address, path) = rest.split_once('/').expect(link);
    (address.to_owned(), format!("/{path}"))
}

fn head(address: &str, method: &str, path: &str, cookie: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\n"
    )
}

fn request(
    address: &str,
    method: &str,
    path: &str,
    cookie: &str,
    body: Option<&Value>,
) -> (u16, String, String) {
    let mut stream = TcpStream::connect(address).expect("connected");
    let body = body.map(Value::to_string).unwrap_or_default();
    let head = head(address, method, path, cookie);
    let length = body.len();
    let sent = format!(
        "{head}connection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(sent.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    (
        status.expect("a status"),
        head.replace("\r\n", "\n"),
        body.to_owned(),
    )
}

/// Waits for a message that contains this text.
fn until(events: &mut impl Iterator<Item = (String, Value)>, text: &str) -> Value {
    let mut messages = events.filter(|(name, _)| name == "message");
    let found = messages.find(|(_, data)| {
        data["text"]
            .as_str()
            .is_some_and(|said| said.contains(text))
    });
    found.expect(text).1
}

#[test]
fn a_person_talks_on_the_page_and_approves_a_plan_which_the_bot_carries_out() {
    let page = Page::open();
    let me = page.get("/api/me");
    assert_eq!((&me["chat"], &me["memory"]), (&json!(true), &json!(true)));
    let mut events = page.events();
    page.say("/plan on");
    assert_eq!(until(&mut events, "Plan mode is on")["kind"], "notice");
    page.say("Plan it.");
    assert_eq!(until(&mut events, "It is ready.")["kind"], "text");
    let written = page.folder.path().join("workspace").join("list.md");
    assert!(!written.exists(), "a step does not run before the approval");

    let inbox = page.get("/api/inbox");
    let waiting = &inbox["waiting"][0];
    assert_eq!(waiting["sessionId"], page.conversation, "{inbox}");
    page.approve(waiting);
    until(&mut events, "Step 1, `write_file`");
    until(&mut events, "is complete");
    assert_eq!(fs::read_to_string(written).expect("a file"), "bread");

    let timeline = page.get(&page.path("/timeline"));
    let mut stored = timeline["events"].as_array().expect("events").iter();
    let approval = stored.find(|one| one["event"] == "approve");
    let approval = approval.expect("an approval");
    assert_eq!(approval["actor"], "ann", "{approval}");

    let said = page.get(&page.path("/messages?limit=1"));
    let last = said["messages"][0]["text"].as_str();
    assert!(
        last.is_some_and(|last| last.contains("is complete")),
        "{said}"
    );
}

#[test]
fn a_denied_call_of_the_model_is_shown_when_it_happens_and_in_the_timeline() {
    let page = Page::open();
    let mut events = page.events();
    page.say("/plan on");
    until(&mut events, "Plan mode is on");
    page.say("Plan it.");
    until(&mut events, "It is ready.");
    page.say("Write it now.");
    // The model answers after it has read the reasons.
    let is_answer = |data: &Value| data["text"] == "I may not.";
    let until_answer = events.take_while(|(_, data)| !is_answer(data));
    let denied = until_answer.filter(|(name, _)| name == "denied");
    let denied: Vec<Value> = denied.map(|(_, data)| data).collect();
    let [write, unknown] = &denied[..] else {
        panic!("{denied:?}");
    };
    assert_eq!(write["sessionId"], page.conversation, "{write}");
    assert_eq!(
        (&write["tool"], &write["actor"], &write["args"]),
        (
            &json!("write_file"),
            &json!("model"),
            &json!(r#"{"path":"now.md","content":"bread"}"#)
        )
    );
    let reason = write["reason"].as_str().expect("a reason");
    assert!(
        reason.contains("waiting for the user's approval"),
        "{reason}"
    );
    assert_eq!(unknown["tool"], "no_such_tool", "{unknown}");

    let timeline = page.get(&page.path("/timeline"));
    let rows = timeline["events"].as_array().expect("events").iter();
    let rows: Vec<&Value> = rows.filter(|one| one["kind"] == "denied").collect();
    assert_eq!(rows.len(), 2, "{timeline}");
    let shown = rows.iter().find(|row| row["tool"] == "write_file");
    assert_eq!(shown.expect("a row")["reason"], write["reason"]);
    assert!(!page.folder.path().join("workspace/now.md").exists());
}

#[test]
fn nothing_of_a_chat_reaches_the_stream_of_another_session() {
    let page = Page::open();
    let mut own = page.events();
    let other = "/api/sessions/web:somebody-else";
    let mut others = page.events_of(&format!("{other}/events"));
    page.say("Hello.");
    until(&mut own, "Yes.");
    let (status, _) = page.post(&format!("{other}/messages"), &json!({ "text": "Hello." }));
    assert_eq!(status, 202);
    // The first event of this stream belongs to its own session, although the other chat sent its message first.
    let (name, first) = others.next().expect("an event");
    assert_eq!(
        (name.as_str(), &first["sessionId"]),
        ("message", &json!("web:somebody-else")),
        "{first}"
    );
}

#[test]
fn the_page_names_its_person_as_the_option_says() {
    let page = Page::open_with(&["--person", "ben"]);
    assert_eq!(page.get("/api/me")["actor"], "ben");
    let mut events = page.events();
    let waiting = page.planned(&mut events);
    page.approve(&waiting);
    until(&mut events, "is complete");
    assert_eq!(page.actor_of("approve"), "ben");
}

#[test]
fn a_command_that_is_typed_on_the_page_has_the_same_actor_as_at_the_terminal() {
    let page = Page::open_with(&["--person", "ben"]);
    let mut events = page.events();
    let waiting = page.planned(&mut events);
    let word = |name: &str| waiting[name].as_str().expect("a word").to_owned();
    page.say(&format!("/plan approve {} {}", word("plan"), word("token")));
    until(&mut events, "is complete");
    assert_eq!(page.actor_of("plan_on"), "user");
    assert_eq!(page.actor_of("approve"), "user");
    assert!(page.folder.path().join("workspace/list.md").exists());
}

#[test]
fn a_line_for_a_conversation_that_the_bot_does_not_have_is_answered_with_an_error() {
    let page = Page::open();
    let other = "/api/sessions/web:somebody-else/messages";
    let (status, _) = page.post(other, &json!({ "text": "Hello." }));
    assert_eq!(status, 202);
    let (status, body) = page.post(other, &json!({ "text": " " }));
    assert_eq!(status, 400, "{body}");
    loop {
        let said = page.get(other);
        let messages = said["messages"].as_array().expect("messages");
        if let Some(error) = messages.iter().find(|one| one["kind"] == "error") {
            let text = error["text"].as_str().unwrap_or_default();
            assert!(text.contains("there is no conversation"), "{text}");
            return;
        }
    }
}
