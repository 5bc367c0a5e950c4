//! How names of a spec become names of Rust.

use heck::{ToSnakeCase, ToUpperCamelCase};

/// A type's name: `COLLECTING` becomes `Collecting`.
#[must_use]
pub fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// A module's or method's name: `WorkByPlan` becomes `work_by_plan`.
#[must_use]
pub fn value_name(name: &str) -> String {
    name.to_snake_case()
}

/// Words of Rust, of all editions, that are names only as raw identifiers.
const WORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Whether a name is a word of Rust, which as a name must be written raw.
#[must_use]
pub fn is_word_of_rust(name: &str) -> bool {
    WORDS.contains(&name)
}

/// Whether a name is a word of Rust that cannot even be written raw.
#[must_use]
pub fn is_never_a_name(name: &str) -> bool {
    matches!(name, "self" | "super" | "crate" | "Self")
}
