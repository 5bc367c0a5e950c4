//! Checks whether a plan declares itself complete.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::outline::{heading_at, readable};

/// Returns whether a plan declares itself complete. A plan does so if it has a line `Status: complete` outside its
/// phases, or if its phases have at least one status and all of their statuses are `complete`.
///
/// A phase is a section whose heading starts with `Phase`; a status belongs to the innermost phase that contains it.
/// List markers, emphasis and case do not matter; code, comments, HTML blocks and quotes are ignored.
///
/// ```
/// use plan_machine_kernel::markdown::is_complete;
///
/// assert!(is_complete("# Plan\n\n- **Status:** Complete\n"));
/// assert!(!is_complete("## Phase 1\nStatus: complete\n\n## Phase 2\nStatus: open\n"));
/// ```
#[must_use]
pub fn is_complete(text: &str) -> bool {
    let mut reader = Reader::default();
    for (event, range) in Parser::new(&readable(text)).into_offset_iter() {
        reader.take(text, event, range.start);
    }
    reader.end_line();
    reader.verdict()
}

/// Collects the statuses. A heading that does not start a section is treated as a line of text, because an underlined
/// heading may be meant as a status line above a thematic break.
#[derive(Default)]
struct Reader {
    line: String,
    /// The level of the heading that is being read.
    heading: Option<usize>,
    /// The number of open blocks; a heading counts only outside all blocks.
    depth: usize,
    /// The number of open blocks whose content is ignored.
    hidden: usize,
    /// The open phases, outermost first: level, and index in `phases`.
    open: Vec<(usize, usize)>,
    /// For each phase, whether all of its statuses are complete; `None` if it has no status.
    phases: Vec<Option<bool>>,
    document: bool,
}

impl Reader {
    fn take(&mut self, text: &str, event: Event<'_>, at: usize) {
        match event {
            Event::Start(tag) => self.start(text, &tag, at),
            Event::End(tag) => self.end(tag),
            _ if self.hidden > 0 => {}
            Event::Text(part) => self.line.push_str(&part),
            // The backticks are kept: a status in code is only an example.
            Event::Code(part) => self.line.extend(["`", &part, "`"]),
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            _ => {}
        }
    }

    fn start(&mut self, text: &str, tag: &Tag<'_>, at: usize) {
        if is_inline(tag.to_end()) {
            return;
        }
        self.end_line();
        match tag {
            Tag::Heading { .. } if self.depth == 0 => {
                self.heading = heading_at(text, at).map(|heading| heading.level);
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::BlockQuote(_) => self.hidden += 1,
            _ => {}
        }
        self.depth += 1;
    }

    fn end(&mut self, tag: TagEnd) {
        if is_inline(tag) {
            return;
        }
        self.end_line();
        self.depth = self.depth.saturating_sub(1);
        if matches!(
            tag,
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::BlockQuote(_)
        ) {
            self.hidden = self.hidden.saturating_sub(1);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line).to_lowercase();
        match self.heading.take() {
            Some(level) => self.enter(level, line.trim().starts_with("phase")),
            None => self.note(&line),
        }
    }

    fn enter(&mut self, level: usize, is_phase: bool) {
        while self.open.last().is_some_and(|(outer, _)| *outer >= level) {
            self.open.pop();
        }
        if is_phase {
            self.open.push((level, self.phases.len()));
            self.phases.push(None);
        }
    }

    fn note(&mut self, line: &str) {
        let Some(status) = line
            .trim()
            .strip_prefix("status")
            .and_then(|rest| rest.trim_start().strip_prefix(':'))
        else {
            return;
        };
        let complete = status.trim() == "complete";
        match self
            .open
            .last()
            .and_then(|(_, phase)| self.phases.get_mut(*phase))
        {
            Some(phase) => *phase = Some(complete && *phase != Some(false)),
            None => self.document |= complete,
        }
    }

    fn verdict(&self) -> bool {
        let mut stated = self.phases.iter().flatten().peekable();
        self.document || (stated.peek().is_some() && stated.all(|complete| *complete))
    }
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_status_of_the_document_is_enough() {
        for text in [
            "Status: complete",
            "# Plan\n\nstatus:COMPLETE\n",
            "- **Status:** complete",
            "* *Status*: **Complete**",
            "1. Status: complete",
            "Owner: me\r\nStatus: complete\r\nDue: now",
            "Owner: me  \nStatus: complete",
            "Status: complete <!-- since today -->",
            "Status: complete\n---\n",
            "---\nstatus: complete\n---\n# Plan",
            "Status: complete\n\n## Phase 1\nStatus: open\n",
            "## Phase 1\nStatus: open\n\n## Result\nStatus: complete\n",
        ] {
            assert!(is_complete(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_a_status_line_does_not_count() {
        for text in [
            "",
            "Status:",
            "Status: completed",
            "Status: not complete",
            "Set Status: complete when done",
            "Status: complete soon",
            "`Status: complete`",
            "    Status: complete",
            "```\nStatus: complete\n```",
            "<!-- Status: complete -->",
            "<!--\n\nStatus: complete\n\n-->",
            "text <!-- \nStatus: complete\n--> text",
            "> Status: complete",
            "# Status: complete",
            "# Phase 1\n\n## Phase 2",
        ] {
            assert!(!is_complete(text), "{text:?}");
        }
    }

    #[test]
    fn phases_are_complete_together() {
        assert!(is_complete(
            "## Phase 1\nStatus: complete\n## Phase 2\n- status: Complete"
        ));
        assert!(!is_complete(
            "## Phase 1\nStatus: complete\n## Phase 2\nStatus: pending"
        ));
        assert!(is_complete(
            "## Phase 1\nStatus: complete\n## Phase 2\nto be planned"
        ));
        assert!(is_complete("## **phase** one\n### Notes\nStatus: complete"));
        assert!(!is_complete(
            "## Phase 1\nStatus: complete\n### Task\nStatus: open"
        ));
    }

    #[test]
    fn a_status_belongs_to_the_innermost_phase() {
        assert!(!is_complete(
            "## Phases\nStatus: open\n### Phase 1\nStatus: complete"
        ));
        assert!(is_complete("## Phases\n### Phase 1\nStatus: complete"));
        assert!(!is_complete(
            "# Phase 1\n## Phase 1a\nStatus: complete\n# Phase 2\nStatus: open"
        ));
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in r"([#>*`~<!\[\]|:\-]|Status: complete|Phase 1|[ \r\n\t]|[a-zé]){0,60}") {
            let _ = is_complete(&text);
        }
    }
}
