//! Seals cookies, so that they stay valid when the server restarts and nobody else can create one.

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

    /// Returns a cookie for a person. It is valid until this time, in seconds since 1970.
    pub(super) fn seal(&self, name: &str, until: u64) -> String {
        let body = format!("{}.{until}", hex(name.as_bytes()));
        let seal = hex(&HMAC::mac(body.as_bytes(), self.0));
        format!("{body}.{seal}")
    }

    /// Returns the person of a cookie that was sealed with this key and is valid at this time, in seconds since 1970.
    pub(super) fn open(&self, cookie: &str, now: u64) -> Option<String> {
        if cookie.len() > LONGEST {
            return None;
        }
        let (body, seal) = cookie.rsplit_once('.')?;
        let seal: [u8; 32] = unhex(seal)?.try_into().ok()?;
        if !HMAC::verify(body.as_bytes(), self.0, &seal) {
            return None;
        }
        let (name, until) = body.split_once('.')?;
        let until: u64 = until.parse().ok()?;
        let name = String::from_utf8(unhex(name)?).ok()?;
        (now <= until).then_some(name)
    }
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
