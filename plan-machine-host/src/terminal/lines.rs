//! Lines from a prompt or from a pipe.

use std::io::{BufRead, stdin};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, Config, Editor, ExternalPrinter};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::error::HostError;

use super::sign::{PROMPT, Sign};

/// The maximum number of typed lines in the history file.
const KEPT: usize = 1000;

/// The result of a read.
pub(super) enum Line {
    /// A line, and the number of times that content had been shown when the line was typed.
    Typed(String, u64),
    /// The input has ended.
    End,
    /// The user wants to leave, even if work is in progress.
    Interrupt,
}

/// The result of reading a line of the input.
type LineResult = Result<Line, HostError>;

/// The lines of the input, read one by one on request.
pub(super) struct Lines {
    asked: Sender<()>,
    read: UnboundedReceiver<LineResult>,
}

impl Lines {
    /// Reads in a separate thread that is never joined: a blocking read cannot be cancelled.
    fn read_by(mut read: impl FnMut() -> LineResult + Send + 'static) -> Self {
        let (asked, asks) = channel();
        let (sender, lines) = unbounded_channel();
        thread::spawn(move || asks.iter().try_for_each(|()| sender.send(read())));
        Self { asked, read: lines }
    }

    /// Returns the lines of standard input.
    pub(super) fn piped(shown: Arc<AtomicU64>) -> Self {
        Self::read_by(move || {
            let mut line = Vec::new();
            let read = stdin().lock().read_until(b'\n', &mut line);
            let read = read.map_err(|error| HostError::Terminal(error.to_string()))?;
            if read == 0 {
                return Ok(Line::End);
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']).to_owned();
            Ok(Line::Typed(line, shown.load(Ordering::Acquire)))
        })
    }

    /// Returns the lines that a person types at a prompt, and a printer that prints above the prompt. The lines are
    /// saved to the file.
    pub(super) fn typed(
        file: PathBuf,
        sign: Sign,
        shown: Arc<AtomicU64>,
    ) -> rustyline::Result<(Self, Box<dyn ExternalPrinter + Send>)> {
        // Without colors, the editor would not ask for the prompt, and the printer would wait for the prompt forever.
        // The prompt itself has no colors.
        let config = Config::builder().color_mode(ColorMode::Forced);
        let config = config.max_history_size(KEPT)?;
        let mut editor: Editor<Sign, FileHistory> = Editor::with_config(config.build())?;
        editor.set_helper(Some(sign.clone()));
        // At the first start, the file does not exist.
        let _ = editor.load_history(&file);
        let printer = Box::new(editor.create_external_printer()?);
        let lines = Self::read_by(move || {
            let line = editor.readline(PROMPT);
            // After the last line there is no prompt to wait for.
            sign.is_there(line.is_err());
            match line {
                Ok(line) => {
                    let shown = shown.load(Ordering::Acquire);
                    // A line that cannot be saved is handled like any other line.
                    let _ = editor.add_history_entry(&line);
                    let _ = editor.append_history(&file);
                    Ok(Line::Typed(line, shown))
                }
                Err(ReadlineError::Interrupted) => Ok(Line::Interrupt),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(error) => Err(HostError::Terminal(error.to_string())),
            }
        });
        Ok((lines, printer))
    }

    /// Asks the reader for a line.
    pub(super) fn ask(&self) {
        // If the reader has ended, there is no next line.
        let _ = self.asked.send(());
    }

    /// Waits for the requested line. The wait can be cancelled and started again.
    pub(super) async fn next(&mut self) -> LineResult {
        self.read.recv().await.unwrap_or(Ok(Line::End))
    }
}
