//! Reads the `Cookie` header.

/// Returns the value of the cookie with this name.
pub(super) fn named<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let mut pairs = header.split(';').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(key, value)| (key.trim() == name).then(|| value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        assert_eq!(named("a=1; b=2", "b"), Some("2"));
        assert_eq!(named("ab=1;b=2=3", "b"), Some("2=3"));
        assert_eq!(named("ab=1", "b"), None);
        assert_eq!(named("", ""), None);
    }
}
