//! PM0901: every level, run and id that is used has been declared, and no two levels can have the same key.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::scopes::model::{Level, Scopes, Segment};
use crate::syntax::ast::Name;

/// Returns the diagnostic for an undeclared name.
pub(in crate::scopes) fn unknown<'n>(
    kind: &str,
    name: &Name,
    known: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    let message = format!("unknown {kind} `{}`", name.node);
    Diagnostic::new(Code::PM0901, name.span, message).did_you_mean(&name.node, known)
}

/// Reports pairs of levels that can have the same key.
pub(super) fn check(scopes: &Scopes, sink: &mut Sink) {
    for (at, level) in scopes.levels.iter().enumerate() {
        for earlier in &scopes.levels[..at] {
            if let Some(key) = shared(scopes, earlier, level) {
                let names = (&earlier.name, &level.name);
                let message = format!(
                    "the key `{key}` could belong to both `{}` and `{}`",
                    names.0, names.1
                );
                let help = format!(
                    "start each key with a different word, such as `{}:`",
                    level.name
                );
                let found = Diagnostic::new(Code::PM0901, level.span, message)
                    .label(format!("`{}`", scopes.key_text(level)))
                    .also(earlier.span, format!("`{}`", scopes.key_text(earlier)));
                sink.push(found.help(help));
            }
        }
    }
}

/// Returns a key that both levels could have; `None` if the keys differ in the number of segments, or in a word.
fn shared(scopes: &Scopes, one: &Level, other: &Level) -> Option<String> {
    if one.key.len() != other.key.len() || one.key.is_empty() {
        return None;
    }
    let pairs = one.key.iter().zip(&other.key);
    let pieces = pairs.map(|(a, b)| match (&a.node, &b.node) {
        (Segment::Word(a), Segment::Word(b)) if a != b => None,
        (Segment::Word(word), _) | (_, Segment::Word(word)) => Some(word.clone()),
        (Segment::Identity(part), _) => Some(scopes[*part].name.clone()),
        (Segment::Id(id), _) => Some(scopes[*id].name.clone()),
    });
    Some(pieces.collect::<Option<Vec<String>>>()?.join(":"))
}
