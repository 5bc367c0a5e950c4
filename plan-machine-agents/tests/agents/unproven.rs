//! Gemini CLI, Goose and Cursor, which do not prove who typed a prompt: their calls are gated, and only a person in a
//! terminal or on the page opens anything.

use plan_machine_agents::keeper::{
    Delivery, OwnAnswer, PersonAnswer, PlanCard, SessionHandle, identity,
};
use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::Json;

use crate::bench::{Bench, Reply, TALK, run};

/// An agent, with the names and fields of its published events.
struct Unproven {
    name: &'static str,
    title: &'static str,
    calls: &'static str,
    /// The fields that all its events have, with `FOLDER` in place of the project folder.
    around: &'static str,
    /// The field with the name of the event, the events of a start, a call and a prompt, and the field with the prompt.
    event: &'static str,
    started: &'static str,
    called: &'static str,
    prompted: &'static str,
    prompt: &'static str,
    /// The field with the id of a call, if there is one.
    id: Option<&'static str>,
    /// A call that reads, one that writes, and the name of one of our own tools.
    read: (&'static str, &'static str),
    write: (&'static str, &'static str),
    own: &'static str,
    /// The beginning of the answer that passes the session to our own tool; empty if the agent takes no such answer.
    sealed: &'static str,
}

const AGENTS: [Unproven; 3] = [
    Unproven {
        name: "gemini",
        title: "Gemini CLI",
        calls: include_str!("../../shipped/calls/gemini.yaml"),
        around: r#""session_id":"0c1d2e3f-talk-1","transcript_path":"/t","cwd":FOLDER,"timestamp":"2026-11-15T00:00:00Z""#,
        event: "hook_event_name",
        started: "SessionStart",
        called: "BeforeTool",
        prompted: "BeforeAgent",
        prompt: "prompt",
        id: None,
        read: ("read_file", r#"{"file_path":"a.txt"}"#),
        write: ("write_file", r#"{"file_path":"a.txt","content":"x"}"#),
        own: "mcp_plan-machine_",
        sealed: r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"plan_session":""#,
    },
    Unproven {
        name: "goose",
        title: "Goose",
        calls: include_str!("../../shipped/calls/goose.yaml"),
        around: r#""session_id":"0c1d2e3f-talk-1","working_dir":FOLDER"#,
        event: "event",
        started: "SessionStart",
        called: "PreToolUse",
        prompted: "UserPromptSubmit",
        prompt: "message",
        id: Some("tool_call_id"),
        read: ("shell", r#"{"command":"git status"}"#),
        write: ("write", r#"{"path":"a.txt","content":"x"}"#),
        own: "plan-machine__",
        sealed: "",
    },
    Unproven {
        name: "cursor",
        title: "Cursor",
        calls: include_str!("../../shipped/calls/cursor.yaml"),
        around: r#""conversation_id":"0c1d2e3f-talk-1","generation_id":"GENERATION","workspace_roots":[FOLDER]"#,
        event: "hook_event_name",
        started: "sessionStart",
        called: "preToolUse",
        prompted: "beforeSubmitPrompt",
        prompt: "prompt",
        id: Some("tool_use_id"),
        read: ("Read", r#"{"file_path":"a.txt"}"#),
        write: ("Write", r#"{"file_path":"a.txt","content":"x"}"#),
        own: "MCP:",
        sealed: r#"{"updated_input":{"plan_session":""#,
    },
];

impl Unproven {
    /// Reports an event. Each event of Cursor belongs to a generation of its own, which must not count as a turn.
    fn report(&self, bench: &Bench, event: &str, id: &str, fields: &str) -> Reply {
        let folder = Json::from(bench.project().display().to_string()).to_string();
        let around = self.around.replace("FOLDER", &folder);
        let around = around.replace("GENERATION", id);
        let event = format!(r#"{{"{}":"{event}",{around},{fields}}}"#, self.event);
        bench.hook(self.name, event.as_bytes())
    }

    fn call(&self, bench: &Bench, id: &str, (tool, args): (&str, &str)) -> Reply {
        let own = self.id.map(|field| format!(r#","{field}":"{id}""#));
        let own = own.unwrap_or_default();
        let fields = format!(r#""tool_name":"{tool}","tool_input":{args}{own}"#);
        self.report(bench, self.called, id, &fields)
    }

    fn say(&self, bench: &Bench, id: &str, text: &str) -> Reply {
        let fields = format!(r#""{}":{}"#, self.prompt, Json::from(text));
        self.report(bench, self.prompted, id, &fields)
    }

    /// Types a command in a terminal.
    fn terminal(&self, bench: &Bench, line: &str) -> PersonAnswer {
        let session = identity(self.name, TALK).expect("an identity");
        run(async {
            let keeper = bench.open().await;
            let answer = keeper.person_command(&session, line).await;
            keeper.close().await.expect("closed");
            answer.expect("an answer")
        })
    }

    /// Returns the card of the plan that waits for a person.
    fn card(&self, bench: &Bench) -> PlanCard {
        let session = identity(self.name, TALK).expect("an identity");
        let view = run(async {
            let keeper = bench.open().await;
            let view = keeper.view(&session).await;
            keeper.close().await.expect("closed");
            view.expect("a session")
        });
        view.cards.into_iter().next().expect("a card")
    }

    /// Types the approval of a card in a terminal, which may have shown the card before.
    fn approve(&self, bench: &Bench, card: &PlanCard, is_shown: bool) -> PersonAnswer {
        let session = identity(self.name, TALK).expect("an identity");
        if is_shown {
            let shown = Delivery::of(&session, card, "terminal");
            run(async {
                let keeper = bench.open().await;
                keeper.delivered(&[shown]).expect("stored");
                keeper.close().await.expect("closed");
            });
        }
        self.terminal(bench, &format!(".plan approve {}", short(&card.token)))
    }

    /// Calls one of our own tools as the MCP server does.
    fn own_call(&self, bench: &Bench, tool: &str, args: &str) {
        let answer = self.own_answer(bench, tool, args);
        assert!(!answer.is_denied, "{}: {}", self.name, answer.text);
    }

    fn own_answer(&self, bench: &Bench, tool: &str, args: &str) -> OwnAnswer {
        let handle = SessionHandle {
            session: identity(self.name, TALK).expect("an identity"),
            call_id: None,
            actor: self.name.to_owned(),
        };
        let Ok(Json::Object(args)) = Json::parse(args) else {
            panic!("the arguments are not an object: {args}");
        };
        run(async {
            let keeper = bench.open().await;
            let answer = keeper.own_call(&handle, tool, args).await;
            keeper.close().await.expect("closed");
            answer.expect("an answer")
        })
    }
}

#[test]
fn reads_run_and_only_a_command_in_a_terminal_opens_the_rest_in_the_same_turn() {
    let machine = include_str!("../../shipped/agents/look_then_act.yaml");
    for agent in AGENTS {
        let bench = Bench::shipped(machine, agent.calls);
        agent.call(&bench, "c1", agent.read).is_silent();
        let write = |id: &str| agent.call(&bench, id, agent.write);
        write("c2").denies("Only reads are allowed");
        // A prompt may come from a model, so it is never a command.
        let refused = agent.say(&bench, "p1", ".plan off");
        let why = format!("{} does not prove that a person typed it", agent.title);
        refused.denies(&why);
        refused.denies("plan-machine command --session");
        write("c3").denies("Only reads are allowed");
        let answer = agent.terminal(&bench, ".plan off");
        assert!(answer.is_accepted, "{}: {}", agent.name, answer.text);
        write("c4").is_silent();
        assert!(agent.terminal(&bench, ".plan on").is_accepted);
        write("c5").denies("Only reads are allowed");
    }
}

#[test]
fn our_own_tools_get_their_session_where_the_agent_can_pass_it() {
    let machine = include_str!("../../shipped/agents/look_then_act.yaml");
    for agent in AGENTS {
        let bench = Bench::shipped(machine, agent.calls);
        let own = |id: &str, tool: &str| {
            let tool = format!("{}{tool}", agent.own);
            agent.call(&bench, id, (&tool, r##"{"markdown":"# v1"}"##))
        };
        let reply = own("c1", "plan_write");
        assert_eq!(reply.status, 0, "{}: {reply:?}", agent.name);
        let sealed = reply.stdout.replace(r##""markdown":"# v1","##, "");
        assert!(
            sealed.starts_with(agent.sealed),
            "{}: {reply:?}",
            agent.name
        );
        assert_eq!(sealed.is_empty(), agent.sealed.is_empty(), "{reply:?}");
        own("c2", "plan_nonsense").denies("plan-machine has no tool `plan_nonsense`");
    }
}

#[test]
fn cards_denials_and_prompts_name_commands_for_a_terminal() {
    for agent in AGENTS {
        let calls = agent.calls.replace("class: plan_notes", "class: writes");
        let calls = calls.replace("class: shell_commands", "class: writes");
        let calls = calls.replace("plan_notes, inner, shell_commands, ", "inner, ");
        let bench = Bench::shipped(include_str!("data/work.yaml"), &calls);
        let begin = format!(
            "`plan-machine command --session {}:{TALK} .plan on`",
            agent.name
        );
        let denied = agent.own_answer(&bench, "plan_get", "{}");
        assert!(
            denied.is_denied && denied.text.contains(&begin),
            "{denied:?}"
        );
        assert!(agent.terminal(&bench, ".plan on").is_accepted);
        let status = agent.own_answer(&bench, "plan_status", "{}").text;
        assert!(status.contains("`plan-machine approve TOKEN`"), "{status}");
        assert!(!status.contains(".plan approve"), "{status}");
        agent.own_call(&bench, "plan_set_content", r#"{"text":"Do `.plan on`."}"#);
        let card = agent.card(&bench);
        let approve = format!("plan-machine approve {}", short(&card.token));
        assert!(card.text.contains(&approve), "{}", card.text);
        assert!(!card.text.contains(".plan approve"), "{}", card.text);
        // The content of the plan stays as it is.
        assert!(card.text.contains("Do `.plan on`."), "{}", card.text);
        assert_eq!(card.text, card.terminal_text);
    }
}

#[test]
fn where_prompts_prove_nothing_the_conversation_is_one_turn() {
    // In this machine, the model opens a tool itself, by storing a plan. The tool runs only after the next turn begins.
    let machine = include_str!("data/work.yaml");
    let ready = "              plan_get: { reply: markdown }\n";
    let machine = machine.replacen(ready, &format!("{ready}              writes: run\n"), 1);
    for agent in AGENTS {
        // The shipped documents have more classes than this machine.
        let calls = agent.calls.replace("class: plan_notes", "class: writes");
        let calls = calls.replace("class: shell_commands", "class: writes");
        let calls = calls.replace("plan_notes, inner, shell_commands, ", "inner, ");
        let bench = Bench::shipped(&machine, &calls);
        let write = |id: &str| agent.call(&bench, id, agent.write);
        write("c1").denies("only in READY, EXECUTING");
        assert!(agent.terminal(&bench, ".plan on").is_accepted);
        agent.own_call(&bench, "plan_set_content", r##"{"text":"# v1"}"##);
        write("c2").denies("when this turn began");
        // Neither a prompt nor a new generation begins a turn.
        for id in ["p1", "p2"] {
            assert_eq!(agent.say(&bench, id, "Go on.").status, 0, "{}", agent.name);
        }
        write("c3").denies("when this turn began");
    }
}

#[test]
fn goose_and_cursor_do_not_show_the_card_of_a_resumed_conversation() {
    let machine = include_str!("../../shipped/agents/look_then_act.yaml");
    // Gemini CLI shows the messages of hooks.
    let silent = AGENTS.into_iter().filter(|agent| agent.name != "gemini");
    for agent in silent {
        let bench = Bench::shipped(machine, agent.calls);
        agent.call(&bench, "c1", agent.read).is_silent();
        agent.own_call(&bench, "plan_write", r##"{"markdown":"# v1"}"##);
        let first = agent.card(&bench);
        let approved = agent.approve(&bench, &first, true);
        assert!(approved.is_accepted, "{}: {}", agent.name, approved.text);
        agent.call(&bench, "c2", agent.write).is_silent();

        let told = agent.report(&bench, agent.started, "s1", r#""source":"resume""#);
        assert_eq!(told.status, 0, "{told:?}");
        assert!(!told.stdout.contains("# v1"), "{told:?}");
        let second = agent.card(&bench);
        assert_ne!(second.token, first.token, "{}", agent.name);
        assert_eq!(agent.call(&bench, "c3", agent.write).status, 2);
        // The old token is stale, and the new one has not been shown.
        let stale = agent.approve(&bench, &first, false);
        assert!(!stale.is_accepted, "{}: {}", agent.name, stale.text);
        let unseen = agent.approve(&bench, &second, false);
        assert!(
            !unseen.is_accepted && unseen.text.contains("has not shown you the plan"),
            "{}: {}",
            agent.name,
            unseen.text
        );
        let approved = agent.approve(&bench, &second, true);
        assert!(approved.is_accepted, "{}: {}", agent.name, approved.text);
        agent.call(&bench, "c4", agent.write).is_silent();
    }
}
