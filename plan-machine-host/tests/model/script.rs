use plan_machine::Json;
use plan_machine_host::model::script::Script;
use plan_machine_host::model::{Message, Model, ModelError, ModelRequest, Response, Tool};

use super::{object, result, user};

fn script(yaml: &str) -> Script {
    Script::read("demo", yaml).expect("a script")
}

fn asked(messages: &[Message]) -> ModelRequest {
    ModelRequest {
        messages: messages.to_vec(),
        ..ModelRequest::default()
    }
}

fn text(script: &Script, messages: &[Message]) -> String {
    let answer = script.answer(&asked(messages));
    answer.expect("on script").text
}

fn said(text: &str) -> Message {
    Message::Model(Response {
        text: text.to_owned(),
        calls: Vec::new(),
    })
}

const LOOK: &str = r#"
- user: Look
  model:
    - text: I look.
      calls:
        - list: { dir: docs, deep: no, at: 1.5 }
        - status
        - list:
        - shell: '{"cmd": '
        - shell: '{"cmd": "ls"}'
    - text: "{result.1} and {result.2}, last {result}, none {result.9}; {other} {tools}"
"#;

#[test]
fn calls_come_in_order_with_their_arguments() {
    let response = script(LOOK)
        .answer(&asked(&[user("Look")]))
        .expect("on script");
    assert_eq!(response.text, "I look.");
    let tools: Vec<_> = response
        .calls
        .iter()
        .map(|call| call.tool.as_str())
        .collect();
    assert_eq!(tools, ["list", "status", "list", "shell", "shell"]);
    let args: Vec<_> = response.calls.into_iter().map(|call| call.args).collect();
    assert_eq!(
        args[0],
        Ok(object(r#"{"dir":"docs","deep":"no","at":1.5}"#))
    );
    assert_eq!(args[1], Ok(object("{}")));
    assert_eq!(args[2], Ok(object("{}")));
    let why = args[3].as_ref().expect_err("malformed").to_string();
    assert!(why.contains("cannot be parsed"), "{why}");
    assert_eq!(args[4], Ok(object(r#"{"cmd":"ls"}"#)));
}

#[test]
fn after_the_calls_of_a_response_comes_the_next_one_which_can_quote_results_and_tools() {
    let script = script(LOOK);
    let mut messages = vec![user("Look")];
    let first = script.answer(&asked(&messages)).expect("on script");
    messages.push(Message::Model(first.clone()));
    messages.push(result(&first.calls[0], "a {tools}"));
    messages.push(result(&first.calls[1], "b"));
    let tool = |name: &str| Tool {
        name: name.to_owned(),
        description: String::new(),
        schema: Json::Null,
    };
    let request = ModelRequest {
        tools: vec![tool("shell"), tool("list")],
        ..asked(&messages)
    };
    let second = script.answer(&request).expect("on script");
    assert_eq!(
        second.text,
        "a {tools} and b, last b, none (no result); {other} list, shell"
    );
    assert!(text(&script, &messages).ends_with("{other} (no tools)"));

    messages.push(Message::Model(second));
    let third = script.answer(&asked(&messages)).expect("on script");
    assert_eq!((third.text.as_str(), third.calls.len()), ("Done.", 0));
}

const CUES: &str = r"
- default: [text: What?]
- contains: Plan
  model: [text: some plan]
- user: My plan
  model: [text: first]
- user: My plan
  model: [text: second]
";

#[test]
fn the_whole_text_goes_before_a_part_and_a_part_before_the_default() {
    let script = script(CUES);
    assert_eq!(text(&script, &[user(" My plan\n")]), "first");
    assert_eq!(text(&script, &[user("my PLAN")]), "some plan");
    assert_eq!(text(&script, &[user("Hello")]), "What?");
}

#[test]
fn a_text_said_again_takes_the_next_turn_and_the_last_turn_stays() {
    let script = script(CUES);
    let mut messages = vec![user("My plan")];
    for answer in ["first", "second", "second"] {
        assert_eq!(text(&script, &messages), answer);
        messages.extend([said(answer), user("Hello"), said("What?"), user("My plan")]);
    }
    // If the history was truncated, only the remaining messages count.
    assert_eq!(text(&script, &messages[4..8]), "Done.");
    assert_eq!(text(&script, &messages[4..9]), "second");
    assert_eq!(text(&script, &messages[8..9]), "first");
}

#[test]
fn the_same_request_gets_the_same_ids_and_another_gets_others() {
    let script = script("- user: Look\n  model: [calls: [list, list]]\n");
    let mut ids = std::collections::BTreeSet::new();
    let mut messages = vec![user("Look")];
    for _ in 0..50 {
        let response = script.answer(&asked(&messages)).expect("on script");
        assert_eq!(Ok(&response), script.answer(&asked(&messages)).as_ref());
        ids.extend(response.calls.iter().map(|call| call.id.clone()));
        let results = response.calls.iter().map(|call| result(call, "same"));
        let mut next: Vec<_> = results.collect();
        next.insert(0, Message::Model(response));
        next.push(user("Look"));
        // Only the previous round of the history is left: the requests are identical except for their ids.
        messages = next;
    }
    assert_eq!(ids.len(), 100);
}

#[tokio::test]
async fn sessions_side_by_side_do_not_disturb_each_other() {
    let script = std::sync::Arc::new(script(LOOK));
    let sessions: Vec<_> = (0..200)
        .map(|number| {
            let script = std::sync::Arc::clone(&script);
            tokio::spawn(async move {
                let mut messages = vec![user("Look")];
                let first = script.respond(&asked(&messages)).await.expect("on script");
                messages.push(Message::Model(first.clone()));
                messages.push(result(&first.calls[0], &number.to_string()));
                script
                    .respond(&asked(&messages))
                    .await
                    .expect("on script")
                    .text
            })
        })
        .collect();
    for (number, session) in sessions.into_iter().enumerate() {
        let text = session.await.expect("no panic");
        assert!(text.starts_with(&format!("{number} and ")), "{text}");
    }
}

#[test]
fn what_is_not_in_the_script_is_reported_with_what_is() {
    let long = "x".repeat(50);
    let turn = |number| format!("- user: Say {number} {long}\n  model: [text: x]\n");
    let turns: String = (0..9).map(turn).collect();
    let yaml = format!("- contains: plan\n  model: [text: x]\n{turns}");
    let off = script(&yaml).answer(&asked(&[user("Hello\nyou")]));
    let Err(ModelError::OffScript(why)) = off else {
        panic!("{off:?}")
    };
    let start = "demo has no turn for \"Hello you\"; the script has turns for anything that contains \"plan\", \"Say 0 xxx";
    assert!(why.starts_with(start), "{why}");
    assert!(why.ends_with("xxx…\" and 2 more"), "{why}");

    let silent = script(CUES).answer(&asked(&[said("Hello")]));
    assert_eq!(
        silent,
        Err(ModelError::OffScript("there is no user message".to_owned()))
    );
}

#[test]
fn a_script_is_opened_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("demo.yaml");
    let missing = Script::open(&path).expect_err("no file").to_string();
    assert!(missing.contains("demo.yaml` cannot be read: "), "{missing}");
    std::fs::write(&path, CUES).expect("written");
    let script = Script::open(&path).expect("a script");
    assert!(script.name().ends_with("demo.yaml"));
    assert_eq!(text(&script, &[user("Hello")]), "What?");
}

#[test]
fn the_page_about_scripts_has_an_example_that_plays() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scripts.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let example = page.split("```yaml\n").nth(1);
    let example = example.and_then(|rest| rest.split("```").next());
    let script = Script::read("page", example.expect("an example")).expect("a script");
    let first = script.answer(&asked(&[user("Plan the release.")]));
    let first = first.expect("on script");
    assert_eq!(
        (&*first.text, first.calls.len()),
        ("I will look around first.", 2)
    );
    assert_eq!(text(&script, &[user("THANKS!")]), "You're welcome.");
    assert_eq!(text(&script, &[user("Hm.")]), "I only know my script.");
}
