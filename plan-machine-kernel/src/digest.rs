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
///
/// Pieces are short, a quote or a key: they are gathered, and digested some at a time.
pub struct Digester {
    digest: Sha256,
    gathered: [u8; GATHERED],
    length: usize,
}

/// How many bytes are digested at a time: two blocks of SHA-256.
const GATHERED: usize = 128;

impl Default for Digester {
    fn default() -> Self {
        Self {
            digest: Sha256::new(),
            gathered: [0; GATHERED],
            length: 0,
        }
    }
}

impl fmt::Write for Digester {
    #[inline]
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let end = self.length + piece.len();
        if let Some(room) = self.gathered.get_mut(self.length..end) {
            room.copy_from_slice(piece.as_bytes());
            self.length = end;
        } else {
            self.digest_gathered();
            self.digest.update(piece);
        }
        Ok(())
    }
}

impl Digester {
    fn digest_gathered(&mut self) {
        self.digest.update(&self.gathered[..self.length]);
        self.length = 0;
    }

    /// The token of what was written, in this edition.
    #[must_use]
    pub fn token(mut self, edition: u64) -> Token {
        self.digest_gathered();
        let [a, b, c, d, ..] = <[u8; 32]>::from(self.digest.finalize());
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
    /// The token of `null` in edition 0, which stands where nothing was reviewed. It is written out because a
    /// step that carries no token would otherwise digest one.
    pub const OF_NOTHING: Self = Self {
        edition: 0,
        digest: 0x7423_4e98,
    };

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

impl From<Token> for String {
    /// The token's text. Every step shows a token, and a formatter takes longer than its digest.
    fn from(token: Token) -> Self {
        let mut edition = [b'0'; MOST_DECIMALS];
        let begin = write_decimal(token.edition, &mut edition);
        let digest = token.digest.to_be_bytes().map(digits_of);
        let mut text = Self::with_capacity(LONGEST);
        text.extend(edition[begin..].iter().copied().map(char::from));
        text.push('-');
        text.extend(digest.as_flattened().iter().copied().map(char::from));
        text
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from(*self))
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
        (String::from(token) == word)
            .then_some(token)
            .ok_or(NoToken)
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
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_digest_of_pieces_is_that_of_the_whole(pieces in prop::collection::vec(".{0,90}", 0..8)) {
            let mut digester = Digester::default();
            for piece in &pieces {
                digester.write_str(piece).expect("taken");
            }
            let [a, b, c, d, ..] = sha256(&[pieces.concat().as_bytes()]);
            prop_assert_eq!(digester.token(7).digest, u32::from_be_bytes([a, b, c, d]));
        }
    }

    #[test]
    fn the_token_of_nothing_is_that_of_null() {
        assert_eq!(Token::OF_NOTHING, Token::of(0, &Json::Null));
    }

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
