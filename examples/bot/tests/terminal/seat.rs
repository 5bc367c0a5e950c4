//! A person's seat: a pseudo-terminal that runs the bot, with keys to press and a screen to read.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use vt100::{Parser, Screen};

/// The time after which no more output is expected.
const FOREVER: Duration = Duration::from_mins(1);

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const BACKSPACE: &str = "\u{7f}";
pub(crate) const UP: &str = "\u{1b}[A";
pub(crate) const LEFT: &str = "\u{1b}[D";

/// A terminal that runs a bot. The bot ends when the terminal is dropped.
pub(crate) struct Seat {
    bot: Box<dyn Child + Send + Sync>,
    /// The terminal; `None` if it was closed.
    terminal: Option<Box<dyn MasterPty + Send>>,
    /// The thread that reads the output.
    reader: Option<JoinHandle<()>>,
    keys: Box<dyn Write + Send>,
    shown: Receiver<Vec<u8>>,
    screen: Parser,
    /// The terminal's settings before the bot started.
    before: String,
}

impl Seat {
    /// Starts the bot.
    pub(crate) fn at(args: &[String]) -> Self {
        Self::with(args, &[])
    }

    /// Starts the bot with these environment variables.
    pub(crate) fn with(args: &[String], variables: &[(&str, &str)]) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize::default())
            .expect("a terminal");
        let before = format!("{:?}", pair.master.get_termios());
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_plan-bot"));
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let bot = pair.slave.spawn_command(command).expect("started");
        let mut output = pair.master.try_clone_reader().expect("its output");
        let (sender, shown) = channel();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading past the end of a pseudo-terminal is an error.
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            bot,
            keys: pair.master.take_writer().expect("its input"),
            terminal: Some(pair.master),
            reader: Some(reader),
            shown,
            screen: Parser::default(),
            before,
        }
    }

    /// Presses keys, all at once.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("written");
        self.keys.flush().expect("written");
    }

    /// Interrupts the bot with a signal instead of a key.
    pub(crate) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = self.bot.process_id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw).expect("it runs");
        kill_process(id, signal).expect("sent");
    }

    /// Waits until the bot has ended, whatever its terminal shows.
    pub(crate) fn ended(mut self) {
        while self.shown.recv_timeout(FOREVER).is_ok() {}
        self.bot.wait().expect("waited");
    }

    /// Closes the terminal, as a person closes a window, and waits until the bot has ended.
    pub(crate) fn hang_up(mut self) {
        // The reader ends with the first output that nobody receives: the echo of a key.
        self.shown = channel().1;
        self.press("x");
        let reader = self.reader.take().expect("it has not ended");
        reader.join().expect("it ends");
        self.keys = Box::new(std::io::sink());
        self.terminal = None;
        self.bot.wait().expect("waited");
    }

    /// Makes the window narrow.
    pub(crate) fn narrow(&self) {
        let size = PtySize {
            cols: 20,
            ..PtySize::default()
        };
        let terminal = self.terminal.as_ref().expect("a terminal");
        terminal.resize(size).expect("resized");
    }

    /// Types a line as soon as the prompt waits for a line.
    pub(crate) fn say(&mut self, line: &str) {
        self.wait_for_prompt("");
        self.press(&format!("{line}\r"));
    }

    /// Approves the plan on the last card by its token, as the card says. A program can type a bare `/plan approve`
    /// before the bot notices that the card is on the screen; the bot would then show the card again.
    pub(crate) fn approve_shown(&mut self) {
        let screen = self.screen.screen().contents();
        let card = screen
            .rfind("/plan approve ")
            .expect("a card on the screen");
        let line = screen[card..].lines().next().expect("a line");
        let line = line.trim_end_matches(['│', ' ']).to_owned();
        self.say(&line);
    }

    /// Waits until the prompt is shown, followed by the typed text.
    pub(crate) fn wait_for_prompt(&mut self, typed: &str) {
        let prompt = format!("> {typed}");
        self.wait_until(&prompt, |screen| {
            let (row, column) = screen.cursor_position();
            let line = screen.rows(0, u16::MAX).nth(row.into());
            screen.bracketed_paste()
                && usize::from(column) == prompt.len()
                && line.is_some_and(|line| line.trim_end() == prompt.trim_end())
        });
    }

    /// Waits until the prompt shows that the bot is working and nothing has been typed.
    pub(crate) fn wait_for_sign(&mut self) {
        self.wait_until("…", |screen| {
            let (row, column) = screen.cursor_position();
            let line = screen.rows(0, u16::MAX).nth(row.into());
            screen.bracketed_paste()
                && column == 2
                && line.is_some_and(|line| line.trim_end() == "…")
        });
    }

    /// Waits until this text is shown.
    pub(crate) fn see(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text));
    }

    fn wait_until(&mut self, what: &str, there: impl Fn(&Screen) -> bool) {
        while !there(self.screen.screen()) {
            let shown = self.shown.recv_timeout(FOREVER);
            let shown = shown.unwrap_or_else(|_| {
                let seen = self.screen.screen().contents();
                panic!("`{what}` is not on the screen:\n{seen}")
            });
            self.screen.process(&shown);
        }
    }

    pub(crate) fn screen(&self) -> &Screen {
        self.screen.screen()
    }

    /// Checks that the bot has exited successfully and has restored the terminal.
    pub(crate) fn ended_well(mut self) {
        loop {
            match self.shown.recv_timeout(FOREVER) {
                Ok(shown) => self.screen.process(&shown),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the bot has not ended"),
            }
        }
        let status = self.bot.wait().expect("waited");
        assert!(status.success(), "{status:?}");
        let terminal = self.terminal.as_ref().expect("a terminal");
        let after = format!("{:?}", terminal.get_termios());
        assert_eq!(after, self.before);
        assert!(!self.screen().bracketed_paste());
        assert!(!self.screen().hide_cursor());
        assert_eq!(
            self.screen().cursor_position().1,
            0,
            "the last line of output is complete"
        );
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.bot.kill();
        let _ = self.bot.wait();
    }
}
