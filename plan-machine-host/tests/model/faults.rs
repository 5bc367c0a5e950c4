//! Error handling, with both APIs.

use plan_machine_host::model::endpoint::LONGEST;
use plan_machine_host::model::{Model, ModelError, ModelRequest};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};

use super::server::{KEY, Server, ask, endpoint};
use super::user;

const APIS: [&str; 2] = ["openai", "anthropic"];

async fn error(api: &str, server: &Server) -> ModelError {
    let answer = ask(api, &server.url, vec![user("Hi")]).await;
    answer.expect_err("no answer")
}

async fn error_of(api: &str, status: u16, message: &str) -> ModelError {
    let body = json!({ "error": { "type": "some_error", "message": message } });
    let server = Server::answering(status, "application/json", body).await;
    error(api, &server).await
}

#[tokio::test]
async fn a_refusal_is_reported_in_the_words_of_the_server() {
    for api in APIS {
        let why = error_of(api, 401, "Wrong key.").await;
        assert_eq!(why, ModelError::Refused("HTTP 401: Wrong key.".to_owned()));
        let why = error_of(api, 429, "Slow down.").await;
        assert_eq!(why, ModelError::Refused("HTTP 429: Slow down.".to_owned()));
    }
}

#[tokio::test]
async fn a_server_that_fails_cannot_be_reached() {
    for api in APIS {
        let why = error_of(api, 500, "Overloaded.").await;
        assert_eq!(
            why,
            ModelError::Unreachable("HTTP 500: Overloaded.".to_owned())
        );
    }
}

#[tokio::test]
async fn a_refusal_without_json_is_reported_as_it_is() {
    let server = Server::answering(404, "text/plain", "no such page").await;
    let why = error("openai", &server).await;
    assert_eq!(
        why,
        ModelError::Refused("HTTP 404: no such page".to_owned())
    );
}

#[tokio::test]
async fn the_key_is_in_no_error_even_where_the_server_repeats_it() {
    for api in APIS {
        let why = error_of(api, 401, &format!("{}{KEY} is wrong", "x".repeat(480))).await;
        let told = format!("{why:?} {why}");
        assert!(told.contains("*** is"), "{told}");
        assert!(!told.contains("sk-"), "{told}");
        let shown = format!("{:?}", endpoint(api, "http://localhost/", "1"));
        assert!(
            shown.contains("some-model") && !shown.contains("sk-"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_not_json_is_garbled() {
    for (kind, body) in [
        ("text/html", "<html>Hello</html>"),
        ("application/json", "{\"choices\": [<html>Hello</html>"),
    ] {
        for api in APIS {
            let server = Server::answering(200, kind, body).await;
            let why = error(api, &server).await;
            let ModelError::Garbled(why) = why else {
                panic!("{why:?}")
            };
            assert!(why.contains("<html>Hello"), "{why}");
        }
    }
}

#[tokio::test]
async fn an_answer_of_another_shape_is_garbled() {
    for api in APIS {
        let server = Server::saying(json!({ "error": "no model is loaded" })).await;
        let why = error(api, &server).await;
        assert!(
            matches!(&why, ModelError::Garbled(why) if why.contains("no model is loaded")),
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_server_that_does_not_exist_cannot_be_reached() {
    // The socket is bound to the port, so no other process can use the port, but nothing listens on
    // it.
    let socket = TcpSocket::new_v4().expect("a socket");
    let any_port = "127.0.0.1:0".parse().expect("an address");
    socket.bind(any_port).expect("a free port");
    let url = format!("http://{}/v1", socket.local_addr().expect("bound"));
    for api in APIS {
        let why = ask(api, &url, vec![user("Hi")])
            .await
            .expect_err("no server is listening");
        assert!(
            matches!(&why, ModelError::Unreachable(why) if why.contains("refused")),
            "{why}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_not_waited_for() {
    for api in APIS {
        let server = Server::silent().await;
        let request = ModelRequest {
            messages: vec![user("Hi")],
            ..ModelRequest::default()
        };
        let model = endpoint(api, &server.url, "0.05");
        let why = model.respond(&request).await.expect_err("silence");
        assert_eq!(
            why,
            ModelError::Unreachable("no answer within 50ms".to_owned())
        );
    }
}

/// Starts a server whose answer never ends; the task returns the number of bytes that it has sent.
async fn endless(head: &'static str) -> (String, tokio::task::JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    let sent = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("asked");
        stream
            .read_buf(&mut Vec::with_capacity(64 * 1024))
            .await
            .expect("asked");
        stream.write_all(head.as_bytes()).await.expect("heard");
        let piece = vec![b'x'; 64 * 1024];
        let mut sent = 0;
        while stream.write_all(&piece).await.is_ok() {
            sent += piece.len();
        }
        sent
    });
    (url, sent)
}

#[tokio::test]
async fn an_answer_without_an_end_is_read_no_further_than_its_bound() {
    for api in APIS {
        for status in ["200 OK", "500 Failed"] {
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{{\"a\":\""
            );
            let (url, sent) = endless(head.leak()).await;
            let why = ask(api, &url, vec![user("Hi")])
                .await
                .expect_err("too long");
            let told = "the model's answer is longer than 4194304 bytes and was not used";
            assert_eq!(why.to_string(), told);
            // The sockets' buffers contain data that was never read.
            let sent = sent.await.expect("ended");
            assert!(sent < 8 * LONGEST, "{sent}");
        }
    }
}
