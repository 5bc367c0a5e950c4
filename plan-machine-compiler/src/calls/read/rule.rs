//! Reads `rules`.

use super::outside::{one_or_more, outside_name, outside_names};
use crate::calls::ast::Rule;
use crate::calls::reader::{Reader, start};
use crate::calls::shorten::shortened;
use crate::calls::tree::Node;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;

pub(in crate::calls) const RULE_KEYS: [&str; 5] = ["tool", "command", "path", "arguments", "class"];
pub(in crate::calls) const COMMAND_KEYS: [&str; 1] = ["only"];
pub(in crate::calls) const PATH_KEYS: [&str; 1] = ["under"];
pub(in crate::calls) const ARGUMENT_KEYS: [&str; 1] = ["only"];

/// The maximum number of words in a listed command, and of names in the path of a folder.
const MOST_WORDS: usize = 20;
/// The maximum length of a folder or of a listed command, in bytes.
const LONGEST: usize = 1_000;

/// A condition: its items, each as words or names, with their locations.
type Items = Spanned<Vec<Spanned<Vec<String>>>>;

pub(super) fn rules(reader: &mut Reader<'_>, node: &Node) -> Vec<Rule> {
    let items = reader.list(node, "`rules`");
    items.iter().filter_map(|item| rule(reader, item)).collect()
}

fn rule(reader: &mut Reader<'_>, node: &Node) -> Option<Rule> {
    let mut tools = Vec::new();
    let (mut command, mut path, mut arguments, mut class) = (None, None, None, None);
    let entries = reader.map(node, "a rule");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "tool" => tools = outside_names(reader, node, "`tool`"),
            "command" => {
                let listed = condition(reader, node, "command", &COMMAND_KEYS, self::command);
                command = Some(listed);
            }
            "path" => path = Some(condition(reader, node, "path", &PATH_KEYS, folder)),
            "arguments" => {
                let known = condition(reader, node, "arguments", &ARGUMENT_KEYS, argument);
                arguments = Some(known);
            }
            "class" => class = reader.name(node, "`class`"),
            _ => reader.unknown_key(key, "a rule", &RULE_KEYS),
        }
    }
    let required = ["tool", "class"];
    reader.require(&entries, start(&entries, node), "this rule", &required);
    Some(Rule {
        span: node.span,
        tools,
        command,
        path,
        arguments,
        class: class?,
    })
}

/// Reads a condition with one key, such as `{ only: [ls, cat] }`.
fn condition(
    reader: &mut Reader<'_>,
    node: &Node,
    name: &str,
    keys: &[&'static str; 1],
    read: impl Fn(&mut Reader<'_>, &Node) -> Option<Vec<String>>,
) -> Items {
    let mut items = Vec::new();
    let before = reader.problems();
    for (key, node) in reader.map(node, &format!("`{name}`")).iter() {
        if key.node != keys[0] {
            reader.unknown_key(key, &format!("`{name}`"), keys);
            continue;
        }
        for item in one_or_more(node) {
            items.extend(read(reader, item).map(|words| Spanned::new(words, item.span)));
        }
    }
    if items.is_empty() && reader.problems() == before {
        let message = format!(
            "`{name}` lists nothing; add at least one entry to `{}`",
            keys[0]
        );
        reader.shape(node.span, message);
    }
    Spanned::new(items, node.span)
}

/// Reads a listed command: its first words.
fn command(reader: &mut Reader<'_>, node: &Node) -> Option<Vec<String>> {
    let text = reader.text(node, "a listed command")?;
    let words: Vec<String> = text.node.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() || words.len() > MOST_WORDS || text.node.len() > LONGEST {
        reader.shape(
            node.span,
            "expected a command of 1 to 20 words and at most 1000 bytes",
        );
        return None;
    }
    Some(words)
}

/// Reads the name of an argument.
fn argument(reader: &mut Reader<'_>, node: &Node) -> Option<Vec<String>> {
    outside_name(reader, node, "an argument").map(|name| vec![name.node])
}

/// Reads a folder of the project as the components of its path.
fn folder(reader: &mut Reader<'_>, node: &Node) -> Option<Vec<String>> {
    let text = reader.text(node, "a folder")?;
    let path = text.node.as_str();
    let names = path
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".");
    let names: Vec<String> = names.map(str::to_owned).collect();
    let is_plain = !path.is_empty()
        && path.len() <= LONGEST
        && names.len() <= MOST_WORDS
        && !path.starts_with(['/', '~'])
        && !path.contains(['\\', ':', '*', '?'])
        && !path.chars().any(char::is_control)
        && names.iter().all(|name| name != "..");
    if !is_plain {
        let message = format!("`{}` is not a folder of the project", shortened(path));
        let help = "write the folder relative to the project, such as `docs/plans`; `.` is the project itself";
        reader.report(Diagnostic::new(Code::PM0107, node.span, message).help(help));
        return None;
    }
    Some(names)
}
