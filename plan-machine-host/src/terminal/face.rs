//! The user's end of the conversation: a person at a terminal, or a pipe.

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

/// The part of the greeting that explains the gutter.
const BEHIND_IT: &str = "marks what the model, a plan or a tool says; everything else is from";

/// The maximum line width; longer lines are hard to read.
const WIDEST: u16 = 100;

/// The maximum time to wait for the last output.
const PATIENCE: Duration = Duration::from_secs(1);

/// Moves the cursor one line up and down again, so that the prompt is redrawn where it was.
const UP_AND_DOWN: &str = "\u{1b}[A\n";

/// Effects that are settled once their content is shown.
pub(super) type Effects = Vec<(SessionIdentity, EffectId)>;

/// The user's end of the conversation.
pub(super) struct Face {
    name: &'static str,
    pub(super) lines: Lines,
    /// Prints above the line that a person is typing; `None` for a pipe.
    printer: Option<Printer>,
    sign: Sign,
    /// Receives the effects whose content was shown.
    shown: UnboundedSender<Effects>,
    /// The number of times that content was shown, as counted by the caller. A typed line carries this number.
    displayed: Arc<AtomicU64>,
    /// Whether lines are read while the host works.
    pub(super) live: bool,
    /// Whether the reader has closed the output.
    pub(super) is_gone: bool,
}

/// Prints in a separate thread, because printing waits for a prompt: text that arrives just after a prompt has ended is
/// shown with the next prompt.
struct Printer {
    texts: Option<Sender<Text>>,
    over: Receiver<()>,
}

struct Text {
    words: String,
    /// The effects that are settled once this text is shown.
    effects: Effects,
    /// The number of times that content was shown, including this text.
    count: u64,
    /// Whether the work ends with this text.
    ends: bool,
}

impl Face {
    /// Opens the terminal; typed lines are stored in the data folder.
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

    /// Returns whether the terminal was closed. Text that is printed now reaches nobody, although printing succeeds.
    pub(super) fn has_hung_up(&self) -> bool {
        self.printer.is_some() && !stdout().is_terminal()
    }

    /// Greets a person before the first prompt.
    pub(super) fn greet(&mut self, model: &str, begins: &str) -> Result<(), HostError> {
        if self.printer.is_none() {
            return Ok(());
        }
        let name = self.name;
        let words = format!("/help lists what you can type; {begins}");
        let marks = format!("{GUTTER}{BEHIND_IT} {name}.");
        let greeting = format!("{name} with {model}. {words}\n{marks}");
        writeln!(stdout(), "{}", greeting.trim_end()).map_err(told)
    }

    /// Shows content; `count` is the number of times that content was shown, including this one.
    pub(super) fn show(&mut self, all: &[Outgoing], count: u64) -> Result<(), HostError> {
        if all.is_empty() {
            return Ok(());
        }
        self.print(all, count, false)
    }

    /// Indicates that the host is working, until [`Face::work_ends`] is called. An existing prompt is redrawn.
    pub(super) fn work_begins(&self, has_prompt: bool) {
        self.sign.add();
        let texts = self.printer.as_ref().and_then(|to| to.texts.as_ref());
        if let Some(texts) = texts.filter(|_| has_prompt) {
            // If the printer has been dropped, there is no prompt either.
            let _ = texts.send(Text {
                words: UP_AND_DOWN.to_owned(),
                effects: Vec::new(),
                count: 0,
                ends: false,
            });
        }
    }

    /// Shows the content at the end of the work, which may be empty.
    pub(super) fn work_ends(&mut self, all: &[Outgoing], count: u64) -> Result<(), HostError> {
        self.print(all, count, true)
    }

    fn print(&mut self, all: &[Outgoing], count: u64, ends: bool) -> Result<(), HostError> {
        let Some(printer) = &self.printer else {
            let width = stdout().is_terminal().then(columns);
            let rendered = |one| rendered_in(one, width) + "\n";
            let text: String = all.iter().map(rendered).collect();
            let mut out = stdout();
            // The count is set first, because a program at the pipe responds immediately to the output.
            self.displayed.fetch_max(count, Ordering::Release);
            return match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    self.is_gone = true;
                    Ok(())
                }
                Err(error) => Err(told(error)),
                Ok(()) => {
                    // If the receiver has been dropped, the effects stay pending, and the next host shows this content again.
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
            _ => Err(told("it no longer accepts output")),
        }
    }

    /// Waits until the last content is shown.
    pub(super) fn close(&mut self) {
        if let Some(printer) = &mut self.printer {
            printer.texts = None;
            // If the content cannot be shown in time, the host ends anyway.
            let (Ok(()) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) =
                printer.over.recv_timeout(PATIENCE);
        }
    }
}

/// Returns the width of lines; the window may be resized at any time.
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
                // The prompt also accepts text for a terminal that was closed, but standard output is then no longer a terminal.
                if printer.print(words).is_err() || !stdout().is_terminal() {
                    return;
                }
                // The count is set afterwards: a line that was typed before then does not count as an answer to this
                // content.
                displayed.fetch_max(count, Ordering::Release);
                // If the receiver has been dropped, the effects stay pending, and the next host shows this content again.
                let _ = shown.send(effects);
            }
            // The receiver may have been dropped.
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
