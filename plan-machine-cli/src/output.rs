//! What the commands share of printing and failing.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use plan_machine_kernel::json::Json;
use plan_machine_kernel::suggest::nearest;
use plan_machine_kernel::visible::visible;

/// What is fine.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What deserves a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// What is said beside the matter.
pub(crate) const ASIDE: Style = AnsiColor::Cyan.on_default();

/// `text` in a style; a stream that is not a terminal leaves the style out.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The exit status; of several files the gravest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything is as it should be.
    Fine = 0,
    /// A spec has errors, or a scenario differs.
    Spec = 1,
    /// Wrong usage, or a file that cannot be read.
    Usage = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Why a command gave up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The spec has errors, which have been shown.
    Spec,
    /// Wrong usage, or something that cannot be read or written.
    Usage {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
}

impl Failure {
    /// Wrong usage, or something that cannot be read or written.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            help: None,
        }
    }

    /// The same with advice.
    pub(crate) fn help(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Usage { message, .. } => Self::Usage {
                message,
                help: Some(advice.into()),
            },
            Self::Spec => Self::Spec,
        }
    }

    /// Shows the failure on standard error.
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

/// A line on standard error. If nobody reads it, the line is lost.
pub(crate) fn complain(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{}", shown(&text.to_string()));
}

/// A stream for output. Once its reader has gone (`plan-machine check … | head`) it takes
/// everything and passes on nothing, so that the exit status still says what was found.
pub(crate) struct Out<'a> {
    to: Box<dyn Write + 'a>,
    gone: bool,
    /// Nothing that is written may hide.
    is_for_people: bool,
}

impl<'a> Out<'a> {
    /// A stream to `to`.
    pub(crate) fn new(to: impl Write + 'a) -> Self {
        Self {
            to: Box::new(to),
            gone: false,
            is_for_people: false,
        }
    }

    /// Standard output, byte for byte where a program reads it. At a terminal nothing may hide.
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

    /// Standard output for people: colours reach a terminal only, and what has no shape is written out.
    pub(crate) fn coloured() -> Self {
        Self {
            is_for_people: true,
            ..Self::new(anstream::stdout().lock())
        }
    }

    /// Whether the reader has gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Writes a text.
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

    /// Writes a text and ends the line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        self.text(format_args!("{text}\n"))
    }

    /// Passes on what was written.
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
            Err(error) => Err(Failure::usage(format!("cannot write: {error}"))),
        }
    }
}

/// A text with colours in which nothing hides: of escape sequences only colours stay.
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

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `; did you mean …?` where a candidate is near, else nothing.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    nearest(name, candidates).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// JSON for people: a line for each entry, two spaces a level.
pub(crate) fn pretty(json: &Json) -> String {
    let mut text = String::new();
    write_pretty(json, "\n", &mut text);
    text
}

/// `line` is the line break with the indentation of the place.
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
    fn a_reader_that_has_gone_is_no_failure() {
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
    fn one_is_singular() {
        assert_eq!(count(1, "error"), "1 error");
        assert_eq!(count(0, "error"), "0 errors");
    }
}
