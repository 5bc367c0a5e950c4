//! Redirections that do not write files.

use super::Scanner;
use crate::commands::simple::Redirect;
use crate::refusal::{Refusal, quoted};

impl<'c> Scanner<'c> {
    /// Reads a redirection.
    pub(super) fn redirect(&mut self, stream: Option<u8>) -> Result<(), Refusal> {
        if self.open.is_none() {
            return Err(Refusal::new("a redirection has no command before it"));
        }
        let redirect = if self.peek() == Some(b'<') {
            self.input(stream)?
        } else {
            self.output(stream)?
        };
        if let Some(open) = &mut self.open {
            let is_input = |known: &Redirect<'_>| matches!(known, Redirect::Input(_));
            if is_input(&redirect) && open.redirects.iter().any(is_input) {
                return Err(Refusal::new("a command has two inputs"));
            }
            open.redirects.push(redirect);
        }
        Ok(())
    }

    fn input(&mut self, stream: Option<u8>) -> Result<Redirect<'c>, Refusal> {
        self.at += 1;
        if !matches!(stream, None | Some(0)) {
            return Err(Refusal::new("only stream 0 is an input"));
        }
        self.blanks();
        let begins = |byte: u8| byte.is_ascii_alphabetic() || b"./_'\"".contains(&byte);
        if !self.peek().is_some_and(begins) {
            return Err(Refusal::new(
                "expected a file name after `<` (`<<`, `<>`, `<&` and `<(` are not accepted)",
            ));
        }
        let word = self.word()?;
        let devices = word.value.starts_with("/dev") && word.value != "/dev/null";
        if word.is_pattern || devices || word.value.starts_with("//") {
            let reason = format!("{} is not the name of a file", quoted(&word.value));
            return Err(Refusal::new(reason));
        }
        Ok(Redirect::Input(word.raw))
    }

    fn output(&mut self, stream: Option<u8>) -> Result<Redirect<'c>, Refusal> {
        self.at += 1;
        if stream == Some(0) {
            return Err(Refusal::new("stream 0 is not an output"));
        }
        match self.peek() {
            Some(b'&') => {
                self.at += 1;
                self.other_stream(stream)
            }
            Some(b'|') => Err(Refusal::new("`>|` overwrites a file")),
            Some(b'>') => {
                self.at += 1;
                self.null(stream, true)
            }
            _ => self.null(stream, false),
        }
    }

    /// Reads the number of a stream after `>&`.
    fn other_stream(&mut self, stream: Option<u8>) -> Result<Redirect<'c>, Refusal> {
        let to = match self.peek() {
            Some(b'1') => 1,
            Some(b'2') => 2,
            _ => return Err(Refusal::new("`>&` is followed by neither `1` nor `2`")),
        };
        self.at += 1;
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&') => {
                Ok(Redirect::Stream { stream, to })
            }
            Some(_) => Err(Refusal::new("`>&` writes to a file")),
        }
    }

    /// Reads the file after `>`, which must be `/dev/null`.
    fn null(&mut self, stream: Option<u8>, append: bool) -> Result<Redirect<'c>, Refusal> {
        self.blanks();
        let is_word = |byte: u8| !b"<>|&;\n()#=".contains(&byte);
        let word = if self.peek().is_some_and(is_word) {
            Some(self.word()?)
        } else {
            None
        };
        match word {
            Some(word) if word.raw == "/dev/null" => Ok(Redirect::Null { stream, append }),
            Some(word) => {
                let reason = format!("the output goes to the file {}", quoted(&word.value));
                Err(Refusal::new(reason))
            }
            None => Err(Refusal::new("expected a file name after `>`")),
        }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }
}
