//! Texts of models and files, before they are shown: nothing in them moves the cursor, hides or turns round what
//! a person reads and approves.

/// A text in which what could not be seen is written out.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => seen.push(letter),
            '\t' => seen.push_str("    "),
            '\r' => seen.push_str("\\r"),
            letter if letter.is_control() || is_unseen(letter) => {
                seen.extend(letter.escape_unicode());
            }
            letter => seen.push(letter),
        }
    }
    seen
}

/// Marks that have no width of their own, or turn the order of letters round. Joiners stay: scripts and emoji
/// are made with them.
fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_turns_round_is_written_out() {
        let hiding = "ok\u{1b}[2K\r\u{202e}txt\u{200b}.\tx\ny";
        let seen = "ok\\u{1b}[2K\\r\\u{202e}txt\\u{200b}.    x\ny";
        assert_eq!(visible(hiding), seen);
        let family = "👩\u{200d}👧 é ü 漢字";
        assert_eq!(visible(family), family);
    }
}
