//! Reads statements: their keys, their ends and their doc comments. After an invalid statement, reading continues with
//! the next statement.

use std::collections::BTreeMap;

use super::reader::Reader;
use super::text::doc_text;
use super::tokens::{Bracket, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};
use crate::syntax::ast::Name;

/// Words that start a statement that can have a doc comment.
const DOCUMENTED: [&str; 8] = [
    "machine", "type", "command", "signal", "tool", "effect", "state", "final",
];

/// Keys of the YAML form that are written differently in the DSL.
const SAID_OTHERWISE: [(&str, &str); 10] = [
    ("doc", "a doc comment is written `/// …`"),
    (
        "instances",
        "`instances` goes in the head: `machine Name (many);`",
    ),
    (
        "max_live",
        "`max_live` goes in the head: `machine Name (many, max_live 3);`",
    ),
    (
        "to",
        "the target goes before the block: `on event => STATE { … }`",
    ),
    (
        "next",
        "`next` goes before the block: `on event => STATE next none { … }`",
    ),
    (
        "else",
        "the message goes after the condition: `require condition, \"text\";`",
    ),
    (
        "default",
        "the default goes after `=`: `name: string = \"none\"`",
    ),
    ("optional", "an optional type is written `T?`"),
    (
        "input",
        "the input goes in braces: `tool name { field: string }`",
    ),
    ("fields", "the fields go in braces: `{ field: string }`"),
];

impl Reader<'_> {
    /// Reads one of the keys that are allowed here.
    pub(super) fn key(&mut self, place: &str, keys: &[&'static str]) -> Option<Name> {
        match self.peek_word() {
            Some(word) if keys.contains(&word) => {
                let key = Spanned::new(word.to_owned(), self.here());
                self.advance();
                Some(key)
            }
            Some(word) => {
                self.unknown_key(word, place, keys);
                None
            }
            None => self.wanted(&format!("a key of {place}")),
        }
    }

    fn unknown_key(&mut self, word: &str, place: &str, keys: &[&'static str]) {
        let message = format!("`{word}` is not a key of {place}");
        let found = Diagnostic::new(Code::PM0103, self.here(), message);
        let otherwise = SAID_OTHERWISE.iter().find(|(key, _)| *key == word);
        let found = match otherwise {
            Some((_, help)) => found.help(*help),
            None => found.did_you_mean(word, keys.iter().copied()),
        };
        let found = if found.help.is_empty() {
            found.help(format!("keys allowed in {place}: {}", keys.join(", ")))
        } else {
            found
        };
        self.report(found);
    }

    /// Consumes the end of a statement: `;`, which may be omitted after a closing brace.
    pub(super) fn finish(&mut self) -> Option<()> {
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at].kind);
        if self.eat(";") || matches!(before, Some(Kind::Close(Bracket::Curly))) {
            return Some(());
        }
        let message = format!("expected `;`, found {}", self.shown());
        let behind = self.before();
        let found = Diagnostic::new(Code::PM0107, self.here(), message);
        self.report(found.also(behind, "a `;` is missing after this"));
        // If a word follows, it starts the next statement.
        matches!(self.peek(), None | Some(Kind::Word(_))).then_some(())
    }

    /// Reads statements up to the end of the block. If a statement cannot be read, continues with the next statement.
    pub(super) fn statements(
        &mut self,
        mut read: impl FnMut(&mut Self, Option<Name>) -> Option<()>,
    ) {
        while !self.is_done() {
            let before = self.at;
            let doc = self.doc();
            let has_doc = self
                .peek_word()
                .is_some_and(|word| DOCUMENTED.contains(&word));
            let refused = doc.clone().filter(|_| !has_doc);
            if read(self, doc).is_none() {
                self.recover();
                self.lose_since(before);
            } else if let Some(doc) = refused {
                self.refuse_doc(&doc);
            }
            if self.at == before {
                self.advance();
            }
        }
    }

    /// Skips the rest of an invalid statement.
    fn recover(&mut self) {
        while let Some(kind) = self.peek() {
            let last = matches!(kind, Kind::Symbol(";") | Kind::Open(Bracket::Curly, _));
            self.advance();
            if last {
                self.eat(";");
                return;
            }
        }
    }

    /// Consumes the doc comment at this position and returns its lines, each without its leading space.
    pub(super) fn doc(&mut self) -> Option<Name> {
        let start = self.here();
        let mut lines = Vec::new();
        while let Some(Kind::Doc(text)) = self.peek() {
            lines.push(doc_text(text));
            self.advance();
        }
        let text = lines.join("\n").trim().to_owned();
        (!lines.is_empty()).then(|| Spanned::new(text, start.to(self.before())))
    }

    /// Reports a doc comment before something that cannot have a doc comment.
    fn refuse_doc(&mut self, doc: &Name) {
        let message = "this doc comment is not followed by a machine, a type, a field, an event, an effect or a state";
        let found = Diagnostic::new(Code::PM0107, doc.span, message);
        self.report(found.help("for an ordinary comment, write `//`"));
    }
}

/// The kinds of names that the author of a spec chooses. All other names in a block, such as keys, cannot be replaced
/// with another name.
const CHOSEN: [&str; 9] = [
    "type",
    "command",
    "signal",
    "tool",
    "effect",
    "invariant",
    "scenario",
    "state",
    "field",
];

/// The names already used in a block.
#[derive(Default)]
pub(super) struct UsedNames(BTreeMap<(&'static str, String), Span>);

impl UsedNames {
    /// Returns whether a name of this kind was already used.
    pub(super) fn has(&self, kind: &'static str, name: &str) -> bool {
        self.0.contains_key(&(kind, name.to_owned()))
    }

    /// Returns whether a name of this kind is new; a name that is not new is reported as a duplicate.
    pub(super) fn is_new(
        &mut self,
        reader: &mut Reader<'_>,
        kind: &'static str,
        name: &Name,
    ) -> bool {
        let key = (kind, name.node.clone());
        let Some(first) = self.0.get(&key) else {
            self.0.insert(key, name.span);
            return true;
        };
        let message = format!("duplicate {kind} `{}`", name.node);
        let help = if CHOSEN.contains(&kind) {
            "keep one of the two, or give them different names"
        } else {
            "remove one of the two"
        };
        reader.report(
            Diagnostic::new(Code::PM0104, name.span, message.trim_start())
                .also(*first, "first used here")
                .help(help),
        );
        false
    }
}
