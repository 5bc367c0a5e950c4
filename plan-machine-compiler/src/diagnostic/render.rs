//! Diagnostics as people see them (rustc's own look) and as programs read them (one JSON object).

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use plan_machine_kernel::json::{Json, Object};

use super::{Diagnostic, Label, Severity};
use crate::source::{SourceFile, SourceMap};

/// Whether the rendered text carries terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// With escape sequences.
    Always,
    /// Plain text.
    Never,
}

/// The diagnostic with its source lines underlined.
#[must_use]
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.as_str());
    let mut group = Group::with_title(title).element(snippet(diagnostic, sources));
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match colour {
        Colour::Always => Renderer::styled(),
        Colour::Never => Renderer::plain(),
    };
    renderer.render(&[group])
}

/// The lines that the labels stand on. Only these are handed to the renderer: it reads all it is
/// given, which for many diagnostics of a long file would be quadratic.
fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(diagnostic.primary.span.file);
    let labels = || std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
    let start = labels().map(|label| label.span.start).min().unwrap_or(0);
    let end = labels().map(|label| label.span.end).max().unwrap_or(0);
    let window = window(file.text(), start as usize, end as usize);
    let annotation = |kind: AnnotationKind, label: &'a Label| {
        let span = range_in(file, label, &window);
        let words = (!label.text.is_empty()).then_some(label.text.as_str());
        kind.span(span).label(words)
    };
    Snippet::source(&file.text()[window.clone()])
        .line_start(
            file.position(u32::try_from(window.start).unwrap_or(u32::MAX))
                .line,
        )
        .path(file.name())
        .annotation(annotation(AnnotationKind::Primary, &diagnostic.primary))
        .annotations(
            diagnostic
                .secondary
                .iter()
                .map(|label| annotation(AnnotationKind::Context, label)),
        )
}

/// The whole lines around a range of bytes.
fn window(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let start = floor(text, start);
    let end = floor(text, end).max(start);
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
    from..to
}

/// The nearest boundary of a character at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The label's bytes, counted from the window's start; never empty where there is a character.
fn range_in(
    file: &SourceFile,
    label: &Label,
    window: &std::ops::Range<usize>,
) -> std::ops::Range<usize> {
    let start = floor(file.text(), label.span.start as usize).clamp(window.start, window.end);
    let end = floor(file.text(), label.span.end as usize).clamp(start, window.end);
    start - window.start..end - window.start
}

/// The diagnostic as the object that `check --format json` prints.
#[must_use]
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> Json {
    let file = sources.file(diagnostic.primary.span.file);
    let start = file.position(diagnostic.primary.span.start);
    let end = file.position(diagnostic.primary.span.end);
    let number = |count: usize| Json::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let mut object = Object::new();
    object.insert("code", diagnostic.code.as_str());
    object.insert("severity", diagnostic.severity.as_str());
    object.insert("message", diagnostic.message.as_str());
    object.insert("line", number(start.line));
    object.insert("column", number(start.column));
    object.insert("end_line", number(end.line));
    object.insert("end_column", number(end.column));
    object.insert("help", diagnostic.help.join("; "));
    object.insert("trace", diagnostic.trace.clone());
    Json::Object(object)
}
