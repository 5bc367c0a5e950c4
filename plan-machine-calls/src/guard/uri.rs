//! Texts that may be paths, including addresses such as `file:///home/ann/x`.

use std::borrow::Cow;

/// The maximum length of a path, in bytes.
pub(super) const LONGEST: usize = 4096;

/// Returns a text as a path, if it may be one. Texts with line breaks, long texts, and addresses other than `file:` are
/// not paths.
pub(super) fn path(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    if text.is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
        return None;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return match text.get(..5) {
            Some(scheme) if scheme.eq_ignore_ascii_case("file:") => Some(decoded(&text[5..])),
            _ => Some(text.into()),
        };
    };
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    // The name of the host is before the first slash.
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    Some(decoded(path))
}

/// Decodes escapes such as `%2e`.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        match code {
            Some(code) if byte == b'%' => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_an_address_of_a_file() {
        for (text, expected) in [
            ("a/b", Some("a/b")),
            (" a/b\n", Some("a/b")),
            ("file:///a/b", Some("/a/b")),
            ("FILE://localhost/a/b", Some("/a/b")),
            ("file:/a/b", Some("/a/b")),
            ("file:///a/%2Eb%zz", Some("/a/.b%zz")),
            ("https://example.org/a", None),
            ("a\nb", None),
            ("", None),
        ] {
            assert_eq!(path(text).as_deref(), expected, "{text}");
        }
    }
}
