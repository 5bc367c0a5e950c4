//! Compares the functions that make text visible with the Unicode properties of every character.

use icu_properties::props::{
    CanonicalCombiningClass, DefaultIgnorableCodePoint, ExtendedPictographic, GeneralCategory,
    JoiningType,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use plan_machine_kernel::visible::{is_pictograph, is_unseen, visible, visible_line};
use proptest::prelude::*;

/// An Arabic letter that joins to the letters before and after it.
const BEH: char = '\u{628}';

fn is_ignorable(letter: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter)
        || CodePointMapData::<GeneralCategory>::new().get(letter) == GeneralCategory::Format
}

/// Returns whether a character has no agreed shape: it is for private use, or not for use in text at all.
fn is_private(letter: char) -> bool {
    let is_forbidden = matches!(letter, '\u{fdd0}'..='\u{fdef}')
        || [0xfffe, 0xffff].contains(&(u32::from(letter) % 0x1_0000));
    let category = CodePointMapData::<GeneralCategory>::new().get(letter);
    category == GeneralCategory::PrivateUse || is_forbidden
}

fn is_emoji(letter: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(letter)
}

fn is_virama(letter: char) -> bool {
    let class = CodePointMapData::<CanonicalCombiningClass>::new().get(letter);
    class == CanonicalCombiningClass::Virama
}

fn joins(letter: char, other: JoiningType) -> bool {
    let kind = CodePointMapData::<JoiningType>::new().get(letter);
    kind == JoiningType::DualJoining || kind == other
}

#[test]
fn the_tables_say_of_every_character_what_unicode_says() {
    for letter in '\0'..=char::MAX {
        let also = letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{2800}');
        assert_eq!(
            is_unseen(letter),
            is_ignorable(letter) || is_private(letter) || also,
            "{letter:?}"
        );
        assert_eq!(is_pictograph(letter), is_emoji(letter), "{letter:?}");
    }
    // No letter beyond this range joins.
    for letter in '\0'..='\u{1ffff}' {
        let keeps = |text: String, joiner| visible(&text).contains(joiner);
        let binds = keeps(format!("{letter}\u{200d}x"), '\u{200d}');
        assert_eq!(binds, is_virama(letter), "{letter:?}");
        let next = keeps(format!("{letter}\u{200c}{BEH}"), '\u{200c}');
        let expected = joins(letter, JoiningType::LeftJoining) || is_virama(letter);
        assert_eq!(next, expected, "{letter:?}");
        let previous = keeps(format!("{BEH}\u{200c}{letter}"), '\u{200c}');
        let expected = joins(letter, JoiningType::RightJoining);
        assert_eq!(previous, expected, "{letter:?}");
    }
}

#[test]
fn what_hides_is_written_as_its_code_point() {
    for hidden in [
        '\u{34f}',
        '\u{fe0f}',
        '\u{e0041}',
        '\u{3164}',
        '\u{202e}',
        '\u{ad}',
        '\u{200b}',
        '\u{1b}',
        '\u{e000}',
        '\u{10fffd}',
        '\u{ffff}',
        '\r',
    ] {
        let seen = format!("a‹U+{:04X}›b", u32::from(hidden));
        assert_eq!(visible(&format!("a{hidden}b")), seen);
    }
    assert_eq!(visible("a\n\tb"), "a\n    b");
    assert_eq!(visible_line("a\r\n\tb\u{200b}"), "a\\r\\n\\tb‹U+200B›");
}

#[test]
fn joiners_stay_where_emoji_and_scripts_need_them_and_nowhere_else() {
    for needed in [
        "👩\u{200d}👧",
        "👩🏽\u{200d}🚀",
        "می\u{200c}خواهم",
        "مِی\u{200c}خواهم",
        "क्\u{200d}ष",
        "ක්\u{200d}ෂ",
    ] {
        assert_eq!(visible(needed), needed);
    }
    assert_eq!(visible("a\u{200d}b"), "a‹U+200D›b");
    assert_eq!(visible("rm\u{200c}x"), "rm‹U+200C›x");
    assert_eq!(visible("👩\u{200d}\u{200d}👧"), "👩‹U+200D›‹U+200D›👧");
    assert_eq!(visible("👩\u{200d}"), "👩‹U+200D›");
    // If a line ends with a joiner, some terminals join the first character of the next line to it.
    assert_eq!(visible("\u{2d7f}\u{200d}\nx"), "\u{2d7f}‹U+200D›\nx");
    assert_eq!(visible("\u{2d7f}\u{200d}"), "\u{2d7f}‹U+200D›");
}

/// Generates strings of letters with invisible characters among them.
fn letters() -> impl Strategy<Value = String> {
    let chosen = prop_oneof![
        3 => prop::sample::select(vec!['a', ' ', '1', '\u{20e3}', BEH, 'ی', '\u{64e}', '\u{94d}', 'क', '⚠', '👩', '🏽', '🚀', '\n']),
        3 => prop::sample::select(vec!['\u{200c}', '\u{200d}', '\u{fe0f}', '\u{34f}', '\u{202e}']),
        1 => any::<char>(),
        1 => any::<char>().prop_filter("hides", |letter| is_ignorable(*letter)),
    ];
    prop::collection::vec(chosen, 0..24).prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #[test]
    fn nothing_ignorable_is_left_but_joiners_that_change_what_is_seen(text in letters()) {
        let seen: Vec<char> = visible(&text).chars().collect();
        for (at, letter) in seen.iter().enumerate().filter(|(_, letter)| is_ignorable(**letter)) {
            let before: Vec<char> = seen[..at].iter().rev().copied().collect();
            let after = &seen[at + 1..];
            let base = |letter: &&char| !matches!(letter, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
            let emoji = |letter: Option<&char>| letter.is_some_and(|letter| is_emoji(*letter));
            let sign = |letter: &&char| !('\u{64b}'..='\u{65f}').contains(*letter);
            let virama = before.first().is_some_and(|last| is_virama(*last));
            let needed = match letter {
                '\u{200d}' => {
                    virama || emoji(before.iter().find(base)) && emoji(after.first())
                }
                '\u{fe0f}' => {
                    let is_keycap = before.first() == Some(&'1') && after.first() == Some(&'\u{20e3}');
                    emoji(before.first()) || is_keycap
                }
                '\u{200c}' => {
                    let (last, next) = (before.iter().find(sign), after.iter().find(sign));
                    let left = last.is_some_and(|last| joins(*last, JoiningType::LeftJoining));
                    virama || left && next.is_some_and(|next| joins(*next, JoiningType::RightJoining))
                }
                _ => false,
            };
            prop_assert!(needed, "{letter:?} is still in {text:?}");
        }
    }

    #[test]
    fn what_can_be_seen_stays_as_it_is(text in letters()) {
        let seen = visible(&text);
        prop_assert_eq!(visible(&seen), seen);
        let letters: String = text.chars().filter(|letter| !is_unseen(*letter)).collect();
        prop_assert_eq!(visible(&letters), letters);
    }
}
