//! Who is at the other end: a person at a terminal, or a pipe.

use std::io::{ErrorKind, IsTerminal, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use console::Term;
use plan_machine_sessions::{EffectId, SessionIdentity};
use rustyline::ExternalPrinter;
use tokio::sync::mpsc::UnboundedSender;

use super::layout::GUTTER;
use super::lines::Lines;
use super::manner::Manner;
use super::plain::rendered_in;
use super::pretty::pretty;
use super::sign::Sign;
use crate::error::HostError;
use crate::host::effects_of;
use crate::outgoing::Outgoing;

/// What is behind the gutter.
const BEHIND_IT: &str = "marks what the model, a plan or a tool says; all else is";

/// Longer lines are hard to read.
const WIDEST: u16 = 100;

/// How long the last words are waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Leads one line up and down again: the prompt is drawn anew in its place.
const UP_AND_DOWN: &str = "\u{1b}[A\n";

/// Effects that are done once their words are shown.
pub(super) type Effects = Vec<(SessionIdentity, EffectId)>;

/// The other end.
pub(super) struct Face {
    name: &'static str,
    pub(super) lines: Lines,
    /// Prints above the line that a person is typing; pipes have none.
    printer: Option<Printer>,
    sign: Sign,
    /// Takes the effects whose words were shown.
    shown: UnboundedSender<Effects>,
    /// How much was shown so far, by the count of whoever says it. A line that is typed takes it along.
    displayed: Arc<AtomicU64>,
    /// Lines are read while the host works.
    pub(super) live: bool,
    /// Nobody reads what is said any more.
    pub(super) is_gone: bool,
}

/// Prints in a thread of its own: a text that comes when a prompt has just ended is shown with the next one, and
/// whoever prints waits for that.
struct Printer {
    texts: Option<Sender<Text>>,
    over: Receiver<()>,
}

struct Text {
    words: String,
    /// Done once it is shown.
    effects: Effects,
    /// How much is shown then.
    count: u64,
    /// Work is over with it.
    ends: bool,
}

impl Face {
    /// Opens it; what a person has typed is kept beside the data.
    pub(super) fn open(
        data: &Path,
        manner: Manner,
        shown: UnboundedSender<Effects>,
    ) -> Result<Self, HostError> {
        let moves = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let sign = Sign::default();
        let displayed = Arc::new(AtomicU64::new(0));
        let is_typed = stdin().is_terminal();
        let (lines, printer) = if manner.plain || !moves || !is_typed || !stdout().is_terminal() {
            (Lines::piped(Arc::clone(&displayed)), None)
        } else {
            let typed = Lines::typed(data.join("lines.txt"), sign.clone(), Arc::clone(&displayed));
            let (lines, printer) = typed.map_err(told)?;
            (
                lines,
                Some(Printer::start(
                    printer,
                    sign.clone(),
                    shown.clone(),
                    Arc::clone(&displayed),
                )),
            )
        };
        Ok(Self {
            name: manner.name,
            lines,
            printer,
            sign,
            shown,
            displayed,
            live: is_typed || manner.live,
            is_gone: false,
        })
    }

    /// Says to a person what can be done, before the first prompt.
    pub(super) fn greet(&mut self, model: &str, begins: &str) -> Result<(), HostError> {
        if self.printer.is_none() {
            return Ok(());
        }
        let name = self.name;
        let words = format!("/help shows what can be typed; {begins}");
        let marks = format!("{GUTTER}{BEHIND_IT} {name}'s own.");
        let greeting = format!("{name} with {model}. {words}\n{marks}");
        writeln!(stdout(), "{}", greeting.trim_end()).map_err(told)
    }

    /// Shows what is said; so much is shown then.
    pub(super) fn show(&mut self, all: &[Outgoing], count: u64) -> Result<(), HostError> {
        if all.is_empty() {
            return Ok(());
        }
        self.print(all, count, false)
    }

    /// Shows that the host works, until the words come with which that ends. A prompt that is there already is drawn
    /// anew.
    pub(super) fn work_begins(&self, has_prompt: bool) {
        self.sign.add();
        let texts = self.printer.as_ref().and_then(|to| to.texts.as_ref());
        if let Some(texts) = texts.filter(|_| has_prompt) {
            // Where nothing is printed any more, there is no prompt either.
            let _ = texts.send(Text {
                words: UP_AND_DOWN.to_owned(),
                effects: Vec::new(),
                count: 0,
                ends: false,
            });
        }
    }

    /// Shows the words with which work ends; there may be none.
    pub(super) fn work_ends(&mut self, all: &[Outgoing], count: u64) -> Result<(), HostError> {
        self.print(all, count, true)
    }

    fn print(&mut self, all: &[Outgoing], count: u64, ends: bool) -> Result<(), HostError> {
        let Some(printer) = &self.printer else {
            let width = stdout().is_terminal().then(columns);
            let rendered = |one| rendered_in(one, width) + "\n";
            let text: String = all.iter().map(rendered).collect();
            let mut out = stdout();
            // Beforehand: a program answers what it reads at once.
            self.displayed.fetch_max(count, Ordering::Release);
            return match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    self.is_gone = true;
                    Ok(())
                }
                Err(error) => Err(told(error)),
                Ok(()) => {
                    // Where nobody settles any more, the next host shows it again.
                    let _ = self.shown.send(effects_of(all));
                    Ok(())
                }
            };
        };
        let mut text: String = all.iter().map(|one| pretty(one, columns())).collect();
        if text.is_empty() {
            text.push_str(UP_AND_DOWN);
        }
        let effects = effects_of(all);
        let sent = printer.texts.as_ref().map(|to| {
            to.send(Text {
                words: text,
                effects,
                count,
                ends,
            })
        });
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(told("it takes no more arguments")),
        }
    }

    /// Waits until the last words are shown.
    pub(super) fn close(&mut self) {
        if let Some(printer) = &mut self.printer {
            printer.texts = None;
            // Where they cannot be shown, the host ends all the same.
            let (Ok(()) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) =
                printer.over.recv_timeout(PATIENCE);
        }
    }
}

/// How wide lines are; the window may have another size each time.
fn columns() -> usize {
    usize::from(Term::stdout().size().1.min(WIDEST))
}

impl Printer {
    fn start(
        mut printer: Box<dyn ExternalPrinter + Send>,
        sign: Sign,
        shown: UnboundedSender<Effects>,
        displayed: Arc<AtomicU64>,
    ) -> Self {
        let (texts, to_print) = channel::<Text>();
        let (ended, over) = channel();
        thread::spawn(move || {
            for Text {
                words,
                effects,
                count,
                ends,
            } in to_print
            {
                sign.wait_for_prompt();
                if ends {
                    sign.remove();
                }
                if printer.print(words).is_err() {
                    return;
                }
                // Afterwards: what a person types in between is no answer to it.
                displayed.fetch_max(count, Ordering::Release);
                // Where nobody settles any more, the next host shows it again.
                let _ = shown.send(effects);
            }
            // Whoever waited may be gone.
            let _ = ended.send(());
        });
        Self {
            texts: Some(texts),
            over,
        }
    }
}

fn told(error: impl std::fmt::Display) -> HostError {
    HostError::Terminal(error.to_string())
}
