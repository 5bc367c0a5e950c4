//! A scanner for the part of the shell language whose meaning is the same in sh, bash and zsh.
//!
//! It accepts lists and pipelines of simple commands with quoted words and file name patterns. Everything else is
//! refused: substitutions, parentheses, braces (except in a git reference), redirections of output to files, background
//! jobs, comments, and history expansions. The scanner never backtracks, so its work is linear in the length of the
//! command.

mod redirects;

use super::simple::{Connector, Simple};
use super::unquoted::Unquoted;
use crate::refusal::Refusal;
use crate::word::Word;

/// The maximum length of a command, in bytes.
const LONGEST: usize = 16 * 1024;

/// Splits a command into simple commands.
pub(super) fn scan(command: &str) -> Result<Vec<Simple<'_>>, Refusal> {
    if command.len() > LONGEST {
        let reason = format!("the command is longer than {LONGEST} bytes");
        return Err(Refusal::new(reason));
    }
    let odd = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if command.chars().any(odd) {
        return Err(Refusal::new("the command contains a control character"));
    }
    let mut scanner = Scanner {
        text: command,
        at: 0,
        done: Vec::new(),
        open: None,
        connector: Connector::Then,
    };
    while scanner.step()? {}
    scanner.finish()
}

struct Scanner<'c> {
    text: &'c str,
    at: usize,
    done: Vec<Simple<'c>>,
    /// The simple command that is being read.
    open: Option<Simple<'c>>,
    /// What connects the next simple command with the last one.
    connector: Connector,
}

impl<'c> Scanner<'c> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next_is(&self, byte: u8) -> bool {
        self.text.as_bytes().get(self.at + 1) == Some(&byte)
    }

    /// Reads an operator, a redirection or a word; returns whether there may be more.
    fn step(&mut self) -> Result<bool, Refusal> {
        let Some(byte) = self.peek() else {
            return Ok(false);
        };
        match byte {
            b' ' | b'\t' => self.at += 1,
            b'\n' => self.line_break(),
            b';' if self.next_is(b';') || self.next_is(b'&') || self.next_is(b'|') => {
                return Err(Refusal::new("`;;`, `;&` and `;|` belong to a `case`"));
            }
            b';' => self.connect(Connector::Then, 1)?,
            b'&' if self.next_is(b'&') => self.connect(Connector::And, 2)?,
            b'&' => return Err(Refusal::new("`&` starts a background job or redirects")),
            b'|' if self.next_is(b'|') => self.connect(Connector::Or, 2)?,
            b'|' if self.next_is(b'&') => {
                return Err(Refusal::new("`|&` is not the same in every shell"));
            }
            b'|' => self.connect(Connector::Pipe, 1)?,
            b'<' | b'>' => self.redirect(None)?,
            b'#' => return Err(Refusal::new("`#` starts a comment only in some shells")),
            b'=' => {
                return Err(Refusal::new(
                    "a word that begins with `=` is expanded by zsh",
                ));
            }
            _ => self.word_or_stream()?,
        }
        Ok(true)
    }

    /// Reads a line break, which ends a command but has no effect after an operator or another line
    /// break.
    fn line_break(&mut self) {
        self.at += 1;
        if let Some(simple) = self.open.take() {
            self.done.push(simple);
            self.connector = Connector::Then;
        }
    }

    fn connect(&mut self, connector: Connector, length: usize) -> Result<(), Refusal> {
        let Some(simple) = self.open.take() else {
            return Err(Refusal::new("an operator has no command before it"));
        };
        self.done.push(simple);
        self.connector = connector;
        self.at += length;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Simple<'c>>, Refusal> {
        if let Some(simple) = self.open.take() {
            self.done.push(simple);
        } else if self.connector != Connector::Then {
            return Err(Refusal::new("an operator has no command after it"));
        }
        if self.done.is_empty() {
            return Err(Refusal::new("the command is empty"));
        }
        Ok(self.done)
    }

    /// Reads a word, or the number of a stream before a redirection.
    fn word_or_stream(&mut self) -> Result<(), Refusal> {
        let word = self.word()?;
        let is_stream = word.raw.bytes().all(|byte| byte.is_ascii_digit())
            && matches!(self.peek(), Some(b'<' | b'>'));
        if is_stream {
            return match word.raw {
                "0" => self.redirect(Some(0)),
                "1" => self.redirect(Some(1)),
                "2" => self.redirect(Some(2)),
                _ => Err(Refusal::new("only streams 0, 1 and 2 are known")),
            };
        }
        if word.raw == "!" && self.open.is_none() {
            return Err(Refusal::new("`!` changes the status of a command"));
        }
        let connector = self.connector;
        let open = self.open.get_or_insert_with(|| Simple {
            connector,
            words: Vec::new(),
            redirects: Vec::new(),
        });
        open.words.push(word);
        Ok(())
    }

    fn word(&mut self) -> Result<Word<'c>, Refusal> {
        let start = self.at;
        let mut value = Unquoted::new(self.text, start);
        let mut is_pattern = false;
        let mut begins_with_pattern = false;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' => break,
                b'\'' => self.single_quotes(&mut value)?,
                b'"' => self.double_quotes(&mut value)?,
                b'\\' => self.backslash(&mut value)?,
                // As the name of a command, `[` is another name for `test`.
                b'[' if self.open.is_none() && self.is_word_alone(start) => self.letter(&mut value),
                b'{' if self.at > start && self.is_after_at_sign() => self.reference(&mut value)?,
                b'*' | b'?' | b'[' | b'^' | b'#' => {
                    is_pattern = true;
                    begins_with_pattern |= value.is_empty();
                    self.letter(&mut value);
                }
                b'!' if self.is_word_alone(start) => self.letter(&mut value),
                b'~' if self.at == start && !self.is_home() => {
                    return Err(Refusal::new("`~` with a name is expanded by the shell"));
                }
                _ => {
                    refuse(byte)?;
                    self.letter(&mut value);
                }
            }
        }
        Ok(Word {
            raw: &self.text[start..self.at],
            value: value.finish(self.at),
            is_pattern,
            begins_with_pattern,
        })
    }

    /// Adds the next character to the value unchanged.
    fn letter(&mut self, value: &mut Unquoted<'c>) {
        let character = self.text[self.at..].chars().next();
        let length = character.map_or(0, char::len_utf8);
        value.keep(self.at, length);
        self.at += length;
    }

    fn is_after_at_sign(&self) -> bool {
        self.text.as_bytes().get(self.at.wrapping_sub(1)) == Some(&b'@')
    }

    /// Reads the braces of a git reference, such as `@{u}` or `stash@{0}`. Braces that contain neither a comma nor two
    /// dots are ordinary characters in every shell.
    fn reference(&mut self, value: &mut Unquoted<'c>) -> Result<(), Refusal> {
        let inside = &self.text[self.at + 1..];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        let length = inside.bytes().take_while(|byte| is_name(byte)).count();
        if length == 0 || inside.as_bytes().get(length) != Some(&b'}') {
            return refuse(b'{');
        }
        value.keep(self.at, length + 2);
        self.at += length + 2;
        Ok(())
    }

    fn is_word_alone(&self, start: usize) -> bool {
        let after = self.text.as_bytes().get(self.at + 1);
        self.at == start && matches!(after, Some(b' ' | b'\t'))
    }

    /// Returns whether `~` means the home folder here.
    fn is_home(&self) -> bool {
        let after = self.text.as_bytes().get(self.at + 1);
        matches!(
            after,
            None | Some(b'/' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|')
        )
    }

    fn single_quotes(&mut self, value: &mut Unquoted<'c>) -> Result<(), Refusal> {
        let from = self.at + 1;
        let Some(length) = self.text[from..].find('\'') else {
            return Err(Refusal::new("a quote is not closed"));
        };
        value.quoted(self.at);
        value.keep(from, length);
        self.at = from + length + 1;
        Ok(())
    }

    fn double_quotes(&mut self, value: &mut Unquoted<'c>) -> Result<(), Refusal> {
        value.quoted(self.at);
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(Refusal::new("a quote is not closed")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                // At the end of a string, `$` is an ordinary character, as in "end of line$".
                Some(b'$') if self.next_is(b'"') => self.letter(value),
                Some(byte @ (b'$' | b'`' | b'!')) => return refuse(byte),
                Some(b'\\') => self.backslash_in_quotes(value)?,
                Some(_) => self.letter(value),
            }
        }
    }

    /// Reads a backslash in double quotes. The backslash remains unless the next character is
    /// special there.
    fn backslash_in_quotes(&mut self, value: &mut Unquoted<'c>) -> Result<(), Refusal> {
        // In some encodings, a byte above 127 and a backslash are one character.
        if !self.text.as_bytes()[self.at - 1].is_ascii() {
            return Err(Refusal::new(
                "a backslash follows a character outside ASCII",
            ));
        }
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'\n') => return Err(Refusal::new("a line ends with a backslash")),
            Some(b'!') => return refuse(b'!'),
            Some(b'"' | b'\\' | b'$' | b'`') => self.at += 1,
            _ => {}
        }
        self.letter(value);
        Ok(())
    }

    /// Reads a backslash outside quotes and the character that it quotes.
    fn backslash(&mut self, value: &mut Unquoted<'c>) -> Result<(), Refusal> {
        match self.text.as_bytes().get(self.at + 1) {
            Some(b'\n') | None => Err(Refusal::new("a line ends with a backslash")),
            Some(next) if next.is_ascii() => {
                value.quoted(self.at);
                value.keep(self.at + 1, 1);
                self.at += 2;
                Ok(())
            }
            Some(_) => refuse(0x80),
        }
    }
}

/// Refuses a character that has a special meaning to a shell, or that is outside ASCII.
fn refuse(byte: u8) -> Result<(), Refusal> {
    let reason = match byte {
        b'$' => "`$` inserts a value or runs a command",
        b'`' => "a backquote runs a command",
        b'(' | b')' => "an unquoted parenthesis does not mean the same thing in every shell",
        b'{' | b'}' => "an unquoted brace does not mean the same thing in every shell",
        b'!' => "`!` inserts an earlier command",
        byte if !byte.is_ascii() => "a character outside ASCII is not quoted",
        _ => return Ok(()),
    };
    Err(Refusal::new(reason))
}
