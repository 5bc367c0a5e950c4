//! Tests of `plan-machine run` with input from a pipe.

use insta::assert_snapshot;

use super::{folder, fresh, invalid, transcript, valid};

/// Returns the answers below their requests; every line must have exactly one answer.
fn conversation(line: &str, sent: &[&str]) -> String {
    let transcript = valid(line, sent.join("\n"));
    let mut lines = transcript.lines();
    let mut shown = format!("{}\n", lines.next().unwrap_or_default());
    let answers: Vec<&str> = lines.collect();
    let end = answers.iter().position(|line| line.starts_with("---"));
    let (answers, rest) = answers.split_at(end.unwrap_or(answers.len()));
    assert_eq!(answers.len(), sent.len(), "{transcript}");
    for (sent, answer) in sent.iter().zip(answers) {
        shown.extend(["> ", sent, "\n", answer, "\n"]);
    }
    shown + &rest.join("\n")
}

#[test]
fn a_plan_is_drafted_approved_revised_and_put_away() {
    let sent = [
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"}}"##,
        r#"{"do":"/plan on"}"#,
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"}}"##,
        r#"{"do":"/plan approve 1-02c18244"}"#,
        r#"{"tool":"shell","with":{"cmd":"ls"}}"#,
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v2","title":"Second"}}"##,
        r#"{"do":"plan_get"}"#,
        r#"{"do":"/plan approve","token":"current"}"#,
        r#"{"do":"finished"}"#,
        r#"{"do":"/plan done"}"#,
    ];
    assert_snapshot!(conversation("run work_by_plan.yaml", &sent));
}

/// Uses exactly the lines that the documentation of the command shows.
#[test]
fn the_lines_have_their_keys_in_order() {
    let sent = [
        r#"{"do":"plan_get"}"#,
        r#"{"do":"/plan on"}"#,
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"}}"##,
        r#"{"do":"approve","with":{"token":"current"}}"#,
        r#"{"tool":"shell","with":{"cmd":"ls"}}"#,
    ];
    let transcript = valid("run work_by_plan.yaml", sent.join("\n"));
    let lines: Vec<&str> = transcript.lines().collect();
    assert_eq!(
        lines[3],
        r##"{"accepted":true,"state":"READY","plan":{"id":"plan-1","revision":2,"edition":1,"token":"1-02c18244ed851867ff5741fba8ac4f93"},"data":{"markdown":"# v1"},"reply":"READY","effects":[{"plan_ready":{"plan":"plan-1","token":"1-02c18244ed851867ff5741fba8ac4f93"}}],"advertised":["plan_get","plan_set_content"]}"##
    );
    assert_eq!(
        lines[5],
        r#"{"accepted":true,"state":"EXECUTING","run":"shell","advertised":["plan_get","plan_set_content"]}"#
    );
    assert!(lines[1].starts_with(
        r#"{"accepted":false,"state":"none","denied":{"kind":"not_allowed","messages":[""#
    ));
    assert!(lines[1].ends_with(
        r#""],"allowed_in":["COLLECTING","READY","EXECUTING","COMPLETED"]},"advertised":[]}"#
    ));
}

#[test]
fn denials_of_one_plan_have_their_kinds() {
    let sent = [
        r#"{"do":"/plan done"}"#,
        r#"{"do":"/plan on"}"#,
        r#"{"do":"plan_get"}"#,
        r#"{"do":"plan_set_content","with":{"plan_markdown":"  ","titel":"x"}}"#,
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"},"expect_revision":7}"##,
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"},"plan_id":"plan-9"}"##,
        r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"},"expect_revision":1,"plan_id":"plan-1"}"##,
        r#"{"do":"/plan approve"}"#,
        r#"{"do":"approve","token":"1-00000000"}"#,
        r#"{"do":"finished","plan_id":"plan-9"}"#,
        r#"{"tool":"sehll"}"#,
        r#"{"tool":"shell"}"#,
    ];
    let line = "run work_by_plan.yaml --host-tools shell,search";
    assert_snapshot!(conversation(line, &sent));
}

#[test]
fn denials_of_many_plans_have_their_kinds() {
    let sent = [
        r#"{"do":"/review open one"}"#,
        r#"{"do":"/review open two"}"#,
        r#"{"do":"/review open three"}"#,
        r#"{"do":"/review nudge"}"#,
        r#"{"do":"remark","with":{"text":"x","plan_id":"plan-7"}}"#,
        r#"{"do":"remark","with":{"text":"x","plan_id":"plan-2"}}"#,
        r#"{"do":"remark","with":{"text":"x","plan_id":3},"plan_id":"plan-2"}"#,
        r#"{"do":"/review nudge plan-1","with":{"token":{}}}"#,
        r#"{"tool":"shell"}"#,
        r#"{"do":"merged","plan_id":"plan-1","with":{"by":"ann"}}"#,
        r#"{"do":"/review list"}"#,
        r#"{"do":"/review open three"}"#,
        r#"{"do":"/review close"}"#,
        r#"{"do":"/review close"}"#,
    ];
    assert_snapshot!(conversation("run many_reviews.yaml", &sent));
}

#[test]
fn a_bound_on_the_data_is_a_limit() {
    let note = r#"{"do":"note","with":{"text":"x"}}"#;
    let sent = [r#"{"do":"/research on"}"#, note, note, note, note];
    let transcript = valid("run allowlist.yaml", sent.join("\n"));
    let last = transcript.lines().nth(5).unwrap_or_default();
    assert!(last.contains(r#""kind":"limit_reached""#), "{transcript}");
    assert!(!last.contains("allowed_in"), "{transcript}");
}

#[test]
fn a_batch_is_answered_by_as_many_lines() {
    let sent = [
        r#"{"do":"/batch on"}"#,
        r#"{"batch":[{"tool":"shell"},{"do":"done_planning"},{"tool":"shell"},{"tool":"search"}]}"#,
        r#"{"batch":[{"do":"/batch off"},{"do":"begin"},7,{"do":"count_steps","at":"2026-01-01T00:00:00Z"},{"do":"count_steps"},{"do":"nothing"}]}"#,
        r#"{"batch":[]}"#,
    ];
    assert_snapshot!(valid("run batches.yaml", sent.join("\n")));
}

#[test]
fn a_batch_cannot_move_a_plan_and_then_act_outside() {
    let folder = fresh("batch-rule");
    let spec = "machine: Early\ncommands: { begin: /begin, end: /end }\ntools:\n  go_on: { doc: Go on. }\n  act: { doc: Act outside., external: true }\nstates:\n  none: { on: { begin: A } }\n  A: { on: { go_on: B, end: { to: Z, next: none } } }\n  B: { on: { act: {}, end: { to: Z, next: none } } }\n  Z: { final: true }\n";
    std::fs::write(folder.join("early.yaml"), spec).expect("written");
    let sent = [
        r#"{"do":"/begin"}"#,
        r#"{"batch":[{"do":"go_on"},{"do":"act"}]}"#,
        r#"{"batch":[{"do":"act"}]}"#,
    ];
    for run in ["run early.yaml", "run early.yaml --store sqlite:early.db"] {
        let run = transcript(&folder, run, sent.join("\n"));
        let answers: Vec<&str> = run.lines().filter(|line| line.starts_with('{')).collect();
        let accepted = answers
            .iter()
            .map(|line| line.contains(r#""accepted":true"#));
        assert_eq!(
            accepted.collect::<Vec<_>>(),
            [true, true, false, true],
            "{run}"
        );
        let told = "`act` cannot run in A, where this batch of calls began";
        assert!(answers[2].contains(told), "{run}");
    }
}

#[test]
fn a_trace_is_run_and_what_it_tells_is_ignored() {
    let trace = r##"[{"do":"/plan on","with":{},"state":"x","data":{}},{"do":"plan_set_content","with":{"plan_markdown":"# v1"},"state":"READY"},{"do":"oops"},{"do":"/plan approve","token":"current"}]"##;
    assert_snapshot!(valid("run work_by_plan.yaml", trace));
}

#[test]
fn a_line_that_cannot_be_sent_is_answered_and_the_run_continues() {
    let sent = [
        "nonsense",
        "7",
        r#"{"do":"plan_onn"}"#,
        r#"{"do":"/plan om"}"#,
        r#"{"do":"/paln on"}"#,
        r#"{"do":"/plan on","wiht":{}}"#,
        r#"{"do":"/plan on","with":[]}"#,
        r#"{"do":"/plan on","at":"noon"}"#,
        r#"{"do":"/plan on","expect_revision":-1}"#,
        r#"{"do":"/plan on","plan_id":7}"#,
        r#"{"do":"/plan on","do":"/plan on"}"#,
        r#"{"do":"/plan approve 1-02c18244","token":"2-02c18244"}"#,
        r#"{"do":"approve","with":{"token":"current"},"token":"2-02c18244"}"#,
        r#"{"with":{}}"#,
        r#"{"do":"/plan on"}"#,
    ];
    assert_snapshot!(conversation("run work_by_plan.yaml", &sent));
}

#[test]
fn a_tool_of_the_host_is_sent_as_one() {
    let sent = [
        r#"{"do":"shell"}"#,
        r#"{"tool":"shell","with":{"plan_id":7,"token":"mine"}}"#,
        r#"{"tool":"begin"}"#,
    ];
    assert_snapshot!(conversation("run batches.yaml", &sent));
}

#[test]
fn a_tool_that_is_denied_everywhere_names_the_entry_that_denies_it() {
    let folder = folder("denied");
    let spec = "machine: Denied\nexternal_tools: [deploy]\ncommands: { begin: /begin, end: /end }\nstates:\n  none: { other_tools: deny, on: { begin: OPEN, deploy: deny } }\n  OPEN: { other_tools: deny, on: { deploy: deny, end: { to: CLOSED, next: none } } }\n  CLOSED: { final: true }\n";
    std::fs::write(folder.join("denied.yaml"), spec).expect("written");
    let sent = [r#"{"tool":"deploy"}"#, r#"{"tool":"shell"}"#];
    assert_snapshot!(transcript(&folder, "run denied.yaml", sent.join("\n")));
}

#[test]
fn a_recorded_call_keeps_its_arguments_whole() {
    let sent = [
        r#"{"do":"/research on"}"#,
        r#"{"do":"/research act"}"#,
        r#"{"tool":"deploy","with":{"plan_id":"theirs","token":"current","tag":"v1"}}"#,
    ];
    assert_snapshot!(conversation("run allowlist.yaml", &sent));
}

#[test]
fn the_clock_is_fixed_unless_a_line_says_otherwise() {
    let folder = folder("clock");
    let spec = "machine: Clock\ndata: { at: time }\ncommands: { look: /look, put: /put }\nstates:\n  none: { on: { look: { to: SEEN, set: { at: now } } } }\n  SEEN: { on: { put: { to: GONE, next: none } } }\n  GONE: { final: true }\n";
    std::fs::write(folder.join("clock.yaml"), spec).expect("written");
    let sent = [
        r#"{"do":"/look","at":"2027-05-04T03:02:01+02:00"}"#,
        r#"{"do":"/put"}"#,
        r#"{"do":"/look"}"#,
    ];
    assert_snapshot!(transcript(&folder, "run clock.yaml", sent.join("\n")));
}

#[test]
fn a_bad_context_is_invalid_input_in_its_turn() {
    let folder = folder("context");
    let spec = "machine: Guest\ncontext: { who: string }\ncommands: { begin: /begin, end: /end }\nstates:\n  none: { on: { begin: OPEN } }\n  OPEN: { on: { end: { to: CLOSED, next: none } } }\n  CLOSED: { final: true }\n";
    std::fs::write(folder.join("context.yaml"), spec).expect("written");
    let sent = [
        r#"{"do":"/begin"}"#,
        r#"{"do":"/begin","context":{"who":7,"whom":"x"}}"#,
        r#"{"do":"/begin","context":"ann"}"#,
        r#"{"do":"/end","context":"ann"}"#,
        r#"{"do":"/begin","context":{"who":"ann"}}"#,
    ];
    assert_snapshot!(transcript(&folder, "run context.yaml", sent.join("\n")));
}

#[test]
fn a_line_that_is_too_long_or_no_text_is_answered() {
    let mut sent = vec![b' '; 5 * 1024 * 1024];
    sent.extend(b"\n\n\xff\n{\"do\":\"/plan on\"}");
    assert_snapshot!(valid("run work_by_plan.yaml", sent));
}

#[test]
fn no_input_is_fine() {
    assert_eq!(
        valid("run work_by_plan.yaml", ""),
        "$ plan-machine run work_by_plan.yaml\n--- status 0\n"
    );
}

#[test]
fn a_machine_whose_scenario_differs_can_be_run_to_see_why() {
    assert_snapshot!(invalid("run PM0701_state_differs.yaml"));
}

#[test]
fn a_name_that_looks_like_a_denied_tool_does_not_run() {
    let folder = folder("look-alikes");
    let spec = "machine: Guard
external_tools: [shell]
commands: { begin: /guard }
states:
  none: { other_tools: run, on: { begin: ON, shell: deny } }
  ON: { final: true, on: { begin: { next: none } } }
";
    std::fs::write(folder.join("guard.yaml"), spec).expect("written");
    for name in ["shell", "Shell", "sh-ell", "shell_", " shell"] {
        let line = format!(r#"{{"tool":"{name}"}}"#);
        let run = transcript(&folder, "run guard.yaml", line);
        assert!(run.contains(r#""accepted":false"#), "{name}: {run}");
    }
    let run = transcript(&folder, "run guard.yaml", r#"{"tool":"read_file"}"#);
    assert!(run.contains(r#""run":"read_file""#), "{run}");
}
