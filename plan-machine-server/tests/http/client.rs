//! A client that sends exactly the bytes that a test specifies.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use plan_machine_kernel::json::Json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// How long a test waits before it fails. It is never reached in a test that passes.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
    }

    pub(crate) fn json(&self) -> Json {
        Json::parse(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the value at a path, such as `cards.0.token`.
    pub(crate) fn at(&self, path: &str) -> Json {
        at(&self.json(), path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        match self.at(path) {
            Json::Text(text) => text,
            other => panic!("{path} is {other} in {}", self.body),
        }
    }

    /// Checks the status.
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }
}

/// Returns the headers that the page sends after it was opened by a link: its cookie, and its key.
pub(crate) fn page_headers(opened: &Answer) -> String {
    let cookie = opened.header("set-cookie").expect("a cookie");
    let cookie = cookie.split(';').next().expect("a value");
    let key = opened.body.split("#page=").nth(1).expect("a key");
    let key = key.split('"').next().expect("a key");
    format!("Cookie: {cookie}\r\nX-Plan-Machine-Page: {key}\r\n")
}

/// Returns the value at a path; `null` if there is none.
pub(crate) fn at(json: &Json, path: &str) -> Json {
    let mut value = json.clone();
    for part in path.split('.') {
        value = match value {
            Json::Object(mut object) => object.remove(part).unwrap_or_default(),
            Json::List(list) => {
                let index: usize = part.parse().expect("an index");
                list.get(index).cloned().unwrap_or_default()
            }
            _ => Json::Null,
        };
    }
    value
}

/// Sends bytes and reads the whole response.
pub(crate) async fn send(address: SocketAddr, bytes: &[u8]) -> Answer {
    let received = exchange(address, bytes).await.expect("a connection");
    answer(&String::from_utf8_lossy(&received))
}

/// Sends bytes and reads the whole response; `None` if the server ends before that.
pub(crate) async fn try_send(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let received = exchange(address, bytes).await.ok()?;
    let answer = answer(&String::from_utf8_lossy(&received));
    let length: usize = answer.header("content-length")?.parse().ok()?;
    (answer.body.len() == length).then_some(answer)
}

/// Sends bytes and returns everything that arrives until the connection ends.
async fn exchange(address: SocketAddr, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let work = async {
        let mut stream = TcpStream::connect(address).await?;
        // A server that refuses a request early may close the connection before all of it is written.
        let _ = stream.write_all(bytes).await;
        let mut received = Vec::new();
        let mut buffer = vec![0; 4096];
        loop {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(length) => received.extend_from_slice(&buffer[..length]),
            }
        }
        Ok(received)
    };
    timeout(LIMIT, work).await.expect("an answer in time")
}

fn answer(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let is_chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Answer {
        status: status.unwrap_or(0),
        head: head.replace("\r\n", "\n"),
        body: if is_chunked {
            chunks(body)
        } else {
            body.to_owned()
        },
    }
}

fn chunks(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = text.split_once("\r\n") {
        let Ok(length) = usize::from_str_radix(length.trim(), 16) else {
            break;
        };
        let Some(chunk) = rest.get(..length).filter(|_| length > 0) else {
            break;
        };
        body.push_str(chunk);
        text = rest.get(length + 2..).unwrap_or_default();
    }
    body
}

/// A stream of events.
pub(crate) struct Events {
    stream: TcpStream,
    bytes: Vec<u8>,
    received: String,
    pub(crate) head: String,
}

/// An event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Json,
}

impl Events {
    /// Opens a stream. The client's system buffers about `buffer` bytes that have not been read yet; if `buffer` is
    /// `None`, the system chooses the number.
    pub(crate) async fn open(address: SocketAddr, request: &str, buffer: Option<u32>) -> Self {
        let opened = async {
            loop {
                let socket = TcpSocket::new_v4().expect("a socket");
                if let Some(size) = buffer {
                    socket.set_recv_buffer_size(size).expect("a buffer");
                }
                let mut stream = socket.connect(address).await.expect("a connection");
                // A server at its limit closes new connections, and accepts one again as soon as another connection has
                // ended.
                let _ = stream.write_all(request.as_bytes()).await;
                let mut events = Self {
                    stream,
                    bytes: Vec::new(),
                    received: String::new(),
                    head: String::new(),
                };
                while !events.received.contains("\r\n\r\n") && events.read().await {}
                if let Some((head, rest)) = events.received.split_once("\r\n\r\n") {
                    (events.head, events.received) = (head.to_owned(), rest.to_owned());
                    break events;
                }
            }
        };
        timeout(LIMIT, opened).await.expect("a stream in time")
    }

    /// Reads more; returns whether the stream continues. The callers limit the time, because the server sends comments
    /// while nothing happens.
    async fn read(&mut self) -> bool {
        let mut buffer = vec![0; 16384];
        let length = self.stream.read(&mut buffer).await.unwrap_or(0);
        self.bytes.extend_from_slice(&buffer[..length]);
        // A character may arrive in two parts.
        let whole = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text: Vec<u8> = self.bytes.drain(..whole).collect();
        self.received.push_str(&String::from_utf8_lossy(&text));
        length > 0
    }

    /// Returns the next event; `None` if the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let next = timeout(LIMIT, self.unlimited_next()).await;
        next.expect("an event in time")
    }

    async fn unlimited_next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.taken() {
                return Some(event);
            }
            if !self.read().await {
                return None;
            }
        }
    }

    /// Returns the next event with this name.
    pub(crate) async fn named(&mut self, name: &str) -> Event {
        let named = async {
            loop {
                let event = self.unlimited_next().await.expect("an event");
                if event.name == name {
                    break event;
                }
            }
        };
        timeout(LIMIT, named).await.expect("the event in time")
    }

    fn taken(&mut self) -> Option<Event> {
        // The lengths of chunks are on separate lines, which are not fields of events.
        let end = self.received.find("\n\n")?;
        let text: String = self.received.drain(..end + 2).collect();
        let field = |name: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| Some(line.trim_end().strip_prefix(name)?.to_owned()))
        };
        let Some(name) = field("event: ") else {
            return self.taken();
        };
        let data = field("data: ").expect("data");
        Some(Event {
            name,
            id: field("id: "),
            data: Json::parse(&data).expect("JSON"),
        })
    }
}
