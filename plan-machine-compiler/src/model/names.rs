//! How the names of a spec become Rust names.

use heck::{ToSnakeCase, ToUpperCamelCase};

/// Returns the name of a type: `COLLECTING` becomes `Collecting`.
#[must_use]
pub fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// Returns the name of a module or method: `WorkByPlan` becomes `work_by_plan`.
#[must_use]
pub fn value_name(name: &str) -> String {
    name.to_snake_case()
}

/// The keywords of all Rust editions that can be names only as raw identifiers.
const WORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Returns whether a name is a Rust keyword that must be written as a raw identifier.
#[must_use]
pub fn is_word_of_rust(name: &str) -> bool {
    WORDS.contains(&name)
}

/// Returns whether a name is a Rust keyword that cannot be used even as a raw identifier.
#[must_use]
pub fn is_never_a_name(name: &str) -> bool {
    matches!(name, "self" | "super" | "crate" | "Self")
}
