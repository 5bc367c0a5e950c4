//! The terminal: lines in, text out.
//!
//! People get a prompt, rendered Markdown, frames around plans, and an indicator that the host is working. Pipes get
//! only plain text.
//!
//! A terminal shows its prompt even while the host is working: some commands run immediately, and other lines wait
//! their turn. While a step of a plan runs, a line that waits is answered with a notice, and a command that the plans
//! do not accept is refused. A decision that another process makes is carried out at once. A pipe is read line by line,
//! like a script.

mod face;
mod follow;
mod layout;
mod lines;
mod manner;
mod markdown;
mod news;
mod plain;
mod pretty;
mod sign;
mod style;
mod visible;

use std::collections::VecDeque;
use std::future::pending;
use std::pin::Pin;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::MissedTickBehavior;

use crate::chats::Transport;
use crate::error::HostError;
use crate::host::{FirstAnswer, Host, cards_last, is_foreign};
use crate::outgoing::{Content, Outgoing};
use face::{Effects, Face};
use follow::Followed;
use lines::Line;
use news::News;

pub use manner::Manner;
pub use plain::rendered;
pub use pretty::pretty;

/// Runs the conversation until the input ends, the user interrupts it, or the process receives a termination signal.
/// Work in progress does not delay the end: the processes of steps and runs end, the stored data stays intact, and the
/// next host takes over.
///
/// # Errors
///
/// If the mode is unknown, if the terminal fails, or if the host's data cannot be read or written.
pub async fn converse(host: &Host, mode: Option<&str>, manner: Manner) -> Result<(), HostError> {
    // The handlers are registered before the first prompt: a prompt handles interrupts itself while it reads a line,
    // and restores the previous handler afterwards.
    let heard = |kind| signal(kind).map_err(|error| HostError::Terminal(error.to_string()));
    let mut interrupts = heard(SignalKind::interrupt())?;
    let mut ends = heard(SignalKind::terminate())?;
    let mut hangups = heard(SignalKind::hangup())?;
    let (runs, said_meanwhile) = unbounded_channel();
    let (done, mut shown) = unbounded_channel();
    host.listen(runs.clone());
    let mut chat = Chat {
        host,
        transport: Transport {
            channel: "terminal".to_owned(),
            chat: "local".to_owned(),
        },
        face: Face::open(&host.data, manner, done)?,
        news: News::default(),
        followed: Followed::of(host).await?,
        following: None,
        said_meanwhile,
        work: None,
        control: None,
        first_answer: None,
        waiting: VecDeque::new(),
        shown: 0,
        asked: false,
        ended: false,
    };
    let ended = tokio::select! {
        ended = chat.talk(mode) => ended,
        () = work(host, &runs) => Ok(()),
        failed = settle(host, &mut shown) => Err(failed),
        _ = interrupts.recv() => Ok(()),
        _ = ends.recv() => Ok(()),
        _ = hangups.recv() => {
            // The reader has closed the output.
            chat.face.is_gone = true;
            Ok(())
        }
    };
    // No work is in progress from here on.
    chat.leave().await?;
    while let Ok(effects) = shown.try_recv() {
        host.settle_shown(effects).await?;
    }
    ended
}

/// Settles effects whose content was shown, concurrently with the conversation; returns only on an error.
async fn settle(host: &Host, shown: &mut UnboundedReceiver<Effects>) -> HostError {
    while let Some(effects) = shown.recv().await {
        if let Err(error) = host.settle_shown(effects).await {
            return error;
        }
    }
    pending().await
}

/// Fires timers and gives runs their turns, concurrently with the conversation.
async fn work(host: &Host, said: &UnboundedSender<Vec<Outgoing>>) {
    let mut ticks = tokio::time::interval(Host::TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let out = host.tick().await;
        if !out.is_empty() && said.send(out).is_err() {
            return;
        }
    }
}

/// A line that the host is working on.
struct Job<'b> {
    done: Pin<Box<dyn Future<Output = Result<Vec<Outgoing>, HostError>> + 'b>>,
    /// Whether the result is shown immediately, even if the line has made another conversation active.
    shown_here: bool,
    /// Whether the line is a message to the model. Commands that run immediately do not wait for such a line.
    is_message: bool,
}

/// A line, and the number of times that content had been shown when the line was typed.
struct WaitingLine {
    line: String,
    shown: u64,
    /// Whether the terminal has answered that the line waits.
    is_told: bool,
}

struct Chat<'b> {
    host: &'b Host,
    transport: Transport,
    face: Face,
    news: News,
    /// The changes that other processes have made to the sessions of this terminal.
    followed: Followed<'b>,
    /// The work that follows from a change that another process has made.
    following: Option<Pin<Box<dyn Future<Output = Vec<Outgoing>> + 'b>>>,
    said_meanwhile: UnboundedReceiver<Vec<Outgoing>>,
    /// The line being worked on.
    work: Option<Job<'b>>,
    /// A command that has overtaken the line being worked on.
    control: Option<Job<'b>>,
    /// The first answer that is being prepared: the answer to the first waiting line that has no answer yet.
    first_answer: Option<Pin<Box<dyn Future<Output = FirstAnswer> + 'b>>>,
    /// Lines that wait for their turn.
    waiting: VecDeque<WaitingLine>,
    /// The number of times that cards, or text that the host did not write, have been shown.
    shown: u64,
    /// Whether a line was requested but has not arrived yet.
    asked: bool,
    /// Whether the input has ended.
    ended: bool,
}

impl<'b> Chat<'b> {
    /// Runs the conversation. Nothing is awaited outside the `select!`: paused work may hold locks that others need.
    async fn talk(&mut self, mode: Option<&str>) -> Result<(), HostError> {
        let active = self.host.chats.active(&self.transport)?;
        let planned = mode.unwrap_or_else(|| self.host.chats.mode(&active));
        let begins = self.host.modes.named(planned)?.begins();
        self.face.greet(&self.host.model_name(), begins)?;
        self.begin(Job {
            done: Box::pin(self.host.take_up()),
            shown_here: false,
            is_message: false,
        });
        if let Some(mode) = mode {
            self.take(format!("/mode {mode}"), self.shown);
        }
        loop {
            self.begin_next();
            let is_idle = self.work.is_none() && self.control.is_none() && self.following.is_none();
            if self.ended && is_idle && self.first_answer.is_none() {
                return Ok(());
            }
            self.ask();
            tokio::select! {
                biased;
                Some(said) = self.said_meanwhile.recv() => self.hear(said)?,
                said = answered(&mut self.following) => self.hear(said)?,
                (said, _) = finished(&mut self.control) => {
                    self.hear_before()?;
                    let mut shown = said?;
                    shown.extend(self.news_here()?);
                    let shown = self.in_order(shown);
                    self.face.show(&shown, self.shown)?;
                }
                first = answered(&mut self.first_answer) => self.hear_first(first)?,
                (said, here) = finished(&mut self.work) => self.end(said?, here)?,
                () = self.host.work_began() => {}
                () = self.followed.next(), if self.face.live => {}
                line = self.face.lines.next(), if self.asked => {
                    self.asked = false;
                    match line? {
                        Line::Typed(line, _) if is_farewell(&line) => return Ok(()),
                        Line::Typed(line, shown) => self.take(line, shown),
                        Line::End => self.ended = true,
                        Line::Interrupt => return Ok(()),
                    }
                }
            }
            if self.face.is_gone {
                self.waiting.clear();
                self.ended = true;
            }
        }
    }

    /// Requests a line if one can be accepted.
    fn ask(&mut self) {
        let is_free = self.work.is_none() && self.waiting.is_empty();
        let can_be_taken = self.control.is_none() && (is_free || self.face.live);
        if can_be_taken && !self.asked && !self.ended {
            self.face.lines.ask();
            self.asked = true;
        }
    }

    /// Accepts a line. The line is handled after the lines before it, unless it may overtake them.
    fn take(&mut self, line: String, shown: u64) {
        if !line.trim().is_empty() {
            self.waiting.push_back(WaitingLine {
                line,
                shown,
                is_told: false,
            });
        }
    }

    /// Starts the next line, or a command that can run immediately.
    fn begin_next(&mut self) {
        // While a first answer is being prepared, no line runs: the line that it answers must not run before its answer
        // is shown.
        if self.first_answer.is_some() {
            return;
        }
        if self.work.is_none() {
            if let Some(WaitingLine { line, shown, .. }) = self.waiting.pop_front() {
                // A command that could wait for the last line may be refused while this one runs.
                for typed in self.waiting.iter_mut().filter(|one| is_command(&one.line)) {
                    typed.is_told = false;
                }
                if shown != self.shown {
                    self.host.nothing_was_shown(&self.transport);
                }
                let here = self.host.is_at_once(&self.transport, &line);
                self.begin(self.job(line, here));
            }
        } else if self.control.is_none()
            && let Some(line) = self.overtaking()
        {
            self.control = Some(self.job(line, true));
        } else if self.control.is_none() && self.host.has_step(&self.transport) {
            self.answer_first();
        }
        if self.work.is_none() && self.following.is_none() {
            self.following = self.followed.work();
        }
    }

    /// Starts to answer the first waiting line that has no answer yet: the line is refused, or the person learns that
    /// it waits.
    fn answer_first(&mut self) {
        let is_new = |typed: &WaitingLine| !typed.is_told;
        let Some(at) = self.waiting.iter().position(is_new) else {
            return;
        };
        let line = self.waiting[at].line.clone();
        let is_same = |typed: &WaitingLine| is_command(&line) && typed.line.trim() == line.trim();
        let is_again = self.waiting.iter().take(at).any(is_same);
        let (host, transport) = (self.host, self.transport.clone());
        self.first_answer = Some(Box::pin(async move {
            if is_again {
                return host.answer_again(&transport, &line);
            }
            host.answer_first(&transport, &line).await
        }));
    }

    /// Shows the first answer to a line. A line that was refused no longer waits.
    fn hear_first(&mut self, first: FirstAnswer) -> Result<(), HostError> {
        if let Some(at) = self.waiting.iter().position(|typed| !typed.is_told) {
            if first.waits {
                self.waiting[at].is_told = true;
            } else {
                self.waiting.remove(at);
            }
        }
        self.hear_before()?;
        let shown = self.in_order(first.said);
        self.face.show(&shown, self.shown)
    }

    /// Removes and returns the first waiting command that may overtake the line being worked on. Such a command
    /// overtakes the model's turn, a plan's steps and everything that waits, so that a person can stop a step at any
    /// time.
    fn overtaking(&mut self) -> Option<String> {
        let work = self.work.as_ref()?;
        if !work.is_message && !self.host.has_work(&self.transport) {
            return None;
        }
        if let Some(next) = self.waiting.front().filter(|_| work.is_message) {
            self.host.stop_turn_for(&self.transport, &next.line);
        }
        let mut waiting = self.waiting.iter();
        let command = waiting.position(|typed| {
            is_command(&typed.line) && self.host.is_at_once(&self.transport, &typed.line)
        })?;
        self.waiting.remove(command).map(|typed| typed.line)
    }

    fn begin(&mut self, job: Job<'b>) {
        self.face.work_begins(self.asked);
        self.work = Some(job);
    }

    fn job(&self, line: String, shown_here: bool) -> Job<'b> {
        let (host, transport) = (self.host, self.transport.clone());
        let is_message = !is_command(&line);
        let done = Box::pin(async move { Ok(host.handle(&transport, &line).await) });
        Job {
            done,
            shown_here,
            is_message,
        }
    }

    /// Shows the result of a line, preceded by the content that arrived while the host was working on it.
    fn end(&mut self, said: Vec<Outgoing>, here: bool) -> Result<(), HostError> {
        self.hear_before()?;
        let mut shown = said;
        if !here {
            let active = self.host.chats.active(&self.transport)?;
            shown = self.news.sorted(&active, shown);
        }
        shown.extend(self.news_here()?);
        let shown = self.in_order(shown);
        self.face.work_ends(&shown, self.shown)
    }

    /// Prepares content to be shown, cards last. A line that was typed earlier does not decide on these cards.
    fn in_order(&mut self, said: Vec<Outgoing>) -> Vec<Outgoing> {
        let said = cards_last(said);
        let is_new =
            |one: &Outgoing| is_foreign(&one.content) || matches!(one.content, Content::Card(_));
        self.shown += u64::from(said.iter().any(is_new));
        self.host.was_shown(&said);
        said
    }

    /// Shows the content that arrived while the host was working, before the result of the work.
    fn hear_before(&mut self) -> Result<(), HostError> {
        while let Ok(said) = self.said_meanwhile.try_recv() {
            self.hear(said)?;
        }
        Ok(())
    }

    /// Returns the content that was held back for the conversation that is now active.
    fn news_here(&mut self) -> Result<Vec<Outgoing>, HostError> {
        let active = self.host.chats.active(&self.transport)?;
        Ok(self.news.of(&active))
    }

    /// Shows content of the active conversation that is not the result of a line, and holds back the content of other
    /// conversations.
    fn hear(&mut self, all: Vec<Outgoing>) -> Result<(), HostError> {
        let active = self.host.chats.active(&self.transport)?;
        let all = self.news.sorted(&active, all);
        let all = self.in_order(all);
        self.face.show(&all, self.shown)
    }

    /// Ends the work in progress, and reports what was interrupted. If nobody can read the report, the next host
    /// repeats it.
    async fn leave(&mut self) -> Result<(), HostError> {
        (self.work, self.control, self.first_answer) = (None, None, None);
        self.following = None;
        let interrupted = self.host.interrupt().await;
        if self.face.is_gone || self.face.has_hung_up() {
            return Ok(());
        }
        self.face.show(&interrupted, self.shown)?;
        self.face.close();
        Ok(())
    }
}

/// Returns the result of a job once it is done, and frees its slot.
async fn finished(place: &mut Option<Job<'_>>) -> (Result<Vec<Outgoing>, HostError>, bool) {
    let Some(job) = place else {
        return pending().await;
    };
    let (said, here) = ((&mut job.done).await, job.shown_here);
    *place = None;
    (said, here)
}

/// Returns a result once it is known, and frees its slot.
async fn answered<T>(place: &mut Option<Pin<Box<dyn Future<Output = T> + '_>>>) -> T {
    let Some(answer) = place else {
        return pending().await;
    };
    let answer = answer.await;
    *place = None;
    answer
}

fn is_command(line: &str) -> bool {
    line.trim_start().starts_with('/')
}

/// Returns whether a line ends the conversation at the terminal. All data is kept.
fn is_farewell(line: &str) -> bool {
    matches!(line.trim(), "/quit" | "/exit")
}
