//! Compares random commands with an independent reference: a command that is built from harmless
//! parts is in the class, and a command with any harmful part is not.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::select;

use super::{READS, bash, classifier};
use plan_machine_calls::Classifier;

static CLASSIFIER: LazyLock<Classifier> = LazyLock::new(|| classifier(".".as_ref()));

/// Simple commands that only read.
const HARMLESS: [&str; 18] = [
    "ls -la",
    "cat 'a b' c",
    "rg -n \"x y\" src",
    "git status --short",
    "git log --oneline -5",
    "head -n 5 README.md",
    "wc -l < README.md",
    "find . -name '*.rs'",
    "sed -n '1,5p' a",
    "grep -rn a .",
    "cd src",
    "sort -u a",
    "[ -f a ]",
    "command -v git",
    "git diff @{u}",
    "git tag -l 'v*'",
    "sed -n '/a\\.b/p;9q' a",
    "git branch --merged",
];
const CONNECTORS: [&str; 6] = [" && ", " || ", "; ", " | ", "\n", ";"];
const ENDS: [&str; 5] = [
    "",
    " 2>/dev/null",
    " 2>&1",
    " > /dev/null",
    " >/dev/null 2>&1",
];

/// Simple commands that do more than read, or whose meaning is not certain.
const HARMFUL: [&str; 36] = [
    "rm x",
    "sh -c ls",
    "eval ls",
    "ls > x",
    "ls >> x",
    "ls 2> x",
    "X=1 ls",
    "ls $(rm x)",
    "ls `rm x`",
    "ls $x",
    "ls {a,b}",
    "(ls)",
    "ls =x",
    "ls &",
    "find . -delete",
    "rg --pre x a",
    "sort -o x a",
    "git diff --output=x",
    "git -c a=b log",
    "sed -n 'w x' a",
    "ls <<< x",
    "! ls",
    "time ls",
    "cd /",
    "cd ..",
    "./ls",
    "'ls'",
    "xargs rm",
    "tee x",
    "ls # x",
    "[ -f $x ]",
    "command git push",
    "git diff @{a,b}",
    "git tag 'v*'",
    "sed -n '/a\\.b/w x' a",
    "git branch --merged main x",
];

/// Pieces that make an unquoted harmless command harmful, wherever they are inserted between words.
const INSERTED: [&str; 12] = [
    " $x ",
    " $(x) ",
    " `x` ",
    " > x ",
    " {a,b} ",
    " (a) ",
    " & ",
    " ; rm x ; ",
    " | tee x | ",
    " <(x) ",
    " \\\n",
    " =x ",
];

fn harmless() -> impl Strategy<Value = String> {
    let simple = (select(&HARMLESS[..]), select(&ENDS[..]));
    let simple = simple.prop_map(|(command, end)| format!("{command}{end}"));
    // Each `cd src` may add a folder that the classifier tracks, and it refuses a command with too many of them.
    let more = prop::collection::vec((select(&CONNECTORS[..]), simple.clone()), 0..5);
    (simple, more).prop_map(|(first, more)| {
        let more = more
            .into_iter()
            .map(|(connector, simple)| format!("{connector}{simple}"));
        first + &more.collect::<String>()
    })
}

proptest! {
    #[test]
    fn harmless_parts_make_a_read(command in harmless()) {
        let found = bash(&CLASSIFIER, &command);
        prop_assert_eq!(found.class, READS, "{}: {:?}", command, found.why);
    }

    #[test]
    fn one_harmful_part_makes_it_none(
        before in harmless(),
        harmful in select(&HARMFUL[..]),
        after in harmless(),
        one in select(&CONNECTORS[..]),
        other in select(&CONNECTORS[..]),
        place in 0..3_u8,
    ) {
        let command = match place {
            0 => format!("{harmful}{other}{after}"),
            1 => format!("{before}{one}{harmful}"),
            _ => format!("{before}{one}{harmful}{other}{after}"),
        };
        prop_assert_ne!(bash(&CLASSIFIER, &command).class, READS, "{}", command);
    }

    #[test]
    fn a_harmful_piece_between_the_words_of_a_read_makes_it_none(
        command in select(vec!["ls -la src", "cat a b c", "git status", "wc -l a b", "head a"]),
        piece in select(&INSERTED[..]),
        place in any::<prop::sample::Index>(),
    ) {
        let spaces: Vec<usize> = command.match_indices(' ').map(|(at, _)| at).collect();
        let at = spaces[place.index(spaces.len())];
        let command = format!("{}{piece}{}", &command[..at], &command[at + 1..]);
        prop_assert_ne!(bash(&CLASSIFIER, &command).class, READS, "{}", command);
    }

    #[test]
    fn any_text_has_a_class(command in "\\PC*") {
        let _ = bash(&CLASSIFIER, &command);
    }

    #[test]
    fn any_text_of_shell_characters_has_a_class(
        command in prop::collection::vec(select(vec![
            "ls", "cat", "git log", " ", "\t", "\n", "'", "\"", "\\", "$", "`", "(", ")", "{", "}", "<", ">", "&", "|", ";",
            "#", "*", "?", "[", "]", "~", "=", "!", "-", "--", "2", "/dev/null", "a", "rm", "é", "cd ", "..", "/",
        ]), 0..30),
    ) {
        let command = command.concat();
        let found = bash(&CLASSIFIER, &command);
        // The reference: characters that the shell would interpret occur only in quotes.
        if found.class == READS {
            let outside = outside_single_quotes(&command);
            prop_assert!(!outside.contains('`'), "{}", command);
            prop_assert!(!outside.contains("rm;") && !outside.starts_with("rm"), "{}", command);
        }
    }
}

/// Returns the text outside single quotes. Double quotes protect neither `$` nor backquotes, and a backslash protects
/// the next character.
fn outside_single_quotes(command: &str) -> String {
    let mut outside = String::new();
    let mut letters = command.chars();
    let mut doubled = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '"' => doubled = !doubled,
            '\'' if !doubled => {
                let _ = letters.by_ref().find(|next| *next == '\'');
            }
            other => outside.push(other),
        }
    }
    outside
}
