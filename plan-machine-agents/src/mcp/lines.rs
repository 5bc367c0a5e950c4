//! Answers lines that the server cannot interpret before the server reads them: lines that are too long, are not JSON
//! or are not valid requests, and calls without the name of a tool or with arguments that are not an object. The protocol
//! requires an answer to each of them, but the library ignores the line, leaves out the id, or reports an unknown method.

use std::io;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader, DuplexStream, duplex,
};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;

/// The JSON-RPC code for a line that is not JSON.
const NOT_JSON: i32 = -32700;

/// The JSON-RPC code for JSON that is not a valid request.
const INVALID_REQUEST: i32 = -32600;

/// The JSON-RPC code for invalid parameters.
const INVALID_PARAMETERS: i32 = -32602;

/// The size of the buffers between the client and the server, in bytes.
const BUFFER: usize = 64 << 10;

/// The maximum length of a line, in bytes. The library drops longer lines without an answer.
const LONGEST: usize = 16 << 20;

/// The maximum number of lines that wait for the client.
const LINES: usize = 64;

/// A connection whose lines are checked.
pub(super) struct CheckedLines {
    /// The lines for the server.
    pub(super) input: DuplexStream,
    /// The stream to which the server writes.
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
    while let Ok(Some(line)) = next_line(&mut input).await {
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
    }
}

/// Reads a line; `None` at the end of the input. Of a line that is too long, one byte more than the maximum is returned,
/// and the rest is skipped.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut start = (&mut *input).take(LONGEST as u64 + 1);
    if start.read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    let mut is_whole = line.len() <= LONGEST || line.ends_with(b"\n");
    while !is_whole {
        let rest = input.fill_buf().await?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(rest.len(), |end| end + 1);
        is_whole = end.is_some() || rest.is_empty();
        input.consume(length);
    }
    Ok(Some(line))
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
    if line.len() > LONGEST {
        let text = format!("the message is longer than {LONGEST} bytes");
        return Some(failure(&Value::Null, INVALID_REQUEST, &text));
    }
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
    if let Some(text) = invalid(&message) {
        // The protocol requires the id `null`, even if the request has an id.
        return Some(failure(&Value::Null, INVALID_REQUEST, text));
    }
    let id = message.get("id")?;
    if message.get("method").and_then(Value::as_str) != Some("tools/call") {
        return None;
    }
    let params = message.get("params");
    if !params.is_some_and(|params| params.get("name").is_some_and(Value::is_string)) {
        let text = "expected the name of a tool in `params.name`";
        return Some(failure(id, INVALID_PARAMETERS, text));
    }
    let arguments = params.and_then(|params| params.get("arguments"));
    let is_valid = arguments.is_none_or(|found| found.is_object() || found.is_null());
    (!is_valid).then(|| refused_arguments(id))
}

/// Returns what is wrong with a message; `None` if it is a valid request or notification, or if it is an answer, which
/// must not be answered.
fn invalid(message: &Value) -> Option<&'static str> {
    let Value::Object(fields) = message else {
        return Some("expected a JSON object");
    };
    let is_answer = fields.contains_key("result") || fields.contains_key("error");
    if is_answer && !fields.contains_key("method") {
        return None;
    }
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        Some("expected `\"jsonrpc\": \"2.0\"`")
    } else if !fields.get("method").is_some_and(Value::is_string) {
        Some("expected the name of a method in `method`")
    } else if !fields.get("id").is_none_or(is_id) {
        Some("expected a string or an integer in `id`")
    } else {
        None
    }
}

/// Returns the answer to a call whose arguments are not an object: a result with a text, which the model reads.
fn refused_arguments(id: &Value) -> Value {
    let text = "the arguments are not valid: expected an object";
    let content = json!([{ "type": "text", "text": text }]);
    let result = json!({ "resultType": "complete", "content": content, "isError": true });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn failure(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

#[cfg(test)]
mod tests {
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
    fn an_invalid_request_gets_an_error_with_the_id_null() {
        for line in [
            r#"{"jsonrpc":"1.0","id":7,"method":"tools/list"}"#,
            r#"{"id":7,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            "[]",
            "5",
        ] {
            let found = answer(line.as_bytes()).expect("an answer");
            assert_eq!(found["error"]["code"], -32600, "{line}");
            assert_eq!(found.get("id"), Some(&Value::Null), "{line}");
        }
        // Answers to questions of the server are not answered.
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
        ] {
            assert_eq!(answer(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_call_with_arguments_that_are_not_an_object_gets_an_error_result() {
        let call = |arguments: &str| {
            let params = format!(r#"{{"name":"plan_status","arguments":{arguments}}}"#);
            let line =
                format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{params}}}"#);
            answer(line.as_bytes())
        };
        for arguments in ["[1]", "5", "\"{}\"", "false"] {
            let found = call(arguments).expect("an answer");
            assert_eq!(found["id"], "a", "{arguments}");
            assert_eq!(found["result"]["isError"], true, "{found}");
            let text = found["result"]["content"][0]["text"].as_str();
            assert!(
                text.is_some_and(|text| text.contains("expected an object")),
                "{found}"
            );
        }
        assert_eq!(call("{}"), None);
        assert_eq!(call("null"), None);
    }

    #[test]
    fn a_line_that_is_too_long_gets_an_error_and_the_next_line_is_read() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            for (length, is_read) in [(LONGEST, true), (LONGEST + 1, false), (17 << 20, false)] {
                let mut text = vec![b' '; length - 3];
                text.extend_from_slice(b"{}\n[]\n");
                let mut input = BufReader::new(&text[..]);
                let mut next = async || next_line(&mut input).await.expect("read");
                let line = next().await.expect("a line");
                assert_eq!(line.len() <= LONGEST, is_read, "{length}");
                let found = answer(&line).expect("an answer");
                assert_eq!(found.get("id"), Some(&Value::Null));
                let text = found["error"]["message"].as_str().expect("a text");
                assert_eq!(!text.contains("is longer than"), is_read, "{text}");
                assert_eq!(next().await.as_deref(), Some(&b"[]\n"[..]));
                assert_eq!(next().await, None);
            }
        });
    }

    #[test]
    fn other_lines_reach_the_server_and_its_lines_reach_the_client() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let (client, mut theirs) = duplex(1024);
            let (from_client, to_client) = tokio::io::split(client);
            let mut lines = checked(from_client, to_client);
            let request = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n";
            theirs.write_all(request).await.expect("written");
            theirs.write_all(b"{\n").await.expect("written");
            let mut line = vec![0; request.len()];
            lines.input.read_exact(&mut line).await.expect("a line");
            assert_eq!(&line, request);
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
