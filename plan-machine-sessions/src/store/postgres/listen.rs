//! Receives notifications about data that other processes have stored, and sends notifications about data that this
//! process has stored.

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

/// The shortest wait before reconnecting. The wait is doubled after each failure.
const SHORTEST: Duration = Duration::from_millis(50);
/// The longest wait before reconnecting.
const LONGEST: Duration = Duration::from_secs(5);

/// How long to wait between two notifications. Everything that is stored in the meantime is announced by one
/// notification, so that commits do not compete with an equal number of transactions that send notifications.
const BREATH: Duration = Duration::from_millis(10);

/// Starts listening, and sends a notification in case earlier ones could not be sent. Notifications need not survive a
/// crash of the server, so these statements do not wait for its disk.
const BEGIN: &str = "
    SET synchronous_commit = off;
    LISTEN plan_machine;
    NOTIFY plan_machine";

/// Notifies other processes that there is new data.
const TELL: &str = "NOTIFY plan_machine";

/// A task that ends when its handle is dropped.
#[derive(Debug)]
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Listens for notifications and sends them, for as long as the store exists.
#[derive(Debug)]
pub(super) struct Listening {
    news: Arc<Notify>,
    _task: Task,
}

impl Listening {
    /// Starts listening on a separate connection. If the connection is lost, a new one is opened.
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

    /// Records that data was stored. Other processes are notified soon; one notification covers everything that is
    /// stored until it is sent.
    pub(super) fn tell(&self) {
        self.news.notify_one();
    }
}

/// Listens for notifications and sends them until the connection is lost.
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
        // The loop ends when the connection ends or reports an error.
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
    // New data may have been stored while this process was not listening.
    changes.send_modify(|changes| *changes += 1);
    let news = Arc::clone(news);
    let mut telling = Task(tokio::spawn(async move {
        loop {
            news.notified().await;
            let told = within(
                "a notification",
                deadlines.statement,
                client.batch_execute(TELL),
            );
            if !matches!(told.await, Ok(Ok(()))) {
                return;
            }
            tokio::time::sleep(BREATH).await;
        }
    }));
    // Wait until one of the two tasks ends, because the connection has ended or the server does not answer. A task that
    // panicked counts as ended.
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
