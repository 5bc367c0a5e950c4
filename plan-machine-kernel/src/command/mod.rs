//! Command patterns such as `/plan approve {plan_id?} {token?}`, and the lines that a person types.

mod choose;
mod line;
mod overlap;
mod pattern;
mod word;

pub use choose::{best_match, nearest_command};
pub use overlap::{PatternShape, overlap};
pub use pattern::{MAX_WORDS, Pattern, PatternError};
pub use word::ArgumentKind;

/// The arguments that a line passes to a command: names and values, in the order of the command's text.
pub type Arguments = Vec<(String, String)>;

/// Returns the leading literal words of a command's text: `/plan approve` for `/plan approve {plan_id?} {token?}`.
#[must_use]
pub fn typed(text: &str) -> &str {
    text.split('{').next().unwrap_or(text).trim_end()
}

/// Folds case one character at a time, so that the folded form of a character does not depend on its neighbors.
fn folded(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).collect()
}
