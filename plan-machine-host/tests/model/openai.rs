use serde_json::{Value, json};

use super::server::{Server, ask, round_of_calls};
use super::{object, user};

fn answer(message: &Value) -> Value {
    json!({ "choices": [{ "finish_reason": "stop", "message": message }] })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

#[tokio::test]
async fn a_text_is_what_the_model_says() {
    let server = Server::saying(answer(&json!({ "content": "Hello." }))).await;
    let response = ask("openai", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    assert_eq!(response.text, "Hello.");
    assert!(response.calls.is_empty());

    let (head, _) = server.got();
    assert!(head.starts_with("post /v1/chat/completions"), "{head}");
    assert!(head.contains("authorization: bearer sk-secret"), "{head}");
}

#[tokio::test]
async fn calls_keep_their_ids_and_their_order() {
    let calls = [
        call("c2", "read", r#"{"path":"b"}"#),
        call("c1", "read", r#"{"path":"a","n":1}"#),
    ];
    let server = Server::saying(answer(&json!({ "content": null, "tool_calls": calls }))).await;
    let response = ask("openai", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    assert_eq!(response.text, "");
    let [one, other] = response.calls.as_slice() else {
        panic!("{response:?}")
    };
    assert_eq!((one.id.as_str(), one.tool.as_str()), ("c2", "read"));
    assert_eq!(one.args, Ok(object(r#"{"path":"b"}"#)));
    assert_eq!(other.id, "c1");
    assert_eq!(other.args, Ok(object(r#"{"path":"a","n":1}"#)));
}

#[tokio::test]
async fn results_go_back_as_one_tool_message_each() {
    let server = Server::saying(answer(&json!({ "content": "alpha" }))).await;
    let response = ask("openai", &server.url, round_of_calls()).await;
    response.expect("answered");
    assert_eq!(
        server.got().1["messages"],
        json!([
            { "role": "system", "content": "You are a bot." },
            { "role": "user", "content": "What is in a.txt?" },
            { "role": "assistant", "content": "I look.", "tool_calls": [
                call("c1", "read", r#"{"path":"a.txt"}"#),
                call("c2", "shell", "{}"),
            ]},
            { "role": "tool", "tool_call_id": "c1", "content": "alpha" },
            { "role": "tool", "tool_call_id": "c2", "content": "malformed" },
        ])
    );
}

#[tokio::test]
async fn tools_are_advertised_as_functions() {
    let server = Server::saying(answer(&json!({ "content": "Hello." }))).await;
    let response = ask("openai", &server.url, vec![user("Hi")]).await;
    response.expect("answered");
    let (_, body) = server.got();
    assert_eq!(body["model"], "some-model");
    assert_eq!(
        body["tools"],
        json!([{ "type": "function", "function": {
            "name": "read",
            "description": "Reads a file.",
            "parameters": {
                "type": "object",
                "properties": { "path": { "type": "string" } },
                "required": ["path"],
            },
            "strict": false,
        }}])
    );
}

#[tokio::test]
async fn malformed_arguments_leave_the_other_calls_and_the_text_as_they_are() {
    let calls = [
        call("c1", "read", r#"{"path": "#),
        call("c2", "read", "[1, 2]"),
        call("c3", "read", ""),
        call("c4", "read", r#"{"path":"a"}"#),
    ];
    let server = Server::saying(answer(&json!({ "content": "So.", "tool_calls": calls }))).await;
    let response = ask("openai", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    assert_eq!(response.text, "So.");
    let args: Vec<_> = response.calls.into_iter().map(|call| call.args).collect();
    let no_json = args[0].as_ref().expect_err("malformed").to_string();
    assert!(
        no_json.contains(r#"`{"path": ` cannot be parsed"#),
        "{no_json}"
    );
    let list = args[1].as_ref().expect_err("a list").to_string();
    assert!(list.contains("not `[1, 2]`"), "{list}");
    assert_eq!(args[2], Ok(object("{}")));
    assert_eq!(args[3], Ok(object(r#"{"path":"a"}"#)));
}

#[tokio::test]
async fn a_list_of_arguments_alone_is_malformed_too() {
    let calls = [call("c1", "read", "[1]")];
    let server = Server::saying(answer(&json!({ "tool_calls": calls }))).await;
    let response = ask("openai", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    let why = response.calls[0].args.as_ref().expect_err("a list");
    assert_eq!(
        why.to_string(),
        "arguments must be a JSON object, not `[1]`"
    );
}
