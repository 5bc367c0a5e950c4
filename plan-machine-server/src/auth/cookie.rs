//! Reads the `Cookie` header.

/// Returns the values of all cookies with this name. A server on another port can add cookies of the same name, which
/// must not hide the valid one.
pub(super) fn named<'h>(header: &'h str, name: &str) -> impl Iterator<Item = &'h str> {
    let pairs = header.split(';').filter_map(|pair| pair.split_once('='));
    let own = pairs.filter(move |(key, _)| key.trim() == name);
    own.map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let all = |header| named(header, "b").collect::<Vec<_>>();
        assert_eq!(all("a=1; b=2"), ["2"]);
        assert_eq!(all("ab=1;b=2=3; b=4"), ["2=3", "4"]);
        assert_eq!(all("ab=1"), [""; 0]);
        assert_eq!(all(""), [""; 0]);
    }
}
