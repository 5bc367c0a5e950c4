//! A server that records the request and gives one answer.

use std::sync::{Arc, Mutex};

use plan_machine::Json;
use plan_machine_host::model::endpoint::Endpoint;
use plan_machine_host::model::{
    ArgumentsError, Message, Model, ModelCall, ModelError, ModelRequest, Response, Tool,
};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{object, result, user};

pub(crate) const KEY: &str = "sk-secret-0123456789";

pub(crate) struct Server {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    pub(crate) async fn answering(status: u16, kind: &str, body: impl ToString) -> Self {
        let body = body.to_string();
        let answer = format!(
            "HTTP/1.1 {status} Content\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        );
        Self::start(Some(answer)).await
    }

    pub(crate) async fn saying(body: Value) -> Self {
        Self::answering(200, "application/json", body).await
    }

    pub(crate) async fn silent() -> Self {
        Self::start(None).await
    }

    async fn start(answer: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let got = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&got);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = read(&mut stream).await;
                keep.lock().expect("no panic").push(request);
                match &answer {
                    Some(answer) => stream.write_all(answer.as_bytes()).await.expect("heard"),
                    None => std::future::pending().await,
                }
            }
        });
        Self {
            url: format!("http://{address}/v1"),
            got,
        }
    }

    /// Returns the head, in lower case, and the body of the only request that arrived.
    pub(crate) fn got(&self) -> (String, Value) {
        let got = self.got.lock().expect("no panic");
        assert_eq!(got.len(), 1);
        got[0].clone()
    }
}

async fn read(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.split("content-length: ").nth(1).expect("a length");
            let length: usize = length
                .lines()
                .next()
                .unwrap_or("")
                .parse()
                .expect("a number");
            if body.len() >= length {
                return (head, serde_json::from_str(body).expect("JSON"));
            }
        }
        assert_ne!(stream.read_buf(&mut bytes).await.expect("open"), 0);
    }
}

pub(crate) fn endpoint(api: &str, url: &str, timeout: &str) -> Endpoint {
    let variable = |name: &str| {
        let value = match name {
            "PLAN_BOT_MODEL" => "some-model",
            "PLAN_BOT_API" => api,
            "PLAN_BOT_URL" => url,
            "PLAN_BOT_KEY" => KEY,
            "PLAN_BOT_TIMEOUT" => timeout,
            _ => return None,
        };
        Some(value.to_owned())
    };
    Endpoint::from_env("PLAN_BOT", variable).expect("all is set")
}

/// Asks the model behind a server, with a system prompt and one tool.
pub(crate) async fn ask(
    api: &str,
    url: &str,
    messages: Vec<Message>,
) -> Result<Response, ModelError> {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let request = ModelRequest {
        system: "You are a bot.".to_owned(),
        messages,
        tools: vec![Tool {
            name: "read".to_owned(),
            description: "Reads a file.".to_owned(),
            schema: Json::parse(schema).expect("JSON"),
        }],
    };
    endpoint(api, url, "30").respond(&request).await
}

/// Returns a conversation with a response of two calls, and a message for each result.
pub(crate) fn round_of_calls() -> Vec<Message> {
    let call = |id: &str, tool: &str, args| ModelCall {
        id: id.to_owned(),
        tool: tool.to_owned(),
        args,
    };
    let calls = vec![
        call("c1", "read", Ok(object(r#"{"path":"a.txt"}"#))),
        call("c2", "shell", Err(ArgumentsError::new("malformed"))),
    ];
    let results = [result(&calls[0], "alpha"), result(&calls[1], "malformed")];
    let text = "I look.".to_owned();
    let mut messages = vec![
        user("What is in a.txt?"),
        Message::Model(Response { text, calls }),
    ];
    messages.extend(results);
    messages
}
