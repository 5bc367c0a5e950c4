//! Answers lines that are not JSON, and calls without the name of a tool, before the server reads them. The protocol
//! requires an error for each such line, but the library ignores the line or reports an unknown method.

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream,
    duplex,
};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;

/// The JSON-RPC code for a line that is not JSON.
const NOT_JSON: i32 = -32700;

/// The JSON-RPC code for invalid parameters.
const INVALID_PARAMETERS: i32 = -32602;

/// The size of the buffers between the client and the server, in bytes.
const BUFFER: usize = 64 << 10;

/// The maximum number of lines that wait for the client.
const LINES: usize = 64;

/// A connection whose lines are checked.
pub(super) struct CheckedLines {
    /// The lines for the server.
    pub(super) input: DuplexStream,
    /// Where the server writes.
    pub(super) output: DuplexStream,
    /// The task that writes to the client. It ends when the server and the client have ended.
    pub(super) writing: JoinHandle<()>,
}

/// Checks the lines of a client.
pub(super) fn checked(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> CheckedLines {
    let (server_input, to_server) = duplex(BUFFER);
    let (server_output, from_server) = duplex(BUFFER);
    let (lines, mut written) = channel::<Vec<u8>>(LINES);
    tokio::spawn(read_client(input, to_server, lines.clone()));
    tokio::spawn(read_server(from_server, lines));
    let mut output = output;
    let writing = tokio::spawn(async move {
        while let Some(line) = written.recv().await {
            let written = output.write_all(&line).await;
            if written.is_err() || output.flush().await.is_err() {
                return;
            }
        }
    });
    CheckedLines {
        input: server_input,
        output: server_output,
        writing,
    }
}

/// Passes the client's lines on to the server, or answers them.
async fn read_client(
    input: impl AsyncRead + Unpin,
    mut server: DuplexStream,
    answers: Sender<Vec<u8>>,
) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    while matches!(input.read_until(b'\n', &mut line).await, Ok(1..)) {
        let is_gone = match answer(&line) {
            Some(answer) => {
                let line = format!("{answer}\n").into_bytes();
                answers.send(line).await.is_err()
            }
            None => server.write_all(&line).await.is_err(),
        };
        if is_gone {
            return;
        }
        line.clear();
    }
}

/// Passes the server's lines on to the client.
async fn read_server(server: DuplexStream, lines: Sender<Vec<u8>>) {
    let mut server = BufReader::new(server);
    loop {
        let mut line = Vec::new();
        match server.read_until(b'\n', &mut line).await {
            Ok(1..) if lines.send(line).await.is_ok() => {}
            _ => return,
        }
    }
}

/// Returns the answer to a line that the server need not read; `None` if the server must read the line.
fn answer(line: &[u8]) -> Option<Value> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            let text = format!("the message is not JSON: {error}");
            return Some(failure(&Value::Null, NOT_JSON, &text));
        }
    };
    let id = message.get("id")?;
    let is_call = message.get("method").and_then(Value::as_str) == Some("tools/call");
    let name = message.get("params").and_then(|params| params.get("name"));
    let is_named = name.is_some_and(Value::is_string);
    (is_call && !is_named).then(|| {
        let text = "expected the name of a tool in `params.name`";
        failure(id, INVALID_PARAMETERS, text)
    })
}

fn failure(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    fn code(line: &str) -> Option<i64> {
        answer(line.as_bytes())?["error"]["code"].as_i64()
    }

    #[test]
    fn a_line_that_is_not_json_and_a_call_without_a_name_get_an_error() {
        assert_eq!(code("{nothing"), Some(-32700));
        assert_eq!(code("\u{feff}x"), Some(-32700));
        for params in ["", r#","params":{}"#, r#","params":{"name":5}"#] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call"{params}}}"#);
            let found = answer(line.as_bytes()).expect("an answer");
            assert_eq!(found["error"]["code"], -32602, "{line}");
            assert_eq!(found["id"], 7);
        }
        for line in [
            "\n",
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plan_read"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            assert_eq!(code(line), None, "{line}");
        }
    }

    #[test]
    fn other_lines_reach_the_server_and_its_lines_reach_the_client() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let (client, mut theirs) = duplex(1024);
            let (from_client, to_client) = tokio::io::split(client);
            let mut lines = checked(from_client, to_client);
            theirs.write_all(b"{}\n{\n").await.expect("written");
            let mut line = [0; 3];
            lines.input.read_exact(&mut line).await.expect("a line");
            assert_eq!(&line, b"{}\n");
            let mut reader = BufReader::new(&mut theirs);
            let mut text = String::new();
            reader.read_line(&mut text).await.expect("an answer");
            assert!(text.contains("-32700"), "{text}");
            lines.output.write_all(b"[1]\n").await.expect("written");
            text.clear();
            reader.read_line(&mut text).await.expect("a line");
            assert_eq!(text, "[1]\n");
        });
    }
}
