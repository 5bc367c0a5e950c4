//! Renders diagnostics for people (in the style of rustc) and for programs (as JSON objects).

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use plan_machine_kernel::json::{Json, Object};

use super::{Diagnostic, Label, Severity};
use crate::source::{FileId, SourceFile, SourceMap, Span};

/// Whether the rendered text uses terminal colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Text with terminal escape sequences.
    Always,
    /// Plain text.
    Never,
}

/// Renders the diagnostic with its source lines underlined.
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
    let places = places(&diagnostic.primary, &diagnostic.secondary, sources);
    let mut group = Group::with_title(title).elements(places);
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    rendered(group, colour)
}

/// Renders a remark that is not about a broken rule, in the style of a diagnostic: `word: message`, the underlined
/// source line, the other positions and the help.
#[must_use]
pub fn remark(
    word: &str,
    message: &str,
    (primary, secondary): (&Label, &[Label]),
    help: &str,
    sources: &SourceMap,
    colour: Colour,
) -> String {
    let title = Level::WARNING.with_name(word).primary_title(message);
    let group = Group::with_title(title)
        .elements(places(primary, secondary, sources))
        .element(Level::HELP.message(help));
    rendered(group, colour)
}

fn rendered(group: Group<'_>, colour: Colour) -> String {
    let renderer = match colour {
        Colour::Always => Renderer::styled(),
        Colour::Never => Renderer::plain(),
    };
    renderer.render(&[group])
}

/// Renders the lines that contain the labels. A label in a different file from the primary label, such as the spec of
/// another machine of a session, is rendered with its own file.
fn places<'a>(
    primary: &'a Label,
    secondary: &'a [Label],
    sources: &'a SourceMap,
) -> Vec<Element<'a>> {
    let is_here = |label: &&Label| label.span.file == primary.span.file;
    let (here, elsewhere): (Vec<&Label>, Vec<&Label>) = secondary.iter().partition(is_here);
    let mut all = vec![shown(AnnotationKind::Primary, primary, &here, sources)];
    let elsewhere = elsewhere.into_iter();
    all.extend(elsewhere.map(|label| shown(AnnotationKind::Context, label, &[], sources)));
    all
}

/// Renders the lines of one file that contain the labels, or only the position if these lines are too long.
fn shown<'a>(
    kind: AnnotationKind,
    first: &'a Label,
    others: &[&'a Label],
    sources: &'a SourceMap,
) -> Element<'a> {
    let file = sources.file(first.span.file);
    let window = window_of(first, others, file);
    if is_long(&file.text()[window]) {
        let place = file.position(first.span.start);
        let origin = Origin::path(file.name()).line(place.line);
        return origin.char_column(place.column).into();
    }
    snippet(kind, first, others, sources).into()
}

/// Returns the byte range of the lines that contain the labels.
fn window_of(first: &Label, others: &[&Label], file: &SourceFile) -> std::ops::Range<usize> {
    let labels = || std::iter::once(first).chain(others.iter().copied());
    let start = labels().map(|label| label.span.start).min().unwrap_or(0);
    let end = labels().map(|label| label.span.end).max().unwrap_or(0);
    window(file.text(), start as usize, end as usize)
}

/// Returns the lines that contain the labels. Only these lines are passed to the renderer: it scans its whole input,
/// which would take quadratic time for many diagnostics in a long file.
fn snippet<'a>(
    kind: AnnotationKind,
    first: &'a Label,
    others: &[&'a Label],
    sources: &'a SourceMap,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(first.span.file);
    let window = window_of(first, others, file);
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
        .annotation(annotation(kind, first))
        .annotations(
            others
                .iter()
                .map(|label| annotation(AnnotationKind::Context, label)),
        )
}

/// Extends a range of bytes to whole lines.
fn window(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let start = floor(text, start);
    let end = floor(text, end).max(start);
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
    from..to
}

/// The maximum length of a source line that is drawn, in bytes: longer lines are slow to render and unreadable.
const LONG: usize = 20_000;

/// Returns whether a window has a line that is too long to be drawn.
fn is_long(text: &str) -> bool {
    text.len() > LONG && text.split('\n').any(|line| line.len() > LONG)
}

/// Returns the nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Returns the label's byte range, relative to the start of the window.
fn range_in(
    file: &SourceFile,
    label: &Label,
    window: &std::ops::Range<usize>,
) -> std::ops::Range<usize> {
    let start = floor(file.text(), label.span.start as usize).clamp(window.start, window.end);
    let end = floor(file.text(), label.span.end as usize).clamp(start, window.end);
    start - window.start..end - window.start
}

/// Returns the diagnostic as the object that `check --format json` prints.
#[must_use]
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> Json {
    let mut object = Object::new();
    object.insert("code", diagnostic.code.as_str());
    object.insert("severity", diagnostic.severity.as_str());
    object.insert("message", diagnostic.message.as_str());
    object_file(&mut object, diagnostic.primary.span, sources);
    for (key, number) in place(diagnostic.primary.span, sources) {
        object.insert(key, number);
    }
    object.insert("help", diagnostic.help.join("; "));
    let notes = diagnostic
        .notes
        .iter()
        .map(|note| Json::from(note.as_str()));
    object.insert("notes", notes.collect::<Vec<Json>>());
    object.insert("labels", labels(diagnostic, sources));
    object.insert("trace", diagnostic.trace.clone());
    Json::Object(object)
}

/// Adds the name of the file that contains the span if it is not the compiled file, for example the spec of a machine
/// in a session.
fn object_file(object: &mut Object, span: Span, sources: &SourceMap) {
    if span.file != FileId::default() {
        object.insert("file", sources.file(span.file).name());
    }
}

/// Returns a position in machine-readable form: lines and columns, counted from 1.
#[must_use]
pub fn place(span: Span, sources: &SourceMap) -> [(&'static str, Json); 4] {
    let file = sources.file(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    let number = |count: usize| Json::Int(i64::try_from(count).unwrap_or(i64::MAX));
    [
        ("line", number(start.line)),
        ("column", number(start.column)),
        ("end_line", number(end.line)),
        ("end_column", number(end.column)),
    ]
}

/// Returns all labels that have text, the primary one first.
fn labels(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Json> {
    let all = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
    let spoken = all.filter(|label| !label.text.is_empty());
    spoken
        .map(|label| {
            let place = sources.file(label.span.file).position(label.span.start);
            let number = |count: usize| Json::Int(i64::try_from(count).unwrap_or(i64::MAX));
            let mut object = Object::new();
            object_file(&mut object, label.span, sources);
            object.insert("line", number(place.line));
            object.insert("column", number(place.column));
            object.insert("text", label.text.as_str());
            Json::Object(object)
        })
        .collect()
}
