//! Lines of input with a maximum length.

use std::io::{self, BufRead, Read};

use crate::output::Failure;

/// The maximum length of a line in bytes. A model's call is orders of magnitude shorter, and input without line breaks
/// must not exhaust the memory.
const LONGEST: usize = 4 * 1024 * 1024;

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The text of the line.
    Text(String),
    /// The reason why the line cannot be read as text.
    Bad(String),
}

/// Returns the next line, without its line break; `None` at the end of the input.
pub(crate) fn next(input: &mut impl BufRead) -> Result<Option<Line>, Failure> {
    read(input, LONGEST)
        .map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))
}

fn read(input: &mut impl BufRead, longest: usize) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    // One byte is added for the line break.
    let most = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
    if input.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > longest {
        input.skip_until(b'\n')?;
        let reason = format!("the line is longer than {longest} bytes");
        return Ok(Some(Line::Bad(reason)));
    }
    Ok(Some(String::from_utf8(bytes).map_or_else(
        |error| {
            let at = error.utf8_error().valid_up_to();
            Line::Bad(format!(
                "byte {at} of the line, counted from 0, is not UTF-8"
            ))
        },
        Line::Text,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut input: &[u8], longest: usize) -> Vec<Line> {
        std::iter::from_fn(|| read(&mut input, longest).expect("memory can be read")).collect()
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[test]
    fn the_last_line_may_lack_its_end() {
        assert_eq!(all(b"a\n\nb", 9), [text("a"), text(""), text("b")]);
        assert_eq!(all(b"", 9), []);
    }

    #[test]
    fn a_line_of_the_longest_length_is_read_and_a_longer_one_is_passed_over() {
        let bad = || Line::Bad("the line is longer than 3 bytes".to_owned());
        assert_eq!(all(b"abc\nabcd\nabc", 3), [text("abc"), bad(), text("abc")]);
        assert_eq!(all(b"abcdefgh", 3), [bad()]);
    }

    #[test]
    fn bytes_that_are_not_text_are_reported_with_their_place() {
        let lines = all(b"ab\xff\nok\n", 9);
        let reason = "byte 2 of the line, counted from 0, is not UTF-8".to_owned();
        assert_eq!(lines, [Line::Bad(reason), text("ok")]);
    }
}
