//! Digests and tokens: how a decision names the bytes that it is about.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::json::Json;

/// How many digits of the digest a token shows: few enough to read out, and the edition beside them already tells
/// successive drafts apart.
const SHOWN_DIGITS: usize = 8;

/// How many digits the highest edition has.
const MOST_DECIMALS: usize = 20;

/// The longest token: edition, dash, digits.
const LONGEST: usize = MOST_DECIMALS + 1 + SHOWN_DIGITS;

/// The SHA-256 of a text, as 64 lowercase hexadecimal digits.
#[must_use]
pub fn sha256_hex(canonical: &str) -> String {
    hex(&sha256(&[canonical.as_bytes()]))
}

/// The SHA-256 of pieces, one after the other.
#[must_use]
pub fn sha256(pieces: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for piece in pieces {
        digest.update(piece);
    }
    digest.finalize().into()
}

/// Bytes as lowercase hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| digits_of(*byte));
    digits.map(char::from).collect()
}

/// The two digits of a byte. Tokens are written with every step, and `{:02x}` takes longer than their digest.
fn digits_of(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 0xf].map(|half| match half {
        0..=9 => b'0' + half,
        _ => b'a' + half - 10,
    })
}

/// Writes a number to the end of a piece of text; where it begins there.
fn write_decimal(mut number: u64, piece: &mut [u8]) -> usize {
    for (at, place) in piece.iter_mut().enumerate().rev() {
        *place = b"0123456789"[(number % 10) as usize];
        number /= 10;
        if number == 0 {
            return at;
        }
    }
    0
}

/// A digest of canonical JSON that is written piece by piece, so that nothing need be put together first.
#[derive(Default)]
pub struct Digester(Sha256);

impl fmt::Write for Digester {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.update(piece.as_bytes());
        Ok(())
    }
}

impl Digester {
    /// The token of what was written, in this edition.
    #[must_use]
    pub fn token(self, edition: u64) -> Token {
        let [a, b, c, d, ..] = <[u8; 32]>::from(self.0.finalize());
        Token {
            edition,
            digest: u32::from_be_bytes([a, b, c, d]),
        }
    }
}

/// What a decision names: the edition of what a person has seen, and the beginning of its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    edition: u64,
    digest: u32,
}

impl Token {
    /// The token of what a person reviews: its edition and the beginning of the digest of its canonical JSON.
    ///
    /// ```
    /// use plan_machine_kernel::{digest::Token, json::{Json, Object}};
    ///
    /// assert_eq!(Token::of(0, &Json::Object(Object::new())).to_string(), "0-44136fa3");
    /// ```
    #[must_use]
    pub fn of(edition: u64, reviewed: &Json) -> Self {
        let mut digester = Digester::default();
        // A digester takes whatever it is given.
        let _ = reviewed.write_canonical(&mut digester);
        digester.token(edition)
    }

    /// The edition it speaks of.
    #[must_use]
    pub fn edition(self) -> u64 {
        self.edition
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece, from its end, so that a text of it is made at once.
        let mut piece = [b'-'; LONGEST];
        let (front, digest) = piece.split_at_mut(LONGEST - SHOWN_DIGITS);
        digest.copy_from_slice(self.digest.to_be_bytes().map(digits_of).as_flattened());
        let begin = write_decimal(self.edition, &mut front[..MOST_DECIMALS]);
        // Digits are ASCII.
        f.pad(str::from_utf8(&piece[begin..]).unwrap_or_default())
    }
}

/// A word that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoToken;

impl fmt::Display for NoToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a token is an edition, a dash and eight hexadecimal digits, such as `1-02c18244`",
        )
    }
}

impl std::error::Error for NoToken {}

impl FromStr for Token {
    type Err = NoToken;

    fn from_str(word: &str) -> Result<Self, NoToken> {
        if !has_token_shape(word) {
            return Err(NoToken);
        }
        let (edition, digest) = word.split_once('-').ok_or(NoToken)?;
        let token = Token {
            edition: edition.parse().map_err(|_| NoToken)?,
            digest: u32::from_str_radix(digest, 16).map_err(|_| NoToken)?,
        };
        // `01-…` names the same edition, but it is not what was shown.
        (token.to_string() == word).then_some(token).ok_or(NoToken)
    }
}

/// Whether a word looks like a token: digits, a dash, eight lowercase hexadecimal digits.
#[must_use]
pub fn has_token_shape(word: &str) -> bool {
    word.split_once('-').is_some_and(|(edition, hex)| {
        !edition.is_empty()
            && edition.bytes().all(|byte| byte.is_ascii_digit())
            && hex.len() == SHOWN_DIGITS
            && hex
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_edition_and_eight_digits_of_the_digest() {
        let reviewed = Json::parse(r##"{"markdown": "# v1"}"##).expect("valid");
        assert_eq!(Token::of(1, &reviewed).to_string(), "1-02c18244");
        assert!(has_token_shape(&Token::of(u64::MAX, &reviewed).to_string()));
    }

    #[test]
    fn the_digest_of_nothing_is_the_known_one() {
        assert_eq!(
            sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn the_order_of_keys_does_not_change_a_token() {
        let one = Json::parse(r#"{"a":1,"b":2.0}"#).expect("valid");
        let other = Json::parse(r#"{"b":2,"a":1}"#).expect("valid");
        assert_eq!(Token::of(3, &one), Token::of(3, &other));
    }

    #[test]
    fn a_token_reads_back_from_what_is_shown() {
        let token = Token::of(12, &Json::Null);
        assert_eq!(token.to_string().parse(), Ok(token));
        for word in [
            "012-74234e98",
            "12-74234E98",
            "99999999999999999999999-74234e98",
        ] {
            assert_eq!(word.parse::<Token>(), Err(NoToken), "{word}");
        }
    }

    #[test]
    fn only_the_exact_shape_is_a_token() {
        for word in [
            "0-00000000",
            "12-02c18244",
            "99999999999999999999999-deadbeef",
        ] {
            assert!(has_token_shape(word), "{word}");
        }
        for word in [
            "",
            "-02c18244",
            "1-02C18244",
            "1-02c1824",
            "1-02c182445",
            "a-02c18244",
            "1-02c1-244",
            "1_02c18244",
            "١-02c18244",
        ] {
            assert!(!has_token_shape(word), "{word}");
        }
    }
}
