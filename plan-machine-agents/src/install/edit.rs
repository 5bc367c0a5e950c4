//! Edits JSON with comments: adds and removes items, and keeps everything else byte for byte.

use plan_machine_kernel::json::{Json, Object};

use super::error::EditError;
use super::jsonc::{Kind, Node, parse, skip};

/// Sets a member of the object at a path. Missing objects on the path are created; an existing value is replaced.
pub(super) fn set(text: &str, path: &[&str], key: &str, value: &Json) -> Result<String, EditError> {
    let text = with_containers(text, path, "{}")?;
    let root = parse(&text)?;
    let parent = find(&root, path)?;
    if let Some(old) = parent.get(key) {
        if old.value(&text).as_ref() == Some(value) {
            return Ok(text);
        }
        let indent = indent_at(&text, old.span.start);
        let new = pretty(value, &indent, &unit(&text), newline(&text));
        return Ok(replaced(&text, old.span.start, old.span.end, &new));
    }
    Ok(inserted(&text, parent, Some(key), value))
}

/// Appends a value to the array at a path. The array and the objects on the path are created if they are missing.
pub(super) fn append(text: &str, path: &[&str], value: &Json) -> Result<String, EditError> {
    let text = with_containers(text, path, "[]")?;
    let root = parse(&text)?;
    let list = find(&root, path)?;
    match &list.kind {
        Kind::List(_) => Ok(inserted(&text, list, None, value)),
        _ => Err(unexpected(path, "an array")),
    }
}

/// Removes the items for which a condition holds from the array at a path.
pub(super) fn remove_items(
    text: &str,
    path: &[&str],
    is_ours: impl Fn(&Json) -> bool,
) -> Result<String, EditError> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Ok(list) = find(&root, path) else {
            return Ok(text);
        };
        let Kind::List(nodes) = &list.kind else {
            return Ok(text);
        };
        let ours = |node: &Node| node.value(&text).is_some_and(|value| is_ours(&value));
        let Some(at) = nodes.iter().position(ours) else {
            return Ok(text);
        };
        text = without(&text, list, at);
    }
}

/// Removes a member of the object at a path.
pub(super) fn remove_member(text: &str, path: &[&str], key: &str) -> Result<String, EditError> {
    let root = parse(text)?;
    let Ok(parent) = find(&root, path) else {
        return Ok(text.to_owned());
    };
    let Kind::Object(members) = &parent.kind else {
        return Ok(text.to_owned());
    };
    match members.iter().position(|member| member.key == key) {
        Some(at) => Ok(without(text, parent, at)),
        None => Ok(text.to_owned()),
    }
}

/// Removes a member if it is an object or array with neither items nor comments.
pub(super) fn remove_if_empty(text: &str, path: &[&str], key: &str) -> Result<String, EditError> {
    let root = parse(text)?;
    let found = find(&root, path).ok().and_then(|parent| parent.get(key));
    let is_empty = found.is_some_and(|node| match &node.kind {
        Kind::Object(members) => members.is_empty() && !has_comment(text, node),
        Kind::List(nodes) => nodes.is_empty() && !has_comment(text, node),
        Kind::Scalar => false,
    });
    if is_empty {
        return remove_member(text, path, key);
    }
    Ok(text.to_owned())
}

/// Returns the value at a path, without its comments.
pub(super) fn value_at(text: &str, path: &[&str]) -> Result<Option<Json>, EditError> {
    let root = parse(text)?;
    Ok(find(&root, path).ok().and_then(|node| node.value(text)))
}

fn has_comment(text: &str, node: &Node) -> bool {
    let inner = &text[node.span.start + 1..node.span.end - 1];
    !inner.trim().is_empty()
}

fn unexpected(path: &[&str], expected: &'static str) -> EditError {
    EditError::Unexpected {
        path: path.join("."),
        expected,
    }
}

fn find<'n>(root: &'n Node, path: &[&str]) -> Result<&'n Node, EditError> {
    let mut node = root;
    for (at, key) in path.iter().enumerate() {
        node = node
            .get(key)
            .ok_or_else(|| unexpected(&path[..=at], "a value"))?;
    }
    Ok(node)
}

/// Creates the missing objects on a path, and the container `last` at its end if it is missing.
fn with_containers(text: &str, path: &[&str], last: &str) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for at in 0..=path.len() {
        let root = parse(&text)?;
        let node = find(&root, &path[..at])?;
        let is_end = at == path.len();
        match (&node.kind, is_end, last) {
            (Kind::Object(_), false, _)
            | (Kind::Object(_), true, "{}")
            | (Kind::List(_), true, "[]") => {}
            (_, true, "[]") => return Err(unexpected(&path[..at], "an array")),
            _ => return Err(unexpected(&path[..at], "an object")),
        }
        if let Some(key) = path.get(at).filter(|key| node.get(key).is_none()) {
            let is_list = at + 1 == path.len() && last == "[]";
            let empty = if is_list {
                Json::List(Vec::new())
            } else {
                Json::Object(Object::default())
            };
            text = inserted(&text, node, Some(key), &empty);
        }
    }
    Ok(text)
}

/// Inserts an item at the end of a container, in the container's style.
fn inserted(text: &str, container: &Node, key: Option<&str>, value: &Json) -> String {
    let items = container.items();
    let inner = &text[container.span.start + 1..container.span.end - 1];
    let is_inline = !items.is_empty() && !inner.contains('\n');
    let line = newline(text);
    let close_indent = indent_at(text, container.span.start);
    let indent = match items.first() {
        Some(first) if !is_inline => indent_at(text, first.start),
        _ => format!("{close_indent}{}", unit(text)),
    };
    let value = if is_inline {
        value.to_string()
    } else {
        pretty(value, &indent, &unit(text), line)
    };
    let item = match key {
        Some(key) => format!("{}: {value}", Json::from(key)),
        None => value,
    };
    let close = container.span.end - 1;
    let end = container.span.start + 1 + inner.trim_end().len();
    let mut out = String::with_capacity(text.len() + item.len() + 16);
    let mut trailing = false;
    if let Some(last) = items.last() {
        let after = skip(text, last.end);
        trailing = text[after..].starts_with(',');
        out.push_str(&text[..last.end]);
        if !trailing {
            out.push(',');
        }
        out.push_str(&text[last.end..end]);
    } else {
        out.push_str(&text[..end]);
    }
    if is_inline {
        out.push(' ');
    } else {
        out.push_str(line);
        out.push_str(&indent);
    }
    out.push_str(&item);
    if trailing {
        out.push(',');
    }
    let rest = &text[end..close];
    if is_inline || rest.contains('\n') {
        out.push_str(rest);
    } else {
        out.push_str(line);
        out.push_str(&close_indent);
    }
    out.push_str(&text[close..]);
    out
}

/// Removes an item of a container, together with one comma and the line that would become empty.
fn without(text: &str, container: &Node, at: usize) -> String {
    let items = container.items();
    let item = &items[at];
    let is_last = at + 1 == items.len();
    let after = skip(text, item.end);
    let has_comma = text[after..].starts_with(',');
    // The comma before the last item is removed, unless the container ends with a comma.
    let comma_before = match at.checked_sub(1) {
        Some(before) if is_last && !has_comma => Some(skip(text, items[before].end)),
        _ => None,
    };
    let end = if has_comma { after + 1 } else { item.end };
    let start = item.start;
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let is_alone_before = text[line_start..start].trim().is_empty() && line_start > 0;
    let tail = &text[end..];
    let line_end = tail.find('\n').unwrap_or(tail.len());
    let is_alone_after = tail[..line_end].trim().is_empty();
    // The line break before the item is removed; the one after the item then ends the previous line.
    let (start, end) = if is_alone_before && is_alone_after {
        let before = text[..line_start].strip_suffix('\n').unwrap_or_default();
        let before = before.strip_suffix('\r').unwrap_or(before);
        let rest = tail[..line_end]
            .strip_suffix('\r')
            .unwrap_or(&tail[..line_end]);
        (before.len(), end + rest.len())
    } else if is_last {
        (text[..start].trim_end_matches(' ').len(), end)
    } else {
        (start, end + tail.len() - tail.trim_start_matches(' ').len())
    };
    let mut out = String::with_capacity(text.len());
    match comma_before {
        Some(comma) => {
            out.push_str(&text[..comma]);
            out.push_str(&text[comma + 1..start.max(comma + 1)]);
        }
        None => out.push_str(&text[..start]),
    }
    out.push_str(&text[end..]);
    collapsed(out, container, items.len() == 1)
}

/// Removes the white space in a container that has become empty.
fn collapsed(text: String, container: &Node, is_empty: bool) -> String {
    let open = container.span.start + 1;
    let close = skip(&text, open);
    let is_blank = text[open..close].trim().is_empty();
    if is_empty && is_blank {
        return replaced(&text, open, close, "");
    }
    text
}

fn replaced(text: &str, start: usize, end: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..start], &text[end..])
}

/// Returns the line break of a text.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the white space at the beginning of a line.
fn indent_at(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[line..at];
    line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
}

/// Returns the indentation of the first indented line.
fn unit(text: &str) -> String {
    for line in text.lines().skip(1) {
        let white = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if !white.is_empty() && !line.trim().is_empty() {
            return white.to_owned();
        }
    }
    "  ".to_owned()
}

/// Writes a value on several lines. An array of plain values stays on one line.
fn pretty(value: &Json, indent: &str, unit: &str, line: &str) -> String {
    let inner = format!("{indent}{unit}");
    let is_plain = |value: &Json| !matches!(value, Json::List(_) | Json::Object(_));
    match value {
        Json::Object(object) if !object.is_empty() => {
            let members: Vec<String> = object
                .iter()
                .map(|(key, value)| {
                    format!(
                        "{inner}{}: {}",
                        Json::from(key),
                        pretty(value, &inner, unit, line)
                    )
                })
                .collect();
            format!(
                "{{{line}{}{line}{indent}}}",
                members.join(&format!(",{line}"))
            )
        }
        Json::List(items) if items.iter().all(is_plain) => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        Json::List(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| format!("{inner}{}", pretty(item, &inner, unit, line)))
                .collect();
            format!("[{line}{}{line}{indent}]", items.join(&format!(",{line}")))
        }
        other => other.to_string(),
    }
}
