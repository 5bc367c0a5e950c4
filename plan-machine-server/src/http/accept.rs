//! Accepts connections, and limits the resources that each of them can use.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::timed::TimedStream;

/// The maximum number of headers of a request.
const MOST_HEADERS: usize = 64;

/// The maximum size of the head of a request, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// The size of the system's buffer for data that a client has not read yet, in bytes. The system would otherwise keep
/// several megabytes for each client that does not read, and the server would notice such a client only after that.
const SEND_BUFFER: u32 = 128 << 10;

/// The number of connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long connections have to finish their requests when the server stops.
const GRACE: Duration = Duration::from_secs(5);

/// The pause after a connection could not be accepted, for example because the process has too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The limits of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// The maximum number of connections at a time.
    pub connections: usize,
    /// How long the head of a request may take. A client that sends it byte by byte is disconnected.
    pub head: Duration,
    /// How long a client may take to read what was sent.
    pub write: Duration,
}

/// The address of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub IpAddr);

/// Listens on an address. The connections inherit the size of the buffer.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // A server that is started again can use the port at once. On Windows, this would let other programs use it as well.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections until `stop` changes to true or its sender is dropped. `refused` is called for each connection
/// above the limit, which is closed at once.
pub(crate) async fn accept(
    listener: TcpListener,
    routes: Router,
    limits: ConnectionLimits,
    mut stop: watch::Receiver<bool>,
    refused: impl Fn(),
) {
    let free = Arc::new(Semaphore::new(limits.connections));
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stop) => break,
            Some(_) = open.join_next() => continue,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        match Arc::clone(&free).try_acquire_owned() {
            Ok(permit) => {
                let routes = routes.clone();
                let (peer, stop) = (Peer(peer.ip()), stop.clone());
                open.spawn(serve(stream, peer, routes, limits, stop, permit));
            }
            Err(_) => refused(),
        }
    }
    drop(listener);
    let ended = async { while open.join_next().await.is_some() {} };
    // Connections that are still open after that are closed.
    let _ = tokio::time::timeout(GRACE, ended).await;
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    // If the sender has been dropped, nothing else can stop the server, so it stops now.
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn serve(
    stream: TcpStream,
    peer: Peer,
    routes: Router,
    limits: ConnectionLimits,
    mut stop: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
) {
    // Small answers and events are sent at once.
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(TimedStream::new(stream, limits.write));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        routes.clone().oneshot(request.map(Body::new))
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(MOST_HEADERS)
        .max_buf_size(LONGEST_HEAD);
    let mut connection = std::pin::pin!(builder.serve_connection(stream, service));
    tokio::select! {
        // If a connection breaks, the client has to reconnect.
        _ = connection.as_mut() => return,
        () = stopped(&mut stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
