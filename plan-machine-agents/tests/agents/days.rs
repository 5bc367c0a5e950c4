//! Tests of whole conversations with an agent, step by step.

use plan_machine_kernel::json::Json;

use crate::bench::{Bench, TALK};

#[test]
fn a_plan_is_made_shown_approved_and_carried_out() {
    let bench = Bench::new();
    bench.call("c1", "Bash", r#"{"command":"ls"}"#).is_silent();
    bench
        .call("c2", "Bash", r#"{"command":"touch x"}"#)
        .denies("`.plan on` starts one");
    bench.prompt("p1", ".plan on").denies("DRAFTING");
    let told = bench.prompt("p2", "Port the parser.");
    assert_eq!(told.status, 0);
    assert!(told.stdout.contains("You are planning."), "{told:?}");
    assert!(told.stdout.contains("`.plan approve`"), "{told:?}");
    bench
        .call("c3", "Write", r#"{"file_path":"a.txt"}"#)
        .denies("only in EXECUTING");

    let sealed = bench.call(
        "c4",
        "mcp__plan-machine__plan_set_content",
        r##"{"text":"# v1"}"##,
    );
    assert!(
        sealed.stdout.contains(r#""permissionDecision":"allow""#),
        "{sealed:?}"
    );
    assert!(sealed.stdout.contains(r#""plan_session":""#), "{sealed:?}");
    bench.own("c4", "plan_set_content", r##"{"text":"# v1"}"##);
    let shown = bench.claude(
        "PostToolUse",
        r#""tool_name":"mcp__plan-machine__plan_set_content","tool_input":{},"tool_use_id":"c4""#,
    );
    assert!(
        shown
            .stdout
            .starts_with(r#"{"systemMessage":"This plan is waiting for your decision:\n# v1\n"#),
        "{shown:?}"
    );

    let token = bench.token();
    let approved = bench.prompt("p3", &format!(".plan approve {token}"));
    assert_eq!(approved.status, 0);
    assert!(
        approved.stdout.contains("The plan is approved."),
        "{approved:?}"
    );
    bench
        .call("c5", "Write", r#"{"file_path":"a.txt"}"#)
        .is_silent();
    bench
        .call("c6", "Bash", r#"{"command":"rm -rf .plan-machine"}"#)
        .denies("belongs to the gate");
    bench.prompt("p4", ".plan off").denies("Planning is off.");
    assert!(!bench.writes("c7"));
}

#[test]
fn the_same_call_id_never_runs_twice_and_ids_of_other_turns_and_subagents_are_others() {
    let bench = Bench::new();
    let fields = |turn: &str, subagent: &str| {
        format!(
            r#""tool_name":"Bash","tool_input":{{"command":"ls"}},"tool_use_id":"c1","prompt_id":"{turn}"{subagent}"#
        )
    };
    bench.claude("PreToolUse", &fields("p1", "")).is_silent();
    bench
        .claude("PreToolUse", &fields("p1", ""))
        .denies("already allowed to run");
    bench.claude("PreToolUse", &fields("p2", "")).is_silent();
    bench
        .claude("PreToolUse", &fields("p2", r#","agent_id":"a1""#))
        .is_silent();
}

#[test]
fn a_call_of_a_subagent_is_gated_by_the_session_of_the_conversation() {
    let bench = Bench::waiting();
    let write = |id: &str| {
        let fields = format!(
            r#""tool_name":"Write","tool_input":{{}},"tool_use_id":"{id}","agent_id":"a1","agent_type":"worker""#
        );
        bench.claude("PreToolUse", &fields)
    };
    write("c1").denies("only in EXECUTING");
    bench.prompt("p1", ".plan show");
    let token = bench.token();
    bench.prompt("p2", &format!(".plan approve {token}"));
    write("c2").is_silent();
    let audit = plan_machine_agents::audit::read(&bench.site().state.join("audit.jsonl"));
    let audit = audit.expect("a list");
    assert_eq!(audit[0].actor, "claude-code/a1");
    assert_eq!(audit[0].session, format!("claude-code:{TALK}"));
}

#[test]
fn the_end_of_a_call_settles_what_was_counted() {
    let bench = Bench::waiting();
    bench.prompt("p1", ".plan show");
    bench.prompt("p2", &format!(".plan approve {}", bench.token()));
    assert!(bench.writes("c1") && bench.writes("c2"));
    let done = r#""tool_name":"Write","tool_input":{},"tool_use_id":"c1","prompt_id":"p1""#;
    bench.claude("PostToolUse", done).is_silent();
    // An event that is delivered twice counts once.
    bench.claude("PostToolUse", done).is_silent();
    let failed = r#""tool_name":"Write","tool_input":{},"tool_use_id":"c2","prompt_id":"p1""#;
    bench.claude("PostToolUseFailure", failed).is_silent();
    let keeper = bench.keeper();
    let session = plan_machine_agents::keeper::identity("claude-code", TALK).expect("an identity");
    let plans = crate::bench::run(keeper.session(&session).plans()).expect("plans");
    let data = &plans[0].plan.data;
    assert_eq!(data.get("started").and_then(Json::as_int), Some(2));
    assert_eq!(data.get("finished").and_then(Json::as_int), Some(1));
    assert_eq!(data.get("failures").and_then(Json::as_int), Some(1));
}

#[test]
fn after_compaction_the_model_gets_the_prompt_again() {
    let bench = Bench::waiting();
    let told = bench.claude("SessionStart", r#""source":"compact""#);
    let expected = r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"You are planning."#;
    assert!(told.stdout.starts_with(expected), "{told:?}");
}

#[test]
fn a_folder_that_is_not_gated_gets_no_answer() {
    let bench = Bench::new();
    let event = r#"{"session_id":"another-talk","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{},"tool_use_id":"c1"}"#;
    bench.hook("claude-code", event.as_bytes()).is_silent();
}

#[test]
fn an_agent_that_leaves_the_project_folder_stays_gated() {
    let bench = Bench::new();
    bench.call("c1", "Bash", r#"{"command":"ls"}"#).is_silent();
    let event = format!(
        r#"{{"session_id":"{TALK}","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{}},"tool_use_id":"c2"}}"#
    );
    bench
        .hook("claude-code", event.as_bytes())
        .denies("only in EXECUTING");
}

#[test]
fn only_a_persons_message_begins_a_turn_and_a_message_may_begin_with_the_prefix() {
    // In this machine, the model opens a tool itself, by storing a plan. The tool runs only after the next turn begins.
    let bench = Bench::untrusted();
    let document = bench.project().join(".plan-machine/work.yaml");
    let text = std::fs::read_to_string(&document).expect("a document");
    let ready = "              plan_get: { reply: markdown }\n";
    let opened = format!("{ready}              writes: run\n");
    std::fs::write(&document, text.replacen(ready, &opened, 1)).expect("written");
    // The invariants of the project would forbid this machine, so they are removed.
    let document = bench.project().join(".plan-machine/session.yaml");
    let text = std::fs::read_to_string(&document).expect("a document");
    let (text, _) = text.split_once("invariants:").expect("invariants");
    std::fs::write(&document, text).expect("written");
    bench.trust();
    assert_eq!(bench.prompt("p1", ".gitignore is wrong").status, 0);
    bench
        .prompt("p2", ".plan of")
        .denies("did you mean `.plan off`?");
    bench.prompt("p3", ".plan show").denies("Careful: none");
    bench.prompt("p4", ".plan on").denies("DRAFTING");
    bench.own("s1", "plan_set_content", r##"{"text":"# v1"}"##);
    let write = |id: &str| bench.call(id, "Write", r#"{"file_path":"a.txt"}"#);
    write("c1").denies("when this turn began");
    for (at, proof) in [
        "",
        r#","source":"sdk""#,
        r#","source":"user","agent_id":"a1""#,
    ]
    .into_iter()
    .enumerate()
    {
        let fields = format!(r#""prompt":"Go on.","prompt_id":"u{at}"{proof}"#);
        assert_eq!(bench.claude("UserPromptSubmit", &fields).status, 0);
        write(&format!("u{at}")).denies("when this turn began");
    }
    bench.prompt("p5", ".plan show").denies("# v1");
    write("c2").denies("when this turn began");
    assert_eq!(bench.prompt("p6", ".gitignore is wrong").status, 0);
    write("c3").is_silent();
}

#[test]
fn several_commands_of_one_turn_count_and_a_repeated_event_counts_once() {
    let bench = Bench::new();
    bench.prompt("t1", ".plan on").denies("DRAFTING");
    bench.prompt("t1", ".plan off").denies("Planning is off.");
    let again = bench.prompt("t1", ".plan off");
    again.denies("Planning is off.");
    bench.prompt("t1", ".plan on").denies("DRAFTING");
    // The last command takes effect, although an earlier one in this turn had the same words.
    bench.own("s1", "plan_set_content", r##"{"text":"# v1"}"##);
    bench.prompt("t1", ".plan show").denies("# v1");
}

#[test]
fn a_plan_that_is_shown_is_shown_once() {
    let bench = Bench::untrusted();
    let document = bench.project().join(".plan-machine/work.yaml");
    let text = std::fs::read_to_string(&document).expect("a document");
    let text = text.replace(
        "  plan_off: { text: /plan off,",
        "  show: { text: /plan show, doc: Show the plan. }\n  plan_off: { text: /plan off,",
    );
    let ready = "              plan_get: { reply: markdown }\n";
    let text = text.replace(
        ready,
        &format!("{ready}              show: {{ reply: \"{{markdown}}\" }}\n"),
    );
    std::fs::write(&document, text).expect("written");
    bench.trust();
    bench.prompt("p1", ".plan on");
    bench.own("s1", "plan_set_content", r##"{"text":"# v1"}"##);
    let shown = bench.prompt("p2", ".plan show");
    shown.denies("This plan is waiting for your decision:");
    assert_eq!(shown.stderr.matches("# v1").count(), 1, "{}", shown.stderr);
    let line = format!(".plan approve {}", bench.token());
    assert_eq!(bench.prompt("p3", &line).status, 0);
}

/// Returns a project with a shipped machine and the calls document of Claude Code.
fn shipped(machine: &str) -> Bench {
    let calls = include_str!("../../shipped/calls/claude_code.yaml");
    Bench::shipped(machine, calls)
}

#[test]
fn a_shell_without_a_script_is_no_step_in_any_spelling() {
    let bench = shipped(include_str!("../../shipped/agents/record_then_replay.yaml"));
    bench.prompt("p1", ".plan on");
    for (at, command) in ["bash", "bash ", "/bin/bash", "env bash", "exec bash"]
        .into_iter()
        .enumerate()
    {
        let args = format!(r#"{{"command":"{command}","timeout":1000}}"#);
        bench
            .call(&format!("c{at}"), "Bash", &args)
            .denies("a shell or an interpreter without a script");
    }
    bench
        .call("c9", "Bash", r#"{"command":"make test"}"#)
        .denies("[Planned]");
}

#[test]
fn a_resumed_conversation_shows_the_card_of_its_plan_again() {
    let bench = shipped(include_str!("../../shipped/agents/look_then_act.yaml"));
    bench.own("s1", "plan_write", r##"{"markdown":"# v1"}"##);
    bench.prompt("p1", ".plan show");
    let approve = |id: &str| bench.prompt(id, &format!(".plan approve {}", bench.token()));
    assert_eq!(approve("p2").status, 0);
    assert!(bench.writes("c1"));
    let told = bench.claude("SessionStart", r#""source":"resume""#);
    // The card has the new token, which nobody has seen before.
    let card = r#""systemMessage":"This plan is waiting for your decision:\n# v1\n"#;
    assert!(told.stdout.contains(card), "{told:?}");
    let line = format!(".plan approve {}", bench.token());
    assert!(told.stdout.contains(&line), "{told:?}");
    let context = "The plan is waiting for the user's approval";
    assert!(told.stdout.contains(context), "{told:?}");
    assert!(!bench.writes("c2"));
    assert_eq!(approve("p3").status, 0);
    assert!(bench.writes("c3"));
    // After a compaction, the person still sees what was shown before.
    let told = bench.claude("SessionStart", r#""source":"compact""#);
    assert!(!told.stdout.contains("systemMessage"), "{told:?}");
}

#[test]
fn a_call_beyond_the_budget_does_not_run_and_the_next_approval_has_a_new_budget() {
    let machine = include_str!("../../shipped/agents/budgeted.yaml");
    let machine = machine.replace("&shell_commands 10", "&shell_commands 2");
    let machine = machine.replace("&writes 20", "&writes 2");
    let bench = shipped(&machine);
    let shell = |id: &str| bench.call(id, "Bash", r#"{"command":"make"}"#);
    let approve = |shown: &str, typed: &str| {
        bench.prompt(shown, ".plan show");
        let line = format!(".plan approve {}", bench.token());
        assert_eq!(bench.prompt(typed, &line).status, 0);
    };
    bench.own("s1", "plan_write", r##"{"markdown":"# v1"}"##);
    approve("p1", "p2");
    shell("c1").is_silent();
    bench.call("c2", "Bash", r#"{"command":"ls"}"#).is_silent();
    shell("c3").is_silent();
    // The budget is used up, and the person's next message does not change that.
    bench.prompt("p3", "Go on.");
    assert!(bench.writes("c4"));
    shell("c5").denies("The budget for shell commands is spent");
    shell("c6").denies("A budget of the last approval is spent");
    assert!(!bench.writes("c7"));
    bench.call("c8", "Bash", r#"{"command":"ls"}"#).is_silent();
    approve("p4", "p5");
    // Both budgets are full again, including the one that was not spent.
    shell("c9").is_silent();
    shell("c10").is_silent();
    assert!(bench.writes("c12") && bench.writes("c13"));
    shell("c11").denies("The budget for shell commands is spent");
    approve("p6", "p7");
    shell("c14").is_silent();
    assert!(bench.writes("c15") && bench.writes("c16"));
    let write = |id: &str| bench.call(id, "Write", r#"{"file_path":"a.txt"}"#);
    write("c17").denies("The budget for writes is spent");
    shell("c18").denies("A budget of the last approval is spent");
}
