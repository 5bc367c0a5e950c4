//! Plans are Markdown. This module finds their sections and checks whether they declare themselves complete.
//!
//! `CommonMark` defines what a heading is, so code, comments and HTML are never mistaken for headings. A heading counts
//! only if it is written with `#` and is outside lists and quotes.

mod complete;
mod outline;

pub use complete::is_complete;
use outline::{Heading, headings};

/// Returns the body of the first section with this heading, without surrounding blank lines.
///
/// The heading is passed without its `#` marks and compared exactly, except for surrounding white space. A section ends
/// at the next heading of the same or a higher level.
///
/// ```
/// use plan_machine_kernel::markdown::section;
///
/// let plan = "# Plan\n\n## Goal\n\nShip it.\n\n## Steps\n";
/// assert_eq!(section(plan, "Goal"), Some("Ship it."));
/// assert_eq!(section(plan, "Steps"), Some(""));
/// assert_eq!(section(plan, "goal"), None);
/// ```
#[must_use]
pub fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let place = Place::find(text, heading)?;
    Some(without_blank_lines(&text[place.body_start..place.body_end]))
}

/// Replaces the body of the first section with this heading and returns the new text. The new body has one blank line
/// before it and, unless it ends the text, one after it; everything else is unchanged. A missing section is appended
/// with a level 2 heading; if the text leaves a code block or comment open, it is closed first.
///
/// The body is inserted unchanged, except for blank lines around it and white space at its end. A body that contains
/// headings, or opens a code block or comment without closing it, changes where sections end, as it would in any
/// editor.
///
/// ```
/// use plan_machine_kernel::markdown::with_section;
///
/// let plan = with_section("# Plan\n\n## Goal\nShip.\n## Steps\n", "Goal", "Ship it.");
/// assert_eq!(plan, "# Plan\n\n## Goal\n\nShip it.\n\n## Steps\n");
/// assert_eq!(with_section("# Plan", "Goal", "Ship it."), "# Plan\n\n## Goal\n\nShip it.\n");
/// ```
#[must_use]
pub fn with_section(text: &str, heading: &str, body: &str) -> String {
    match Place::find(text, heading) {
        Some(place) => {
            let mut out = text[..place.body_start].to_owned();
            push_body(&mut out, body, line_break(&text[..place.body_start]));
            if place.body_end < text.len() {
                out.push_str(line_break(&text[..place.body_start]));
                out.push_str(&text[place.body_end..]);
            }
            out
        }
        None => appended(text, heading, body),
    }
}

/// The position of a section's body in the text.
struct Place {
    body_start: usize,
    body_end: usize,
}

impl Place {
    fn find(text: &str, heading: &str) -> Option<Self> {
        let wanted = one_line(heading);
        let headings = headings(text);
        let at = headings.iter().position(|found| found.text == wanted)?;
        let Heading {
            level,
            line_end: body_start,
            ..
        } = headings[at];
        let next = headings[at + 1..].iter().find(|next| next.level <= level);
        Some(Self {
            body_start,
            body_end: next.map_or(text.len(), |next| next.line_start),
        })
    }
}

/// Ends the line of the heading, then adds a blank line and the body.
fn push_body(out: &mut String, body: &str, line_break: &str) {
    if !out.ends_with(['\n', '\r']) {
        out.push_str(line_break);
    }
    let body = without_blank_lines(body);
    if !body.is_empty() {
        for part in [line_break, body, line_break] {
            out.push_str(part);
        }
    }
}

fn appended(text: &str, heading: &str, body: &str) -> String {
    let line_break = line_break(text);
    let heading = heading_line(heading);
    let assemble = |closing: &str| {
        let mut out = text.to_owned();
        if !closing.is_empty() {
            end_line(&mut out, line_break);
            out.push_str(closing);
        }
        end_line(&mut out, line_break);
        if !last_line_is_blank(&out) {
            out.push_str(line_break);
        }
        let start = out.len();
        out.push_str(&heading);
        (out, start)
    };
    // An unclosed code block or comment would include the new heading, so it is closed first.
    let closings = outline::closings(text);
    let (mut out, _) = [""]
        .into_iter()
        .chain(closings.iter().map(String::as_str))
        .map(assemble)
        .find(|(out, start)| {
            headings(out)
                .last()
                .is_some_and(|last| last.line_start == *start)
        })
        .unwrap_or_else(|| assemble(""));
    push_body(&mut out, body, line_break);
    out
}

/// Returns a level 2 heading. If the heading's text ends in `#`, closing marks are added: otherwise, that `#` would
/// count as a closing mark.
fn heading_line(heading: &str) -> String {
    let heading = one_line(heading);
    let closing = if heading.ends_with('#') { " ##" } else { "" };
    format!("## {heading}{closing}").trim_end().to_owned()
}

/// Replaces line breaks, which a heading cannot contain, with spaces. This applies to headings that are written and to
/// headings that are searched for.
fn one_line(heading: &str) -> String {
    heading.trim().replace(['\n', '\r'], " ")
}

fn end_line(out: &mut String, line_break: &str) {
    if !out.is_empty() && !out.ends_with(['\n', '\r']) {
        out.push_str(line_break);
    }
}

/// Returns whether the last line of a text that ends in a line break is blank.
fn last_line_is_blank(text: &str) -> bool {
    let line = text
        .strip_suffix("\r\n")
        .or_else(|| text.strip_suffix(['\n', '\r']))
        .unwrap_or(text);
    line.rsplit(['\n', '\r'])
        .next()
        .unwrap_or_default()
        .trim()
        .is_empty()
}

/// Returns the line break to use for added text: the last line break in the text.
fn line_break(text: &str) -> &'static str {
    match text.rfind(['\n', '\r']) {
        Some(at) if text[..=at].ends_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Trims blank lines at both ends and white space at the very end. The first line keeps its indentation, which may make
/// it a code block.
fn without_blank_lines(text: &str) -> &str {
    let text = text.trim_end();
    let indent = text.len() - text.trim_start().len();
    let start = text[..indent].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    &text[start..]
}

#[cfg(test)]
mod tests;
