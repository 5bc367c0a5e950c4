//! Lays out Markdown for a terminal.
//!
//! No letter or digit that a model has written may disappear. Each block is therefore compared with its source: if
//! letters are missing, the block is shown as written. This happens to tables with more cells than columns, for example.

mod blocks;
mod events;
mod inline;
mod letters;
mod links;
mod table;

use pulldown_cmark::{Event, Options, Parser};

use blocks::Layout;

pub(super) use letters::has_letters;

/// Returns the lines of a text, laid out in at most this many columns. Every character of the text must be visible.
pub(super) fn laid_out(text: &str, width: usize) -> Vec<String> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut layout = Layout::new(text, width);
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if depth == 0 {
            layout.begin_block(&range);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        layout.add(event, &range);
        if depth == 0 {
            layout.end_block(&range);
        }
    }
    layout.into_lines()
}

#[cfg(test)]
mod tests {
    use console::strip_ansi_codes;

    use super::*;

    /// Returns the lines without their styles.
    fn plain(text: &str, width: usize) -> Vec<String> {
        let lines = laid_out(text, width);
        let lines = lines.iter().map(|line| strip_ansi_codes(line).into_owned());
        lines.collect()
    }

    /// Returns whether a text is shown in a style with this code.
    fn has_style(text: &str, code: u8, part: &str) -> bool {
        let shown = laid_out(text, 80).join("\n");
        shown.contains(&format!("\u{1b}[{code}m{part}\u{1b}[0m"))
    }

    #[test]
    fn paragraphs_are_wrapped_and_keep_their_line_breaks() {
        assert_eq!(
            plain("one two three\nfour\n\n\nfive  \nsix\\\nseven", 8),
            ["one two", "three", "four", "", "five", "six", "seven"]
        );
        assert_eq!(
            plain("one:\n  two  \n  three", 9),
            ["one:", "  two", "  three"]
        );
    }

    #[test]
    fn styles_do_not_cross_lines() {
        assert!(has_style("**a b**", 1, "a b"));
        assert!(has_style("*a b*", 3, "a b"));
        assert!(has_style("~~a b~~", 9, "a b"));
        assert!(has_style("# a b", 4, "a b"));
        assert_eq!(
            laid_out("a **bold word**", 6),
            ["a \u{1b}[1mbold\u{1b}[0m", "\u{1b}[1mword\u{1b}[0m"]
        );
        assert_eq!(
            laid_out("**a *b***", 9),
            ["\u{1b}[1ma \u{1b}[0m\u{1b}[1m\u{1b}[3mb\u{1b}[0m"]
        );
    }

    #[test]
    fn marks_inside_words_are_kept() {
        assert_eq!(
            plain("2*3*4, a**b**, 重**点**, _c_", 40),
            ["2*3*4, a**b**, 重点, c"]
        );
        for text in ["rm src/*.rs tests/*.rs", "see __init__.py", "a = b*(c+d)*e"] {
            assert_eq!(plain(text, 40), [text]);
        }
        assert_eq!(
            plain("(**a**). \"*b*\", **c**: [*d*](/e) ***f*** *g*!", 60),
            ["(a). \"b\", c: d (/e) f g!"]
        );
    }

    #[test]
    fn headings_of_both_kinds_are_followed_by_their_text() {
        assert_eq!(
            plain("# One #\ntext\n\nTwo\n===\ntext", 20),
            ["One", "text", "", "Two", "text"]
        );
    }

    #[test]
    fn lists_have_a_hanging_indent() {
        let text = "1. one two three\n   - four five\n     six\n\n   seven\n1. eight\n\n10) nine\n";
        assert_eq!(
            plain(text, 12),
            [
                "1. one two",
                "   three",
                "   • four",
                "     five",
                "     six",
                "",
                "   seven",
                "1. eight",
                "",
                "10) nine",
            ]
        );
    }

    #[test]
    fn empty_items_and_tasks_keep_their_marks() {
        assert_eq!(
            plain("- a\n-\n- [ ] b\n- [X] c", 20),
            ["• a", "•", "• [ ] b", "• [X] c"]
        );
    }

    #[test]
    fn quotes_have_a_bar_on_every_line() {
        assert_eq!(
            plain("> one two\n>\n> - three\n> > four\n\nfive", 9),
            ["▐ one two", "▐", "▐ • three", "▐ ▐ four", "", "five"]
        );
    }

    #[test]
    fn code_blocks_are_shown_as_written_between_fences() {
        assert_eq!(
            plain("```sh -x\na  *b*\n\n  &amp; cde\n```\n\n    in  dent", 9),
            [
                "```sh -x", "a  *b*", "", "  &amp;", "cde", "```", "", "    in", "dent",
            ]
        );
        assert_eq!(plain("~~~\n```\na\n~~~", 9), ["````", "```", "a", "````"]);
        assert_eq!(plain("- ```\n  a\n  ```", 9), ["• ```", "  a", "  ```"]);
    }

    #[test]
    fn code_in_a_line_keeps_its_backticks() {
        assert_eq!(
            plain("`a *b*` `` c`d `` `` `e` ``", 40),
            ["`a *b*` ``c`d`` `` `e` ``"]
        );
    }

    #[test]
    fn links_show_their_address_and_title() {
        for (text, shown) in [
            ("[a](https://b.example)", "a (https://b.example)"),
            ("[a](/b \"c d\")", "a (/b \"c d\")"),
            ("[https://b](https://b)", "https://b"),
            ("<https://b>, <a@b.example>", "https://b, a@b.example"),
            ("![a](/b.png)", "a (/b.png)"),
            ("[](/b)", "(/b)"),
            ("[![a](/b)](/c)", "a (/b) (/c)"),
        ] {
            assert_eq!(plain(text, 40), [shown], "{text}");
        }
    }

    #[test]
    fn references_and_their_definitions_are_shown_as_written() {
        let text = "[a][1], [b][] and [c]\n\n[1]: /x \"y\"\n[b]: /z\n[c]: /w\n[unused]: /v";
        assert_eq!(plain(text, 40), text.split('\n').collect::<Vec<_>>());
    }

    #[test]
    fn html_is_shown_as_written() {
        let text = "<!-- a\n  b -->\n\nc <b onclick=\"d\">e</b>";
        assert_eq!(plain(text, 40), text.split('\n').collect::<Vec<_>>());
    }

    #[test]
    fn characters_that_are_written_as_numbers_stay_so() {
        let text = "&#27;[2J &#x200b; &lt;b&gt; &amp;";
        assert_eq!(plain(&format!("*a* {text}"), 40), [format!("a {text}")]);
        let hidden = laid_out("[a](/b&#27;[2J \"&#x202e;\") `&#27;`", 80).join("\n");
        assert!(!hidden.contains(['\u{202e}', '\r']), "{hidden:?}");
        assert!(!hidden.contains("\u{1b}[2J"), "{hidden:?}");
        let info = laid_out("```&#27;[2J\na\n```", 80).join("\n");
        assert!(!info.contains("\u{1b}[2J"), "{info:?}");
    }

    #[test]
    fn rules_are_as_wide_as_their_room() {
        assert_eq!(
            plain("a\n\n---\n\n> ***\n> b", 6),
            ["a", "", "──────", "", "▐ ────", "▐ b"]
        );
    }

    #[test]
    fn tables_have_columns_that_fit() {
        assert_eq!(
            plain("| a | b |\n|---|--:|\n| 1 | 234 |\n| 5 |", 30),
            ["│ a │   b │", "├───┼─────┤", "│ 1 │ 234 │", "│ 5 │     │",]
        );
        assert_eq!(
            plain("|a|b|\n|:-:|-|\n|1|one two three `x\\|y`|\n|漢字||", 16),
            [
                "│  a   │ b     │",
                "├──────┼───────┤",
                "│  1   │ one   │",
                "│      │ two   │",
                "│      │ three │",
                "│      │ `x|y` │",
                "│ 漢字 │       │",
            ]
        );
    }

    #[test]
    fn tables_without_room_or_with_cells_that_would_be_dropped_are_shown_as_written() {
        let narrow = "|a|b|c|d|\n|-|-|-|-|\n|1|2|3|4|";
        assert_eq!(plain(narrow, 16), narrow.split('\n').collect::<Vec<_>>());
        let thin = "|one two|three four|five six|\n|-|-|-|";
        assert_eq!(
            plain(thin, 16),
            ["|one two|three", "four|five six|", "|-|-|-|"]
        );
        for hidden in ["hidden", "../..", "$(*)"] {
            let dropped = format!("|a|b|\n|-|-|\n|1|2|{hidden}|");
            assert_eq!(plain(&dropped, 40), dropped.split('\n').collect::<Vec<_>>());
        }
    }

    #[test]
    fn blocks_that_are_nested_too_deeply_are_shown_as_written() {
        let text = "a\n\n> > > > > > b\n\n*c*";
        assert_eq!(plain(text, 14), ["a", "", "> > > > > > b", "", "c"]);
    }

    #[test]
    fn marks_without_text_are_shown_as_written() {
        assert_eq!(
            plain("a\n\n#\n\n*\n\n- ``` x", 20),
            ["a", "", "#", "", "*", "", "• ```x", "  ```"]
        );
    }

    #[test]
    fn a_layout_grows_no_faster_than_its_text() {
        for part in [
            "|a",
            "> ",
            "- ",
            "*a",
            "[a](",
            "`a",
            "a\n",
            "|a|\n|-|\n",
            "<a",
            "&#x1b;",
            "1. a\n",
            "![",
            "~~a ",
            "[a]: b\n",
            "a  ",
            "漢",
        ] {
            let size_of = |bytes: usize| {
                let text = "a\n\n".to_owned() + &part.repeat(bytes / part.len());
                laid_out(&text, 80).join("\n").len()
            };
            let (half, whole) = (size_of(16 << 10), size_of(32 << 10));
            assert!(whole <= 2 * half + 100, "{part}: {half} and {whole} bytes");
        }
    }
}
