//! Words that are flags, values of flags, or files.

/// Returns the words that are not flags, and the values of flags such as `--x=y`.
pub(super) fn files<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let files = words.iter().filter_map(|word| match word.split_once('=') {
        Some((_, value)) if word.starts_with("--") => Some(value),
        _ => (!word.starts_with('-')).then_some(*word),
    });
    files.collect()
}

/// Returns the texts that may be values of short flags and follow the letter without a space, such as `x` in `-dx`.
pub(super) fn attached<'w>(words: &[&'w str]) -> impl Iterator<Item = &'w str> {
    let words = words.iter().filter(|word| is_group(word));
    words.filter_map(|word| word.get(2..))
}

/// Returns the values of these flags, which begin with `-`. Long flags may be abbreviated.
pub(super) fn values<'w>(words: &[&'w str], flags: &[&str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !word.starts_with('-') {
            continue;
        }
        for flag in flags {
            if is_long(word, flag) {
                match word.split_once('=') {
                    Some((_, value)) => found.push(value),
                    None => found.extend(words.get(at + 1)),
                }
                continue;
            }
            match word.strip_prefix(flag) {
                Some("") => found.extend(words.get(at + 1)),
                Some(rest) => found.push(rest.strip_prefix('=').unwrap_or(rest)),
                None if ends_a_group(word, flag) => found.extend(words.get(at + 1)),
                None => {}
            }
        }
    }
    found
}

/// Returns the words without these flags and their values.
pub(super) fn without<'w>(words: &[&'w str], flags: &[&str]) -> Vec<&'w str> {
    let mut left = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let has_value = |flag: &&str| word == flag || ends_a_group(word, flag);
        let holds_value = |flag: &&str| {
            let value = word.strip_prefix(*flag);
            flag.starts_with("--") && value.is_some_and(|value| value.starts_with('='))
        };
        if flags.iter().any(has_value) {
            words.next();
        } else if !flags.iter().any(holds_value) {
            left.push(*word);
        }
    }
    left
}

/// Returns whether a group of short flags has one of these letters. After a letter that is `valued`, the rest of the
/// group is a value.
pub(super) fn has_letter(word: &str, letters: &[char], valued: &[char]) -> bool {
    let group = word.split(valued).next().unwrap_or_default();
    is_group(word) && group.contains(letters)
}

/// Returns whether a word is this long flag, or an abbreviation of it, with or without a value.
pub(super) fn is_long(word: &str, flag: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    name.len() > 2 && name.starts_with("--") && flag.starts_with(name)
}

/// Returns whether a word is a group of short flags, such as `-so`.
pub(super) fn is_group(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("--")
}

/// Returns whether a letter is the last one of a group, such as `o` in `-so`.
fn ends_a_group(word: &str, flag: &str) -> bool {
    let is_letter = flag.len() == 2 && !flag.starts_with("--");
    is_letter && is_group(word) && word.ends_with(&flag[1..])
}
