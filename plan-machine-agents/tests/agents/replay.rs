//! A plan of recorded calls, with the results that each agent reports.

use std::rc::Rc;

use plan_machine_agents::keeper::{Delivery, PlanCard, SessionHandle, identity};
use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::{Json, Object};

use crate::bench::{Bench, Reply, TALK, run};

/// The conversation in the second terminal.
const SECOND: &str = "4a5b6c7d-talk-2";

/// A conversation with an agent in a project with `record_then_replay`.
struct Replay {
    bench: Rc<Bench>,
    talk: &'static str,
    agent: &'static str,
    shell: &'static str,
}

impl Replay {
    fn of(agent: &'static str) -> Self {
        let (shell, calls) = match agent {
            "opencode" => ("bash", include_str!("../../shipped/calls/opencode.yaml")),
            "codex" => ("Bash", include_str!("../../shipped/calls/codex.yaml")),
            _ => ("Bash", include_str!("../../shipped/calls/claude_code.yaml")),
        };
        let machine = include_str!("../../shipped/agents/record_then_replay.yaml");
        Self {
            bench: Rc::new(Bench::shipped(machine, calls)),
            talk: TALK,
            agent,
            shell,
        }
    }

    /// Returns a conversation in another terminal, in the same project.
    fn beside(&self, talk: &'static str) -> Self {
        Self {
            bench: Rc::clone(&self.bench),
            talk,
            ..*self
        }
    }

    /// Records the calls `cargo test` and `git push`, and submits them.
    fn record(&self) {
        self.prompt(".plan on").denies("Planning is on");
        self.call("c1", "cargo test").denies("[Planned] Step 1");
        self.call("c2", "git push").denies("[Planned] Step 2");
        self.submit();
    }

    /// Returns a conversation in which these calls wait for a person.
    fn waiting(agent: &'static str) -> Self {
        let replay = Self::of(agent);
        replay.record();
        replay
    }

    /// Returns a conversation in which a person has approved these calls.
    fn approved(agent: &'static str) -> Self {
        let replay = Self::waiting(agent);
        replay.approve();
        replay
    }

    fn report(&self, name: &str, fields: &str) -> Reply {
        let fields = format!(r#"{fields},"turn_id":"t1""#);
        let event = self.bench.event(name, &fields).replace(TALK, self.talk);
        self.bench.hook(self.agent, event.as_bytes())
    }

    /// Sends a prompt with each agent's proof that a person typed it.
    fn prompt(&self, text: &str) -> Reply {
        let fields = format!(r#""prompt":"{text}","source":"user","parent_id":null"#);
        self.report("UserPromptSubmit", &fields)
    }

    fn shell_call(&self, id: &str, command: &str) -> String {
        let shell = self.shell;
        format!(
            r#""tool_name":"{shell}","tool_input":{{"command":"{command}"}},"tool_use_id":"{id}""#
        )
    }

    fn call(&self, id: &str, command: &str) -> Reply {
        self.report("PreToolUse", &self.shell_call(id, command))
    }

    /// Reports the end of a call, with its result.
    fn ended(&self, id: &str, command: &str, response: &str) {
        let call = self.shell_call(id, command);
        let fields = format!(r#"{call},"tool_response":{response}"#);
        self.report("PostToolUse", &fields).is_silent();
    }

    fn submit(&self) {
        let handle = SessionHandle {
            session: identity(self.agent, self.talk).expect("an identity"),
            call_id: None,
            actor: self.agent.to_owned(),
        };
        let mut args = Object::new();
        args.push("summary", Json::from("Test and push."));
        let keeper = self.bench.keeper();
        let stored = run(keeper.own_call(&handle, "plan_submit", args)).expect("an answer");
        assert!(!stored.is_denied, "{}", stored.text);
        run(keeper.close()).expect("closed");
    }

    /// Returns the card of the plan.
    fn card(&self) -> PlanCard {
        let session = identity(self.agent, self.talk).expect("an identity");
        let keeper = self.bench.keeper();
        let view = run(keeper.view(&session)).expect("a session");
        run(keeper.close()).expect("closed");
        view.cards.into_iter().next().expect("a card")
    }

    /// Approves the plan after it was shown on a terminal.
    fn approve(&self) {
        let session = identity(self.agent, self.talk).expect("an identity");
        let card = self.card();
        let shown = Delivery::of(&session, &card, "terminal");
        let keeper = self.bench.keeper();
        keeper.delivered(&[shown]).expect("stored");
        run(keeper.close()).expect("closed");
        let approved = self.prompt(&format!(".plan approve {}", short(&card.token)));
        assert_eq!(approved.status, 0, "{approved:?}");
    }
}

#[test]
fn a_step_that_fails_in_opencode_stops_the_plan() {
    let replay = Replay::approved("opencode");
    replay.call("c3", "cargo test").is_silent();
    replay.ended("c3", "cargo test", r#"{"exit":101}"#);
    replay
        .call("c4", "git push")
        .denies("A step of the plan failed.");
    replay.prompt(".plan again 1").denies("can run again");
    replay.call("c5", "cargo test").is_silent();
    replay.ended("c5", "cargo test", r#"{"exit":0}"#);
    replay.call("c6", "git push").is_silent();
}

#[test]
fn codex_does_not_stop_a_plan_after_a_command_that_failed_without_saying_so() {
    // Codex 0.166.0 sends this text: the output of the command, without its exit status.
    let replay = Replay::approved("codex");
    replay.call("c3", "cargo test").is_silent();
    replay.ended("c3", "cargo test", r#""test result: FAILED""#);
    replay.call("c4", "git push").is_silent();

    let replay = Replay::approved("codex");
    replay.call("c3", "cargo test").is_silent();
    let output = r#""Wall time: 1.0 seconds\nProcess exited with code 101\nOutput:\n""#;
    replay.ended("c3", "cargo test", output);
    replay
        .call("c4", "git push")
        .denies("A step of the plan failed.");
}

#[test]
fn the_card_says_what_the_agent_does_not_report() {
    let card = Replay::waiting("codex").card();
    for text in [&card.text, &card.terminal_text] {
        // The note is below the calls, which the model chooses, and above the commands.
        let (calls, rest) = text
            .split_once("\nCodex reports neither the folder")
            .expect(text);
        assert!(calls.contains("git push"), "{text}");
        assert!(
            rest.contains("after a command that fails, the next step can run"),
            "{text}"
        );
        assert!(rest.contains("approve "), "{text}");
    }
    for agent in ["claude-code", "opencode"] {
        let card = Replay::waiting(agent).card();
        assert!(!card.text.contains("report"), "{}", card.text);
    }
}

#[test]
fn a_plan_waits_for_a_step_whose_result_codex_has_not_reported() {
    // Codex reports a patch or an MCP call only if it succeeds, and a command only when it has ended.
    let replay = Replay::approved("codex");
    replay.call("c3", "cargo test").is_silent();
    replay.call("c4", "git push").denies("step 1 is running");
    replay.prompt(".plan skip 1").denies("Step 1 is skipped.");
    replay.call("c5", "git push").is_silent();
}

#[test]
fn the_card_of_a_resumed_conversation_counts_only_where_it_is_shown() {
    // No Codex with a terminal runs this hook.
    let replay = Replay::waiting("codex");
    let told = replay.report("SessionStart", r#""source":"resume""#);
    assert!(told.stdout.contains(r#""systemMessage":"#), "{told:?}");
    let line = told.stdout.split(".plan approve ").nth(1).expect("a token");
    let token = line.split(['\\', '"']).next().expect("a token");
    replay
        .prompt(&format!(".plan approve {token}"))
        .denies("has not shown you the plan");
}

#[test]
fn two_terminals_have_a_plan_each() {
    let first = Replay::approved("codex");
    let second = first.beside(SECOND);
    // The second conversation begins without a plan, whatever was approved in the first one.
    second
        .call("c0", "cargo test")
        .denies("Only reads are allowed before");
    second.record();
    // The same calls have the same token, but an approval belongs to one conversation.
    first.call("c3", "cargo test").is_silent();
    second
        .call("c3", "cargo test")
        .denies("waits for the user's approval");
    second.approve();
    second
        .call("c4", "git push")
        .denies("the next one is step 1");
    second.call("c5", "cargo test").is_silent();
    // The end of a step in one terminal is not the end of a step in the other one.
    first.ended("c3", "cargo test", r#""ok""#);
    second.call("c6", "git push").denies("step 1 is running");
    first.call("c4", "git push").is_silent();
    // A person turns plan mode off in one terminal.
    first.prompt(".plan off").denies("Plan mode is off");
    first.call("c5", "touch a").is_silent();
    second.call("c7", "touch a").denies("step 1 is running");
}
