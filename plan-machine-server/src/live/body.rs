//! The body of a response that does not end on its own.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// The body of a stream of events.
#[derive(Debug)]
pub(crate) struct EventBody(pub(super) mpsc::Receiver<Bytes>);

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = ready!(self.0.poll_recv(cx));
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
