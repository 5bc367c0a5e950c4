//! Reads JSON with comments and trailing commas, and stores the position of every part, so that an edit keeps
//! everything else byte for byte.

use std::ops::Range;

use plan_machine_kernel::json::Json;

use super::error::EditError;

/// The maximum nesting of a file.
const MAX_DEPTH: usize = 64;

/// A value and its position in the text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The position of the value.
    pub(super) span: Range<usize>,
    /// The kind of the value.
    pub(super) kind: Kind,
}

/// The kind of a value.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// An object.
    Object(Vec<Member>),
    /// An array.
    List(Vec<Node>),
    /// A string, a number, `true`, `false` or `null`.
    Scalar,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The key of the member.
    pub(super) key: String,
    /// The position of the key.
    pub(super) start: usize,
    /// The value of the member.
    pub(super) value: Node,
}

impl Node {
    /// Returns the value of a member.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .find(|member| member.key == key)
                .map(|member| &member.value),
            _ => None,
        }
    }

    /// Returns the positions of the items of a container.
    pub(super) fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| member.start..member.value.span.end)
                .collect(),
            Kind::List(nodes) => nodes.iter().map(|node| node.span.clone()).collect(),
            Kind::Scalar => Vec::new(),
        }
    }

    /// Returns the value without its comments.
    pub(super) fn value(&self, text: &str) -> Option<Json> {
        match &self.kind {
            Kind::Scalar => Json::parse(&text[self.span.clone()]).ok(),
            Kind::List(nodes) => {
                let values: Option<Vec<Json>> = nodes.iter().map(|node| node.value(text)).collect();
                Some(Json::List(values?))
            }
            Kind::Object(members) => {
                let mut object = plan_machine_kernel::json::Object::new();
                for member in members {
                    object.insert(member.key.clone(), member.value.value(text)?);
                }
                Some(object.into())
            }
        }
    }
}

/// Parses a JSON text with comments and trailing commas.
pub(super) fn parse(text: &str) -> Result<Node, EditError> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    let node = reader.node(0)?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.unexpected("the end of the file")),
    }
}

/// Returns the position after white space and comments.
pub(super) fn skip(text: &str, at: usize) -> usize {
    let mut reader = Reader { text, at };
    // The text was parsed before, so every comment has an end.
    let _ = reader.skip();
    reader.at
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn unexpected(&self, expected: &'static str) -> EditError {
        let line = self.text[..self.at].matches('\n').count() + 1;
        EditError::NotJson { line, expected }
    }

    fn skip(&mut self) -> Result<(), EditError> {
        loop {
            let rest = &self.text[self.at..];
            let white = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += white;
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest
                    .find("*/")
                    .ok_or(self.unexpected("the end of a comment"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, EditError> {
        if depth > MAX_DEPTH {
            return Err(self.unexpected("less nesting"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            _ => self.scalar()?,
        };
        let span = start..self.at;
        Ok(Node { span, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, EditError> {
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            self.scalar()?;
            let key = Json::parse(&self.text[start..self.at]).ok();
            let Some(Json::Text(key)) = key else {
                return Err(self.unexpected("a key in quotes"));
            };
            if members.iter().any(|member| member.key == key) {
                return Err(EditError::DuplicateKey(key));
            }
            self.skip()?;
            self.take(b':', "`:`")?;
            self.skip()?;
            let value = self.node(depth + 1)?;
            members.push(Member { key, start, value });
            self.comma(b'}', "`,` or `}`")?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Kind, EditError> {
        self.at += 1;
        let mut nodes = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Kind::List(nodes));
            }
            nodes.push(self.node(depth + 1)?);
            self.comma(b']', "`,` or `]`")?;
        }
    }

    /// Reads the comma after an item, which may be missing before the end of the container.
    fn comma(&mut self, end: u8, expected: &'static str) -> Result<(), EditError> {
        self.skip()?;
        match self.peek() {
            Some(found) if found == end => Ok(()),
            _ => self.take(b',', expected),
        }
    }

    fn take(&mut self, wanted: u8, expected: &'static str) -> Result<(), EditError> {
        if self.peek() != Some(wanted) {
            return Err(self.unexpected(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<Kind, EditError> {
        let rest = &self.text[self.at..];
        let length = if rest.starts_with('"') {
            string_length(rest).ok_or(self.unexpected("the end of a string"))?
        } else {
            let is_end = |letter: char| ",:]}/ \t\r\n".contains(letter);
            rest.find(is_end).unwrap_or(rest.len())
        };
        if Json::parse(&rest[..length]).is_err() {
            return Err(self.unexpected("a JSON value"));
        }
        self.at += length;
        Ok(Kind::Scalar)
    }
}

/// Returns the length of the string that a text begins with.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text =
            "\u{feff}// a\n{ /* b */ \"x\": [1, 2,], // c\n \"y\": {\"z\": \"//\\\"\"},\n}\n";
        let node = parse(text).expect("valid");
        let value = node.value(text).expect("a value").to_string();
        assert_eq!(value, r#"{"x":[1,2],"y":{"z":"//\""}}"#);
    }

    #[test]
    fn what_is_not_json_is_reported_with_its_line() {
        for text in [
            "",
            "{",
            "{\"a\" 1}",
            "{a: 1}",
            "[1 2]",
            "{} x",
            "/* ",
            "\"x",
            "{\"a\":1,\"a\":2}",
            "[nul]",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).is_err());
        let error = parse("{\n\n  x").expect_err("no key").to_string();
        assert!(error.contains("line 3"), "{error}");
    }
}
