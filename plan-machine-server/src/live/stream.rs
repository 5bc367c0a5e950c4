//! One client's stream: first the events that the client has missed, from the store; then live events.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use metrics::counter;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::store::Place;
use plan_machine_sessions::watch::Watcher;
use plan_machine_sessions::{SessionError, SessionIdentity};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::body::EventBody;
use super::event::{LiveEvent, formatted, of_one};
use super::hub::{ClientGuard, Hub};
use crate::inbox::Index;
use crate::metrics::names;
use crate::problem::{Problem, ProblemKind};
use crate::project::{Desk, ServedProject};

/// How often a comment is sent, so that both sides notice a broken connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The maximum number of pieces that wait to be sent to one client. A piece has at most about [`PIECE`] bytes.
const PIECES: usize = 4;

/// The size above which no more events are combined into one piece.
const PIECE: usize = 64 << 10;

/// How long a client may take to accept a piece before it counts as slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the next missed entry may take. Entries of deleted sessions never arrive.
const QUIET: Duration = Duration::from_secs(2);

/// The events that a stream contains, and the position after which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamStart {
    /// All sessions, after a position; without a position, after the last event.
    All(Option<Place>),
    /// One session, after an entry; without an entry, after the last one.
    One(SessionIdentity, Option<u64>),
}

/// The data that a stream needs.
pub(crate) struct Stream {
    /// The project that is served.
    pub(crate) desk: Arc<Desk>,
    /// The waiting plans.
    pub(crate) index: Arc<Index>,
    /// Where events come from.
    pub(crate) hub: Arc<Hub>,
}

/// Why the server ends a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DropReason {
    Slow,
    Stop,
    Store,
}

impl DropReason {
    fn text(self) -> &'static str {
        match self {
            Self::Slow => "the client was too slow",
            Self::Stop => "the server stops",
            Self::Store => "the store cannot be reached",
        }
    }
}

/// How a stream ends.
enum End {
    /// The client has disconnected.
    Gone,
    Dropped(DropReason),
}

/// Opens a stream for a client.
///
/// # Errors
///
/// If there are too many clients.
pub(crate) fn open(stream: Stream, start: StreamStart, most: usize) -> Result<EventBody, Problem> {
    let guard = stream.hub.enter(most).ok_or_else(|| {
        let detail = format!("there are already {most} streams");
        Problem::new(ProblemKind::Busy, detail)
    })?;
    let (client, receiver) = mpsc::channel(PIECES + 1);
    tokio::spawn(serve(stream, start, client, guard));
    Ok(EventBody(receiver))
}

async fn serve(
    stream: Stream,
    start: StreamStart,
    client: mpsc::Sender<Bytes>,
    _guard: ClientGuard,
) {
    // This place is reserved for the last event, so that even a client that accepts no more pieces gets the reason why
    // its stream ends.
    let Ok(last) = client.clone().reserve_owned().await else {
        return;
    };
    let mut writer = Writer { client };
    let end = match start {
        StreamStart::All(after) => stream.all(&mut writer, after).await,
        StreamStart::One(session, after) => stream.one(&mut writer, &session, after).await,
    };
    if let Err(End::Dropped(reason)) = end {
        counter!(names::STREAMS_DROPPED, "reason" => reason.text()).increment(1);
        let mut object = Object::new();
        object.push("reason", reason.text());
        last.send(formatted("dropped", None, &object.into()));
    }
}

/// Sends pieces to a client.
struct Writer {
    client: mpsc::Sender<Bytes>,
}

impl Writer {
    async fn send(&mut self, bytes: Bytes) -> Result<(), End> {
        // If a client does not read, its stream ends after this time. The connection has a separate deadline.
        match timeout(PATIENCE, self.client.send(bytes)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Gone),
            Err(_) => Err(End::Dropped(DropReason::Slow)),
        }
    }
}

impl Stream {
    async fn all(&self, writer: &mut Writer, after: Option<Place>) -> Result<(), End> {
        let project = self.desk.project();
        let (events, begun) = self.hub.subscribe();
        // A place that does not exist yet belongs to another store: the client would wait for it forever.
        let mut last = after.unwrap_or(begun).min(begun);
        writer.send(hello(last, None)).await?;
        if last < begun {
            let mut watcher = project.sessions().watch(last);
            while last < begun {
                let Some(seen) = missed(&mut watcher).await? else {
                    break;
                };
                last = seen.place;
                let waiting = self.index.of_session(&seen.session);
                if let LiveEvent::Entry { all, .. } = LiveEvent::entry(&project, &seen, &waiting) {
                    writer.send(all).await?;
                }
            }
        }
        // Entries that the store no longer has are skipped.
        last = last.max(begun);
        live(writer, events, |event| match event {
            LiveEvent::Entry { place, all, .. } => (*place > last).then(|| all.clone()),
            LiveEvent::Passing { text, .. } => Some(text.clone()),
            LiveEvent::Stop => None,
        })
        .await
    }

    async fn one(
        &self,
        writer: &mut Writer,
        session: &SessionIdentity,
        after: Option<u64>,
    ) -> Result<(), End> {
        let project: Arc<ServedProject> = self.desk.project();
        let (events, begun) = self.hub.subscribe();
        let handle = project.session(session);
        let stored = handle.seq().await;
        let stored = stored.map_err(|_| End::Dropped(DropReason::Store))?;
        let mut last = after.unwrap_or(stored).min(stored);
        writer.send(hello(begun, Some(last))).await?;
        if last < stored {
            let mut watcher = handle.watch(last);
            while last < stored {
                let Some(seen) = missed(&mut watcher).await? else {
                    break;
                };
                last = seen.entry.seq;
                let waiting = self.index.of_session(session);
                writer.send(of_one(&project, &seen, &waiting)).await?;
            }
        }
        last = last.max(stored);
        live(writer, events, |event| match event {
            LiveEvent::Entry {
                session: of,
                seq,
                own,
                ..
            } => (of == session && *seq > last).then(|| own.clone()),
            LiveEvent::Passing { session: of, text } => {
                let is_own = of.as_ref().is_none_or(|of| of == session);
                is_own.then(|| text.clone())
            }
            LiveEvent::Stop => None,
        })
        .await
    }
}

/// Returns the next entry that a client has missed; `None` if no entry arrives.
async fn missed(
    watcher: &mut Watcher,
) -> Result<Option<plan_machine_sessions::watch::WatchedEntry>, End> {
    loop {
        match timeout(QUIET, watcher.next()).await {
            Ok(Ok(seen)) => return Ok(Some(seen)),
            Ok(Err(SessionError::Unreadable { .. })) => {}
            // The client reconnects with the last id that it has seen.
            Ok(Err(_)) => return Err(End::Dropped(DropReason::Store)),
            Err(_) => return Ok(None),
        }
    }
}

/// Sends all events from now on.
async fn live(
    writer: &mut Writer,
    mut events: broadcast::Receiver<Arc<LiveEvent>>,
    chosen: impl Fn(&LiveEvent) -> Option<Bytes>,
) -> Result<(), End> {
    let mut heartbeat = interval(HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    heartbeat.reset();
    loop {
        let client = writer.client.clone();
        let event = tokio::select! {
            event = events.recv() => event,
            () = client.closed() => return Err(End::Gone),
            _ = heartbeat.tick() => {
                writer.send(Bytes::from_static(b":\n\n")).await?;
                continue;
            }
        };
        let first = match event {
            Ok(event) => event,
            Err(RecvError::Lagged(_)) => return Err(End::Dropped(DropReason::Slow)),
            Err(RecvError::Closed) => return Err(End::Dropped(DropReason::Stop)),
        };
        let (piece, end) = gathered(&first, &mut events, &chosen);
        if !piece.is_empty() {
            writer.send(piece).await?;
            heartbeat.reset();
        }
        if let Some(reason) = end {
            return Err(End::Dropped(reason));
        }
    }
}

/// Combines an event with those that came after it, so that a busy server sends fewer and longer pieces.
fn gathered(
    first: &LiveEvent,
    events: &mut broadcast::Receiver<Arc<LiveEvent>>,
    chosen: &impl Fn(&LiveEvent) -> Option<Bytes>,
) -> (Bytes, Option<DropReason>) {
    if matches!(first, LiveEvent::Stop) {
        return (Bytes::new(), Some(DropReason::Stop));
    }
    let first = chosen(first).unwrap_or_default();
    let mut piece: Option<Vec<u8>> = None;
    while piece.as_ref().map_or(first.len(), Vec::len) < PIECE {
        let end = match events.try_recv() {
            Ok(event) if matches!(*event, LiveEvent::Stop) => DropReason::Stop,
            Ok(event) => {
                if let Some(bytes) = chosen(&event) {
                    let piece = piece.get_or_insert_with(|| first.to_vec());
                    piece.extend_from_slice(&bytes);
                }
                continue;
            }
            Err(TryRecvError::Empty) => break,
            Err(TryRecvError::Lagged(_)) => DropReason::Slow,
            Err(TryRecvError::Closed) => DropReason::Stop,
        };
        return (piece.map_or(first, Bytes::from), Some(end));
    }
    (piece.map_or(first, Bytes::from), None)
}

fn hello(place: Place, seq: Option<u64>) -> Bytes {
    let mut object = Object::new();
    object.push("place", place.to_string());
    if let Some(seq) = seq {
        object.push("seq", seq);
    }
    let event = formatted("hello", None, &Json::Object(object));
    let mut text = b"retry: 1000\n".to_vec();
    text.extend_from_slice(&event);
    Bytes::from(text)
}

#[cfg(test)]
pub(super) mod tests {
    use std::future::poll_fn;
    use std::path::Path;
    use std::pin::Pin;

    use hyper::body::Body as _;
    use plan_machine_sessions::store::Memory;

    use super::*;
    use crate::project::SessionDocuments;

    /// Returns a stream of a project with a store in memory.
    pub(in crate::live) fn stream() -> Stream {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("session.yaml");
        let text = "session: Test\nmachines: { work: 'plan-specs:plan_mode' }\n";
        std::fs::write(&file, text).expect("a document");
        let documents = SessionDocuments::read(Path::new(&file)).expect("a valid document");
        let store = Arc::new(Memory::new());
        let project = ServedProject::of_store("shop", store, vec![(None, documents)]);
        Stream {
            desk: Arc::new(Desk::fixed(project.expect("a project"))),
            index: Arc::default(),
            hub: Arc::default(),
        }
    }

    /// Returns the last piece of a body.
    async fn last_piece(body: &mut EventBody) -> String {
        let mut last = String::new();
        while let Some(piece) = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
            let Ok(piece) = piece;
            let piece = piece.into_data().expect("data");
            last = String::from_utf8(piece.to_vec()).expect("UTF-8");
        }
        last
    }

    /// The last piece for a client that was too slow.
    const TOO_SLOW: &str = "event: dropped\ndata: {\"reason\":\"the client was too slow\"}\n\n";

    #[tokio::test(start_paused = true)]
    async fn a_client_that_accepts_nothing_for_a_while_still_gets_the_reason() {
        let stream = stream();
        let hub = Arc::clone(&stream.hub);
        let mut body = open(stream, StreamStart::All(None), 1).expect("a stream");
        let session: SessionIdentity = "codex:first-talk".parse().expect("an identity");
        let data = Json::from("x".repeat(PIECE));
        for _ in 0..=PIECES {
            hub.denied(&session, &data);
            tokio::task::yield_now().await;
        }
        while hub.clients() > 0 {
            tokio::time::advance(PATIENCE).await;
        }
        assert_eq!(last_piece(&mut body).await, TOO_SLOW);
    }

    #[tokio::test]
    async fn a_client_that_falls_behind_is_dropped_with_a_reason() {
        let stream = stream();
        let hub = Arc::clone(&stream.hub);
        let mut body = open(stream, StreamStart::All(None), 1).expect("a stream");
        let session: SessionIdentity = "codex:first-talk".parse().expect("an identity");
        let data = Json::from("x".repeat(1000));
        for _ in 0..20_000 {
            hub.denied(&session, &data);
            tokio::task::yield_now().await;
        }
        assert_eq!(last_piece(&mut body).await, TOO_SLOW);
        drop(body);
        while hub.clients() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_client_that_keeps_reading_gets_every_event() {
        let stream = stream();
        let hub = Arc::clone(&stream.hub);
        let mut body = open(stream, StreamStart::All(None), 1).expect("a stream");
        let session: SessionIdentity = "codex:first-talk".parse().expect("an identity");
        let hello = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        assert!(hello.is_some());
        let mut seen = 0;
        for number in 0..10_000_u64 {
            hub.denied(&session, &Json::from(number));
            if number % 1000 == 999 {
                while seen <= number {
                    let piece = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
                    let Ok(piece) = piece.expect("a piece");
                    let piece = piece.into_data().expect("data");
                    let text = String::from_utf8(piece.to_vec()).expect("UTF-8");
                    for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
                        if let Ok(found) = line.parse::<u64>() {
                            assert_eq!(found, seen);
                            seen += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(seen, 10_000);
    }
}
