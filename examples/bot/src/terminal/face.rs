//! Who is at the other end: a person at a terminal, or a pipe.

use std::io::{ErrorKind, IsTerminal, Write, stdin, stdout};
use std::path::Path;
use std::time::Duration;

use console::Term;
use indicatif::{ProgressBar, ProgressFinish};
use rustyline::ExternalPrinter;

use super::lines::Lines;
use super::plain::rendered;
use super::pretty::pretty;
use crate::outgoing::Outgoing;

/// How often the sign that the model works moves.
const STEP: Duration = Duration::from_millis(100);

/// Longer lines are hard to read.
const WIDEST: u16 = 100;

/// The other end.
pub(super) struct Face {
    pub(super) lines: Lines,
    /// Prints above the line that a person is typing; pipes have none.
    printer: Option<Box<dyn ExternalPrinter + Send>>,
    /// Nobody reads what is said any more.
    pub(super) is_gone: bool,
}

impl Face {
    /// Opens it; what a person has typed is kept beside the data.
    pub(super) fn open(data: &Path, plain: bool) -> Result<Self, String> {
        let moves = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        if plain || !moves || !stdin().is_terminal() || !stdout().is_terminal() {
            return Ok(Self::at(Lines::piped(), None));
        }
        let (lines, printer) = Lines::typed(data.join("lines.txt")).map_err(told)?;
        Ok(Self::at(lines, Some(printer)))
    }

    fn at(lines: Lines, printer: Option<Box<dyn ExternalPrinter + Send>>) -> Self {
        let is_gone = false;
        Self {
            lines,
            printer,
            is_gone,
        }
    }

    /// Says to a person what can be done.
    pub(super) fn greet(&mut self, model: &str) -> Result<(), String> {
        let Some(printer) = &mut self.printer else {
            return Ok(());
        };
        let words = "/help shows what can be typed; /plan on begins a plan.";
        let greeting = format!("plan-bot with {model}. {words}\n");
        printer.print(greeting).map_err(told)
    }

    /// Shows what is said.
    pub(super) fn show(&mut self, all: &[Outgoing]) -> Result<(), String> {
        if all.is_empty() {
            return Ok(());
        }
        let Some(printer) = &mut self.printer else {
            let text: String = all.iter().map(|one| rendered(one) + "\n").collect();
            return match stdout().write_all(text.as_bytes()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    self.is_gone = true;
                    Ok(())
                }
                written => written.map_err(told),
            };
        };
        // The window may have another size by now.
        let width = usize::from(Term::stdout().size().1.min(WIDEST));
        let text = all.iter().map(|one| pretty(one, width)).collect();
        // All at once: a prompt that ends meanwhile keeps one text for the next, and a second would wait.
        printer.print(text).map_err(told)
    }

    /// Shows a person that there is work going on, until what it returns is dropped.
    pub(super) fn working(&self) -> Option<ProgressBar> {
        self.printer.as_ref()?;
        let bar = ProgressBar::new_spinner()
            .with_message("working · Ctrl-C ends")
            .with_finish(ProgressFinish::AndClear);
        bar.enable_steady_tick(STEP);
        Some(bar)
    }
}

fn told(error: impl std::fmt::Display) -> String {
    format!("the terminal failed: {error}")
}
