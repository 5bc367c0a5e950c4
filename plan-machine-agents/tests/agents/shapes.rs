//! Events of each agent's published shape, and the exact bytes of the answers.

use plan_machine_agents::agents::{AGENTS, Agent, agent};
use plan_machine_agents::answer::{AgentAnswer, HookOutput};
use plan_machine_agents::event::{
    AgentEvent, AgentEventKind, EventError, PersonProof, StartReason, parse,
};
use plan_machine_kernel::json::{Json, Object};

fn of(name: &str) -> &'static dyn Agent {
    agent(name).expect("a known agent")
}

fn read(name: &str, event: &str) -> AgentEvent {
    let event = parse(event.as_bytes()).expect("an object");
    of(name).read(&event).expect("an event")
}

fn proof(name: &str, event: &str) -> PersonProof {
    match read(name, event).kind {
        AgentEventKind::Prompt { proof, .. } => proof,
        other => panic!("not a prompt: {other:?}"),
    }
}

/// The same call, as each agent reports it.
const CALLS: [(&str, &str); 6] = [
    (
        "claude-code",
        r#"{"session_id":"s1","transcript_path":"/t","cwd":"/p","hook_event_name":"PreToolUse","prompt_id":"t1","permission_mode":"default","agent_id":"a1","agent_type":"Explore","tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1"}"#,
    ),
    (
        "codex",
        r#"{"session_id":"s1","turn_id":"t1","transcript_path":null,"cwd":"/p","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1","agent_id":"a1","agent_type":"worker"}"#,
    ),
    (
        "opencode",
        r#"{"session_id":"s1","turn_id":"t1","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1","agent_id":"a1"}"#,
    ),
    (
        "gemini",
        r#"{"session_id":"s1","transcript_path":"/t","cwd":"/p","hook_event_name":"BeforeTool","timestamp":"2026-11-15T00:00:00Z","tool_name":"Shell","tool_input":{"command":"ls"}}"#,
    ),
    (
        "goose",
        r#"{"event":"PreToolUse","session_id":"s1","matcher_context":"Shell","tool_name":"Shell","tool_input":{"command":"ls"},"working_dir":"/p","tool_call_id":"c1"}"#,
    ),
    (
        "cursor",
        r#"{"conversation_id":"s1","generation_id":"t1","hook_event_name":"preToolUse","workspace_roots":["/p"],"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1"}"#,
    ),
];

#[test]
fn every_agent_reports_a_call() {
    for (name, event) in CALLS {
        let event = read(name, event);
        let AgentEventKind::ToolCall(call) = &event.kind else {
            panic!("{name}: {event:?}");
        };
        assert_eq!(
            (event.conversation.as_str(), call.tool.as_str()),
            ("s1", "Shell"),
            "{name}"
        );
        assert_eq!(event.folder.as_deref(), Some("/p".as_ref()), "{name}");
        assert_eq!(
            call.args.get("command").and_then(Json::as_text),
            Some("ls"),
            "{name}"
        );
        let is_gemini = name == "gemini";
        assert_eq!(call.id.as_deref(), (!is_gemini).then_some("c1"), "{name}");
    }
}

#[test]
fn subagents_are_known_where_the_agent_names_them() {
    for name in ["claude-code", "codex", "opencode"] {
        let (_, event) = CALLS
            .iter()
            .find(|(known, _)| *known == name)
            .expect("a call");
        assert_eq!(read(name, event).subagent.as_deref(), Some("a1"), "{name}");
    }
}

#[test]
fn a_denial_is_the_same_for_every_agent() {
    for (name, event) in CALLS {
        let event = read(name, event);
        let denial = HookOutput {
            status: 2,
            stdout: String::new(),
            stderr: "no\n".to_owned(),
        };
        assert_eq!(
            of(name).write(&event, &AgentAnswer::Deny("no".to_owned())),
            denial,
            "{name}"
        );
        assert_eq!(
            of(name).write(&event, &AgentAnswer::Block("no".to_owned())),
            denial,
            "{name}"
        );
        assert_eq!(
            of(name).write(&event, &AgentAnswer::Silence),
            HookOutput::silent(),
            "{name}"
        );
    }
}

#[test]
fn rewritten_arguments_have_the_shape_of_the_agent() {
    let expected = [
        (
            "claude-code",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}"#,
        ),
        (
            "codex",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}"#,
        ),
        ("opencode", r#"{"args":{"a":1}}"#),
        (
            "gemini",
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a":1}}}"#,
        ),
        ("goose", ""),
        // Cursor does not say which server a tool belongs to, so the user's own rules decide about the call.
        ("cursor", r#"{"updated_input":{"a":1}}"#),
    ];
    for ((name, event), (same, expected)) in CALLS.into_iter().zip(expected) {
        assert_eq!(name, same);
        let mut args = Object::new();
        args.push("a", 1_i64);
        let output = of(name).write(&read(name, event), &AgentAnswer::Rewrite(args));
        assert_eq!(
            (output.status, output.stdout.trim_end()),
            (0, expected),
            "{name}"
        );
    }
}

#[test]
fn context_and_messages_have_the_shape_of_the_agent() {
    let cases = [
        (
            "claude-code",
            r#"{"session_id":"s1","cwd":"/p","hook_event_name":"UserPromptSubmit","prompt":"x","source":"user"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"t"}}"#,
            r#"{"systemMessage":"t"}"#,
        ),
        (
            "gemini",
            r#"{"session_id":"s1","cwd":"/p","hook_event_name":"BeforeAgent","prompt":"x"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"t"}}"#,
            r#"{"systemMessage":"t"}"#,
        ),
        (
            "opencode",
            r#"{"session_id":"s1","cwd":"/p","hook_event_name":"UserPromptSubmit","prompt":"x","parent_id":null}"#,
            r#"{"context":"t"}"#,
            r#"{"message":"t"}"#,
        ),
        (
            "cursor",
            r#"{"conversation_id":"s1","hook_event_name":"sessionStart","workspace_roots":["/p"]}"#,
            r#"{"additional_context":"t"}"#,
            "",
        ),
        (
            "goose",
            r#"{"event":"UserPromptSubmit","session_id":"s1","message":"x"}"#,
            "",
            "",
        ),
    ];
    for (name, event, context, message) in cases {
        let event = read(name, event);
        let written = |answer| of(name).write(&event, &answer).stdout;
        assert_eq!(
            written(AgentAnswer::Context("t".to_owned())).trim_end(),
            context,
            "{name}"
        );
        assert_eq!(
            written(AgentAnswer::Show("t".to_owned())).trim_end(),
            message,
            "{name}"
        );
        // An answer with both texts.
        let both = AgentAnswer::ShowAgain {
            context: "t".to_owned(),
            cards: "t".to_owned(),
        };
        let parts: Vec<&str> = [context, message]
            .into_iter()
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .collect();
        let expected = match parts.join(",") {
            both if both.is_empty() => both,
            both => format!("{{{both}}}"),
        };
        assert_eq!(written(both).trim_end(), expected, "{name}");
    }
}

#[test]
fn only_what_proves_a_person_counts_as_one() {
    let claude = |source: &str| {
        format!(
            r#"{{"session_id":"s1","cwd":"/p","hook_event_name":"UserPromptSubmit","prompt":"x"{source}}}"#
        )
    };
    assert_eq!(
        proof("claude-code", &claude(r#","source":"user""#)),
        PersonProof::Proven
    );
    assert_eq!(proof("claude-code", &claude("")), PersonProof::Unproven);
    assert_eq!(proof("codex", &claude("")), PersonProof::Proven);
    for subagent in [r#","agent_id":"a""#, r#","agent_type":"worker""#] {
        assert_eq!(proof("codex", &claude(subagent)), PersonProof::Unproven);
    }
    assert_eq!(
        proof("opencode", &claude(r#","parent_id":null"#)),
        PersonProof::Proven
    );
    assert_eq!(
        proof("opencode", &claude(r#","parent_id":"ses_1""#)),
        PersonProof::Unproven
    );
    assert_eq!(proof("opencode", &claude("")), PersonProof::Unproven);
    let gemini = r#"{"session_id":"s1","cwd":"/p","hook_event_name":"BeforeAgent","prompt":"x","source":"user"}"#;
    assert_eq!(proof("gemini", gemini), PersonProof::Unproven);
    let goose = r#"{"event":"UserPromptSubmit","session_id":"s1","message":"x","source":"user"}"#;
    assert_eq!(proof("goose", goose), PersonProof::Unproven);
    let cursor = r#"{"conversation_id":"s1","hook_event_name":"beforeSubmitPrompt","prompt":"x"}"#;
    assert_eq!(proof("cursor", cursor), PersonProof::Unproven);
}

#[test]
fn an_agent_without_proof_is_known_as_such() {
    for agent in AGENTS {
        let has_proof = ["claude-code", "codex", "opencode"].contains(&agent.name());
        assert_eq!(agent.proof().is_some(), has_proof, "{}", agent.name());
    }
}

#[test]
fn a_conversation_starts_goes_on_or_was_compacted() {
    for (source, expected) in [
        ("startup", StartReason::New),
        ("clear", StartReason::New),
        ("fork", StartReason::New),
        ("later", StartReason::New),
        ("resume", StartReason::Resumed),
        ("compact", StartReason::Compacted),
    ] {
        let event = format!(
            r#"{{"session_id":"s1","cwd":"/p","hook_event_name":"SessionStart","source":"{source}"}}"#
        );
        assert_eq!(
            read("codex", &event).kind,
            AgentEventKind::SessionStart(expected)
        );
    }
}

#[test]
fn events_that_need_no_answer_are_known_and_others_are_errors() {
    for agent in AGENTS {
        let key = if agent.name() == "goose" {
            "event"
        } else {
            "hook_event_name"
        };
        let event = format!(r#"{{"{key}":"Nonsense","session_id":"s1","conversation_id":"s1"}}"#);
        let error = agent.read(&parse(event.as_bytes()).expect("an object"));
        assert_eq!(error, Err(EventError::UnknownEvent("Nonsense".to_owned())));
    }
    let stop =
        r#"{"session_id":"s1","cwd":"/p","hook_event_name":"Stop","stop_hook_active":false}"#;
    assert_eq!(read("codex", stop).kind, AgentEventKind::Other);
}

#[test]
fn our_own_tools_are_recognized_by_the_name_of_the_server() {
    for (name, tool) in [
        ("claude-code", "mcp__plan-machine__plan_get"),
        ("codex", "mcp__plan_machine__plan_get"),
        ("opencode", "plan-machine_plan_get"),
        ("gemini", "mcp__plan-machine__plan_get"),
        ("gemini", "mcp_plan-machine_plan_get"),
        ("goose", "plan-machine__plan_get"),
        ("cursor", "MCP:plan_get"),
    ] {
        assert_eq!(of(name).own_tool(tool), Some("plan_get"), "{name}");
        for other in [
            "plan_get",
            "mcp__other__plan_get",
            "mcp__plan-machine2__plan_get",
            "mcp__plan-machine__",
            "Bash",
        ] {
            assert_eq!(of(name).own_tool(other), None, "{name}: {other}");
        }
    }
}

/// Returns whether an agent reports that a call has failed.
fn failed(name: &str, response: &str) -> bool {
    ended_badly(
        name,
        &format!(
            r#"{{"session_id":"s1","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"cargo test"}},"tool_response":{response},"tool_use_id":"c1"}}"#
        ),
    )
}

/// Returns whether an agent's event is the end of a call that has failed.
fn ended_badly(name: &str, event: &str) -> bool {
    match read(name, event).kind {
        AgentEventKind::ToolDone { failed, .. } => failed,
        other => panic!("not the end of a call: {other:?}"),
    }
}

/// Events that end a call, other than those that `failed` builds: the agent, the event, and whether the call has failed.
const ENDS: [(&str, &str, bool); 7] = [
    (
        "gemini",
        r#"{"session_id":"s1","cwd":"/p","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":{"llmContent":"a.txt","returnDisplay":"a.txt"}}"#,
        false,
    ),
    (
        "gemini",
        r#"{"session_id":"s1","cwd":"/p","hook_event_name":"AfterTool","tool_name":"write_file","tool_input":{"file_path":"a"},"tool_response":{"llmContent":"no","returnDisplay":"no","error":{"message":"no"}}}"#,
        true,
    ),
    (
        "goose",
        r#"{"event":"PostToolUse","session_id":"s1","matcher_context":"shell","tool_name":"shell","tool_input":{"command":"ls"},"working_dir":"/p","tool_call_id":"c1"}"#,
        false,
    ),
    (
        "goose",
        r#"{"event":"PostToolUseFailure","session_id":"s1","matcher_context":"shell","tool_name":"shell","tool_input":{"command":"ls"},"working_dir":"/p","tool_call_id":"c1"}"#,
        true,
    ),
    (
        "cursor",
        r#"{"conversation_id":"s1","generation_id":"t1","hook_event_name":"postToolUse","workspace_roots":["/p"],"tool_name":"Shell","tool_input":{"command":"ls"},"tool_output":"{}","tool_use_id":"c1"}"#,
        false,
    ),
    (
        "cursor",
        r#"{"conversation_id":"s1","generation_id":"t1","hook_event_name":"postToolUseFailure","workspace_roots":["/p"],"tool_name":"Shell","tool_input":{"command":"ls"},"error_message":"no","failure_type":"error","tool_use_id":"c1"}"#,
        true,
    ),
    (
        "claude-code",
        r#"{"session_id":"s1","cwd":"/p","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"ls"},"error":"no","tool_use_id":"c1"}"#,
        true,
    ),
];

#[test]
fn a_failure_is_recognized_in_what_each_agent_reports() {
    for (response, expected) in [
        (r#"{"exit":0}"#, false),
        (r#"{"exit":7}"#, true),
        (r#"{"exit":-1}"#, true),
        // A command that was killed has no exit status, so the field is null. For other tools, the field is missing.
        (r#"{"exit":null}"#, true),
        ("{}", false),
    ] {
        assert_eq!(failed("opencode", response), expected, "{response}");
    }
    for name in ["claude-code", "codex", "opencode"] {
        assert!(failed(name, r#"{"error":"no such file"}"#), "{name}");
        assert!(failed(name, r#"{"content":[],"isError":true}"#), "{name}");
        assert!(!failed(name, r#"{"content":[],"isError":false}"#), "{name}");
    }
    for (name, event, expected) in ENDS {
        assert_eq!(ended_badly(name, event), expected, "{name}: {event}");
    }
}

#[test]
fn codex_does_not_report_that_a_command_failed_unless_its_text_says_so() {
    // Codex 0.166.0 sends these texts after `echo failing output; exit 7`, and after `true`.
    assert!(!failed("codex", r#""failing output\n""#));
    assert!(!failed("codex", r#""""#));
    for (header, expected) in [
        (
            r"Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 7\nOutput:\nx",
            true,
        ),
        (
            r"Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx",
            false,
        ),
        (r"Exit code: 101\nWall time: 2 seconds\nOutput:\nx", true),
        (
            r"Exit code: 0\nWall time: 2 seconds\nOutput:\nExit code: 1",
            false,
        ),
        (r"running 1 test\nExit code: 1\nok", false),
    ] {
        assert_eq!(
            failed("codex", &format!("\"{header}\"")),
            expected,
            "{header}"
        );
    }
}
