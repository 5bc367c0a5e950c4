//! The tokens of programs, from a file with one `NAME ROLE TOKEN` per line.

use std::collections::HashMap;
use std::fmt;

use plan_machine_kernel::digest::{hex, sha256};
use thiserror::Error;

use super::credential::Role;

/// The minimum number of characters of a token.
const SHORTEST: usize = 24;

/// The maximum number of bytes of the name of a program.
const LONGEST_NAME: usize = 200;

/// The error for a line that does not define a token, or that repeats one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the tokens: {why}")]
pub struct InvalidTokens {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The problem.
    pub why: String,
}

/// The tokens of programs. Only their digests are kept, so that a lookup takes the same time for every wrong token.
#[derive(Clone, Default)]
pub struct ProgramTokens(HashMap<[u8; 32], (String, Role)>);

impl fmt::Debug for ProgramTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.values().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

impl ProgramTokens {
    /// Reads the lines of a file. Empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    ///
    /// If a line does not consist of a name of at most 200 bytes, a role, and a token of at least 24 characters, or if
    /// a token occurs twice.
    pub fn parse(text: &str) -> Result<Self, InvalidTokens> {
        let mut all = HashMap::new();
        for (text, line) in text.lines().zip(1..) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (name, role, token) = read(text).map_err(|why| InvalidTokens { line, why })?;
            if all.insert(digest(token), (name.to_owned(), role)).is_some() {
                let why = "duplicate token".to_owned();
                return Err(InvalidTokens { line, why });
            }
        }
        Ok(Self(all))
    }

    /// Returns a mark of all tokens with which this person may decide; `None` if there are none. The mark changes if one
    /// of the tokens is removed or replaced.
    pub(super) fn mark_of(&self, person: &str) -> Option<String> {
        let is_theirs = |(name, role): &(String, Role)| name == person && *role == Role::Person;
        let all = self.0.iter().filter(|(_, owner)| is_theirs(owner));
        let mut digests: Vec<&[u8]> = all.map(|(digest, _)| digest.as_slice()).collect();
        digests.sort_unstable();
        (!digests.is_empty()).then(|| hex(&sha256(&digests)[..16]))
    }

    /// Returns the program with this token.
    pub(super) fn find(&self, token: &str) -> Option<(&str, Role)> {
        let (name, role) = self.0.get(&digest(token))?;
        Some((name, *role))
    }
}

fn read(line: &str) -> Result<(&str, Role, &str), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, role, token] = words[..] else {
        let found = words.len();
        return Err(format!(
            "expected three words (a name, a role and a token), found {found}"
        ));
    };
    if name.len() > LONGEST_NAME {
        let found = name.len();
        return Err(format!(
            "expected a name of at most {LONGEST_NAME} bytes, found {found} bytes"
        ));
    }
    let role = role.parse()?;
    if token.len() < SHORTEST {
        return Err(format!(
            "the token of `{name}` has fewer than {SHORTEST} characters"
        ));
    }
    Ok((name, role, token))
}

fn digest(token: &str) -> [u8; 32] {
    sha256(&[token.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_too_long_is_reported_with_the_limit() {
        let text = |bytes: usize| format!("{} host 0123456789abcdef01234567", "b".repeat(bytes));
        let error = ProgramTokens::parse(&text(201)).expect_err("a long name");
        assert_eq!(
            error.to_string(),
            "line 1 of the tokens: expected a name of at most 200 bytes, found 201 bytes"
        );
        assert!(ProgramTokens::parse(&text(200)).is_ok());
    }

    #[test]
    fn a_line_that_is_not_a_token_is_reported() {
        for (text, problem) in [
            (
                "bot host",
                "line 1 of the tokens: expected three words (a name, a role and a token), found 2",
            ),
            (
                "\nbot king 0123456789abcdef01234567",
                "line 2 of the tokens: unknown role `king`",
            ),
            (
                "bot host short",
                "line 1 of the tokens: the token of `bot` has fewer than 24 characters",
            ),
            (
                "a host 0123456789abcdef01234567\nb host 0123456789abcdef01234567",
                "line 2 of the tokens: duplicate token",
            ),
        ] {
            let error = ProgramTokens::parse(text).expect_err(text).to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
