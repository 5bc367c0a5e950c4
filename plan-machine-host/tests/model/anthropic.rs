use serde_json::{Value, json};

use super::server::{KEY, Server, ask, round_of_calls};
use super::{object, user};

fn answer(content: &Value) -> Value {
    json!({ "role": "assistant", "stop_reason": "end_turn", "content": content })
}

#[tokio::test]
async fn a_text_is_what_the_model_says() {
    let server = Server::saying(answer(&json!([{ "type": "text", "text": "Hello." }]))).await;
    let response = ask("anthropic", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    assert_eq!(response.text, "Hello.");
    assert!(response.calls.is_empty());

    let (head, body) = server.got();
    assert!(head.starts_with("post /v1/messages"), "{head}");
    assert!(head.contains(&format!("x-api-key: {KEY}")), "{head}");
    assert_eq!(body["model"], "some-model");
    assert_eq!(body["system"], "You are a bot.");
}

#[tokio::test]
async fn calls_keep_their_ids_and_their_order() {
    let server = Server::saying(answer(&json!([
        { "type": "text", "text": "I look." },
        { "type": "tool_use", "id": "c2", "name": "read", "input": { "path": "b" } },
        { "type": "tool_use", "id": "c1", "name": "shell", "input": {} },
    ])))
    .await;
    let response = ask("anthropic", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    assert_eq!(response.text, "I look.");
    let [one, other] = response.calls.as_slice() else {
        panic!("{response:?}")
    };
    assert_eq!((one.id.as_str(), one.tool.as_str()), ("c2", "read"));
    assert_eq!(one.args, Ok(object(r#"{"path":"b"}"#)));
    assert_eq!((other.id.as_str(), other.tool.as_str()), ("c1", "shell"));
    assert_eq!(other.args, Ok(object("{}")));
}

#[tokio::test]
async fn results_go_back_together_in_one_message() {
    let server = Server::saying(answer(&json!([{ "type": "text", "text": "alpha" }]))).await;
    let response = ask("anthropic", &server.url, round_of_calls()).await;
    response.expect("answered");
    assert_eq!(
        server.got().1["messages"],
        json!([
            { "role": "user", "content": "What is in a.txt?" },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "c1", "name": "read", "input": { "path": "a.txt" } },
                { "type": "tool_use", "id": "c2", "name": "shell", "input": {} },
            ]},
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "c1", "content": "alpha" },
                { "type": "tool_result", "tool_use_id": "c2", "content": "malformed" },
            ]},
        ])
    );
}

#[tokio::test]
async fn tools_are_advertised_with_an_input_schema() {
    let server = Server::saying(answer(&json!([{ "type": "text", "text": "Hello." }]))).await;
    let response = ask("anthropic", &server.url, vec![user("Hi")]).await;
    response.expect("answered");
    assert_eq!(
        server.got().1["tools"],
        json!([{
            "name": "read",
            "description": "Reads a file.",
            "input_schema": {
                "type": "object",
                "properties": { "path": { "type": "string" } },
                "required": ["path"],
            },
        }])
    );
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_malformed() {
    let server = Server::saying(answer(&json!([
        { "type": "tool_use", "id": "c1", "name": "read", "input": [1, 2] },
        { "type": "tool_use", "id": "c2", "name": "read", "input": { "path": "a" } },
    ])))
    .await;
    let response = ask("anthropic", &server.url, vec![user("Hi")])
        .await
        .expect("answered");
    let why = response.calls[0].args.as_ref().expect_err("a list");
    assert_eq!(
        why.to_string(),
        "arguments must be a JSON object, not `[1,2]`"
    );
    assert_eq!(response.calls[1].args, Ok(object(r#"{"path":"a"}"#)));
}
