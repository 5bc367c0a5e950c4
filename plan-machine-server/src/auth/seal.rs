//! Seals cookies, so that nobody else can create one. If the key is stored, the cookies stay valid when the server
//! restarts.

use std::fmt;

use hmac_sha256::HMAC;
use plan_machine_kernel::digest::hex;

/// The maximum length of a cookie that is read.
const LONGEST: usize = 2048;

/// The key that seals cookies.
#[derive(Clone)]
pub struct CookieKey([u8; 32]);

impl fmt::Debug for CookieKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CookieKey(…)")
    }
}

impl CookieKey {
    /// Returns the key with these bytes, which must be random and secret.
    #[must_use]
    pub fn of(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns a new key. Cookies that are sealed with it become invalid when the process ends.
    ///
    /// # Errors
    ///
    /// If the system cannot provide random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Returns a cookie with this content. It is valid until this time, in seconds since 1970.
    pub(super) fn seal(&self, content: &str, until: u64) -> String {
        let body = format!("{}.{until}", hex(content.as_bytes()));
        let seal = hex(&HMAC::mac(body.as_bytes(), self.0));
        format!("{body}.{seal}")
    }

    /// Returns the content of a cookie; `None` unless it was sealed with this key and is valid at this time, in seconds
    /// since 1970.
    pub(super) fn open(&self, cookie: &str, now: u64) -> Option<String> {
        if cookie.len() > LONGEST {
            return None;
        }
        let (body, seal) = cookie.rsplit_once('.')?;
        let seal: [u8; 32] = unhex(seal)?.try_into().ok()?;
        if !HMAC::verify(body.as_bytes(), self.0, &seal) {
            return None;
        }
        let (content, until) = body.split_once('.')?;
        let until: u64 = until.parse().ok()?;
        let content = String::from_utf8(unhex(content)?).ok()?;
        (now <= until).then_some(content)
    }
}

impl CookieKey {
    /// Returns the key of the page that a cookie belongs to. Browsers send a cookie to every port of a host, so a server
    /// on another port can learn the cookie; but only pages of this origin can read the key of the page.
    pub(super) fn page_key(&self, cookie: &str) -> String {
        hex(&self.page_mac(cookie))
    }

    /// Returns whether a key belongs to the page of a cookie.
    pub(super) fn is_page_key(&self, cookie: &str, key: &str) -> bool {
        let key = unhex(key).and_then(|key| <[u8; 32]>::try_from(key).ok());
        key.is_some_and(|key| HMAC::verify(page_text(cookie).as_bytes(), self.0, &key))
    }

    fn page_mac(&self, cookie: &str) -> [u8; 32] {
        HMAC::mac(page_text(cookie).as_bytes(), self.0)
    }
}

/// Returns the text from which the key of a page is computed. It cannot be the body of a cookie, which begins with a
/// hexadecimal digit or a dot.
fn page_text(cookie: &str) -> String {
    format!("page:{cookie}")
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let bytes = pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_key_belongs_to_one_cookie_and_is_not_a_seal() {
        let key = CookieKey::of([1; 32]);
        let (ann, bob) = (key.seal("ann", 100), key.seal("bob", 100));
        let page = key.page_key(&ann);
        assert!(key.is_page_key(&ann, &page));
        for wrong in ["", "00", &ann, &key.page_key(&bob), &page[2..]] {
            assert!(!key.is_page_key(&ann, wrong), "{wrong}");
        }
        let (body, _) = ann.rsplit_once('.').expect("a seal");
        assert_eq!(key.open(&format!("{body}.{page}"), 1), None);
    }

    #[test]
    fn only_what_was_sealed_here_is_opened() {
        let key = CookieKey::of([1; 32]);
        let cookie = key.seal("ann; Path=/", 100);
        assert!(!cookie.contains([';', ' ', '=']), "{cookie}");
        assert_eq!(key.open(&cookie, 100).as_deref(), Some("ann; Path=/"));
        assert_eq!(key.open(&cookie, 101), None);
        assert_eq!(CookieKey::of([2; 32]).open(&cookie, 1), None);
        let longer = cookie.replacen(".100.", ".999.", 1);
        for forged in [
            "",
            ".",
            "..",
            "61.100.",
            &longer,
            &cookie[2..],
            &"a".repeat(9000),
        ] {
            assert_eq!(key.open(forged, 1), None, "{forged}");
        }
    }
}
