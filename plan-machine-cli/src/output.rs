//! The code that all commands share: printing, failures and the exit status.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use plan_machine_kernel::json::Json;
pub(crate) use plan_machine_kernel::suggest::did_you_mean;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::visible::visible;

/// The style for success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// The style for errors.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// The style for warnings.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// The style for labels and secondary texts, such as `help`.
pub(crate) const ASIDE: Style = AnsiColor::Cyan.on_default();

/// Formats `text` in a style; streams that are not terminals drop the style.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The exit status of a command. For several files, it is the worst of their statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// The command succeeded.
    Fine = 0,
    /// A problem was found: a spec has errors, a scenario fails, a session is damaged, or a decision was not accepted.
    Spec = 1,
    /// Wrong usage, or a file that cannot be read.
    Usage = 2,
}

impl Exit {
    /// Returns success if all is well, and otherwise the status of a command that has found a problem.
    pub(crate) fn of(is_well: bool) -> Self {
        if is_well { Self::Fine } else { Self::Spec }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// The reason why a command failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The spec has errors, which have been shown.
    Spec,
    /// Wrong usage, or a file or store that cannot be read or written.
    Usage {
        /// The error message.
        message: String,
        /// A suggestion for the user.
        help: Option<String>,
    },
}

impl Failure {
    /// Returns a failure for wrong usage, or for something that cannot be read or written.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            help: None,
        }
    }

    /// Adds a suggestion.
    pub(crate) fn help(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Usage { message, .. } => Self::Usage {
                message,
                help: Some(advice.into()),
            },
            Self::Spec => Self::Spec,
        }
    }

    /// Shows the failure on standard error, and returns the exit status of the command.
    pub(crate) fn tell(&self) -> Exit {
        let Self::Usage { message, help } = self else {
            return Exit::Spec;
        };
        complain(format!("{}: {message}", styled(BAD, "error")));
        if let Some(advice) = help {
            complain(format!("  {}: {advice}", styled(ASIDE, "help")));
        }
        Exit::Usage
    }
}

/// Prints a line to standard error. If standard error is closed, the line is lost.
pub(crate) fn complain(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{}", shown(&text.to_string()));
}

/// An output stream. Once its reader has closed it (`plan-machine check … | head`), it discards all output without an
/// error, so that the exit status still reflects the findings.
pub(crate) struct Out<'a> {
    to: Box<dyn Write + 'a>,
    gone: bool,
    /// Whether invisible characters must be escaped.
    is_for_people: bool,
}

impl<'a> Out<'a> {
    /// Returns a stream that writes to `to`.
    pub(crate) fn new(to: impl Write + 'a) -> Self {
        Self {
            to: Box::new(to),
            gone: false,
            is_for_people: false,
        }
    }

    /// Returns standard output. If a program reads it, the text is not changed; on a terminal,
    /// invisible characters are escaped.
    pub(crate) fn plain() -> Self {
        let to = io::stdout().lock();
        let is_for_people = to.is_terminal();
        Self::for_readers(to, is_for_people)
    }

    fn for_readers(to: impl Write + 'a, is_for_people: bool) -> Self {
        Self {
            is_for_people,
            ..Self::new(to)
        }
    }

    /// Returns standard output for people: colors appear only on a terminal, and invisible characters are escaped.
    pub(crate) fn coloured() -> Self {
        Self {
            is_for_people: true,
            ..Self::new(anstream::stdout().lock())
        }
    }

    /// Returns whether the reader has closed the output.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Writes text.
    pub(crate) fn text(&mut self, text: impl Display) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        let written = if self.is_for_people {
            write!(self.to, "{}", shown(&text.to_string()))
        } else {
            write!(self.to, "{text}")
        };
        self.settle(written)
    }

    /// Writes text and a line break.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        self.text(format_args!("{text}\n"))
    }

    /// Flushes the output.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let flushed = self.to.flush();
        self.settle(flushed)
    }

    fn settle(&mut self, result: io::Result<()>) -> Result<(), Failure> {
        match result {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(())
            }
            Err(error) => Err(Failure::usage(format!("cannot write the output: {error}"))),
        }
    }
}

/// Escapes the invisible characters in colored text. The only escape sequences that remain are those of colors.
fn shown(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut shown = visible(parts.next().unwrap_or_default());
    for part in parts {
        let colour = part.strip_prefix('[').and_then(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
            rest[end..].starts_with('m').then_some(end + 2)
        });
        let (colour, rest) = part.split_at(colour.unwrap_or_default());
        let escape = if colour.is_empty() {
            "‹U+001B›"
        } else {
            "\u{1b}"
        };
        shown.extend([escape, colour, &visible(rest)]);
    }
    shown
}

/// Formats an instant for people: in milliseconds, so that all instants have the same width.
pub(crate) fn time(at: Instant) -> String {
    let since = at.since_1970();
    let second = Instant::from_since_1970(Duration::from_secs(since.as_secs()));
    let second = second.unwrap_or(at).to_string();
    let second = second.trim_end_matches('Z');
    format!("{second}.{:03}Z", since.subsec_millis())
}

/// Formats a count: `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Formats JSON for people: one line per entry, two spaces per level.
pub(crate) fn pretty(json: &Json) -> String {
    let mut text = String::new();
    write_pretty(json, "\n", &mut text);
    text
}

/// Writes JSON with indentation; `line` is a line break with the current indentation.
fn write_pretty(json: &Json, line: &str, text: &mut String) {
    let inner = format!("{line}  ");
    match json {
        Json::List(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "[" } else { "," });
                text.push_str(&inner);
                write_pretty(item, &inner, text);
            }
            text.push_str(line);
            text.push(']');
        }
        Json::Object(object) if !object.is_empty() => {
            for (at, (key, value)) in object.iter().enumerate() {
                text.push_str(if at == 0 { "{" } else { "," });
                text.push_str(&inner);
                text.push_str(&Json::from(key).to_string());
                text.push_str(": ");
                write_pretty(value, &inner, text);
            }
            text.push_str(line);
            text.push('}');
        }
        flat => text.push_str(&flat.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_has_gone_is_not_a_failure() {
        let mut out = Out::new(Failing(io::ErrorKind::BrokenPipe));
        assert!(!out.is_gone());
        assert_eq!(out.line("a"), Ok(()));
        assert!(out.is_gone());
        assert_eq!(out.line("b"), Ok(()));
    }

    #[test]
    fn a_full_disk_is_a_failure() {
        let mut out = Out::new(Failing(io::ErrorKind::StorageFull));
        assert!(out.line("a").is_err());
    }

    #[test]
    fn the_gravest_status_is_the_greatest() {
        assert!(Exit::Fine < Exit::Spec && Exit::Spec < Exit::Usage);
    }

    #[test]
    fn pretty_json_reads_as_the_same_value() {
        let json = Json::parse(r#"{"a":[1,{"b":[]}],"c":{},"d\n":"x"}"#).expect("valid");
        let text = pretty(&json);
        assert_eq!(Json::parse(&text), Ok(json));
        assert_eq!(
            text,
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {},\n  \"d\\n\": \"x\"\n}"
        );
    }

    #[test]
    fn colours_stay_and_what_hides_is_written_out() {
        let text = format!("{} a\u{200b}b\u{1b}[2J\n", styled(GOOD, "run"));
        let seen = format!("{} a‹U+200B›b‹U+001B›[2J\n", styled(GOOD, "run"));
        assert_eq!(shown(&text), seen);
    }

    #[test]
    fn at_a_terminal_nothing_hides_and_a_program_gets_every_byte() {
        let json = "{\"a\":\"x\u{202e}y\u{9b}2J\u{1b}[2J\"}";
        let seen = "{\"a\":\"x‹U+202E›y‹U+009B›2J‹U+001B›[2J\"}\n";
        for (is_for_people, expected) in [(true, seen), (false, &format!("{json}\n"))] {
            let mut written = Vec::new();
            let mut out = Out::for_readers(&mut written, is_for_people);
            out.line(json).expect("written");
            drop(out);
            assert_eq!(String::from_utf8(written).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn times_have_the_same_width() {
        for (at, shown) in [
            ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z"),
            ("2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.500Z"),
            ("2026-03-01T10:00:00.012999999Z", "2026-03-01T10:00:00.012Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(time(Instant::parse(at).expect("an instant")), shown);
        }
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(count(1, "error"), "1 error");
        assert_eq!(count(0, "error"), "0 errors");
    }
}
