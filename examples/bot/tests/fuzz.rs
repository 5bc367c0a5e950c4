//! Scripts of the scripted model, tried with texts that were changed at random: one is read or refused in
//! words, nothing panics, and what it answers has a bound.

use plan_bot::model::script::Script;
use plan_bot::model::{Message, Request};
use plan_machine_tests::fuzz::{Target, shape, signature};

const SCRIPT: &str = r#"
- user: Plan the release
  model:
    - text: I look first.
      calls:
        - list_files: { path: docs }
        - git_status
        - shell: '{"cmd": '
    - text: "There is {result.1}; I may call {tools}."
- contains: thank
  model:
    - text: You're welcome.
- default:
    - text: I only know my script.
"#;

#[test]
fn a_script_is_read_or_refused() {
    let target = Target {
        name: "script",
        documents: vec![SCRIPT.to_owned()],
        words: &[
            "- user: ",
            "- contains: ",
            "- default:",
            "model:",
            "text: ",
            "calls:",
            "{result}",
            "{result.9}",
            "{tools}",
            "&a ",
            "*a",
            "<<: ",
            "!!str ",
            "|\n",
            ">\n",
            "~",
            "on",
            "no",
            "? ",
        ],
        longest: 4_000,
    };
    target.run(|input| {
        let text = String::from_utf8_lossy(input);
        let script = match Script::read("fuzzed", &text) {
            Ok(script) => script,
            Err(refused) => {
                let told = refused.to_string();
                assert!(!told.is_empty() && told.len() < 2_000 + 4 * text.len());
                return signature(&shape(&told));
            }
        };
        let mut told = Vec::new();
        for said in ["Plan the release", "thank you", "x"] {
            let request = Request {
                messages: vec![Message::User(said.into())],
                ..Request::default()
            };
            match script.answer(&request) {
                Ok(answer) => {
                    assert!(answer.text.len() <= 100 * (text.len() + 100));
                    told.push(answer.calls.len().to_string());
                }
                Err(error) => told.push(shape(&error.to_string())),
            }
        }
        signature(&told)
    });
}
