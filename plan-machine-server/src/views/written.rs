//! The invariants of a document as their author wrote them.

/// An invariant as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenInvariant {
    pub(super) name: String,
    pub(super) statement: String,
    /// The comment above the invariant.
    pub(super) note: Option<String>,
}

/// Returns the invariants of a document in YAML. The compiler has already checked the document, so this function only
/// finds the texts of the invariants. It omits invariants that are not written in the usual form.
pub(super) fn invariants(text: &str) -> Vec<WrittenInvariant> {
    let mut lines = text
        .lines()
        .skip_while(|line| line.trim_end() != "invariants:");
    lines.next();
    let mut found: Vec<WrittenInvariant> = Vec::new();
    let mut note: Vec<&str> = Vec::new();
    let mut depth = None;
    for line in lines {
        let words = line.trim();
        let indent = line.len() - line.trim_start().len();
        if words.is_empty() {
            note.clear();
            continue;
        }
        if indent == 0 {
            break;
        }
        if let Some(comment) = words.strip_prefix('#') {
            note.push(comment.trim());
            continue;
        }
        let depth = *depth.get_or_insert(indent);
        let key = words.split_once(':').filter(|_| indent == depth);
        if let Some((name, statement)) = key {
            let statement = statement.trim();
            let statement = match statement.trim_end_matches(['-', '+']) {
                ">" | "|" => "",
                _ => statement,
            };
            found.push(WrittenInvariant {
                name: name.trim_matches(['"', '\'']).to_owned(),
                statement: unquoted(statement).to_owned(),
                note: (!note.is_empty()).then(|| note.join(" ")),
            });
            note.clear();
        } else if let Some(last) = found.last_mut() {
            if !last.statement.is_empty() {
                last.statement.push(' ');
            }
            last.statement.push_str(words);
        }
    }
    found
}

fn unquoted(text: &str) -> &str {
    let quotes = ['"', '\''];
    let mut quotes = quotes.into_iter();
    let inner = quotes.find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_author_are_found_again() {
        let text = "session: A\ninvariants:\n  # Nobody else\n  # decides.\n  only_a_person: X only by y\n  long_one: >-\n    never (a\n    and b)\n  quoted: 'always c'\n\nscenarios:\n  other: x\n";
        let found = invariants(text);
        let rows: Vec<(&str, &str, Option<&str>)> = found
            .iter()
            .map(|one| {
                (
                    one.name.as_str(),
                    one.statement.as_str(),
                    one.note.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("only_a_person", "X only by y", Some("Nobody else decides.")),
                ("long_one", "never (a and b)", None),
                ("quoted", "always c", None),
            ]
        );
        assert_eq!(invariants("machine: A\n"), []);
    }
}
