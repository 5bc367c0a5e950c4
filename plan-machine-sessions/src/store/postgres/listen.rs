//! Receives notifications about data stored by others, and sends them about data stored here.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{AsyncMessage, Config, Error, Socket};

use super::deadlines::{Deadlines, within};
use super::error;
use crate::store::StoreError;

/// How long to wait before reconnecting; doubled after each failure.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

/// How long to wait before the next notification: everything stored in the meantime is announced together, so that
/// commits do not compete with an equal number of notifying transactions.
const BREATH: Duration = Duration::from_millis(10);

/// Starts listening, and makes up for notifications that were not sent. None of this needs to survive a crash of the
/// server, so nothing waits for its disk.
const BEGIN: &str = "
    SET synchronous_commit = off;
    LISTEN plan_machine;
    NOTIFY plan_machine";

/// Signals that there is new data.
const TELL: &str = "NOTIFY plan_machine";

/// A task that ends when its handle is dropped.
#[derive(Debug)]
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Listens and notifies for as long as the store exists.
#[derive(Debug)]
pub(super) struct Listening {
    news: Arc<Notify>,
    _task: Task,
}

impl Listening {
    /// Starts listening on a separate connection, which is replaced if it is lost.
    pub(super) fn start<T>(
        config: Config,
        tls: T,
        changes: Arc<watch::Sender<u64>>,
        deadlines: Deadlines,
    ) -> Self
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let news = Arc::new(Notify::new());
        let to_tell = Arc::clone(&news);
        let listening = async move {
            let mut pause = SHORTEST;
            loop {
                match listen(&config, tls.clone(), &changes, &to_tell, deadlines).await {
                    Ok(()) => pause = SHORTEST,
                    Err(error) => {
                        tracing::debug!(%error, "cannot listen for notifications from the store");
                        pause = LONGEST.min(pause * 2);
                    }
                }
                tokio::time::sleep(pause).await;
            }
        };
        Self {
            news,
            _task: Task(tokio::spawn(listening)),
        }
    }

    /// Records that something was stored: others are notified soon, once for everything stored until then.
    pub(super) fn tell(&self) {
        self.news.notify_one();
    }
}

/// Listens and notifies until the connection is lost.
async fn listen<T>(
    config: &Config,
    tls: T,
    changes: &Arc<watch::Sender<u64>>,
    news: &Arc<Notify>,
    deadlines: Deadlines,
) -> Result<(), StoreError>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let told = |error: Error| error::of(&error);
    let connecting = within("a new connection", deadlines.connect, config.connect(tls));
    let (client, mut connection) = connecting.await?.map_err(told)?;
    let heard = Arc::clone(changes);
    let mut hearing = Task(tokio::spawn(async move {
        // An error ends the loop, just as the end of the connection does.
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                heard.send_modify(|changes| *changes += 1);
            }
        }
    }));
    let begun = within(
        "listening",
        deadlines.statement,
        client.batch_execute(BEGIN),
    );
    begun.await?.map_err(told)?;
    // Something may have been stored while nothing was listening.
    changes.send_modify(|changes| *changes += 1);
    let news = Arc::clone(news);
    let mut telling = Task(tokio::spawn(async move {
        loop {
            news.notified().await;
            let told = within("news", deadlines.statement, client.batch_execute(TELL));
            if !matches!(told.await, Ok(Ok(()))) {
                return;
            }
            tokio::time::sleep(BREATH).await;
        }
    }));
    // Ends when the connection ends or does not answer; a stopped task counts as done.
    let hearing = &mut hearing.0;
    let telling = &mut telling.0;
    poll_fn(|cx| {
        let over = Pin::new(&mut *hearing).poll(cx).is_ready();
        if over || Pin::new(&mut *telling).poll(cx).is_ready() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    Ok(())
}
