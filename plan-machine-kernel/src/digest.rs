//! Digests and tokens, which identify the exact bytes that a decision refers to.

use std::fmt;
use std::str::FromStr;

use crate::json::Json;
use crate::sha256::Sha256;

/// The number of digits of the digest that people read and type: few enough to read aloud. Each edition belongs to only
/// one text, so these digits only need to guard against typing errors.
const SHORT_DIGITS: usize = 8;

/// The number of digits of the digest in a stored token: enough to make it infeasible to find another text with the
/// same digits.
const FULL_DIGITS: usize = 32;

/// The number of decimal digits of the highest edition.
const MOST_DECIMALS: usize = 20;

/// The length of the longest token: the edition, a dash, and the digits of the digest.
const LONGEST: usize = MOST_DECIMALS + 1 + FULL_DIGITS;

/// Returns the SHA-256 digest of a string, as 64 lowercase hexadecimal digits.
#[must_use]
pub fn sha256_hex(canonical: &str) -> String {
    hex(&sha256(&[canonical.as_bytes()]))
}

/// Returns the SHA-256 digest of the concatenated pieces.
#[must_use]
pub fn sha256(pieces: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::default();
    for piece in pieces {
        digest.update(piece);
    }
    digest.finish()
}

/// Formats bytes as lowercase hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| digits_of(*byte));
    digits.map(char::from).collect()
}

/// Returns the two hexadecimal digits of a byte. Every step formats tokens, and `{:02x}` takes longer than computing
/// their digest.
fn digits_of(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 0xf].map(|half| match half {
        0..=9 => b'0' + half,
        _ => b'a' + half - 10,
    })
}

/// Writes a number at the end of a buffer and returns the index of its first digit.
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

/// Computes the digest of canonical JSON that is written piece by piece, so that the whole text is never in memory.
///
/// Most pieces are short, such as a quote or a key, so they are collected and digested together.
pub struct Digester {
    digest: Sha256,
    gathered: [u8; GATHERED],
    length: usize,
}

/// The number of bytes that are collected before they are digested: two blocks of SHA-256.
const GATHERED: usize = 128;

impl Default for Digester {
    fn default() -> Self {
        Self {
            digest: Sha256::default(),
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
            self.digest.update(piece.as_bytes());
        }
        Ok(())
    }
}

impl Digester {
    fn digest_gathered(&mut self) {
        self.digest.update(&self.gathered[..self.length]);
        self.length = 0;
    }

    /// Returns the token of the text written so far, with this edition.
    #[must_use]
    pub fn token(mut self, edition: u64) -> Token {
        self.digest_gathered();
        let digest = self.digest.finish();
        Token::new(
            edition,
            *digest.first_chunk().unwrap_or(&[0; 16]),
            Form::Full,
        )
    }
}

/// Identifies the text that a decision refers to: by its edition, and by the start of its digest.
///
/// The token of a plan contains 128 bits of the digest, as 32 hexadecimal digits. People read and type its
/// [short](Token::short) form with eight digits. If only one of two tokens is short, [`fits`](Token::fits) compares the
/// editions and these eight digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    edition: u64,
    /// In a short token, the bytes after the first eight digits are zero.
    digest: [u8; FULL_DIGITS / 2],
    form: Form,
}

/// How many digits of the digest a token has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    Short,
    Full,
}

impl Form {
    fn digits(self) -> usize {
        match self {
            Self::Short => SHORT_DIGITS,
            Self::Full => FULL_DIGITS,
        }
    }

    fn of(digits: usize) -> Option<Self> {
        [Self::Short, Self::Full]
            .into_iter()
            .find(|form| form.digits() == digits)
    }
}

impl Token {
    /// The token of `null` in edition 0. It is used if nothing was reviewed, and it is a constant so that a step
    /// without a token need not compute a digest.
    pub const OF_NOTHING: Self = Self {
        edition: 0,
        digest: 0x7423_4e98_afe7_498f_b5da_f1f3_6ac2_d78a_u128.to_be_bytes(),
        form: Form::Full,
    };

    /// Returns the token of reviewed data: its edition, and the start of the digest of its canonical JSON.
    ///
    /// ```
    /// use plan_machine_kernel::{digest::Token, json::{Json, Object}};
    ///
    /// let token = Token::of(0, &Json::Object(Object::new()));
    /// assert_eq!(token.to_string(), "0-44136fa355b3678a1146ad16f7e8649e");
    /// assert_eq!(token.short().to_string(), "0-44136fa3");
    /// ```
    #[must_use]
    pub fn of(edition: u64, reviewed: &Json) -> Self {
        let mut digester = Digester::default();
        // Writing to a digester never fails.
        let _ = reviewed.write_canonical(&mut digester);
        digester.token(edition)
    }

    fn new(edition: u64, digest: [u8; FULL_DIGITS / 2], form: Form) -> Self {
        Self {
            edition,
            digest,
            form,
        }
    }

    /// Returns the edition.
    #[must_use]
    pub fn edition(self) -> u64 {
        self.edition
    }

    /// Returns the form that people read and type.
    #[must_use]
    pub fn short(self) -> Self {
        let mut digest = [0; FULL_DIGITS / 2];
        digest[..SHORT_DIGITS / 2].copy_from_slice(&self.digest[..SHORT_DIGITS / 2]);
        Self::new(self.edition, digest, Form::Short)
    }

    /// Returns whether both tokens identify the same text: the editions and all digits that both tokens have are equal.
    ///
    /// ```
    /// use plan_machine_kernel::{digest::Token, json::Json};
    ///
    /// let (now, typed) = (Token::of(3, &Json::Null), "3-74234e98".parse::<Token>()?);
    /// assert!(typed.fits(now));
    /// assert_ne!(typed, now);
    /// # Ok::<(), plan_machine_kernel::digest::InvalidToken>(())
    /// ```
    #[must_use]
    pub fn fits(self, other: Self) -> bool {
        if self.form == other.form {
            self == other
        } else {
            self.short() == other.short()
        }
    }
}

impl From<Token> for String {
    /// Formats the token without a `Formatter`: every step shows a token, and a `Formatter` would take longer than
    /// computing the digest.
    fn from(token: Token) -> Self {
        let mut edition = [b'0'; MOST_DECIMALS];
        let begin = write_decimal(token.edition, &mut edition);
        let digest = token.digest.map(digits_of);
        let digits = &digest.as_flattened()[..token.form.digits()];
        let mut text = Self::with_capacity(LONGEST);
        text.extend(edition[begin..].iter().copied().map(char::from));
        text.push('-');
        text.extend(digits.iter().copied().map(char::from));
        text
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from(*self))
    }
}

/// The error for a word that is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidToken;

impl fmt::Display for InvalidToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "not a token: expected an edition, a dash and 8 or 32 hexadecimal digits, such as `1-02c18244`",
        )
    }
}

impl std::error::Error for InvalidToken {}

impl FromStr for Token {
    type Err = InvalidToken;

    fn from_str(word: &str) -> Result<Self, InvalidToken> {
        let (edition, digits) = parts(word).ok_or(InvalidToken)?;
        let form = Form::of(digits.len()).ok_or(InvalidToken)?;
        let mut digest = [0; FULL_DIGITS / 2];
        for (at, byte) in digest.iter_mut().enumerate().take(form.digits() / 2) {
            let two = digits.get(2 * at..2 * at + 2).ok_or(InvalidToken)?;
            *byte = u8::from_str_radix(two, 16).map_err(|_| InvalidToken)?;
        }
        let token = Self::new(edition.parse().map_err(|_| InvalidToken)?, digest, form);
        // `01-…` denotes the same edition as `1-…`, but it is not the token that was shown.
        (String::from(token) == word)
            .then_some(token)
            .ok_or(InvalidToken)
    }
}

/// Returns whether a word looks like a token: digits, a dash, and eight or 32 lowercase hexadecimal digits.
#[must_use]
pub fn has_token_shape(word: &str) -> bool {
    parts(word).is_some()
}

/// Splits a word that looks like a token into the edition and the digits of the digest.
fn parts(word: &str) -> Option<(&str, &str)> {
    let (edition, digits) = word.split_once('-')?;
    let is_number = !edition.is_empty() && edition.bytes().all(|byte| byte.is_ascii_digit());
    let is_digest = Form::of(digits.len()).is_some()
        && digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (is_number && is_digest).then_some((edition, digits))
}

/// Returns the short form of a full token, for people; any other string is returned unchanged.
///
/// ```
/// use plan_machine_kernel::digest::short;
///
/// assert_eq!(short("0-44136fa355b3678a1146ad16f7e8649e"), "0-44136fa3");
/// assert_eq!(short("whatever"), "whatever");
/// ```
#[must_use]
pub fn short(token: &str) -> &str {
    match parts(token) {
        Some((edition, _)) => &token[..edition.len() + 1 + SHORT_DIGITS],
        None => token,
    }
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
            let whole = sha256(&[pieces.concat().as_bytes()]);
            prop_assert_eq!(&digester.token(7).digest[..], &whole[..16]);
        }
    }

    #[test]
    fn the_token_of_nothing_is_that_of_null() {
        assert_eq!(Token::OF_NOTHING, Token::of(0, &Json::Null));
    }

    #[test]
    fn a_token_is_the_edition_and_128_bits_of_the_digest() {
        let reviewed = Json::parse(r##"{"markdown": "# v1"}"##).expect("valid");
        let token = Token::of(1, &reviewed);
        let digest = sha256_hex(&reviewed.canonical());
        assert_eq!(token.to_string(), format!("1-{}", &digest[..32]));
        assert_eq!(token.short().to_string(), "1-02c18244");
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
        let short = token.short();
        assert_eq!(short.to_string().parse(), Ok(short));
        for word in [
            "012-74234e98",
            "12-74234E98",
            "99999999999999999999999-74234e98",
        ] {
            assert_eq!(word.parse::<Token>(), Err(InvalidToken), "{word}");
        }
    }

    #[test]
    fn a_full_token_fits_by_all_of_its_digits_and_a_short_one_by_eight() {
        let token: Token = "3-02c18244aaaaaaaaaaaaaaaaaaaaaaaa"
            .parse()
            .expect("a valid token");
        let other: Token = "3-02c18244aaaaaaaaaaaaaaaaaaaaaaab"
            .parse()
            .expect("a valid token");
        let typed: Token = "3-02c18244".parse().expect("a valid token");
        assert!(!token.fits(other) && !other.fits(token));
        assert!(typed.fits(token) && typed.fits(other) && token.fits(typed));
        for another in ["4-02c18244", "3-02c18245"] {
            let another: Token = another.parse().expect("a valid token");
            assert!(!another.fits(token) && !token.fits(another) && !another.fits(typed));
        }
    }

    #[test]
    fn only_the_exact_shape_is_a_token() {
        for word in [
            "0-00000000",
            "12-02c18244",
            "99999999999999999999999-deadbeef",
            "0-44136fa355b3678a1146ad16f7e8649e",
        ] {
            assert!(has_token_shape(word), "{word}");
        }
        for word in [
            "",
            "-02c18244",
            "1-02C18244",
            "1-02c1824",
            "1-02c182445",
            "0-44136fa355b3678a1146ad16f7e8649",
            "0-44136fa355b3678a1146ad16f7e8649e0",
            "a-02c18244",
            "1-02c1-244",
            "1_02c18244",
            "١-02c18244",
        ] {
            assert!(!has_token_shape(word), "{word}");
        }
    }
}
