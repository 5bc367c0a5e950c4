//! How names of a spec become names of Rust.

use heck::{ToSnakeCase, ToUpperCamelCase};

/// Returns a type's name: `COLLECTING` becomes `Collecting`.
#[must_use]
pub fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// Returns a module's or method's name: `WorkByPlan` becomes `work_by_plan`.
#[must_use]
pub fn value_name(name: &str) -> String {
    name.to_snake_case()
}

/// Keywords of Rust, of all editions, that can be names only as raw identifiers.
const WORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Tells whether a name is a keyword of Rust, which must be written raw.
#[must_use]
pub fn is_word_of_rust(name: &str) -> bool {
    WORDS.contains(&name)
}

/// Tells whether a name is a keyword of Rust that cannot even be written raw.
#[must_use]
pub fn is_never_a_name(name: &str) -> bool {
    matches!(name, "self" | "super" | "crate" | "Self")
}
