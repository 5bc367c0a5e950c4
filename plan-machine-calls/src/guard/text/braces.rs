//! Alternatives in braces, such as `{a,b}`.

/// The number of bytes to which all alternatives in a text may add up, in addition to a few times its length.
const MOST_BYTES: usize = 16_384;

/// Returns the number of bytes to which all alternatives in a text may add up.
pub(super) fn budget(text: &str) -> usize {
    MOST_BYTES.saturating_add(text.len().saturating_mul(4))
}

/// Returns the words to which a shell expands alternatives in braces: `{rm,-f,x}` becomes `rm -f x`, and `a{b,c}`
/// becomes `ab ac`. A word without alternatives, or with more than `left` bytes of them, is returned unchanged.
pub(super) fn alternatives(word: String, left: &mut usize) -> Vec<String> {
    if !word.contains('{') {
        return vec![word];
    }
    let mut open = vec![word.clone()];
    let mut done = Vec::new();
    while let Some(next) = open.pop() {
        let Some((start, end)) = first_pair(&next) else {
            done.push(next);
            continue;
        };
        let (before, after) = (&next[..start], &next[end + 1..]);
        let inside = parts(&next[start + 1..end]);
        let around = before.len() + after.len();
        let bytes = inside
            .len()
            .saturating_mul(around)
            .saturating_add(end - start);
        match left.checked_sub(bytes) {
            Some(rest) => *left = rest,
            None => return vec![word],
        }
        // The last alternative is pushed first, because words are taken from the end of the list.
        let words = inside.iter().rev();
        open.extend(words.map(|part| format!("{before}{part}{after}")));
    }
    done
}

/// Returns the positions of the first pair of braces that contains alternatives and is not inside another such pair.
/// The braces of a variable such as `${x:-a,b}` do not count.
fn first_pair(word: &str) -> Option<(usize, usize)> {
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut found: Option<(usize, usize)> = None;
    let mut in_variable = 0_usize;
    let mut before = ' ';
    for (at, letter) in word.char_indices() {
        match letter {
            '{' if in_variable > 0 || before == '$' => in_variable += 1,
            '}' if in_variable > 0 => in_variable -= 1,
            '{' => open.push((at, false)),
            ',' if in_variable == 0 => {
                if let Some((_, has_comma)) = open.last_mut() {
                    *has_comma = true;
                }
            }
            '}' => {
                if let Some((start, true)) = open.pop() {
                    // An inner pair ends before the outer one.
                    found = found
                        .filter(|(earlier, _)| *earlier < start)
                        .or(Some((start, at)));
                }
            }
            _ => {}
        }
        before = letter;
    }
    found
}

/// Splits the text between two braces at its commas, except those in other braces.
fn parts(inside: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let at_comma = |letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    inside.split(at_comma).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternatives(word: String) -> Vec<String> {
        let mut left = budget(&word);
        super::alternatives(word, &mut left)
    }

    #[test]
    fn the_words_of_a_text_share_one_budget() {
        let word = "{a,b}".repeat(8);
        let mut left = budget(&word);
        let mut expanded = 0;
        for _ in 0..100 {
            expanded += usize::from(super::alternatives(word.clone(), &mut left).len() > 1);
        }
        assert!((1..20).contains(&expanded), "{expanded}");
    }

    #[test]
    fn alternatives_are_expanded_in_their_order() {
        for (word, expected) in [
            ("a", "a"),
            ("{rm,-f,x}", "rm -f x"),
            ("y{a,b}", "ya yb"),
            ("{a}{b,c}", "{a}b {a}c"),
            ("./{.a/b,c}/d", "./.a/b/d ./c/d"),
            ("{a,b}{c,d}", "ac ad bc bd"),
            ("x{a,{b,c}d}", "xa xbd xcd"),
            ("{}", "{}"),
            ("{1..3}", "{1..3}"),
            ("${x:-a,b}/{c,d}", "${x:-a,b}/c ${x:-a,b}/d"),
            ("${x:-{a,b}}", "${x:-{a,b}}"),
            ("}{", "}{"),
            ("{a,b", "{a,b"),
        ] {
            assert_eq!(alternatives(word.to_owned()).join(" "), expected, "{word}");
        }
    }

    #[test]
    fn a_word_with_too_many_alternatives_is_unchanged() {
        for word in [
            "{a,b}".repeat(100),
            format!("{}{}", "{,".repeat(10_000), "}".repeat(10_000)),
        ] {
            assert_eq!(alternatives(word.clone()), [word]);
        }
        let list = format!("{{{}x}}", "a,".repeat(10_000));
        assert_eq!(alternatives(list).len(), 10_001);
    }
}
