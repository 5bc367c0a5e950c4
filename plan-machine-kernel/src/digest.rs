//! Digests and tokens: how a decision names the bytes that it is about.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::json::Json;

/// How many digits of the digest a token shows: few enough to read out, and the edition beside them already tells
/// successive drafts apart.
const SHOWN_DIGITS: usize = 8;

/// The SHA-256 of a text, as 64 lowercase hexadecimal digits.
#[must_use]
pub fn sha256_hex(canonical: &str) -> String {
    Sha256::digest(canonical.as_bytes())
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// The token of what a person reviews: its edition and the beginning of the digest of its canonical JSON.
///
/// ```
/// use plan_machine_kernel::{digest::token, json::{Json, Object}};
///
/// assert_eq!(token(0, &Json::Object(Object::new())), "0-44136fa3");
/// ```
#[must_use]
pub fn token(edition: u64, reviewed: &Json) -> String {
    let hex = sha256_hex(&reviewed.canonical());
    format!("{edition}-{hex:.SHOWN_DIGITS$}")
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
        assert_eq!(token(1, &reviewed), "1-02c18244");
        assert!(has_token_shape(&token(u64::MAX, &reviewed)));
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
        assert_eq!(token(3, &one), token(3, &other));
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
