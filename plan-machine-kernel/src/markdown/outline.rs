//! Finds the headings of a text.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

/// A heading that starts a section.
pub(super) struct Heading<'a> {
    /// The level, from 1 to 6.
    pub(super) level: usize,
    /// The heading's text as written, without the `#` marks.
    pub(super) text: &'a str,
    /// Where the heading's line starts.
    pub(super) line_start: usize,
    /// Where the next line starts, or where the text ends.
    pub(super) line_end: usize,
}

/// Returns the text as the parser needs it, with lone carriage returns replaced by line feeds. In `CommonMark`, a lone
/// carriage return ends a line, but the parser recognizes it only in some places. A line feed has the same length, so
/// positions do not change.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !(0..bytes.len()).any(is_lone) {
        return Cow::Borrowed(text);
    }
    let readable = text
        .char_indices()
        .map(|(at, c)| if is_lone(at) { '\n' } else { c });
    Cow::Owned(readable.collect())
}

/// Returns the headings that are written with `#` and are not inside another block, in order.
pub(super) fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut headings = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new(&readable(text)).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) if depth == 0 => {
                headings.extend(heading_at(text, range.start));
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    headings
}

/// Reads the heading at a position where `CommonMark` finds one. Setext (underlined) headings do not count: their text
/// does not start with `#` marks, starts with too many of them, or has no white space after them.
pub(super) fn heading_at(text: &str, at: usize) -> Option<Heading<'_>> {
    let line_start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let line = text[line_start..]
        .split(['\n', '\r'])
        .next()
        .unwrap_or_default();
    let marked = line.trim_start_matches(' ');
    let said = marked.trim_start_matches('#');
    let level = marked.len() - said.len();
    if !(1..=6).contains(&level) || !(said.is_empty() || said.starts_with([' ', '\t'])) {
        return None;
    }
    let after = &text[line_start + line.len()..];
    let break_length = if after.starts_with("\r\n") {
        2
    } else {
        after.len().min(1)
    };
    let line_end = line_start + line.len() + break_length;
    Some(Heading {
        level,
        text: without_closing_marks(said),
        line_start,
        line_end,
    })
}

fn without_closing_marks(said: &str) -> &str {
    let said = said.trim_end_matches([' ', '\t']);
    let before = said.trim_end_matches('#');
    let closed = before.is_empty() || before.ends_with([' ', '\t']);
    if closed { before.trim() } else { said.trim() }
}

/// The strings that end those HTML blocks which do not end at a blank line.
const HTML_ENDS: [&str; 8] = [
    ">",
    "-->",
    "]]>",
    "?>",
    "</script>",
    "</pre>",
    "</style>",
    "</textarea>",
];

/// Returns the lines to try, one at a time, to close the last fenced code block or HTML block of the text, in case that
/// block is unclosed.
pub(super) fn closings(text: &str) -> Vec<String> {
    let readable = readable(text);
    let last = Parser::new(&readable)
        .into_offset_iter()
        .filter_map(|(event, range)| match event {
            Event::Start(tag @ (Tag::CodeBlock(CodeBlockKind::Fenced(_)) | Tag::HtmlBlock)) => {
                Some((tag, range))
            }
            _ => None,
        });
    match last.last() {
        Some((Tag::CodeBlock(_), range)) => {
            let fence = &text[range];
            let mark = if fence.starts_with('~') { '~' } else { '`' };
            vec![fence.chars().take_while(|c| *c == mark).collect()]
        }
        Some(_) => HTML_ENDS.map(str::to_owned).to_vec(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(usize, &str)> {
        headings(text)
            .iter()
            .map(|heading| (heading.level, heading.text))
            .collect()
    }

    #[test]
    fn marks_and_white_space_are_not_part_of_a_heading() {
        let text = "# One\n  ##  Two ##  \n###\tThree #\\#\n####\n## C#\n# #\n";
        assert_eq!(
            texts(text),
            [
                (1, "One"),
                (2, "Two"),
                (3, "Three #\\#"),
                (4, ""),
                (2, "C#"),
                (1, "")
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_heading_is_none() {
        for text in [
            "#One",
            "    # One",
            "####### One",
            "\\# One",
            "One\n===",
            "#One\n===",
            "####### One\n---",
            "> # One",
            "- # One",
            "1. a\n\n   # One",
            "```\n# One\n```",
            "~~~\n# One",
            "<!--\n# One\n\n# Two\n-->",
            "<pre>\n\n# One\n</pre>",
            "<div>\n# One\n</div>",
        ] {
            assert_eq!(texts(text), [], "{text:?}");
        }
    }

    #[test]
    fn any_line_break_ends_a_heading() {
        for text in [
            "# A\r\n\r\n## B\r\n",
            "# A\r\r## B\r",
            "# A\n\n## B\n",
            "# A\n\n## B",
        ] {
            assert_eq!(texts(text), [(1, "A"), (2, "B")], "{text:?}");
            let last = headings(text).pop().map(|heading| heading.line_end);
            assert_eq!(last, Some(text.len()), "{text:?}");
        }
    }
}
