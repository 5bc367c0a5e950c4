//! Names of tools that look like other names.

/// For a host that does not list its tools, returns whether a name cannot be the name of a host tool: specs do not use
/// the name but use a similar name, or the name contains characters that tool names never contain. A careless host
/// might treat `Shell` as `shell` and run a tool that a spec denies.
#[must_use]
pub fn looks_like_another<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> bool {
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_graphic()) {
        return true;
    }
    let looks = folded(name);
    let mut like = false;
    let mut known = known.into_iter();
    let is_known = known.any(|other| {
        like |= folded(other) == looks;
        other == name
    });
    like && !is_known
}

/// Removes the differences that a careless lookup ignores: case, and characters that are neither letters nor digits.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
