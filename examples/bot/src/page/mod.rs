//! The page: everything that waits for a person, and a chat with the bot, in a browser.

mod attend;
mod documents;
mod messages;

use std::io::{Write as _, stdout};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use plan_machine::gate::{EventContext, TurnId};
use plan_machine_agents::keeper;
use plan_machine_host::chats::Transport;
use plan_machine_host::{DenialReport, Host};
use plan_machine_server::memory::HostMemory;
use plan_machine_server::project::{Desk, ServedProject};
use plan_machine_server::{Server, ServerOptions};
use plan_machine_sessions::SessionIdentity;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::bot::MODES;
use crate::error::BotError;
use documents::ModeDocuments;

/// The number of lines that may wait for the bot. The page asks the person to try again if there are more.
const LINES: usize = 64;

/// The chat to which the conversations of the page belong.
const CHAT: &str = "page";

/// Serves the page until the process is asked to end. The journal names the person who decides on the page; the default
/// is the name of the account. If a mode is given, the conversation of the page is switched to that mode.
///
/// # Errors
///
/// If the address cannot be used, if files or sessions cannot be read or written, or if the chat can no longer be
/// answered.
pub async fn serve(
    host: Host,
    data: &Path,
    listen: SocketAddr,
    person: Option<&str>,
    mode: Option<&str>,
) -> Result<(), BotError> {
    let host = Arc::new(host);
    let documents = ModeDocuments::write()?;
    let modes = Arc::clone(&host);
    let choose = move |session: &SessionIdentity| {
        let mode = modes.chats().mode(session);
        MODES.iter().position(|one| *one == mode)
    };
    let sessions = host.sessions().clone();
    let project = ServedProject::of_host("plan-bot", sessions, documents.read()?, choose);
    let (lines, written) = mpsc::channel(LINES);
    let person = person.map_or_else(keeper::person, str::to_owned);
    let options = ServerOptions {
        listen,
        chat: Some(lines),
        memory: Some(Box::new(HostMemory::open(&data.join("memory.jsonl"))?)),
        show_link: Box::new(|link| show(&format!("The next link, for another browser: {link}"))),
        ..ServerOptions::local(person).map_err(BotError::refused)?
    };
    let server = Server::bind(Desk::fixed(project), options);
    let server = server.map_err(BotError::refused)?;
    let denials = server.denial_feed();
    host.on_denial(Arc::new(move |one: DenialReport| {
        denials.report(&one.session, &one.call, &one.reason, one.seq, &one.context);
    }));
    let conversation = greet(&host, &server).await?;
    if let Some(mode) = mode {
        host.handle_in(&conversation, &format!("/mode {mode}"))
            .await?;
    }
    let stop = server.stop();
    let attending = attend::attend(Arc::clone(&host), written, server.chat_feed());
    let mut ends = signal(SignalKind::terminate())?;
    let serving = server.run();
    tokio::pin!(serving);
    let ended = tokio::select! {
        () = &mut serving => Ok(()),
        failed = attending => Err(failed),
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
        _ = ends.recv() => Ok(()),
    };
    // The next bot reports what this one has interrupted.
    host.interrupt().await;
    stop.stop();
    serving.await;
    ended
}

/// Prints the link to the page, and returns the page's conversation, which is started if necessary.
async fn greet(host: &Host, server: &Server) -> Result<SessionIdentity, BotError> {
    let transport = Transport {
        channel: "web".to_owned(),
        chat: CHAT.to_owned(),
    };
    let conversation = host.chats().active(&transport)?;
    let session = host.sessions().session(&conversation);
    // The page shows the sessions of the store, so a new conversation is stored before anything is said in it.
    if session.seq().await.map_err(BotError::refused)? == 0 {
        let around = EventContext::now().by("user");
        let begun = session.begin_turn(&TurnId::unique(), &around).await;
        begun.map_err(BotError::refused)?;
    }
    let link = server.link().map_err(BotError::refused)?;
    show(&format!(
        "plan-bot with {} serves {}\nOpen this link in your browser; it works once:\n  {link}\nThen talk to the bot here:\n  http://{}/session/{conversation}",
        host.model_name(),
        server.address(),
        server.address(),
    ));
    Ok(conversation)
}

/// Prints a line. Errors are ignored: if the terminal was closed, nobody can read the line.
fn show(text: &str) {
    let mut out = stdout();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
