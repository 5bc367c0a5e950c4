//! Escapes in `$'…'`, which bash, zsh and newer versions of sh replace.

use std::iter::Peekable;
use std::str::Chars;

/// Returns the text between the quotes of `$'…'` with its escapes replaced. As in bash, the text ends at a zero byte.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            escape(&mut letters, &mut bytes);
        } else {
            push(letter, &mut bytes);
        }
    }
    let end = bytes.iter().position(|byte| *byte == 0);
    bytes.truncate(end.unwrap_or(bytes.len()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads the characters of an escape after its backslash.
fn escape(letters: &mut Peekable<Chars<'_>>, bytes: &mut Vec<u8>) {
    let Some(letter) = letters.next() else {
        return;
    };
    match letter {
        'a' => bytes.push(7),
        'b' => bytes.push(8),
        'e' | 'E' => bytes.push(0x1b),
        'f' => bytes.push(0xc),
        'n' => bytes.push(b'\n'),
        'r' => bytes.push(b'\r'),
        't' => bytes.push(b'\t'),
        'v' => bytes.push(0xb),
        'c' => bytes.extend(
            letters
                .next()
                .map(|letter| low_byte(u32::from(letter)) & 0x1f),
        ),
        'x' if letters.next_if_eq(&'{').is_some() => {
            bytes.push(low_byte(number(letters, 16, 8)));
            letters.next_if_eq(&'}');
        }
        'x' => bytes.push(low_byte(number(letters, 16, 2))),
        'u' => bytes_of(number(letters, 16, 4), bytes),
        'U' => bytes_of(number(letters, 16, 8), bytes),
        '0'..='7' => {
            let first = letter.to_digit(8).unwrap_or_default();
            bytes.push(low_byte(digits(letters, first, 8, 2)));
        }
        other => push(other, bytes),
    }
}

fn number(letters: &mut Peekable<Chars<'_>>, radix: u32, most: usize) -> u32 {
    digits(letters, 0, radix, most)
}

/// Reads more digits of a number.
fn digits(letters: &mut Peekable<Chars<'_>>, start: u32, radix: u32, most: usize) -> u32 {
    let mut number = start;
    for _ in 0..most {
        let digit = letters.peek().and_then(|letter| letter.to_digit(radix));
        let Some(digit) = digit else {
            break;
        };
        letters.next();
        number = number.wrapping_mul(radix).wrapping_add(digit);
    }
    number
}

fn low_byte(number: u32) -> u8 {
    number.to_le_bytes()[0]
}

fn bytes_of(code: u32, bytes: &mut Vec<u8>) {
    push(
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
        bytes,
    );
}

fn push(letter: char, bytes: &mut Vec<u8>) {
    bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_replaced_as_bash_does() {
        for (text, expected) in [
            ("abc", "abc"),
            (r"\x73", "s"),
            (r"\x{73}x", "sx"),
            (r"\x73ettings", "settings"),
            (r"\163ettings", "settings"),
            (r"\u0073", "s"),
            (r"\U00000073", "s"),
            (r"\xc3\xa9", "é"),
            (r"a\'b\\", "a'b\\"),
            (r"a\n\tb", "a\n\tb"),
            (r"a\0b", "a"),
            (r"\q\", "q"),
            (r"\cA", "\u{1}"),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }
}
