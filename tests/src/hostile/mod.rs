//! Documents written to exhaust the checker's time or memory; each has about the requested length.
//!
//! `scripts/hostile` measures a release build with these documents. If a document of that length would exceed a limit
//! of the language, the document stays below the limit: an input that is rejected immediately costs nothing.

mod calls;
mod conditions;
mod declared;
mod lives;
mod reach;
mod read;
mod scopes;
mod sessions;

use std::fmt::Write as _;

/// A document, and the form in which it is written.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name of the construct that the document repeats.
    pub name: &'static str,
    /// The form in which the document is written.
    pub form: Form,
    /// The text of the document.
    pub text: String,
    /// The names and texts of the files that a session document refers to.
    pub beside: Vec<(String, String)>,
}

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The spec of a machine, or a document that resembles a spec.
    Machine,
    /// A scopes document.
    Scopes,
    /// A calls document.
    Calls,
    /// JSON, which is also YAML.
    Json,
    /// The inline form.
    Inline,
    /// A session document.
    Session,
}

impl Form {
    /// Returns the file extension of documents in this form.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Form::Machine => "yaml",
            Form::Scopes => "scopes.yaml",
            Form::Calls => "calls.yaml",
            Form::Json => "json",
            Form::Inline => "rs",
            Form::Session => "session.yaml",
        }
    }
}

/// Creates a document of about this many bytes.
type Family = fn(usize) -> String;

/// Returns every document, each about this many bytes long. Session documents have a fixed length, because the language
/// limits how many machines and invariants they contain.
#[must_use]
pub fn documents(bytes: usize) -> Vec<Document> {
    let of = |form: Form, families: &[(&'static str, Family)]| -> Vec<Document> {
        let made = families.iter().map(|(name, make)| Document {
            name,
            form,
            text: make(bytes),
            beside: Vec::new(),
        });
        made.collect()
    };
    let mut all = of(Form::Machine, &read::FAMILIES);
    all.extend(of(Form::Machine, &declared::FAMILIES));
    all.extend(of(Form::Machine, &conditions::FAMILIES));
    all.extend(of(Form::Machine, &reach::FAMILIES));
    all.extend(of(Form::Machine, &lives::FAMILIES));
    all.extend(of(Form::Scopes, &scopes::FAMILIES));
    all.extend(of(Form::Calls, &calls::FAMILIES));
    all.extend(of(Form::Json, &read::IN_JSON));
    all.extend(of(Form::Inline, &read::INLINE));
    all.extend(sessions::documents());
    all
}

/// Returns lines, each generated from its number: as many as fit into this many bytes, but at most
/// `most`.
fn lines(bytes: usize, most: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0..most {
        let line = line(number);
        if text.len() + line.len() > bytes {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Returns words, each generated from its number, with a separator between them: about this many
/// bytes, but at most `most` words.
fn row(bytes: usize, most: usize, between: &str, word: impl Fn(usize) -> String) -> String {
    let mut text = lines(bytes, most, |number| format!("{}{between}", word(number)));
    text.truncate(text.len().saturating_sub(between.len()));
    text
}

/// Returns the declarations of booleans that are initially false.
fn bools(count: usize) -> String {
    format!(
        "data:\n{}",
        lines(usize::MAX, count, |at| format!(
            "  b{at}: {{ type: bool, default: false }}\n"
        ))
    )
}

/// A machine built from these parts: `/go` starts it in `A`, and `/stop` ends it in `Z`.
struct Around {
    declared: String,
    /// Commands besides `go` and `stop`, one per line.
    commands: String,
    /// Handlers of `A`, one per line.
    handlers: String,
    /// Additional states, one per line.
    states: String,
    /// The sections after the states.
    rest: String,
}

impl Around {
    fn new() -> Self {
        Self {
            declared: String::new(),
            commands: String::new(),
            handlers: String::new(),
            states: String::new(),
            rest: String::new(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("machine: Hostile\n");
        let _ = write!(
            text,
            "{}commands:\n  go: /go\n  stop: /stop\n{}states:\n  none:\n    on: {{ go: A }}\n  A:\n    on:\n      \
             stop: {{ to: Z, next: none }}\n{}{}  Z: {{ final: true }}\n{}",
            self.declared, self.commands, self.handlers, self.states, self.rest
        );
        text
    }
}
