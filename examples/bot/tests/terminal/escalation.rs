//! No turn escalates, even if the bot is killed in the middle of a turn, or if plan mode is turned on in the middle of
//! a turn: the model cannot open the shell by ending its own plan.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use rustix::process::Signal;

use crate::pipe::Piped;
use crate::seat::Seat;
use crate::work::Work;

/// The beginning of the denial, up to the place where the bot wraps the line.
const HELD_BACK: &str = "`shell` could not run when";

/// A model that runs a command, ends its plan, and then tries to write. The command waits until the test releases it.
const SCRIPT: &str = r#"
- user: Work.
  model:
    - calls:
        - shell: { command: "exec 3> held; echo begun > begun; read line < go" }
    - calls: [plan_finalize]
    - calls:
        - shell: { command: "touch x" }
    - text: "The tool says: {result}"
- user: Do it now.
  model:
    - calls:
        - shell: { command: "touch y" }
    - text: It is done.
- contains: Continue with the task
  model:
    - calls:
        - shell: { command: "touch x" }
    - text: "The tool says: {result}"
"#;

fn has(work: &Work, file: &str) -> bool {
    work.path("workspace").join(file).exists()
}

/// Sends the person's next message, and checks that the tools are open again.
fn say_the_next_message(work: &Work, bot: &mut Piped) {
    bot.say("Do it now.");
    bot.line_with("It is done.");
    assert!(has(work, "y"));
}

/// A server with the model of a bot.
struct ModelServer(TcpListener);

impl ModelServer {
    fn start() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("a free port"))
    }

    fn url(&self) -> String {
        format!("http://{}/v1", self.0.local_addr().expect("bound"))
    }

    /// Answers the next request of the bot with a call to a tool.
    fn answer_with_call(&self, tool: &str) {
        let (asked, _) = self.0.accept().expect("the bot asks");
        let mut asked = BufReader::new(asked);
        let mut length = 0;
        loop {
            let mut line = String::new();
            asked.read_line(&mut line).expect("a line of the head");
            let line = line.trim_end().to_lowercase();
            if let Some(stated) = line.strip_prefix("content-length: ") {
                length = stated.parse().expect("a number");
            }
            if line.is_empty() {
                break;
            }
        }
        asked.read_exact(&mut vec![0; length]).expect("the body");
        let body = format!(
            r#"{{"choices":[{{"finish_reason":"tool_calls","message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"{tool}","arguments":"{{}}"}}}}]}}}}]}}"#
        );
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let written = asked.get_mut().write_all(answer.as_bytes());
        written.expect("written");
    }

    /// Waits until the bot asks again, and leaves it without an answer.
    fn wait_for_the_next_request(&self) {
        let (mut asked, _) = self.0.accept().expect("the bot asks");
        asked.read_exact(&mut [0]).expect("a request of the bot");
    }
}

/// Plays a turn in which the model ends its empty plan, and kills the bot while the bot waits for the model's second
/// response in that turn.
fn kill_in_the_turn(work: &Work) {
    let server = ModelServer::start();
    let url = server.url();
    let model = [("PLAN_BOT_MODEL", "held"), ("PLAN_BOT_URL", url.as_str())];
    let mut seat = Seat::with(&work.places(), &model);
    for line in ["/mode plan_mode", "/plan on", "Plan it."] {
        seat.say(line);
    }
    server.answer_with_call("plan_finalize");
    server.wait_for_the_next_request();
    seat.signal(Signal::KILL);
    seat.ended();
}

#[test]
fn a_bot_that_is_killed_in_a_turn_comes_back_with_the_shell_closed() {
    let work = Work::by(SCRIPT);
    kill_in_the_turn(&work);
    let mut bot = Piped::start(&work, &["--plain", "--live"]);
    bot.say("/plan status");
    bot.line_with("Plan mode is off.");
    // Only a run continues the turn without a message from the person.
    bot.say("/auto on Write x.");
    bot.line_with(HELD_BACK);
    assert!(!has(&work, "x"));
    say_the_next_message(&work, &mut bot);
}

#[test]
fn plan_mode_that_is_turned_on_and_ended_in_one_turn_leaves_the_shell_closed() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut bot = Piped::start(&work, &["--plain", "--live", "--mode", "plan_mode"]);
    bot.say("Work.");
    work.wait_until_begun();
    bot.say("/plan on");
    bot.line_with("Plan mode is on");
    work.go();
    gone.join().expect("the first call ends");
    bot.line_with(HELD_BACK);
    bot.say("/plan status");
    bot.line_with("Plan mode is off.");
    assert!(!has(&work, "x"));
    say_the_next_message(&work, &mut bot);
}
